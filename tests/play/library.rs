//! What a program that uses the library may rely on: bots that move between threads, games that any thread ends, and
//! errors that tell it what is wrong.

use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use referee::bot::{BotCommand, BotProcess, Confinement, Overtime, Request};
use referee::cancel::{Cancelled, Canceller};
use referee::config::{Config, ConfigError, Layer};
use referee::game::GameKind;
use referee::gamelog::{Event, Log, LogError, LogFileError};
use referee::limits::{Containment, LimitKind, Limits, Resources};
use referee::lines::LineRules;
use referee::play::{Match, PlayError};
use referee::replay::{ReplayError, replay, replay_as};
use referee::source::SourceError;
use referee::verdict::BotExit;
use referee::view::film::Film;
use support::prelude::*;

fn confinement(method: Containment) -> Confinement {
    let method = method.method().expect("this host offers it");
    Confinement { method, resources: Resources::default(), sandbox: None }
}

#[test]
fn a_bot_outlives_the_thread_that_started_it() {
    for method in [Containment::Auto, Containment::Plain] {
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

/// A game with SameGame's rules that no table has. It counts how often it is begun.
fn own_kind(begun: &Arc<AtomicUsize>) -> Arc<GameKind> {
    let begun = Arc::clone(begun);
    let GameKind { parse, limits, .. } = GameKind::clone(&samegame());
    let count = move |case: &str| {
        begun.fetch_add(1, Ordering::Relaxed);
        parse(case)
    };
    Arc::new(GameKind { limits, ..GameKind::new("mine", "Mine", count) })
}

fn samegame() -> Arc<GameKind> {
    GameKind::named("samegame").expect("it is built in")
}

#[test]
fn a_game_of_ones_own_needs_no_table() {
    let begun = Arc::default();
    let own = own_kind(&begun);
    let config = Config::for_game(Arc::clone(&own), []).expect("settings");
    let command = BotCommand::new("true", [""; 0], confinement(Containment::Auto));
    let (_, test_case) = &samegame().bundled[0];
    let mut log = None;
    let game = Match::new(&own, test_case, &command).rules(config.rules);
    game.play(|event| Log::record(&mut log, event)).expect("a game");
    let log = log.expect("it has begun");

    assert!(matches!(replay(&log), Err(ReplayError::UnknownGame(_))));
    assert_eq!(replay_as(&own, &log).expect("its game").difference, None);
    let of = |kind| Film::of_log_as(kind, log.clone());
    assert_eq!(of(&own).expect("its game").kind.name, "mine");
    assert_eq!(begun.load(Ordering::Relaxed), 3, "played, refereed and shown by the same kind");
    let wrong = "1: the log is of the game `mine`, not of `samegame`";
    assert_eq!(replay_as(&samegame(), &log).expect_err("another").to_string(), wrong);
    assert_eq!(of(&samegame()).expect_err("another").to_string(), wrong);
}

#[test]
fn a_log_that_cannot_be_read_is_named_with_the_line() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.display();
    let opened = |content: &[u8]| {
        fs::write(&log, content).expect("written");
        Log::open(&log).expect_err("not a log")
    };
    let missing = Log::open(&log).expect_err("there is none");
    let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    assert!(matches!(missing, LogFileError::Io { error, .. } if is_missing(&error)));
    assert!(
        opened(b"\x1f\x8bx").to_string().starts_with(&format!("{path}: ")),
        "cannot be unpacked"
    );
    assert!(opened(b"\x28\xb5\x2f\xfd").to_string().contains("unpack it with `zstd -d`"));
    assert!(opened(b"").to_string().starts_with(&format!("{path}: not a game log")));
    let first = opened(b"{}\n");
    assert!(first.to_string().starts_with(&format!("{path}:1: not a game log")), "{first}");
    let LogFileError::Log { error, .. } = first else { panic!("{first}") };
    assert_eq!(error.line(), Some(1));
    let later = LogError::Damaged { line: 7, problem: "damaged".to_owned() };
    assert_eq!((later.line(), later.to_string()), (Some(7), "7: damaged".to_owned()));
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
    fixed.fixed = Limits::from([(LimitKind::Total, Duration::from_secs(1))]).into();
    let stray = Config::resolve([fixed]).expect_err("SameGame has no such limit");
    let ConfigError::StrayLimit(stray) = stray else { panic!("{stray}") };
    assert_eq!((&*stray.game, stray.limit), ("samegame", LimitKind::Total));
    assert_eq!(stray.known, [LimitKind::FirstTurn, LimitKind::Turn]);
}

/// Enumerations that a new variant would make wrong: programs may match on all there is.
const COMPLETE: &str = "Answer AtFault BotExit Bound Case Chosen Conclusion Culprit Decided Direction EnforcedBy FromJudge \
    LimitKind Logs Margin Measure MetricValue Next NextAction OffBoard Origin Pace Packing Pin Progress Risk Seats SeedsSource StepEnd Tendency ToJudge";

/// The documentation and the attributes of what comes after this text.
fn last_paragraph(text: &str) -> &str {
    text.rsplit("\n\n").next().unwrap_or_default()
}

#[test]
fn enumerations_that_may_grow_say_so() {
    let complete: Vec<&str> = COMPLETE.split_whitespace().collect();
    let mut found = Vec::new();
    for (file, text) in library() {
        for (before, after) in text.match_indices("\npub enum ").map(|(at, _)| text.split_at(at)) {
            let attributes = last_paragraph(before);
            let after = after.trim_start_matches("\npub enum ");
            let name = after.split(|c: char| !c.is_alphanumeric()).next().expect("a name");
            let is_open = attributes.contains("#[non_exhaustive]");
            assert!(is_open != complete.contains(&name), "{}: {name}", file.display());
            found.push(name.to_owned());
        }
    }
    assert!(found.len() > 70 && complete.iter().all(|name| found.iter().any(|it| it == name)));
}

#[test]
fn errors_of_the_library_have_types_and_name_no_flags() {
    for (file, text) in library() {
        // Types that are public for the fuzz targets alone.
        let hidden = ["brutaltester.rs", "codingame/blocks.rs", "json_lines/message.rs"];
        let is_hidden_type = hidden.iter().any(|hidden| file.ends_with(hidden));
        let file = file.display();
        for log in text.split("log::warn!(").skip(1) {
            let words = log.split(");\n").next().expect("its end");
            assert!(!words.contains("--") && !words.contains("`referee "), "{file}: {words}");
        }
        let derived = text.split("#[error(").skip(1).map(|error| error.split(")]").next());
        let written = text.split("\nimpl fmt::Display for ").skip(1);
        let written = written.map(|error| error.split("\n}\n").next());
        for words in derived.chain(written) {
            let words = words.expect("its end");
            assert!(!words.contains("--") && !words.contains("`referee "), "{file}: {words}");
        }
        let starts = ["\n    pub fn ", "\npub fn "];
        let functions = starts.iter().flat_map(|start| text.match_indices(start));
        for (before, function) in functions.map(|(at, _)| text.split_at(at)) {
            let is_hidden = is_hidden_type || last_paragraph(before).contains("#[doc(hidden)]");
            let function = function.trim_start_matches(['\n', ' ']);
            let signature = function.split(" {\n").next().expect("its start");
            let is_text = signature.contains("-> Result<") && signature.ends_with(", String>");
            assert!(!is_text || is_hidden, "{file}: {signature}");
        }
    }
}
