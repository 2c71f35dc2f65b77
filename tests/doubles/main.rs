//! Programs that stand in for outside judges in tests. Each is written for this project, needs no interpreter, and prints what
//! its original prints in the conversations of `tests/data/conversations`.

mod codingame;
mod duel;
mod engine_grace;
mod guess_number;
mod java;
mod json_lines;
mod misbehaving;
mod nim;
mod scorer;
mod tester;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("codingame") => codingame::run(words),
        Some("duel") => duel::run(words),
        Some("guess-number") => guess_number::run(words),
        Some("java") => java::run(words),
        Some("engine-grace") => engine_grace::run(),
        Some("misbehaving") => misbehaving::run(words),
        Some("nim") => nim::run(words),
        Some("scorer") => scorer::run(words),
        Some("tester") => tester::run(words),
        other => {
            eprintln!("there is no double {other:?}");
            ExitCode::from(2)
        }
    }
}
