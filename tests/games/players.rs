//! Games of several players: each bot in its seat, and what becomes of the others when one fails.

use judges::brutaltester::Brutaltester;
use judges::codingame::Codingame;
use referee::game::judge::Case;
use referee::game::{Answer, Ask, Game, JudgeFailure, Placement, Referee as Judge, SeatEnd};
use referee::lines::Lines;
use referee::verdict::{BotExit, NoReply, Verdict};

use super::conversations::{self, Played, Reply, blocks, lines_of, repeats, replies};
use crate::views::schemas::{Documents, validator};
use support::prelude::*;

/// Plays with these replies: the questions, and the result of each seat.
fn play(
    judge: Result<Box<dyn Judge>, JudgeFailure>,
    replies: impl IntoIterator<Item = Reply>,
) -> (Vec<Ask>, Vec<SeatEnd>, Vec<String>) {
    let mut replies = replies.into_iter();
    let exits = NoReply::Ended(BotExit::Code(0));
    let reply = |_: &Ask| replies.next().expect("a reply to each question");
    let Played { asked, game, .. } =
        conversations::play(judge, exits, reply).expect("a good judge");
    assert!(replies.next().is_none(), "a question to each reply");
    (asked, game.end().expect("it is over").seats.clone(), game.summary().to_vec())
}

/// The folder of recorded conversations with referees of several players, if this machine has it.
fn recorded() -> Option<PathBuf> {
    Some(shared_data("conversations of several players")?.join("judges/dumps/players"))
}

#[test]
fn a_recorded_conversation_of_several_players_is_repeated_byte_by_byte() {
    let Some(folder) = recorded() else { return };
    let done = Verdict::Completed;
    for (name, players, engine, scores, expected) in [
        (
            "olymbits-seed7",
            3,
            "4.5.0",
            ["7", "4", "7"].as_slice(),
            [(1, done, ""), (3, done, ""), (1, done, "")].as_slice(),
        ),
        (
            "olymbits-seed7-seat0-ends",
            3,
            "4.5.0",
            &["-1", "6", "10"],
            &[(3, Verdict::EarlyExit, "Timeout!"), (2, done, ""), (1, done, "")],
        ),
        (
            "olymbits-seed7-engine-HEAD-seat0-late-thrice",
            3,
            "4.7.8",
            &["-1", "6", "10"],
            &[(3, Verdict::Timeout, "Timeout!"), (2, done, ""), (1, done, "")],
        ),
        (
            "ocean-seed7-league4",
            2,
            "",
            &["2", "0"],
            &[(1, done, "lost a life"), (2, done, "lost a life")],
        ),
        (
            "ocean-seed7-league4-seat0-garbage",
            2,
            "",
            &["-1", "6"],
            &[(2, done, "Unknown command: xyzzy plugh"), (1, done, "")],
        ),
    ] {
        let file = folder.join(format!("{name}.txt"));
        let text = fs::read_to_string(&file).expect("a conversation");
        let game = Codingame {
            command: repeats(&file),
            players: Some(players),
            engine: engine.parse().ok(),
            ..Codingame::default()
        };
        let judge = game.start(&Case::Seed(7.into()), &Placement::default());
        let (asked, seats, summary) = play(judge, replies(&text));
        let found: Vec<_> =
            seats.iter().map(|seat| (seat.place, seat.verdict, seat.official.as_str())).collect();
        assert_eq!(found, expected, "{name}");
        for seat in &seats {
            let rule = seat.remark.as_ref().is_some_and(|it| it.matches(" of 50 ms").count() == 3);
            assert_eq!(rule, seat.verdict == Verdict::Timeout, "{name}: {seat:?}");
        }
        let found = seats.iter().map(|seat| seat.score.expect("a score").to_string());
        assert_eq!(found.collect::<Vec<_>>(), scores, "{name}");
        let said = blocks(&text, "");
        let info = lines_of(&said, "NEXT_PLAYER_INFO");
        let questions = info.chunks(3).filter(|info| info[1] != "0");
        let wanted: Vec<_> = questions.map(|info| (info[0].clone(), info[2].clone())).collect();
        let found = asked.iter().map(|ask| {
            (ask.seat.to_string(), ask.official.expect("a limit").as_millis().to_string())
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted, "{name}");
        let input: usize = asked.iter().map(|ask| ask.input.lines().count()).sum();
        assert_eq!(input, lines_of(&said, "NEXT_PLAYER_INPUT").len(), "{name}");
        let tooltips = lines_of(&said, "TOOLTIP").len() / 2;
        assert_eq!(summary.len(), lines_of(&said, "SUMMARY").len() + tooltips, "{name}");
    }
}

#[test]
fn a_seed_that_the_referee_did_not_use_is_trouble() {
    let Some(folder) = recorded() else { return };
    let file = folder.join("ocean-seed7-league4-seat0-garbage.txt");
    let text = fs::read_to_string(&file).expect("a conversation");
    let other = tempdir().expect("a folder");
    let file = other.path().join("other.txt");
    fs::write(&file, text.replace("\n[[UINPUT] 1]\nseed=7\n", "\n[[UINPUT] 1]\nseed=8\n"))
        .expect("room");
    let game = Codingame { command: repeats(&file), players: Some(2), ..Codingame::default() };
    let judge = game.start(&Case::Seed(7.into()), &Placement::default()).expect("starts");
    let mut game = Game::begin(judge).expect("a good judge");
    let mut trouble = None;
    for (_, reply) in replies(&text) {
        game.next_ask().expect("a question");
        let lines = Lines::split(reply.expect("each answers").as_bytes());
        trouble = game.answer(Answer::new(&lines, None)).err();
    }
    let what = trouble.expect("another seed").what;
    assert!(what.starts_with("played with the seed `8`, not with 7"), "{what}");
}

/// What the players answer in a conversation of cg-brutaltester's protocol.
fn answers(conversation: &str) -> Vec<Reply> {
    let (mut answers, mut lines) = (Vec::new(), conversation.lines());
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("###Output ") {
            let count =
                rest.split_once(' ').expect("a seat and a number").1.parse().expect("a number");
            let reply = lines.by_ref().take(count).map(|line| line[4..].to_owned() + "\n");
            answers.push((Duration::ZERO, Some(reply.collect())));
        }
    }
    answers
}

