//! Measures how much this machine disturbs the measurement of times.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};

use crate::bot::{BotCommand, BotProcess, ExchangeError, Overtime, Request, SpawnError};
use crate::lines::LineRules;
use crate::stats::Distribution;

/// The number of exchanges and of wake-ups to measure.
const EXCHANGES: u32 = 300;
const WAKE_UPS: u32 = 60;

/// The length of each sleep in the wake-up measurement.
const NAP: Duration = Duration::from_millis(5);

/// Verdicts are meaningful for limits of at least this many times the greatest disturbance.
const LIMIT_PER_DISTURBANCE: u32 = 10;

/// The results of a short check of the host.
#[derive(Debug, Clone)]
pub(crate) struct HostCheck {
    /// The time from writing a board to reading the answer of a child that answers at once.
    pub round_trip: Distribution,
    /// How late the referee itself wakes from a sleep.
    pub wake_up: Distribution,
    /// The share of CPU time that a hypervisor gave to other machines during the check, 0 to 1, if the
    /// kernel reports it.
    pub steal: Option<f64>,
    /// The load average of the last minute.
    pub load: Option<f64>,
    /// The cores that this process may use.
    pub cores: usize,
    /// The frequency governor of the first core, if there is one.
    pub governor: Option<String>,
    /// Whether the machine runs on mains power, if it reports that.
    pub on_mains: Option<bool>,
}

/// Why the host check failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostError {
    /// The echo child did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Watching the child or the clock failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// It did not answer.
    #[error("the echo child did not answer")]
    Silent,
}

impl HostCheck {
    /// Measures for about half a second; `echo` answers each board of 15 lines with one line.
    ///
    /// # Errors
    /// When the echo child cannot be run.
    pub(crate) fn run(echo: &BotCommand) -> Result<Self, HostError> {
        let before = CpuTimes::read();
        let round_trip = round_trips(echo)?;
        let wake_up = wake_ups().map_err(ExchangeError::from)?;
        let steal = before.zip(CpuTimes::read()).map(|(before, after)| after.steal_since(before));
        Ok(Self {
            round_trip,
            wake_up,
            steal,
            load: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            on_mains: mains(),
        })
    }

    /// The smallest limit at which a verdict depends on the bot more than on the machine.
    pub(crate) fn smallest_limit(&self) -> Duration {
        (self.round_trip.max() + self.wake_up.max()) * LIMIT_PER_DISTURBANCE
    }

    /// What to do if the machine is too restless for `limit`; empty if it is quiet enough.
    pub(crate) fn advice(&self, limit: Duration) -> Vec<String> {
        if self.smallest_limit() <= limit {
            return Vec::new();
        }
        let mut advice = Vec::new();
        #[expect(clippy::cast_precision_loss, reason = "a number of cores")]
        let busy = self.load.is_some_and(|load| load > self.cores as f64 - 1.0);
        if busy {
            advice.push("run fewer jobs beside it".to_owned());
        }
        if self.cores > 1 {
            advice.push("keep the bot and the referee apart with --pin".to_owned());
        }
        if self.on_mains == Some(false) {
            advice.push("plug in mains power".to_owned());
        }
        if let Some(governor) = self.governor.as_ref().filter(|governor| *governor != "performance")
        {
            advice.push(format!("set the frequency governor to performance (it is {governor})"));
        }
        if self.steal.is_some_and(|steal| steal > 0.01) {
            advice.push("use a machine that is not shared".to_owned());
        }
        if advice.is_empty() {
            advice.push("try again, or use a larger limit".to_owned());
        }
        advice
    }
}

fn round_trips(echo: &BotCommand) -> Result<Distribution, HostError> {
    let board = "0 1 2 3 4 0 1 2 3 4 0 1 2 3 4\n".repeat(15);
    let rules = LineRules { count: 1, max_bytes: None, eof_ends_line: false, readable: |_| true };
    let mut bot = BotProcess::spawn(echo, 0, None)?;
    let mut times = Distribution::default();
    for exchange in 0..=EXCHANGES {
        let exchanged = bot.exchange(&Request {
            input: board.as_bytes(),
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

fn wake_ups() -> io::Result<Distribution> {
    let mut times = Distribution::default();
    let nap = Timespec::try_from(NAP).map_err(io::Error::other)?;
    for _ in 0..WAKE_UPS {
        let due = Instant::now() + NAP;
        match poll(&mut [], Some(&nap)) {
            Ok(_) => times.record(Instant::now().saturating_duration_since(due)),
            // A signal ended the nap early.
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(times)
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

    fn check(late: Duration) -> HostCheck {
        let mut wake_up = Distribution::default();
        wake_up.record(late);
        HostCheck {
            round_trip: Distribution::default(),
            wake_up,
            steal: Some(0.0),
            load: Some(7.0),
            cores: 2,
            governor: Some("powersave".to_owned()),
            on_mains: Some(false),
        }
    }

    #[test]
    fn a_restless_machine_gets_advice() {
        let restless = check(Duration::from_millis(20));
        assert!(restless.smallest_limit() > Duration::from_millis(199));
        let advice = restless.advice(Duration::from_millis(50)).join("; ");
        for part in ["fewer jobs", "--pin", "mains power", "it is powersave"] {
            assert!(advice.contains(part), "{part:?} is not in {advice:?}");
        }
        assert_eq!(check(Duration::from_micros(100)).advice(Duration::from_millis(50)), [""; 0]);
    }

    #[test]
    fn steal_is_a_part_of_all_time() {
        let times = |text| CpuTimes::parse(text).expect("well-formed");
        let before = times("cpu  100 0 50 800 0 0 0 10 0 0\n");
        let after = times("cpu  150 0 50 830 0 0 0 30 0 0\n");
        assert!((after.steal_since(before) - 0.2).abs() < 1e-9);
    }
}
