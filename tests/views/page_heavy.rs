//! The replay page, in a real browser: `browser/check.mjs` looks at it.

use referee::game::frames::Picture;
use referee::game::{Answer, Game, GameKind};
use referee::gamelog::{self, Bytes, Event, Log};
use referee::lines::Lines;
use referee::verdict::Culprit;
use support::prelude::*;

/// A game that was played and logged, and its page.
pub(crate) struct Shown {
    folder: TempDir,
    pub(crate) log: Log,
}

impl Shown {
    pub(crate) fn play(args: &[&str]) -> Self {
        let folder = tempdir().expect("a folder");
        let log = folder.path().join("game.jsonl");
        // Square Remover has no turns, and a test of late turns has a limit of its own.
        let has_limits = args.contains(&"square-remover") || args.contains(&"--turn");
        let patient: &[&str] = if has_limits { &[] } else { &PATIENT };
        referee().play(patient).arg("--log").arg(&log).args(args).run();
        let text = fs::read(log).expect("a log");
        Self { folder, log: gamelog::read(&text).expect("a good log") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The page's address.
    pub(crate) fn url(&self) -> String {
        page(&[&self.path("game.jsonl")], &self.path("page.html"))
    }

    /// The game by the rules before each move, and at its end.
    pub(crate) fn boards(&self) -> Vec<Vec<i32>> {
        let mut game = self.game();
        let mut boards = vec![cells(&game)];
        for turn in &self.log.turns {
            let reply = Lines::split(&turn.reply.0);
            game.answer(Answer::new(&reply, turn.no_reply)).expect("its rules are here");
            boards.push(cells(&game));
        }
        boards
    }

    pub(crate) fn game(&self) -> Game {
        let kind = GameKind::named(&self.log.start.game).expect("a known game");
        let case = (kind.parse)(&self.log.start.test_case).expect("a good case");
        case.opening().expect("its rules are here")
    }

    /// The expected end of the page.
    fn end(&self) -> Value {
        let end = self.log.end.as_ref().expect("a complete game");
        json!({
            "score": end.score,
            "official": end.official,
            "verdict": end.verdict.to_string(),
            "final": self.boards().last(),
        })
    }
}

/// The board of a game as it is now.
pub(crate) fn picture(game: &Game) -> Picture {
    game.view().expect("it has a picture").picture()
}

fn cells(game: &Game) -> Vec<i32> {
    picture(game).tiles.iter().map(|tile| tile.map_or(-1, i32::from)).collect()
}

/// Writes the page of one log, or of two, and returns its address.
pub(crate) fn page(logs: &[&Path], page: &Path) -> String {
    assert_code(&referee().arg("replay").args(logs).arg("--html").arg(page).run(), 0);
    format!("file://{}", page.display())
}

fn size(game: &Shown) -> u64 {
    game.url();
    fs::metadata(game.path("page.html")).expect("a page").len()
}

#[test]
fn a_samegame_page_plays_to_its_end_with_keys_and_mouse() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&[]);
    let turn = &game.log.turns[16];
    browser.check(
        "plays",
        &json!({
            "url": game.url(),
            "turn": 17,
            "board": game.boards()[16],
            "picked": turn.action.as_ref().expect("a move")["size"],
            "scoreBefore": turn.score.expect("points") - turn.gain.expect("points"),
            "end": game.end(),
        }),
    );
}