#[test]
fn a_recorded_conversation_of_cg_brutaltester_is_repeated_byte_by_byte() {
    let Some(folder) = recorded() else { return };
    let file = folder.join("csb-seed7.txt");
    let text = fs::read_to_string(&file).expect("a conversation");
    let game = Brutaltester {
        command: repeats(&file),
        players: Some(2),
        answer_limit: "77B".parse().ok(),
    };
    let (asked, seats, _) =
        play(game.start(&Case::Seed(7.into()), &Placement::default()), answers(&text));
    let found: Vec<_> = seats.iter().map(|seat| (seat.place, seat.verdict)).collect();
    assert_eq!(found, [(2, Verdict::Completed), (1, Verdict::Completed)]);
    assert_eq!(asked[0].input.lines().count(), 10, "both blocks before the first question");
    assert_eq!((asked[0].seat, asked[1].seat, asked[0].lines.count), (0, 1, 2));
    assert_eq!(asked[0].lines.max_bytes, Some(77));
}

/// A folder with the game `nim` of this many players.
pub(super) fn nim(players: usize, words: &str) -> Place {
    let place = Place::new();
    place.double("nim", &format!("nim {words}"));
    let settings =
        format!("[game.nim]\nkind = \"judge\"\ncommand = \"./nim\"\nplayers = {players}\n");
    fs::write(place.path("referee.toml"), settings).expect("room");
    place.script("one", "while read -r heap; do echo 1; done");
    place.script("two", "while read -r heap; do echo $((heap > 1 ? 2 : 1)); done");
    place.script("quits", "read -r heap; echo 1; read -r heap; exit 0");
    place.script("cheats", "while read -r heap; do echo 4; done");
    place
}

pub(super) fn game(place: &Place, bots: &[&str]) -> Referee {
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    let bots: Vec<&str> = bots.collect();
    place.command(&["play", "--game", "nim", "--seed", "7"]).args(bots).patient()
}

/// A value of each seat of a result.
pub(super) fn of_seats(result: &Value, field: &str) -> Vec<Value> {
    let seats = result["seats"].as_array().expect("seats");
    seats.iter().map(|seat| seat[field].clone()).collect()
}

