//! What a program that uses the library may rely on: bots that move between threads, games that any thread ends, and
//! errors that tell it what is wrong.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use referee::bot::{BotCommand, BotProcess, Confinement, Overtime, Request};
use referee::cancel::{Cancelled, Canceller};
use referee::config::{Config, ConfigError, Layer};
use referee::gamelog::Event;
use referee::limits::{Containment, LimitKind, Resources};
use referee::lines::LineRules;
use referee::play::{Match, PlayError};
use referee::source::SourceError;
use referee::verdict::BotExit;

use crate::support::repository;

fn confinement(method: Containment) -> Confinement {
    let method = method.method().expect("this host offers it");
    Confinement { method, resources: Resources::default(), sandbox: None }
}

#[test]
fn a_bot_outlives_the_thread_that_started_it() {
    for method in [Containment::Auto, Containment::Group] {
        let start = move || {
            let command = BotCommand::new("cat", [""; 0], confinement(method));
            BotProcess::spawn(&command, 0, None).expect("started")
        };
        let mut bot = thread::spawn(start).join().expect("the thread has ended");
        let rules = LineRules {
            count: 1,
            max_bytes: None,
            eof_ends_line: true,
            readable: |_| true,
            until_exit: true,
        };
        let overtime = Overtime::Always(Duration::ZERO);
        for input in ["one\n", "two\n"] {
            let request = Request { input: input.as_bytes(), rules, limit: None, overtime };
            let answer = bot.exchange(&request).expect("watched");
            assert_eq!((answer.reply.as_bytes(), answer.no_reply), (input.as_bytes(), None));
        }
        let end = thread::spawn(move || bot.finish(Duration::from_mins(1))).join();
        assert_eq!(end.expect("the thread has ended").exit, Some(BotExit::Code(0)), "{method:?}");
    }
}

#[test]
fn any_thread_ends_a_game() {
    let config = Config::resolve(["profile = \"unlimited\"".parse().expect("settings")]);
    let config = config.expect("settings");
    let (_, test_case) = &config.game.bundled[0];
    let command = BotCommand::new("sleep", ["1000"], confinement(Containment::Auto));
    let canceller = Canceller::new().expect("a descriptor");
    let (send, started) = mpsc::channel();
    let button = canceller.clone();
    let presser = thread::spawn(move || {
        let _ = started.recv();
        assert_eq!(button.cancelled(), None);
        button.cancel();
    });
    let game =
        Match::new(&config.game, test_case, &command).rules(config.rules).canceller(&canceller);
    let tell = |event| {
        if let Event::Start(_) = event {
            let _ = send.send(());
        }
    };
    let ended = game.play(tell).expect_err("it was cancelled");
    presser.join().expect("no panic");
    assert!(matches!(ended, PlayError::Cancelled { by: Cancelled::ByProgram, .. }), "{ended:?}");
    let ended = game.play(|_| ()).expect_err("it stays cancelled");
    assert!(matches!(ended, PlayError::Cancelled { .. }), "{ended:?}");
}

/// The files of the crates below the command line, with their text.
fn library() -> Vec<(PathBuf, String)> {
    let files = glob::glob(&repository().join("crates/*/src/**/*.rs").to_string_lossy());
    let files = files.expect("a pattern").map(|file| file.expect("a file"));
    let all: Vec<_> =
        files.map(|file| (file.clone(), fs::read_to_string(file).expect("text"))).collect();
    assert!(all.len() > 200, "{}", all.len());
    all
}

#[test]
fn settings_that_do_not_resolve_say_why() {
    let resolve = |layer: &str| -> Result<(), Box<dyn Error>> {
        Config::resolve([layer.parse()?, Layer::of_game("chess")])?;
        Ok(())
    };
    let unknown = resolve("").expect_err("no game").downcast().expect("its type");
    assert!(matches!(&*unknown, ConfigError::UnknownGame(game) if game.name == "chess"));
    assert!(resolve("game = 'go'").is_err_and(|error| error.is::<SourceError>()));
    let mut fixed = Layer::default();
    fixed.fixed.total = "1s".parse().ok();
    let stray = Config::resolve([fixed]).expect_err("SameGame has no such limit");
    let ConfigError::StrayLimit(stray) = stray else { panic!("{stray}") };
    assert_eq!((&*stray.game, stray.limit), ("samegame", LimitKind::Total));
    assert_eq!(stray.known, [LimitKind::FirstTurn, LimitKind::Turn]);
}

#[test]
fn errors_of_the_library_have_types_and_name_no_flags() {
    for (file, text) in library() {
        // Public for the fuzz targets alone.
        let is_hidden =
            file.ends_with("codingame/blocks.rs") || file.ends_with("json_lines/message.rs");
        let file = file.display();
        let derived = text.split("#[error(").skip(1).map(|error| error.split(")]").next());
        let written = text.split("\nimpl fmt::Display for ").skip(1);
        let written = written.map(|error| error.split("\n}\n").next());
        for words in derived.chain(written) {
            let words = words.expect("its end");
            assert!(!words.contains("--") && !words.contains("`referee "), "{file}: {words}");
        }
        let starts = ["\n    pub fn ", "\npub fn "];
        for function in starts.iter().flat_map(|start| text.split(start).skip(1)) {
            let signature = function.split(" {\n").next().expect("its start");
            let is_text = signature.contains("-> Result<") && signature.ends_with(", String>");
            assert!(!is_text || is_hidden, "{file}: {signature}");
        }
    }
}
