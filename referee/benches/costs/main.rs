//! The referee's costs, each as a ratio to a yardstick that is measured in the same run, in
//! turn with it: a machine that is busy for a while is busy for both.
//!
//! `cargo bench` prints a table, `cargo bench -- NAME` some of its lines, and `cargo bench -- --json`
//! an object a line, for `scripts/performance-report.py`.
//!
//! ## Where the time goes
//!
//! By hand, from `strace -f -r referee play` and `perf record -a -g referee suite`, on the machine of docs/performance.md.
//! A game with `--pin`, of 21 turns of a bot that parses its input, has this CPU time (`perf`, 500 games):
//!
//! | process | ms of CPU time | of which |
//! |---|---|---|
//! | bot | 0.85 | all, as in the bare game |
//! | referee | 0.74 | a third in its code, a quarter in calls of turns, the rest for files and pipes |
//! | launcher | 0.41 | the fork with namespaces 0.17, copies of shared pages 0.09 |
//! | keeper | 0.36 | mounts 0.04, exit 0.1 |
//! | kernel threads | 0.13 | with the unmounting |
//!
//! - **A quick turn** is five system calls, of which the ping-pong has two. The others are the poll, a read that finds no output from before
//!   the input, and the question how much of the input is unread. Every millisecond the referee also reads the bot's certificate, five files
//!   of `/proc`.
//! - **Two jobs on two cores**: the target leaves a game 0.9 ms besides its bot, and it needs 1.7.
//! - **An exchange with a tester** passes through the referee twice: 37 µs on one core, 26 of them in the referee. **A tester's game** of one
//!   exchange takes 3.6 ms, and 1.4 without the referee, which contains two programs, makes a folder for the tester and starts a relay.
//! - **A report of 2,000 games** with 829 replays takes 6.3 MB. Chromium draws it in 0.75 s, and sorts its boards in 80 ms
//!   (`scripts/page-speeds.mjs`).
//! - **Rejected:** one keeper for all games of a worker would save 0.2 ms a game, but root's bot has power over its keeper. Keepers forked ahead
//!   saved a fifth of a short game with one job that the system places, but cost 7 % with two jobs on two cores.

mod bare;
mod games;
mod rules;
mod suite;
mod table;
mod tester;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use referee::bot::Host;
use referee::config::Config;

use self::table::{Amount, Wanted};

/// The program, which also has the bundled bots.
const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

/// The defaults.
static CONFIG: LazyLock<Config> = LazyLock::new(|| Config::resolve([]).expect("tested"));

fn main() {
    let Some(wanted) = Wanted::from_args() else { return };
    let _host = Host::start().expect("a launcher");
    wanted.measure(&[
        ("turn", games::turns),
        ("game", games::games),
        ("start", games::start),
        ("rules", rules::rules),
        ("replay", rules::replays),
        ("overhead", suite::overhead),
        ("parsing", suite::parsing),
        ("jobs", suite::jobs),
        ("memory", suite::memory),
        ("tester", tester::tester),
    ]);
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Amount {
    times.sort_unstable();
    Amount::Time(times[times.len() / 2])
}