#[test]
fn each_bot_has_its_seat_and_its_place() {
    let place = nim(2, "6");
    let played = game(&place, &["./one", "./two"]).args(["--log", "game.jsonl"]).json();
    assert_eq!(of_seats(&played, "bot"), ["./one", "./two"]);
    let told = game(&place, &["./one", "./two"]).run().out();
    assert!(told.starts_with("./two wins in seat 1\n"), "{told}");
    assert_eq!(of_seats(&played, "place"), [2, 1]);
    assert_eq!(of_seats(&played, "score"), [1, 2]);
    assert_eq!(of_seats(&played, "verdict"), ["completed", "completed"]);
    assert_eq!(of_seats(&played, "turns"), [2, 2]);
    let log = fs::read_to_string(place.path("game.jsonl")).expect("a log");
    let events: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events[0]["others"][0]["name"], "./two");
    let seats: Vec<_> = events[1..5].iter().map(|turn| turn.get("seat").cloned()).collect();
    assert_eq!(seats, [None, Some(json!(1)), None, Some(json!(1))]);
    assert_eq!(events[1]["limit"], "first_turn");
    assert_eq!(events[2]["limit"], "first_turn", "each seat has a first turn");
    assert_eq!(events[3]["limit"], "turn");
    assert_eq!((&events[5]["score"], &events[5]["seats"][1]["place"]), (&Value::Null, &json!(1)));
    let replayed = place.command(&["replay", "game.jsonl"]).json();
    assert_eq!(
        (&replayed["agrees"], of_seats(&replayed, "place")),
        (&json!(true), vec![json!(2), json!(1)])
    );
    let again = place.command(&["replay", "game.jsonl", "--rejudge"]).run().exits(0).out();
    assert!(again.contains("messages are the same as in the log: 4 turns"), "{again}");
    let again = place.command(&["play", "--again", "game.jsonl"]).run().exits(0).out();
    assert!(again.contains("plays as in the log: 4 turns"), "{again}");
}

#[test]
fn a_single_bot_has_all_seats_and_others_are_counted() {
    let place = nim(3, "6");
    let played = game(&place, &["./one"]).json();
    assert_eq!(of_seats(&played, "bot"), ["./one"; 3]);
    assert_eq!(of_seats(&played, "place"), [2, 2, 1]);
    let told = game(&place, &["./one", "./two"]).run().exits(2).err();
    assert!(told.contains("nim has 3 players: name 3 bots with --bot"), "{told}");
    let told = place.command(&["play", "--bot", "@first", "--ponder"]).run().exits(2).err();
    assert!(told.contains("--ponder is for games of several players"), "{told}");
}

#[test]
fn the_others_play_on_when_a_bot_fails() {
    let place = nim(3, "12");
    let result = game(&place, &["./quits", "./one", "./two"]).args(["--log", "game.jsonl"]).run();
    let shown = result.exits(1).out();
    for part in
        ["seat 0", "./quits: place 3, score 0, early exit, 2 turns", "./two: place 1, score 2"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("exited with status 0"), "{shown}");
    let replayed = place.command(&["replay", "game.jsonl"]).json();
    assert_eq!(replayed["agrees"], true, "{replayed}");
    assert_eq!(of_seats(&replayed, "verdict"), ["early_exit", "completed", "completed"]);
    // An illegal move puts one out as well; the judge's words are the seat's.
    let cheated = game(&place, &["./one", "./cheats", "./two"]).args(["--log", "cheat.jsonl"]);
    let cheated = cheated.args(["--format", "json"]).run().exits(1).json();
    assert_eq!(of_seats(&cheated, "verdict"), ["completed", "illegal_move", "completed"]);
    assert_eq!(of_seats(&cheated, "official"), ["", "1 to 3", ""]);
    assert_eq!(of_seats(&cheated, "turns")[1], 1);
    let replayed = place.command(&["replay", "cheat.jsonl"]).json();
    assert_eq!(
        (&replayed["agrees"], of_seats(&replayed, "official")),
        (&json!(true), of_seats(&cheated, "official"))
    );
}

