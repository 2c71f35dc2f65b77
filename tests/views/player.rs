//! The terminal player, in a real terminal.

use referee::cancel::Canceller;
use referee::game::frames::{Change, Frame};
use referee::gamelog::{self, Log};
use referee::view::film::{Film, Move, TurnTimes};
use referee::view::player::{self, Charset, Look, Show, Watched};
use support::prelude::*;

/// A game that was played and logged.
struct Game {
    _folder: TempDir,
    path: PathBuf,
}

impl Game {
    fn play(args: &[&str]) -> Self {
        let folder = tempdir().expect("a folder");
        let path = folder.path().join("game.jsonl");
        referee().play(args).arg("--log").arg(&path).run();
        Self { _folder: folder, path }
    }

    fn log(&self) -> Log {
        gamelog::read(&fs::read(&self.path).expect("a log")).expect("a good log")
    }

    fn film(&self) -> Film {
        Film::of_log(self.log(), TurnTimes::Measured).expect("a film")
    }

    fn watch(&self, terminal: &Terminal, args: &[&str]) {
        terminal.referee(&[&["replay", "--watch"], args].concat(), &[&self.path]);
    }

    /// Watches it with another environment, as arguments of `env`.
    fn watch_with(&self, terminal: &Terminal, variable: &str) {
        let (program, log) = (program(), self.path.display());
        terminal.run(&format!(
            "clear; env {variable} '{program}' replay --watch '{log}'; echo \"status: $?\""
        ));
    }
}

fn samegame() -> Game {
    Game::play(&PATIENT)
}

/// The digits of a board between the borders of the screen, row by row.
fn digits(screen: &str) -> Vec<Vec<Option<u8>>> {
    // Two columns before the border are for the numbers of rows.
    let rows = screen.lines().filter_map(|line| {
        let border = line.char_indices().nth(2).filter(|(_, c)| matches!(c, '│' | '|'))?;
        Some(&line[border.0 + border.1.len_utf8()..])
    });
    rows.map(|row| {
        let tiles: Vec<char> = row.chars().take_while(|c| !matches!(c, '│' | '|')).collect();
        let digit = |tile: &[char]| {
            tile[1].to_digit(10).map(|digit| u8::try_from(digit).expect("one digit"))
        };
        tiles.chunks_exact(3).map(digit).collect()
    })
    .collect()
}

/// Waits until the screen shows this position, with these texts.
#[track_caller]
fn wait_for_position(terminal: &Terminal, film: &Film, position: usize, texts: &[&str]) -> String {
    let board = film.board(position);
    let rows: Vec<Vec<Option<u8>>> =
        board.tiles.chunks(usize::from(board.columns)).map(<[_]>::to_vec).collect();
    terminal.wait_until(&format!("position {position} with {texts:?}"), |screen| {
        digits(screen) == rows && texts.iter().all(|text| screen.contains(text))
    })
}

#[test]
fn a_game_is_stepped_through_jumped_about_in_and_left() {
    let game = samegame();
    let film = game.film();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &[]);
    let heading = "@greedy plays samegame on @random-1";
    wait_for_position(&terminal, &film, 0, &["turn   1 of 47", heading]);
    terminal.press(&["Right", "Right"]);
    wait_for_position(&terminal, &film, 2, &["turn   3 of 47"]);
    terminal.press(&["Left"]);
    wait_for_position(&terminal, &film, 1, &["turn   2 of 47"]);
    terminal.press(&["1", "7", "Enter"]);
    let score = format!("score  {} +", film.score(16).expect("points"));
    wait_for_position(&terminal, &film, 16, &["turn   17 of 47", &score, &film.describe(16)]);
    terminal.press(&["End"]);
    wait_for_position(&terminal, &film, 47, &["turn   end of 47", "score  230", "completed"]);
    terminal.press(&["q"]);
    assert!(terminal.wait_for("status: 0").contains("replay        agrees with the log"));
    terminal.assert_restored();
}

#[test]
fn a_game_plays_by_itself_to_its_end() {
    let Some(terminal) = Terminal::open() else { return };
    let game = samegame();
    game.watch(&terminal, &[]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["+", "+", "+", "+", "Space"]);
    terminal.wait_for("turn   end of 47");
    terminal.wait_for("paused");
}

