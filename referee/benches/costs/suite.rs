//! What suites cost: beside their games, with two jobs instead of one, and in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use referee::bot::{BotCommand, Confinement};
use referee::game::SeedOptions;
use referee::play::Match;

use super::table::{Amount, Row, Target};
use super::{CONFIG, REFEREE, median};

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Games of a bot that answers at once, as a suite plays them with logs, progress and a run folder,
/// against the same games in a bare loop. Rounds of the two take turns, so that a machine that is busy
/// for a while slows both.
pub(crate) fn overhead() -> Vec<Row> {
    const ROUNDS: i64 = 9;
    const GAMES: i64 = 250;
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bare, mut in_suite) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let seeds = round * GAMES + 1..=(round + 1) * GAMES;
        let args = format!("--bot @first --logs all --seed {}..{}", seeds.start(), seeds.end());
        bare.push(timed(|| play_bare(seeds)));
        in_suite.push(timed(|| run(suite(&args, 1, &folder.path().join(round.to_string())))));
    }
    vec![Row {
        what: "a suite of 250 games with their logs",
        ours: median(in_suite),
        yardstick: ("the games in a bare loop", median(bare)),
        target: Target::AtMost(1.1),
    }]
}

fn play_bare(seeds: std::ops::RangeInclusive<i64>) {
    let config = &*CONFIG;
    let method = config.containment.method().expect("auto is always there");
    let command = BotCommand {
        program: REFEREE.into(),
        args: vec!["bot".into(), "first".into()],
        cwd: None,
        env: BTreeMap::new(),
        pinning: None,
        confinement: Confinement { method, resources: config.resources, sandbox: None },
    };
    for seed in seeds {
        let case = (config.game.from_seed)(seed, SeedOptions::default()).expect("a seed");
        let game = Match {
            game: config.game,
            board: "",
            test_case: &case,
            bot: "@first",
            command: &command,
            rules: config.rules,
            interrupt: None,
        };
        game.play(drop).expect("a game");
    }
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
        target: Target::TimesLess(1.8),
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

/// A late game is lost; that says something of the machine, and nothing of the suite.
fn check(status: ExitStatus) {
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
}

/// Runs the referee to its end and returns its memory at its peak, as far as it was seen.
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
