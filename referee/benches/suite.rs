//! What a suite adds to the games: 2,000 games of a bot that answers at once, as a suite plays them with
//! logs, progress and a run folder, against the same games in a bare loop.
//!
//! `cargo bench --bench suite` prints the ratio. Rounds of the two take turns, so that a machine that
//! is busy for a while slows both.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee::bot::{BotCommand, Confinement};
use referee::config::{Config, ConfigFile, Overrides};
use referee::game::SeedOptions;
use referee::play::{Setup, play};

const ROUNDS: i64 = 8;
const GAMES: i64 = 250;

/// This very program's bot.
const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

fn main() {
    // Cargo also runs benches when it tests all targets.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let config = Config::resolve(&ConfigFile::default(), &Overrides::default()).expect("defaults");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bare, mut suite) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        bare += timed(|| play_bare(&config, round));
        suite += timed(|| play_suite(&folder.path().join(round.to_string()), round));
    }
    let ratio = suite.as_secs_f64() / bare.as_secs_f64();
    println!("{} games: bare loop {bare:.2?}, suite {suite:.2?}, ratio {ratio:.3}", ROUNDS * GAMES);
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn seeds(round: i64) -> std::ops::RangeInclusive<i64> {
    round * GAMES + 1..=(round + 1) * GAMES
}

fn play_bare(config: &Config, round: i64) {
    let means = config.containment.means().expect("auto is always there");
    let command = BotCommand {
        program: REFEREE.into(),
        args: vec!["bot".into(), "first".into()],
        cwd: None,
        env: BTreeMap::new(),
        pinning: None,
        confinement: Confinement { means, resources: config.resources, sandbox: None },
    };
    for seed in seeds(round) {
        let case = (config.game.from_seed)(seed, SeedOptions::default()).expect("a seed");
        let mut game = (config.game.parse)(&case).expect("a board");
        let setup = Setup {
            game: config.game.name,
            board: "",
            bot: "@first",
            command: &command,
            rules: config.rules,
            retried: &[],
            interrupt: None,
        };
        play(game.as_mut(), &setup, |_| {}).expect("a game");
    }
}

fn play_suite(run: &Path, round: i64) {
    let seeds = seeds(round);
    let seeds = format!("{}..{}", seeds.start(), seeds.end());
    let mut suite = Command::new(REFEREE);
    suite.args(["suite", "--bot", "@first", "--jobs", "1", "--logs", "all", "--seed", &seeds]);
    suite.arg("--run").arg(run).stdout(Stdio::null()).stderr(Stdio::null());
    // A late game would be lost; that says something of the machine, and nothing of the suite.
    suite.status().expect("runs");
}