#[test]
fn square_remover_goes_from_square_to_square() {
    let game = Game::play(&["--game", "square-remover", "--bot", "@squares-random"]);
    let film = game.film();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &[]);
    terminal.wait_for("of 10000");
    let next = film.next_gain(0);
    terminal.press(&["n"]);
    let number = format!("move   {} of 10000", film.moves[next].frame.number);
    wait_for_position(&terminal, &film, next, &[&number]);
    terminal.press(&["End"]);
    wait_for_position(&terminal, &film, film.last_position(), &["move   end of 10000"]);
}

#[test]
fn without_unicode_everything_is_ascii_and_sixteen_colours_are_enough() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &["--ascii"]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["End"]);
    let screen = wait_for_position(&terminal, &game.film(), 47, &["turn   end of 47", "q quit"]);
    assert!(screen.is_ascii(), "{screen}");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
    let raw = terminal.raw();
    assert!(raw.windows(3).any(|bytes| bytes == b"\x1b[4"), "there are colours");
    for large in [&b"8;2;"[..], b"8:2:", b"38;5;16", b"48;5;16"] {
        assert!(!raw.windows(large.len()).any(|bytes| bytes == large), "only sixteen of them");
    }
}

#[test]
fn colours_are_what_the_terminal_and_its_user_want() {
    let game = samegame();
    let raw = |variable: &str| {
        let terminal = Terminal::open()?;
        game.watch_with(&terminal, variable);
        wait_for_position(&terminal, &game.film(), 0, &["turn   1 of 47"]);
        terminal.press(&["q"]);
        terminal.wait_for("status: 0");
        Some(String::from_utf8(terminal.raw()).expect("UTF-8"))
    };
    let has_colours = |raw: &str| raw.contains("[48;") || raw.contains(";48;");
    let variables = ["COLORTERM=truecolor", "COLORTERM=", "NO_COLOR=1", "TERM=vt100"];
    let [Some(blue), Some(plain), Some(none), Some(old)] = variables.map(raw) else { return };
    assert!(blue.contains("48;2;0;114;178"), "the blue of the page");
    assert!(has_colours(&plain) && !has_colours(&none) && !has_colours(&old));
}

#[test]
fn a_locale_without_unicode_and_a_terminal_without_a_cursor_are_respected() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    for variable in ["TERM=dumb", "-u TERM"] {
        game.watch_with(&terminal, variable);
        let screen = terminal.wait_for("status: 2");
        assert!(screen.contains("TERM must name a terminal"), "{screen}");
    }
    let raw = terminal.raw();
    assert!(!raw.windows(6).any(|bytes| bytes == b"[?1049"), "no alternate screen");
    game.watch_with(&terminal, "LC_ALL=C");
    let screen = terminal.wait_for("turn   1 of 47");
    assert!(screen.is_ascii(), "{screen}");
}

#[test]
fn many_keys_at_once_are_drawn_once() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &[]);
    wait_for_position(&terminal, &game.film(), 0, &["turn   1 of 47"]);
    terminal.type_text(&format!("{}q", "lh".repeat(1000)));
    terminal.wait_for("status: 0");
    // The player draws what has changed: some 500 bytes for each step, and 2,000 steps.
    let written = || terminal.raw().len();
    assert!(written() < 200_000, "{} bytes", written());
    for (last, told) in [("\x1b\x1b", "status: 0"), ("\x03", "interrupted by SIGINT")] {
        game.watch(&terminal, &[]);
        wait_for_position(&terminal, &game.film(), 0, &["turn   1 of 47"]);
        terminal.type_text(&format!("{}{last}", "lh".repeat(1000)));
        terminal.wait_for(told);
        assert!(written() < 600_000, "{} bytes", written());
    }
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_shell_goes_on() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &[]);
    let film = game.film();
    terminal.press(&["Right"]);
    wait_for_position(&terminal, &film, 1, &["turn   2 of 47"]);
    terminal.press(&["C-z"]);
    terminal.wait_for("ready:");
    terminal.assert_restored();
    terminal.run("fg");
    wait_for_position(&terminal, &film, 1, &["turn   2 of 47"]);
    terminal.press(&["Right"]);
    wait_for_position(&terminal, &film, 2, &["turn   3 of 47"]);
    terminal.press(&["q"]);
    terminal.wait_for("replay        agrees with the log");
    terminal.assert_restored();
}

