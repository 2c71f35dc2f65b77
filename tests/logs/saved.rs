//! Logs that an earlier build wrote read, write and replay byte for byte as they did then.

use referee::gamelog::{self, Event, Log};
use support::prelude::*;

/// A log with each field, and each value of a field that has only a few.
const EVERY_FIELD: &str = "every-field";

/// Logs of games completed, lost in every way that depends on the bot alone, late, and of the other game.
const LOGS: [&str; 8] =
    ["won", "late", "timeout", "crash", "illegal", "invalid-utf8", "squares", "squares-short"];

fn folder() -> PathBuf {
    data("logs")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The output of `referee replay` with these arguments, started next to the logs.
fn replay(args: &[&str]) -> String {
    referee().arg("replay").args(args).current_dir(folder()).run().exits(0).out()
}

#[test]
fn earlier_logs_are_written_again_as_they_were() {
    for name in LOGS.into_iter().chain([EVERY_FIELD]) {
        let text = read(&format!("{name}.jsonl"));
        let Log { start, turns, end } = gamelog::read(text.as_bytes()).expect("a good log");
        let turns = turns.into_iter().map(Event::Turn);
        let events = std::iter::once(Event::Start(start)).chain(turns).chain(end.map(Event::End));
        let line = |event| serde_json::to_string(&event).expect("plain data") + "\n";
        assert_eq!(events.map(line).collect::<String>(), text, "{name}");
    }
}

#[test]
fn earlier_logs_have_the_same_results() {
    for name in LOGS {
        let result = replay(&["--format", "json", &format!("{name}.jsonl")]);
        assert_eq!(result, read(&format!("{name}.replay.json")), "{name}");
    }
}

#[test]
fn earlier_logs_have_the_same_transcripts() {
    for name in ["crash", "illegal", "timeout", "squares-short"] {
        let transcript = replay(&["--export", "transcript", &format!("{name}.jsonl")]);
        assert_eq!(transcript, read(&format!("{name}.transcript.txt")), "{name}");
    }
}
