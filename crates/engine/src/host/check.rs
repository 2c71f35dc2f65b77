//! Measures how much this machine disturbs the measurement of times.

use std::thread;
use std::time::{Duration, Instant};

use super::load::runnable;
use contain::bot::{
    BotCommand, BotProcess, ExchangeError, Overtime, Request, SpawnError, online_cores,
};
use results::host::HostCheck;
use statistics::Distribution;
use terms::lines::LineRules;

/// What a bot is sent in each exchange: as much as a usual turn.
const LINE: &str = "0 1 2 3 4 0 1 2 3 4 0 1 2 3 4\n";
const LINES: usize = 15;

/// The number of exchanges and of wake-ups to measure.
const EXCHANGES: u32 = 300;
const WAKE_UPS: u32 = 60;

/// The number of times that the worker computes.
const WORKS: u32 = 6;

/// The length of each sleep in the wake-up measurement.
const NAP: Duration = Duration::from_millis(5);

/// Why the host check failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The echo child did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Watching the child or the clock failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// The echo child did not answer.
    #[error("the echo child did not answer")]
    Silent,
}

/// Measures for about half a second, and six times `work` or longer: `echo` answers each text of 15 lines with one line, and `worker`
/// first computes for `work` of CPU time, which shows the share of a core that it gets.
///
/// # Errors
/// When one of them cannot be run.
pub fn check_host(
    echo: &BotCommand,
    worker: &BotCommand,
    work: Duration,
) -> Result<HostCheck, HostError> {
    let round_trip = exchanges(echo, EXCHANGES)?;
    let core_share = core_share(worker, work)?;
    let (wake_up, load) = wake_ups();
    Ok(HostCheck {
        round_trip,
        wake_up,
        core_share,
        load,
        online_cores: online_cores(),
        cores: thread::available_parallelism().map_or(1, std::num::NonZero::get),
    })
}

/// The share of a core that a bot gets that computes for `work` in each exchange.
fn core_share(worker: &BotCommand, work: Duration) -> Result<f64, HostError> {
    let wall = exchanges(worker, WORKS)?.percentile(50.0);
    Ok((work.as_secs_f64() / wall.as_secs_f64()).min(1.0))
}

/// The times of this number of exchanges.
fn exchanges(bot: &BotCommand, count: u32) -> Result<Distribution, HostError> {
    let input = LINE.repeat(LINES);
    let rules = LineRules { eof_ends_line: false, ..LineRules::any(1) };
    let mut bot = BotProcess::spawn(bot, 0, None)?;
    let mut times = Distribution::default();
    for exchange in 0..=count {
        let exchanged = bot.exchange(&Request {
            input: input.as_bytes(),
            rules,
            limit: Some(Duration::from_secs(10)),
            overtime: Overtime::Always(Duration::ZERO),
        })?;
        if exchanged.no_reply.is_some() {
            return Err(HostError::Silent);
        }
        // The first exchange includes the start of the child.
        if exchange > 0 {
            times.record(exchanged.wall);
        }
    }
    bot.finish(Duration::from_secs(1));
    Ok(times)
}

/// How late sleeps end, and the number of other threads that wanted a core in the meantime, on average.
fn wake_ups() -> (Distribution, Option<f64>) {
    let mut times = Distribution::default();
    let mut load = Some(0.0);
    for _ in 0..WAKE_UPS {
        let due = Instant::now() + NAP;
        thread::sleep(NAP);
        times.record(Instant::now().saturating_duration_since(due));
        load = load.zip(runnable()).map(|(sum, others)| sum + others);
    }
    (times, load.map(|sum| sum / f64::from(WAKE_UPS)))
}
