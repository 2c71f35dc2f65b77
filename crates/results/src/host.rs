//! The findings about a host: which containment it offers, and how much it disturbs times.

use std::time::Duration;

use serde::Serialize;

use crate::timing::percentiles;
use statistics::{Distribution, real};
use terms::limits::Resources;

/// Verdicts are meaningful for limits of at least this many times the largest disturbance.
const LIMIT_PER_DISTURBANCE: u32 = 10;

/// With a smaller share of a core, a bot loses turns that it would win on an idle machine.
const WHOLE_CORE: f64 = 0.9;

/// Where others want more cores than there are, longer limits are hardly ever missed for it.
pub const SHORT_LIMIT: Duration = Duration::from_secs(1);

/// The containment and sandboxing that this host offers.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// Each method of containment, from the strongest to the weakest.
    pub containment: Vec<MethodFinding>,
    /// The name of the strongest method that this host offers.
    pub used: &'static str,
    /// What a bot can still do to the referee under that method, as phrases.
    pub exposures: Vec<&'static str>,
    /// Why bots get no control groups; `None` if they do.
    pub no_cgroups: Option<String>,
    /// Whether the system limits a bot's open files, CPU time and file sizes.
    #[serde(skip)]
    pub has_kernel_limits: bool,
    /// The memory limit of the referee and its bots together, in bytes, if a control group sets one.
    pub host_memory: Option<u64>,
    /// The limit on processes and threads of the referee and its bots together, if a control group sets one.
    pub host_processes: Option<u64>,
    /// Why this host cannot sandbox bots; `None` if it can.
    pub no_sandbox: Option<String>,
    /// Why a sandbox takes another method than the strongest one, which is a namespace; `None` if it does not.
    pub no_namespace_sandbox: Option<String>,
    /// The resource limits in the settings.
    pub resources: Resources,
    /// The memory of a bot in a sandbox, in bytes, if nothing else in the settings says whether memory is limited.
    pub sandbox_memory: Option<u64>,
    /// Changes that would offer more.
    pub advice: Vec<String>,
}

/// Whether this host offers a method of containment.
#[derive(Debug, Clone, Serialize)]
pub struct MethodFinding {
    /// Its name in `--containment`.
    pub name: &'static str,
    /// A short description of it.
    pub how: &'static str,
    /// Why it is unavailable; `None` if it is available.
    pub missing: Option<String>,
}

/// The results of a short check of the host. In JSON its fields are a contract.
#[derive(Debug, Clone, Serialize)]
pub struct HostCheck {
    /// The time from writing a board to reading the answer of a child that echoes at once.
    #[serde(serialize_with = "percentiles")]
    pub round_trip: Distribution,
    /// The referee's own delay in waking from a sleep.
    #[serde(serialize_with = "percentiles")]
    pub wake_up: Distribution,
    /// The share of a core that a bot got that computed for some time, 0 to 1.
    pub core_share: f64,
    /// How many threads of others wanted a core at the same time, on average during the check.
    pub load: Option<f64>,
    /// The cores of the machine, whose threads `load` counts, if the kernel reports them.
    pub online_cores: Option<usize>,
    /// The cores that this process may use.
    pub cores: usize,
}

/// Whether `cores` are too few for this many bots and, on average, `others` other threads that want a core.
pub fn is_overloaded(others: f64, bots: usize, cores: usize) -> bool {
    // Half a thread is within the error of a short look.
    others + real(bots) > real(cores) + 0.5
}

impl HostCheck {
    /// The smallest limit at which it can be told whose fault a late turn is: the usual disturbances, without one in twenty,
    /// are small compared with it.
    pub fn smallest_limit(&self) -> Duration {
        let usual = |times: &Distribution| times.percentile(95.0);
        (usual(&self.round_trip) + usual(&self.wake_up)) * LIMIT_PER_DISTURBANCE
    }

    /// Whether others take enough of a core from bots to make them lose turns.
    pub fn is_crowded(&self) -> bool {
        self.core_share < WHOLE_CORE
    }

    /// The threads of others and the cores of the machine, if these are too few for those threads and one bot, and `limit` is
    /// short.
    pub fn overload(&self, limit: Duration) -> Option<(f64, usize)> {
        let counted = self.load.zip(self.online_cores).filter(|_| limit <= SHORT_LIMIT);
        counted.filter(|&(others, cores)| is_overloaded(others, 1, cores))
    }

    /// Advice if the machine is too noisy for `limit`; empty if it is quiet enough.
    pub fn advice(&self, limit: Duration) -> Vec<String> {
        let is_crowded = self.is_crowded() || self.overload(limit).is_some();
        if self.smallest_limit() <= limit && !is_crowded {
            return Vec::new();
        }
        let mut advice = Vec::new();
        if is_crowded {
            advice.push("run fewer jobs next to it".to_owned());
        }
        if self.cores > 1 {
            advice.push("give the bot a core of its own with --pin".to_owned());
        }
        if advice.is_empty() {
            advice.push("try again, or use a larger limit".to_owned());
        }
        advice
    }
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
            core_share: 1.0,
            load: Some(7.0),
            online_cores: Some(2),
            cores: 2,
        }
    }

    #[test]
    fn a_restless_machine_gets_advice() {
        let restless = check(Duration::from_millis(20));
        assert!(restless.smallest_limit() > Duration::from_millis(199));
        let advice = restless.advice(Duration::from_millis(50)).join("; ");
        for part in ["fewer jobs", "--pin"] {
            assert!(advice.contains(part), "{part:?} is not in {advice:?}");
        }
        let quiet = HostCheck { load: Some(0.3), ..check(Duration::from_micros(100)) };
        assert_eq!(quiet.advice(Duration::from_millis(50)), [""; 0]);
        let crowded = HostCheck { core_share: 0.5, ..quiet.clone() };
        assert_eq!(crowded.advice(Duration::from_millis(50))[0], "run fewer jobs next to it");
        // Others may come to the bot's core at any time, though they left it alone during the check.
        let overloaded = HostCheck { load: Some(2.4), ..quiet };
        assert_eq!(overloaded.advice(Duration::from_millis(50))[0], "run fewer jobs next to it");
        assert_eq!(overloaded.advice(Duration::from_mins(1)), [""; 0]);
    }

    #[test]
    fn threads_that_fit_on_the_cores_are_no_overload() {
        assert!(!is_overloaded(0.4, 1, 1) && is_overloaded(0.6, 1, 1));
        assert!(!is_overloaded(1.3, 1, 2) && is_overloaded(2.0, 1, 2));
        assert!(!is_overloaded(30.0, 1, 64), "a job that may use two cores of many");
        assert!(is_overloaded(2.0, 7, 8));
    }

    #[test]
    fn one_disturbance_in_twenty_does_not_count() {
        let mut host = check(Duration::from_micros(100));
        let before = host.smallest_limit();
        (0..40).for_each(|_| host.wake_up.record(Duration::from_micros(100)));
        host.wake_up.record(Duration::from_millis(50));
        assert!(host.smallest_limit() < 2 * before, "{:?}", host.smallest_limit());
    }
}