#[test]
fn a_terminal_that_does_not_know_its_size_gets_the_usual_one() {
    let Some(terminal) = Terminal::open() else { return };
    let (program, game) = (program(), samegame());
    let watch = format!("'{program}' replay --watch '{}'", game.path.display());
    terminal.run(&format!("clear; stty cols 0 rows 0; {watch}; echo \"status: $?\""));
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
}

#[test]
fn any_size_of_terminal_will_do() {
    let Some(terminal) = Terminal::of_size(30, 8) else { return };
    let game = samegame();
    game.watch(&terminal, &[]);
    terminal.wait_for("? keys  q quit");
    for (columns, lines) in [(10, 3), (200, 60), (47, 19), (80, 24)] {
        terminal.resize(columns, lines);
        terminal.press(&["Right", "e", "Down", "Up", "e", "Left"]);
    }
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
}

/// The digits of tiles of `width` by `height`, whose digits are in the middle.
fn digits_of(screen: &str, width: usize, height: usize, columns: usize) -> Vec<Vec<Option<u8>>> {
    let inner = screen.lines().filter_map(|line| {
        let cells: Vec<char> = line.chars().collect();
        cells.get(2).filter(|c| matches!(c, '│' | '|'))?;
        Some(cells.get(3..3 + columns * width)?.to_vec())
    });
    let rows: Vec<Vec<char>> = inner.collect();
    let digit = |tile: &[char]| {
        let mut digits = tile.iter().filter_map(|c| c.to_digit(10));
        digits.next().map(|digit| u8::try_from(digit).expect("one digit"))
    };
    let middle = rows.chunks_exact(height).map(|lines| &lines[height / 2]);
    middle.map(|row| row.chunks_exact(width).map(digit).collect()).collect()
}

#[test]
fn tiles_grow_and_shrink_with_the_terminal_and_nothing_is_cut_off() {
    let game = samegame();
    let film = game.film();
    let rows = |position: usize| -> Vec<Vec<Option<u8>>> {
        film.board(position).tiles.chunks(15).map(<[_]>::to_vec).collect()
    };
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal, &[]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["1", "7", "Enter"]);
    for (columns, lines, width, height) in
        [(200, 60, 6, 3), (130, 42, 4, 2), (80, 24, 3, 1), (60, 24, 2, 1), (60, 40, 3, 1)]
    {
        terminal.resize(columns, lines);
        let screen = terminal.wait_until(&format!("{columns} by {lines}"), |screen| {
            let fits = screen.lines().filter(|line| line.chars().nth(2) == Some('│')).count();
            fits == 15 * height && digits_of(screen, width, height, 15) == rows(16)
        });
        for text in ["score  ", "turn   17 of 47", "? keys", "q quit", "none late"] {
            assert!(screen.contains(text), "{columns} by {lines}: no {text:?} in\n{screen}");
        }
        let numbered = |row: &str| screen.lines().any(|line| line.starts_with(row));
        assert!(numbered("14│") && numbered(" 0│"), "{screen}");
        let below = screen.lines().find(|line| line.starts_with("  ╰")).expect("a border");
        assert!(below.starts_with("  ╰") && below.contains('5') && below.contains("10"), "{below}");
    }
}

#[test]
fn the_box_of_output_is_filled_with_earlier_turns() {
    let game = samegame();
    let Some(terminal) = Terminal::of_size(130, 42) else { return };
    game.watch(&terminal, &[]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["5", "Enter"]);
    let log = game.log();
    let reply =
        |turn: usize| String::from_utf8_lossy(&log.turns[turn - 1].reply.0).trim().to_owned();
    let screen = terminal.wait_for(&format!("turn 1 > {}", reply(1)));
    let at =
        |text: String| screen.find(&text).unwrap_or_else(|| panic!("no {text:?} in\n{screen}"));
    assert!(at(format!("│> {}", reply(5))) < at(format!("turn 4 > {}", reply(4))));
    assert!(at(format!("turn 4 > {}", reply(4))) < at(format!("turn 1 > {}", reply(1))));
}

