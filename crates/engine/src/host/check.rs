//! Measures how much this machine disturbs the measurement of times.

use std::fs;
use std::path::Path;
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

/// Measures for about half a second; `echo` answers each text of 15 lines with one line. With a `worker`, which first
/// computes for `work` of CPU time, also measures the share of a core that it gets; this takes six times `work` or longer.
///
/// # Errors
/// When the echo child cannot be run.
pub fn check_host(
    echo: &BotCommand,
    worker: Option<(&BotCommand, Duration)>,
) -> Result<HostCheck, HostError> {
    let before = CpuTimes::read();
    let round_trip = exchanges(echo, EXCHANGES)?;
    let core_share = worker.map(|(worker, work)| core_share(worker, work)).transpose()?;
    let (wake_up, load) = wake_ups();
    let steal = before.zip(CpuTimes::read()).map(|(before, after)| after.steal_since(before));
    Ok(HostCheck {
        round_trip,
        wake_up,
        steal,
        core_share,
        load,
        online_cores: online_cores(),
        cores: thread::available_parallelism().map_or(1, std::num::NonZero::get),
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        on_mains: mains(),
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
    let rules = LineRules {
        count: 1,
        max_bytes: None,
        eof_ends_line: false,
        until_exit: true,
        readable: |_| true,
    };
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

/// The first line of /proc/stat.
#[derive(Debug, Clone, Copy)]
struct CpuTimes {
    all: u64,
    steal: u64,
}

impl CpuTimes {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let fields = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let times: Option<Vec<u64>> = fields.map(|field| field.parse().ok()).collect();
        // proc(5): user nice system idle iowait irq softirq steal; the guests count in user.
        let times = times?;
        Some(Self { all: times.iter().take(8).sum(), steal: *times.get(7)? })
    }

    #[expect(clippy::cast_precision_loss, reason = "ticks of a second or so")]
    fn steal_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        self.steal.saturating_sub(before.steal) as f64 / all as f64
    }
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// Whether any of the mains adapters is plugged in.
fn mains() -> Option<bool> {
    let supplies = fs::read_dir(Path::new("/sys/class/power_supply")).ok()?;
    let online = supplies.flatten().filter_map(|supply| {
        let file = |name: &str| read(supply.path().join(name).to_str()?);
        (file("type")? == "Mains").then(|| file("online").as_deref() == Some("1"))
    });
    online.reduce(|one, other| one || other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_a_part_of_all_time() {
        let times = |text| CpuTimes::parse(text).expect("well-formed");
        let before = times("cpu  100 0 50 800 0 0 0 10 0 0\n");
        let after = times("cpu  150 0 50 830 0 0 0 30 0 0\n");
        assert!((after.steal_since(before) - 0.2).abs() < 1e-9);
    }
}
