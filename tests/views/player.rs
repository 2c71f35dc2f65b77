//! The terminal player, in a real terminal.

use referee::gamelog;
use referee::view::film::Film;
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

    fn film(&self) -> Film {
        let log = gamelog::read(&fs::read(&self.path).expect("a log")).expect("a good log");
        Film::of_log(log).expect("a film")
    }

    fn watch(&self, terminal: &Terminal) {
        terminal.referee(&["replay", "--watch"], &[&self.path]);
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

/// The labels of a board on the screen, row by row, with tiles of three columns.
fn labels(screen: &str) -> Vec<Vec<Option<u8>>> {
    // The terminal leaves out blanks at the end of a line.
    let lines = screen.lines().map(|line| format!("{line:<48}").into_bytes());
    let is_row = |line: &Vec<u8>| line[1].is_ascii_digit() && line[2] == b' ';
    let label = |tile: &[u8]| tile[1].is_ascii_digit().then(|| tile[1] - b'0');
    let tiles = |line: Vec<u8>| line[3..].chunks_exact(3).take(15).map(label).collect();
    lines.filter(is_row).take(15).map(tiles).collect()
}

/// Waits until the screen shows this position, with these texts.
#[track_caller]
fn wait_for_position(terminal: &Terminal, film: &Film, position: usize, texts: &[&str]) -> String {
    let board = film.board(position);
    let rows: Vec<Vec<Option<u8>>> =
        board.tiles.chunks(usize::from(board.columns)).map(<[_]>::to_vec).collect();
    terminal.wait_until(&format!("position {position} with {texts:?}"), |screen| {
        labels(screen) == rows && texts.iter().all(|text| screen.contains(text))
    })
}

#[test]
fn a_game_is_stepped_through_and_left() {
    let game = samegame();
    let film = game.film();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal);
    let title = "samegame: @greedy on @random-1";
    let screen = wait_for_position(&terminal, &film, 0, &["turn 1 of 47", title, "paused: "]);
    assert!(screen.is_ascii(), "{screen}");
    terminal.press(&["Right", "Right"]);
    wait_for_position(&terminal, &film, 2, &["turn 3 of 47"]);
    terminal.press(&["Left", "Down"]);
    let score = format!("score {} +", film.score(11).expect("points"));
    wait_for_position(&terminal, &film, 11, &["turn 12 of 47", &score, &film.describe(11)]);
    let screen = terminal.wait_for("time ");
    assert!(
        screen.contains('>') && screen.contains('[') && screen.contains(" of 60 s"),
        "{screen}"
    );
    terminal.press(&["Up"]);
    wait_for_position(&terminal, &film, 1, &["turn 2 of 47"]);
    terminal.press(&["End"]);
    wait_for_position(&terminal, &film, 47, &["turn end of 47", "score 230", "completed"]);
    terminal.press(&["q"]);
    assert!(terminal.wait_for("status: 0").contains("replay        agrees with the log"));
    terminal.assert_restored();
}

#[test]
fn a_game_plays_by_itself_to_its_end() {
    let Some(terminal) = Terminal::open() else { return };
    let game = samegame();
    game.watch(&terminal);
    terminal.wait_for("turn 1 of 47");
    terminal.press(&["Space"]);
    terminal.wait_for("playing: ");
    terminal.press(&["Space"]);
    terminal.wait_for("paused: ");
    terminal.press(&["End", "Left", "Left", "Space"]);
    terminal.wait_for("turn end of 47");
    terminal.wait_for("paused: ");
}

#[test]
fn the_terminal_and_its_user_choose_colours() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    let mut raw_before = 0;
    for (variable, has_colours) in [("LC_ALL=C", true), ("NO_COLOR=1", false)] {
        game.watch_with(&terminal, variable);
        wait_for_position(&terminal, &game.film(), 0, &["turn 1 of 47"]);
        terminal.press(&["q"]);
        terminal.wait_for("status: 0");
        let raw = terminal.raw();
        let text = String::from_utf8_lossy(&raw[raw_before..]).into_owned();
        assert_eq!(text.contains("[44m"), has_colours, "{variable}: {text:?}");
        raw_before = raw.len();
    }
    for variable in ["TERM=dumb", "-u TERM"] {
        game.watch_with(&terminal, variable);
        let screen = terminal.wait_for("status: 2");
        assert!(screen.contains("TERM must name a terminal"), "{screen}");
    }
}

#[test]
fn many_keys_at_once_are_drawn_once() {
    let game = samegame();
    let Some(terminal) = Terminal::open() else { return };
    game.watch(&terminal);
    wait_for_position(&terminal, &game.film(), 0, &["turn 1 of 47"]);
    terminal.type_text(&format!("{}q", "\x1b[C\x1b[D".repeat(500)));
    terminal.wait_for("status: 0");
    // A screen with its colours has some 5 kB.
    let written = terminal.raw().len();
    assert!(written < 2_500_000, "{written} bytes");
}

#[test]
fn a_terminal_that_does_not_know_its_size_gets_the_usual_one() {
    let Some(terminal) = Terminal::open() else { return };
    let (program, game) = (program(), samegame());
    let watch = format!("'{program}' replay --watch '{}'", game.path.display());
    terminal.run(&format!("clear; stty cols 0 rows 0; {watch}; echo \"status: $?\""));
    terminal.wait_for("turn 1 of 47");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
}

#[test]
fn any_size_of_terminal_will_do() {
    let Some(terminal) = Terminal::of_size(30, 8) else { return };
    let game = samegame();
    game.watch(&terminal);
    terminal.wait_for("paused: space plays");
    for (columns, lines) in [(10, 3), (200, 60), (47, 19), (80, 24)] {
        terminal.resize(columns, lines);
        terminal.press(&["Right", "Left"]);
    }
    terminal.resize(100, 24);
    // Without a key.
    terminal.wait_for("up/down leap, home, end, q quits");
    wait_for_position(&terminal, &game.film(), 0, &["turn 1 of 47", "the bot's reply:"]);
}

#[test]
fn ctrl_c_gives_the_terminal_back() {
    let Some(terminal) = Terminal::open() else { return };
    let game = samegame();
    game.watch(&terminal);
    terminal.wait_for("turn 1 of 47");
    terminal.press(&["C-c"]);
    terminal.wait_for("interrupted by SIGINT");
    terminal.run("echo \"status: $?\"");
    terminal.wait_for("status: 130");
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
    terminal.wait_for("turn end of 3");
    terminal.wait_for("the game goes on");
    terminal.wait_for("playing: ");
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
    terminal.wait_for("turn end of 3");
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