#[test]
fn a_question_mark_shows_the_keys() {
    let game = samegame();
    let Some(terminal) = Terminal::of_size(40, 24) else { return };
    game.watch(&terminal, &[]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["?"]);
    let keys = terminal.wait_until("all keys", |screen| {
        screen.lines().any(|line| line.contains("next move that scores") && line.ends_with('│'))
    });
    assert!(keys.contains("quit") && keys.contains("faster, slower"), "{keys}");
    terminal.press(&["Right", "?"]);
    terminal.wait_for("turn   2 of 47");
}

#[test]
fn ctrl_c_gives_the_terminal_back() {
    let Some(terminal) = Terminal::open() else { return };
    let game = samegame();
    game.watch(&terminal, &[]);
    terminal.wait_for("turn   1 of 47");
    terminal.press(&["C-c"]);
    terminal.wait_for("interrupted by SIGINT");
    terminal.run("echo \"status: $?\"");
    terminal.wait_for("status: 130");
    terminal.assert_restored();
}

/// Not a test by itself: the next one runs it in a terminal, where the film's last move is one that
/// no game makes.
#[test]
#[ignore = "it panics, in a terminal; another test runs it there"]
fn a_player_that_panics() {
    if player::obstacle().is_some() {
        return;
    }
    let mut film = samegame().film();
    let gone = vec![u16::MAX];
    let frame = Frame { steps: vec![Change { gone, ..Change::default() }], ..Frame::default() };
    film.moves.push(Move { turn: 0, frame });
    let interrupt = Canceller::new().expect("a canceller");
    let watched =
        player::watch(Show::Saved(Box::new(film)), Look::of_terminal(Charset::Unicode), &interrupt);
    assert_eq!(watched.expect("a terminal"), Watched::Quit);
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let Some(terminal) = Terminal::open() else { return };
    let itself = std::env::current_exe().expect("this program");
    let itself = itself.to_str().expect("UTF-8");
    terminal.run(&format!(
        "clear; RUST_BACKTRACE=0 '{itself}' --ignored --exact --nocapture views::player::a_player_that_panics; echo \"status: $?\""
    ));
    terminal.wait_for("turn   1 of 0");
    terminal.press(&["End"]);
    let screen = terminal.wait_for("status: 101");
    assert!(screen.contains("index out of bounds"), "{screen}");
    terminal.assert_restored();
}

#[test]
fn a_game_is_watched_while_it_is_played() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let Some(terminal) = Terminal::open() else { return };
    // It answers each turn after a while, and its last answer is still awaited when the first are shown.
    let bot = "@misbehaving hang --on-turn 4";
    let args = ["play", "--watch", "--profile", "unlimited", "--bot", bot, "--log"];
    terminal.referee(&args, &[&log]);
    terminal.wait_for("turn   end of 3");
    terminal.wait_for("the game goes on");
    terminal.wait_for("live");
    terminal.press(&["C-c"]);
    terminal.wait_for("interrupted by SIGINT after 3 turns");
    terminal.assert_restored();
    assert_eq!(gamelog::read(&fs::read(&log).expect("a log")).expect("a log").turns.len(), 3);
}

#[test]
fn quitting_a_live_game_loses_only_the_view() {
    let mark = Mark::new();
    let Some(terminal) = Terminal::open() else { return };
    let bot = "@misbehaving late 1500 --on-turn 4";
    let args = ["play", "--watch", "--profile", "unlimited", "--env", mark.env(), "--bot", bot];
    terminal.referee(&args, &[]);
    terminal.wait_for("turn   end of 3");
    terminal.press(&["q"]);
    let screen = terminal.wait_for("status: 0");
    assert!(screen.contains("verdict       completed"), "{screen}");
    terminal.assert_restored();
    mark.assert_gone();
}

#[test]
fn a_bot_that_does_not_start_is_reported_at_once() {
    let Some(terminal) = Terminal::open() else { return };
    terminal.referee(&["play", "--watch", "--bot", "./no-such-bot"], &[]);
    assert!(terminal.wait_for("status: 2").contains("no-such-bot"));
    terminal.assert_restored();
}

#[test]
fn without_a_terminal_there_is_nothing_to_watch() {
    let output = referee().play(["--watch"]).run();
    let error = output.err();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("--watch: standard input and output must be a terminal"), "{error}");
}
