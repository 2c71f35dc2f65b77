//! The costs of suites: besides their games, with two jobs instead of one, and in memory.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use referee::game::SeedOptions;

use super::bare::{Bare, Times};
use super::games::{BOARD, bare};
use super::table::{Amount, Row, Target};
use super::{CONFIG, REFEREE, median, timed};

/// Games of a bot that answers at once, as a suite plays them with progress and a run folder. Rounds of all
/// ways take turns, so that a machine that is busy for a while slows each.
pub(crate) fn overhead() -> Vec<Row> {
    const ROUNDS: usize = 5;
    const GAMES: usize = 500;
    const WAYS: [(&str, u32); 5] = [
        ("--logs none --config suite.pin=always", 1),
        ("--logs none", 1),
        ("--logs all --config suite.pin=always", 1),
        ("--logs none", 2),
        ("--logs all", 2),
    ];
    let bare = bare();
    let bot = bare.bot();
    let bot = shlex::try_quote(bot.to_str().expect("UTF-8")).expect("no NUL").into_owned();
    let (mut in_suite, mut minimum) = ([const { Vec::new() }; WAYS.len()], Times::default());
    for _ in 0..ROUNDS {
        for ((args, jobs), times) in WAYS.into_iter().zip(&mut in_suite) {
            let folder = tempfile::tempdir().expect("a folder");
            let args = format!("--bot {bot} --board {BOARD} --repeat {GAMES} {args}");
            times.push(timed(|| run(suite(&args, jobs, &folder.path().join("run")))));
        }
        minimum.add(|| vec![bare.play(GAMES).0]);
    }
    let yardstick = ("the same in a bare loop", minimum.best());
    let [pinned, one, pinned_logs, two, two_logs] = in_suite.map(median);
    let row = |what, ours, yardstick, target| Row { what, ours, yardstick, target };
    vec![
        row("a suite of 500 games with pinned bots", pinned, yardstick, Target::AtMost(1.6)),
        row("a suite of 500 games", one, yardstick, Target::AtMost(1.6)),
        row("two jobs", two, ("one job", one), Target::TimesLess(1.9)),
        row("logs of all, pinned bots", pinned_logs, ("no logs", pinned), Target::AtMost(1.05)),
        row("logs of all, two jobs", two_logs, ("no logs", two), Target::AtMost(1.05)),
    ]
}

/// Games of a bot that parses its input, against bare loops of the same: as many of each at a time.
pub(crate) fn parsing() -> Vec<Row> {
    const ROUNDS: usize = 5;
    const GAMES: usize = 400;
    const SEED: u64 = 5;
    /// The length of the bot's game.
    const TURNS: usize = 72;
    const WAYS: [(&str, &str, u32, f64); 4] = [
        ("games of a parsing bot, two jobs", "--logs none", 2, 2.5),
        ("games of a parsing bot", "--logs none", 1, 2.2),
        (
            "the same as ordinary children, two jobs",
            "--logs none --config containment=plain",
            2,
            1.5,
        ),
        ("the same as ordinary children", "--logs none --config containment=plain", 1, 1.5),
    ];
    let board = CONFIG.game.test_case(SEED, SeedOptions::default()).expect("a board");
    let bare = Bare::new(TURNS, &board);
    let bot = bare.parsing_bot();
    let bot = shlex::try_quote(bot.to_str().expect("UTF-8")).expect("no NUL").into_owned();
    let mut in_suite = [const { Vec::new() }; WAYS.len()];
    let mut loops = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for ((_, args, jobs, _), times) in WAYS.into_iter().zip(&mut in_suite) {
            let folder = tempfile::tempdir().expect("a folder");
            let args = format!("--bot {bot} --seed {SEED} --repeat {GAMES} {args}");
            times.push(timed(|| run(suite(&args, jobs, &folder.path().join("run")))));
        }
        for (count, times) in (1..).zip(&mut loops) {
            times.push(bare.play_at_once(count, GAMES));
        }
    }
    let [one, two] = loops.map(median);
    let row = |((what, _, jobs, most), times)| {
        let yardstick = if jobs == 2 { ("two bare loops", two) } else { ("a bare loop", one) };
        Row { what, ours: median(times), yardstick, target: Target::AtMost(most) }
    };
    WAYS.into_iter().zip(in_suite).map(row).collect()
}

/// A bot that computes, so that two jobs want two cores.
pub(crate) fn jobs() -> Vec<Row> {
    const BUSY: &str = "--bot '@thinker --compute 5' --seed 1..20 --turn 10s --logs none";
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = [1, 2].map(|jobs| {
        let folder = folder.path().join(jobs.to_string());
        Amount::Time(timed(|| run(suite(BUSY, jobs, &folder))))
    });
    vec![Row {
        what: "a suite of a bot that computes, two jobs",
        ours: two,
        yardstick: ("one job", one),
        target: Target::TimesLess(1.9),
    }]
}

/// The referee's own memory at its peak. A large suite, of `REFEREE_BENCH_GAMES` games (10,000 unless
/// set), must not need more than a small one.
pub(crate) fn memory() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = std::env::var("REFEREE_BENCH_GAMES");
    let many = asked.map_or(10_000, |games| games.parse().expect("a number of games"));
    let of_suite = |games: u32| {
        let args = format!("--bot @echo --board @clearable --repeat {games} --logs none");
        watched(suite(&args, 1, &folder.path().join(games.to_string())))
    };
    let mut game = Command::new(REFEREE);
    game.args(["play", "--bot", "@thinker --sleep 1"]).stdout(Stdio::null());
    vec![
        Row {
            what: "memory of a game",
            ours: watched(game),
            yardstick: ("12 MB", Amount::Memory(12_000_000)),
            target: Target::AtMost(1.0),
        },
        Row {
            what: format!("memory of a suite of {many} games").leak(),
            ours: of_suite(many),
            yardstick: ("a suite of 1,000 games", of_suite(1000)),
            target: Target::AtMost(1.1),
        },
    ]
}

fn suite(args: &str, jobs: u32, run: &Path) -> Command {
    let words = shlex::split(args).expect("well-formed");
    let mut suite = Command::new(REFEREE);
    suite.arg("suite").args(words).args(["--jobs", &jobs.to_string(), "--run"]).arg(run);
    suite.stdout(Stdio::null()).stderr(Stdio::null());
    suite
}

fn run(mut command: Command) {
    check(command.status().expect("runs"));
}

/// A late game is lost, which depends on the machine, not on the suite.
fn check(status: ExitStatus) {
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
}

/// Runs the referee to its end and returns the sampled peak of its memory.
fn watched(mut command: Command) -> Amount {
    let mut child = command.spawn().expect("starts");
    let mut peak = 0;
    while child.try_wait().expect("a child").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) * 1024);
        sleep(Duration::from_millis(2));
    }
    check(child.wait().expect("a child"));
    Amount::Memory(peak)
}