#[test]
fn a_seat_can_be_shown_alone() {
    let place = nim(2, "6");
    let played =
        game(&place, &["./one", "./two"]).args(["--log", "game.jsonl", "--html", "game.html"]);
    assert_code(&played.run(), 0);
    let replay = |args: &[&str]| place.command(&["replay", "game.jsonl"]).args(args).run();
    assert_eq!(replay(&["--seat", "1", "--export", "input"]).exits(0).out(), "5\n2\n");
    let told = replay(&["--export", "input"]).exits(2).err();
    assert!(told.contains("--seat N"), "{told}");
    let alone = replay(&["--seat", "0"]).exits(0).out();
    assert!(
        alone.contains("  turns         4, of all seats\n") && alone.contains("./one: place 2"),
        "{alone}"
    );
    assert!(!alone.contains("./two: place"), "{alone}");
    let text = replay(&["--export", "transcript"]).exits(0).out();
    for part in
        ["seat 0 ./one", "seat 1 ./two", "turn 2, seat 1\n> 5\n< 2\n", "seat 1: place 1, score 2"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let one = replay(&["--seat", "1", "--export", "transcript"]).exits(0).out();
    assert!(one.contains("turn 2, seat 1") && !one.contains("turn 1, seat 0"), "{one}");
    let page = fs::read_to_string(place.path("game.html")).expect("a page");
    let told = "\"told\":\"./two takes 2\\n\"";
    let heading = r#"[[0,"./one"],[null," 1 : 2 "],[1,"./two"]]"#;
    for part in [heading, "1 ./two: 2", "1 ./two: place 1, score 2", told] {
        assert!(page.contains(part), "{part}");
    }
    let told = replay(&["--seat", "2"]).exits(2).err();
    assert!(told.contains("there is no 2; the seats are 0 to 1"), "{told}");
    let Some(terminal) = Terminal::of_size(100, 30) else { return };
    terminal.referee(&["replay", "--watch"], &[&place.path("game.jsonl")]);
    let screen = terminal.wait_for("the judge's summary");
    assert!(screen.contains("./one takes 1"), "{screen}");
    assert!(screen.contains("nim: 0 ./one, 1 ./two on seed 7"), "{screen}");
    terminal.press(&["q"]);
    terminal.wait_for("status:");
}

#[test]
fn a_check_of_a_game_of_several_players_has_silent_bots_in_each_seat() {
    let place = nim(2, "6");
    let check = place.command(&["game", "check", "nim", "--bot", "./one", "--bot", "./two"]);
    let shown = check.run().exits(0).out();
    for part in [
        "0 a bot that ends at once, 1 a bot that ends at once",
        "0 a bot that ends at once, 1 ./two",
        "0 ./one, 1 a bot that ends at once",
        "0 ./one, 1 ./two",
        "seat 1, turn 2: sends `5`, wants 1 line",
        "A second judge says the same",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_judge_asks_nobody_again_who_is_out() {
    let place = Place::new();
    let settings = "[game.odd]\nkind = \"judge\"\ncommand = \"./odd\"\nplayers = 2\n";
    fs::write(place.path("referee.toml"), settings).expect("room");
    for (judge, trouble) in [
        (
            r#"{"ask":"","player":0}"#,
            "asked player 0 again after it was told that the bot gave no reply",
        ),
        (
            r#"{"ask":"","player":1,"out":[{"player":1,"how":"lost"}]}"#,
            "asked player 1 again after putting that player out",
        ),
    ] {
        let first = r#"{"ask":"\n","player":0}"#;
        place.script(
            "odd",
            &format!(
                "read -r start; printf '%s\\n' '{first}'; read -r reply; printf '%s\\n' '{judge}'; read -r rest"
            ),
        );
        let play = place.command(&["play", "--game", "odd", "--seed", "1", "--bot", "false"]);
        let told = play.patient().run().exits(3).err();
        assert!(told.contains(trouble), "{told}");
    }
}

#[test]
fn the_number_of_players_is_checked_before_anything_starts() {
    let place = Place::new();
    fs::create_dir_all(place.path("sea/config")).expect("room");
    let ini = "type=multi\nmin_players=2\nmax_players=3\n";
    fs::write(place.path("sea/config/config.ini"), ini).expect("room");
    for (settings, problem) in [
        ("players = 4", "this game is for 2 to 3 players (config.ini), not for 4"),
        ("players = 1", "for 2 to 3 players (config.ini), not for 1"),
        ("params = { size = [1] }", "`size` must be text, a number, true or false"),
        ("params = { seed = 1 }", "the seed is not a parameter"),
        ("measure = \"log\"", "games of several players are compared by their places"),
        ("better = \"lower\"", "the SDK ranks several players by their scores"),
    ] {
        let text = format!(
            "[game.sea]\nkind = \"codingame\"\ncommand = \"touch started\"\nproject = \"sea\"\n{settings}\n"
        );
        fs::write(place.path("referee.toml"), text).expect("room");
        let play = place.command(&["play", "--game", "sea", "--seed", "1", "--bot", "true"]);
        let told = play.run().exits(2).err();
        assert!(told.contains(problem), "{told}");
        assert!(!place.path("started").exists(), "{settings}");
    }
    let text = "[game.old]\nkind = \"brutaltester\"\ncommand = \"./old\"\nplayers = 11\n";
    fs::write(place.path("referee.toml"), text).expect("room");
    let told = place.command(&["play", "--game", "old", "--seed", "1"]).run().exits(2).err();
    assert!(told.contains("this protocol is for 2 to 10 players"), "{told}");
}

#[test]
fn a_referee_of_the_old_protocol_decides_what_follows_a_missing_reply() {
    let place = Place::new();
    let settings = "[game.old]\nkind = \"brutaltester\"\ncommand = \"./old\"\n";
    fs::write(place.path("referee.toml"), settings).expect("room");
    place.script(
        "old",
        "read -r seed; read -r start; echo \"$seed, $start\" >&2
echo 'a warning of the machine'
echo '###Input 0'; echo 1; echo '###Input 1'; echo 2; echo '###Output 0 2'
read -r a; read -r b
echo '###Output 1 1'; read -r c
[ \"$a $b\" = 'no_reply no_reply' ] && echo '###Error 0 no answer'
echo '###Output 0 1'; read -r d
echo \"###End 1 0\"",
    );
    place.script("echoes", "while read -r line; do echo \"$line\"; done");
    let play = place
        .command(&["play", "--game", "old", "--seed", "7", "--bot", "true", "--bot", "./echoes"]);
    let played = play.patient().args(["--format", "json"]).run().exits(1).json();
    assert_eq!(of_seats(&played, "place"), [2, 1]);
    assert_eq!(of_seats(&played, "verdict"), ["early_exit", "completed"]);
    assert_eq!(of_seats(&played, "official"), ["no answer", ""]);
    assert_eq!(of_seats(&played, "turns"), [1, 1]);
}

#[test]
fn logs_and_results_of_several_players_fit_their_schema() {
    let Some(python) = validator() else { return };
    let place = nim(3, "12");
    let mut documents = Documents::default();
    for (number, bots) in
        [["./one", "./two", "./one"], ["./quits", "./cheats", "./two"]].iter().enumerate()
    {
        let log = format!("{number}.jsonl");
        let played = game(&place, bots).args(["--ponder", "--log", &log, "--format", "json"]);
        documents.add("play", &played.run().out());
        documents.add_file("log-line", &place.path(&log));
        let replayed = place.command(&["replay", &log, "--format", "json"]).run();
        documents.add("replay", &replayed.out());
    }
    assert_eq!(documents.problems(python), "");
}

#[test]
fn the_times_of_a_bot_in_all_seats_are_measured() {
    let place = nim(3, "6");
    let timing =
        ["timing", "--game", "nim", "--bot", "./one", "--bot", "./quits", "--seed", "1..2"];
    let report = place.command(&timing).patient().args(["--format", "json"]).run().exits(1).json();
    let counts = |bot: usize| -> Vec<i64> {
        let kinds = report["bots"][bot]["turns"].as_array().expect("kinds");
        kinds.iter().map(|kind| kind["count"].as_i64().expect("a number")).collect()
    };
    // In each of two games every seat has a first turn, and three matches are left for the second ones.
    assert_eq!(counts(0), [6, 6], "{report}");
    let lost = report["bots"][1]["lost"].to_string();
    assert!(lost.contains("seed 1, seat 0: early exit: ") && lost.contains("seat 1"), "{lost}");
}
