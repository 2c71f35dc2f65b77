//! What a step of a judge costs, next to bare pipes to the same judge in the same run:
//! `cargo run --release -p referee-judges --example cost`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use judges::json_lines::JsonLines;
use judges::{JudgeCommand, JudgeLimits};
use rules::game::judge::Case;
use rules::game::{Answer, Game, Placement};
use terms::lines::Lines;

/// A judge that asks as soon as it has heard.
const JUDGE: &str = "\
import sys
for line in sys.stdin:
    sys.stdout.write('{\"ask\":\"7 8 9\\\\n\",\"lines\":1,\"limit_ms\":50,\"score\":3,\"summary\":[\"moved\"]}\\n')
    sys.stdout.flush()
";

/// The steps of a game, and the games of each way in turn.
const STEPS: usize = 2_000;
const ROUNDS: usize = 5;

fn main() {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.extend(through_pipes());
        ours.extend(through_a_keeper());
    }
    for (name, times) in [("bare pipes", &mut bare), ("this crate", &mut ours)] {
        times.sort_unstable();
        let at = |part: usize| times[times.len() * part / 100];
        println!("{name}: median {:?}, p90 {:?}, p99 {:?} a step", at(50), at(90), at(99));
    }
    println!(
        "beyond what the judge takes: {:?} at the median",
        ours[ours.len() / 2].saturating_sub(bare[bare.len() / 2])
    );
}

fn through_pipes() -> Vec<Duration> {
    let mut judge = Command::new("python3");
    let mut judge = judge
        .args(["-c", JUDGE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let (mut input, output) =
        (judge.stdin.take().expect("piped"), judge.stdout.take().expect("piped"));
    let mut output = BufReader::new(output);
    let mut line = String::new();
    let mut step = || {
        let start = Instant::now();
        input.write_all(b"{\"reply\":[\"42\"],\"elapsed_ms\":0.0}\n").expect("it reads");
        line.clear();
        output.read_line(&mut line).expect("it writes");
        start.elapsed()
    };
    step();
    let times = (0..STEPS).map(|_| step()).collect();
    drop(input);
    judge.wait().expect("it ends");
    times
}

fn through_a_keeper() -> Vec<Duration> {
    let words = ["python3", "-c", JUDGE].map(str::to_owned).to_vec();
    let folder = tempfile::tempdir().expect("a folder");
    let command = JudgeCommand {
        words,
        folder: folder.path().to_owned(),
        env: [].into(),
        limits: JudgeLimits::default(),
    };
    let judge = JsonLines { command, ..JsonLines::default() }
        .start(&Case::Seed(7.into()), &Placement::default())
        .expect("starts");
    let mut game = Game::begin(judge).expect("it asks");
    let lines = Lines::split(b"42\n");
    let mut step = || {
        let start = Instant::now();
        game.answer(Answer::new(&lines, None)).expect("it reads, and asks");
        start.elapsed()
    };
    (0..STEPS).map(|_| step()).collect()
}