/// A literal implementation of Square Remover's statement: the board after `moves`, and the scores from the start to there.
fn square_remover_after(case: &str, moves: &[&str]) -> (Vec<i32>, Vec<u64>) {
    let lines: Vec<&str> = case.lines().collect();
    let number = |line: &str| line.parse::<u64>().expect("a number");
    let (colors, side) = (number(lines[0]), lines[2].len());
    let mut next = number(lines[2 + side]);
    let tiles = lines[2..2 + side].iter().flat_map(|row| row.bytes());
    let mut board: Vec<u64> = tiles.map(|digit| u64::from(digit - b'0')).collect();
    let mut remove = |board: &mut Vec<u64>| {
        let mut removed = 0;
        let corners: Vec<usize> =
            (0..side * (side - 1)).filter(|place| place % side != side - 1).collect();
        let square = |at: usize| [at, at + 1, at + side, at + side + 1];
        while let Some(&at) =
            corners.iter().find(|&&at| square(at).iter().all(|&place| board[place] == board[at]))
        {
            for place in square(at) {
                board[place] = next % colors;
                next = next * 48_271 % 2_147_483_647;
            }
            removed += 1;
        }
        removed
    };
    let mut scores = vec![remove(&mut board)];
    for step in moves.chunks_exact(3) {
        let [row, column, direction] =
            [0, 1, 2].map(|at| step[at].parse::<usize>().expect("small"));
        let here = row * side + column;
        let there =
            [here.wrapping_sub(side), here + 1, here + side, here.wrapping_sub(1)][direction];
        board.swap(here, there);
        scores.push(scores[scores.len() - 1] + remove(&mut board));
    }
    (board.iter().map(|&tile| i32::try_from(tile).expect("small")).collect(), scores)
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_game_of_one_answer_opens_at_its_result() {
    let Some(browser) = Browser::open() else { return };
    let place = Place::new();
    let settings =
        "[game.sum]\nkind = \"scored\"\ncommand = \"./scorer {case} {answer}\"\ncases = \"in\"\n";
    fs::create_dir(place.path("in")).expect("made");
    for (file, text) in [("referee.toml", settings), ("in/0001.txt", "2\n3\n4\n")] {
        fs::write(place.path(file), text).expect("written");
    }
    place.double("scorer", "scorer");
    let play = ["play", "--game", "sum", "--board", "0001", "--html", "page.html"];
    assert_code(&place.command(&play).args(["--bot", "echo 7", "--total", "60s"]).run(), 0);
    let url = format!("file://{}", place.path("page.html").display());
    let expected = json!({ "url": url, "score": 1000, "told": "Score = 1000" });
    browser.check("one_answer", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_square_remover_page_plays_to_its_end_with_keys_and_mouse() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--game", "square-remover"]);
    let reply = str::from_utf8(&game.log.turns[0].reply.0).expect("text");
    let numbers: Vec<&str> = reply.lines().collect();
    let (board, scores) = square_remover_after(&game.log.start.test_case, &numbers[..3 * 499]);
    let expected = json!({
        "url": game.url(), "turn": 500, "board": board, "picked": 2, "scoreBefore": scores[499], "end": game.end(),
    });
    browser.check("plays", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn play_can_go_from_removed_square_to_removed_square() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--game", "square-remover", "--bot", "@squares-random"]);
    let reply = str::from_utf8(&game.log.turns[0].reply.0).expect("text");
    let numbers: Vec<&str> = reply.lines().collect();
    let (_, scores) = square_remover_after(&game.log.start.test_case, &numbers[..3 * 2000]);
    let gains = (1..scores.len()).filter(|&number| scores[number] > scores[number - 1]);
    let gains: Vec<usize> = gains.take(5).collect();
    assert_eq!(gains.len(), 5);
    browser.check("squares", &json!({ "url": game.url(), "gains": gains }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn boards_match_the_rules_forwards_and_backwards() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--board", "@clearable"]);
    browser.check("boards", &json!({ "url": game.url(), "boards": game.boards() }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_lost_game_shows_its_verdict_and_its_diagnosis() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--bot", "@misbehaving exit 3 --on-turn 4"]);
    let end = game.log.end.as_ref().expect("complete");
    let url = game.url();
    let at_turn_4 = json!({ ".what": "No move: crash", ".chip": "crash", ".reply": "nothing" });
    browser.check("tells", &json!({ "url": format!("{url}#turn=4"), "expected": at_turn_4 }));
    let at_end = json!({ ".official": "[ERROR] Timeout!", ".diagnosis": end.process.diagnosis });
    browser.check("tells", &json!({ "url": format!("{url}#turn=end"), "expected": at_end }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_late_turn_names_its_culprit() {
    let Some(browser) = Browser::open() else { return };
    let late = ["--turn", "50ms", "--bot", "@misbehaving late 300 --on-turn 4"];
    let game = Shown::play(&late);
    let turn = game.log.turns.last().expect("some turns");
    let culprit = match turn.overrun.expect("a late turn").culprit {
        Culprit::Bot => "bot",
        Culprit::Host => "host",
    };
    let url = format!("{}#turn={}", game.url(), turn.turn);
    browser.check("is_late", &json!({ "url": url, "culprit": culprit }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_turn_shows_its_message_its_reply_and_its_standard_error() {
    let Some(browser) = Browser::open() else { return };
    let script = "while read -r line; do i=$((i+1)); [ $i -eq 15 ] && { i=0; echo look here >&2; \
                  echo '0 14 Hello SameGame\\\\nand a line that is too long'; }; done";
    let game = Shown::play(&["--board", "@clearable", "--", "sh", "-c", script]);
    let expected = json!({
        ".message": "Hello SameGame\nand a line tha...",
        ".reply": "0 14 Hello SameGame\\nand a line that is too long\n",
        ".stderr": "look here\n",
        ".what": "0 14 takes 9 of colour 0, +49",
        ".score": "0 +49",
    });
    let url = format!("{}#turn=1", game.url());
    browser.check("tells", &json!({ "url": url, "expected": expected }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn tooltips_shapes_and_names_help_those_who_cannot_see_or_point() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--board", "@clearable"]);
    let tip = "x 0, y 0\ncolour 4 (yellow)\n9 tiles, would score 49";
    browser.check("helps", &json!({ "url": game.url(), "tip": tip, "firstTip": tip }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_page_fits_a_phone() {
    let Some(browser) = Browser::open() else { return };
    for args in [&[][..], &["--game", "square-remover"]] {
        let game = Shown::play(args);
        browser.check("phone", &json!({ "url": game.url() }));
        browser.check("lies_on_its_side", &json!({ "url": game.url() }));
    }
    let named = Shown::play(&[]);
    let log = fs::read_to_string(named.path("game.jsonl")).expect("a log");
    let renamed =
        log.replacen("\"name\":\"@greedy\"", &format!("\"name\":\"{}\"", "x".repeat(800)), 1);
    assert_ne!(log, renamed);
    fs::write(named.path("game.jsonl"), renamed).expect("written");
    browser.check("stays_short", &json!({ "url": named.url() }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn tiles_have_shapes_on_paper_and_where_colours_are_forced() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&[]);
    browser.check("shows_shapes", &json!({ "url": game.url() }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn those_who_cannot_see_hear_each_thing_once() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&[]);
    let (board, columns) = (&game.boards()[0], 15);
    // Of the bottom row, which the keys reach from the left.
    let row = 14 * columns;
    let is_alone = |x: usize| {
        let near = [
            Some(row + x - columns),
            x.checked_sub(1).map(|x| row + x),
            (x < 14).then_some(row + x + 1),
        ];
        near.into_iter().flatten().all(|place| board[place] != board[row + x])
    };
    let lone = (0..columns).find(|&x| is_alone(x)).expect("a lone tile in the bottom row");
    let keys: Vec<&str> =
        std::iter::once("ArrowUp").chain(std::iter::repeat_n("ArrowRight", lone)).collect();
    browser.check("says_aloud", &json!({ "url": game.url(), "lone": keys }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_log_with_false_claims_is_shown_by_the_rules() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&[]);
    let text = fs::read_to_string(game.path("game.jsonl")).expect("a log");
    let (turns, end) = text.trim_end().rsplit_once('\n').expect("lines");
    let end = end.replacen("\"score\":230", "\"score\":9999", 1);
    fs::write(game.path("game.jsonl"), format!("{turns}\n{end}\n")).expect("written");
    let (log, page) = (game.path("game.jsonl"), game.path("page.html"));
    assert_code(&referee().replay(log).arg("--html").arg(&page).run(), 1);
    let note = "The log differs from the rules from turn 47 on (final score).";
    let url = format!("file://{}", page.display());
    browser.check("differs", &json!({ "url": url, "note": note, "score": 230 }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn two_games_on_the_same_board_stand_side_by_side() {
    let Some(browser) = Browser::open() else { return };
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let moves =
        |game: &Shown| game.log.turns.iter().map(|turn| turn.reply.clone()).collect::<Vec<_>>();
    let same =
        moves(&one).iter().zip(moves(&other)).take_while(|(one, other)| *one == other).count();
    let url = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let expected = json!({
        "url": url,
        "differs": same + 1,
        "bots": ["@greedy", "@first"],
        "boards": [one.boards()[same], other.boards()[same]],
        "scores": [one.end()["score"], other.end()["score"]],
    });
    browser.check("compares", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_first_move_that_differs_is_named() {
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let both = one.path("both.html");
    let compare = |other: &Shown, format: &str| {
        let logs = [one.path("game.jsonl"), other.path("game.jsonl")];
        String::from_utf8(
            referee()
                .arg("replay")
                .args(logs)
                .arg("--html")
                .arg(&both)
                .args(["--format", format])
                .run()
                .stdout,
        )
        .expect("UTF-8")
    };
    assert!(compare(&other, "text").starts_with("The games differ first in move 2; "));
    assert!(compare(&one, "text").starts_with("The games have the same moves; "));
    let result: Value = serde_json::from_str(&compare(&other, "json")).expect("JSON");
    assert_eq!(result["first_different_move"], 2);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn games_on_different_boards_are_not_put_side_by_side() {
    let (one, other) = (Shown::play(&[]), Shown::play(&["--board", "@clearable"]));
    let (one, other) = (one.path("game.jsonl"), other.path("game.jsonl"));
    let output = referee().arg("replay").args([&one, &other]).args(["--html", "x"]).run();
    let error = output.err();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("side by side two games must be on the same board"), "{error}");
    let error = referee().arg("replay").args([&one, &other]).run().err();
    assert!(error.contains("name it with --html FILE"), "{error}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn pages_are_small() {
    assert!(size(&Shown::play(&[])) < 200_000);
    assert!(size(&Shown::play(&["--bot", "@first"])) < 200_000);
    assert!(size(&Shown::play(&["--game", "square-remover"])) < 1_500_000);
}

/// The bytes of standard error kept for each turn by default.
const KEPT: usize = 65_536;

/// Nearly the longest possible game: a board of pairs, and the moves that remove them one by one.
fn longest_game() -> (String, Vec<String>) {
    // Neighbouring columns never match, nor do neighbouring pairs in a column. One row is left below.
    let pairs = |y: usize, x: usize| (y / 2 + 2 * x) % 4;
    let mut rows: Vec<String> = (0..14)
        .map(|y| (0..15).map(|x| pairs(y, x).to_string()).collect::<Vec<_>>().join(" "))
        .collect();
    rows.push("4 4 1 1 4 4 1 1 4 4 1 1 4 4 1".to_owned());
    let from_above =
        (0..7).flat_map(|pair| (0..15).map(move |x| format!("{x} {}\n", 14 - 2 * pair)));
    let moves = from_above.chain((0..7).map(|_| "0 0\n".to_owned()));
    (rows.join("\n"), moves.collect())
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_long_game_with_much_standard_error_opens_soon() {
    let Some(browser) = Browser::open() else { return };
    let (board, moves) = longest_game();
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("board.txt"), board).expect("written");
    fs::write(path("moves.json"), json!(moves).to_string()).expect("written");
    let (board, log) = (path("board.txt"), path("game.jsonl"));
    referee()
        .play(PATIENT)
        .arg("--board")
        .arg(board)
        .arg("--log")
        .arg(&log)
        .args(["--", "@script"])
        .arg(path("moves.json"))
        .run();
    let mut game = gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    assert_eq!(game.turns.len(), 112);
    for turn in &mut game.turns {
        turn.stderr = Bytes("<b>\x1b[1m looked at é\n".bytes().cycle().take(KEPT).collect());
    }
    let start = Event::Start(game.start);
    let turns = game.turns.into_iter().map(Event::Turn);
    let events = std::iter::once(start).chain(turns).chain(game.end.map(Event::End));
    let lines: Vec<String> =
        events.map(|event| serde_json::to_string(&event).expect("plain data")).collect();
    fs::write(&log, lines.join("\n") + "\n").expect("written");
    let url = page(&[&log], &path("page.html"));
    let millis = browser.check("opens", &json!({ "url": url })).as_u64().expect("a number");
    // Less than one second on an idle machine; this one may be doing much else.
    assert!(millis < 15_000, "{millis} ms");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_page_allows_its_own_script_and_style_and_nothing_else() {
    let game = Shown::play(&[]);
    game.url();
    let page = fs::read_to_string(game.path("page.html")).expect("a page");
    let policy = page.split_once("Content-Security-Policy\" content=\"").expect("a policy").1;
    let policy = policy.split_once('"').expect("its end").0;
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org").count()
    );
    assert!(!page.contains("https://") && !page.contains("innerHTML"));
}

/// Two games on one board; the first bot says something in every other turn.
fn two_games() -> (Shown, Shown) {
    let script = "while read -r line; do i=$((i+1)); [ $((i % 15)) -eq 0 ] && { [ $((i % 2)) -eq 0 ] && \
                  echo '0 0 Hello SameGame\\\\nand a line that is too long' || echo '0 0'; }; done";
    let talker = Shown::play(&["--board", "@clearable", "--", "sh", "-c", script]);
    (talker, Shown::play(&["--board", "@clearable", "--bot", "@first"]))
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn two_games_have_their_scores_in_sight_one_scale_and_level_columns() {
    let Some(browser) = Browser::open() else { return };
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let url = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let turn = 12;
    let score = |game: &Shown| game.log.turns[turn - 2].score;
    let end = |game: &Shown| game.log.end.as_ref().expect("complete").score;
    let expected = json!({
        "url": url,
        "turn": turn,
        "bots": ["@greedy", "@first"],
        "scores": [score(&one), score(&other)],
        "points": end(&one).max(end(&other)),
        "turns": one.log.turns.len().max(other.log.turns.len()),
    });
    browser.check("stands_beside", &expected);
    browser.check("switches", &expected);
    browser.check("shows_figures", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn messages_of_one_game_do_not_move_its_column() {
    let Some(browser) = Browser::open() else { return };
    let (one, other) = two_games();
    assert!(one.log.turns.iter().any(|turn| turn.reply.0.len() > 10), "it says something");
    let url = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let turns = one.log.turns.len().max(other.log.turns.len());
    browser.check("keeps_level", &json!({ "url": url, "turns": turns }));
}

/// Looks at each kind of replay page, in each state; of the first set a test of `report` looks at one page.
pub(crate) fn all_replay_pages_are_accessible(browser: Browser) {
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let both = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let lost = Shown::play(&["--bot", "@misbehaving exit 3 --on-turn 4"]);
    let squares = Shown::play(&["--game", "square-remover"]);
    let trial = [".board", ".trial .keep"];
    browser.check(
        "accessible",
        &json!({ "url": one.url(), "presses": ["End", "Home"], "clicks": trial }),
    );
    browser.check("accessible", &json!({ "url": both, "clicks": ["#overlay"] }));
    browser.check("accessible", &json!({ "url": lost.url() }));
    browser.check("accessible", &json!({ "url": squares.url(), "presses": ["End"] }));
}
