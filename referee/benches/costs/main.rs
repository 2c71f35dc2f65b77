//! The referee's costs, each as a ratio to a yardstick that is measured in the same run, in
//! turn with it: a machine that is busy for a while is busy for both.
//!
//! `cargo bench` prints a table, `cargo bench -- NAME` some of its lines, and `cargo bench -- --json`
//! an object a line, for `scripts/performance-report.py`.

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
