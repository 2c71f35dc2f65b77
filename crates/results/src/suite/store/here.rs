//! Host information recorded with a run.

use std::env;

use fs_err as fs;

use super::folder::{FORMAT, Opponent, Run};
use super::logs::{Logs, Packing};
use super::session::Session;
use crate::gamelog::Machine;
use crate::suite::plan::Plan;
use terms::limits::OnHostDelay;

impl Run {
    /// A run of `plan` that starts now, here.
    pub fn new(plan: Plan, against: Option<Opponent>) -> Self {
        Self {
            format: FORMAT,
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            started: jiff::Timestamp::now(),
            host: Machine::here(),
            started_in: env::current_dir().ok(),
            leaves_delayed: false,
            logs: Logs::default(),
            packing: Packing::default(),
            names_games: plan.players() > 1,
            git: None,
            against,
            shard: None,
            out: Vec::new(),
            plan,
        }
    }

    /// Whether games that the host's delays ended are played once more at the end, and when the run is resumed.
    pub fn plays_delayed_again(&self) -> bool {
        !self.leaves_delayed && self.plan.rules.on_host_delay == OnHostDelay::Fail
    }
}

impl Session {
    /// A session that begins now, here; it gets its number when it is added to a run.
    pub fn here(containment: &str) -> Self {
        let machine = Machine::here();
        Self {
            number: 0,
            started: jiff::Timestamp::now(),
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            host: host_name(),
            cpu: cpu_model().unwrap_or_else(|| machine.arch.clone()),
            machine,
            containment: containment.to_owned(),
            cores_per_bot: None,
        }
    }
}

/// The name of this machine: the kernel's, or on Windows the environment's; empty if unknown.
fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname");
    name.or_else(|_| env::var("COMPUTERNAME")).unwrap_or_default().trim().to_owned()
}

/// The processors' model in `/proc/cpuinfo`, or on Windows in the environment; `None` on ARM, where Linux has only numbers.
fn cpu_model() -> Option<String> {
    let Ok(text) = fs::read_to_string("/proc/cpuinfo") else {
        return env::var("PROCESSOR_IDENTIFIER").ok();
    };
    let model = text.lines().find(|line| line.starts_with("model name"))?;
    Some(model.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::plan::test_plan;

    #[test]
    fn only_games_that_fail_by_default_are_played_again() {
        let mut run = Run::new(test_plan(1), None);
        let text = toml::to_string(&run).expect("TOML");
        assert!(!text.contains("leaves_delayed") && run.plays_delayed_again());
        assert_eq!(toml::from_str::<Run>(&text).expect("a run of another version"), run);
        run.leaves_delayed = true;
        let stored = toml::to_string(&run).expect("TOML");
        assert!(!toml::from_str::<Run>(&stored).expect("a run").plays_delayed_again());
        run.leaves_delayed = false;
        run.plan.rules.on_host_delay = OnHostDelay::Retry;
        assert!(!run.plays_delayed_again(), "each was played again at once");
    }

    #[test]
    fn a_session_tells_where_it_is_played() {
        let session = Session::here("namespace");
        assert!(!session.host.is_empty() && !session.cpu.is_empty());
        let line = serde_json::to_string(&session).expect("JSON");
        // Version 1.0.0 named the job of a batch system.
        let old = line.replacen('{', "{\"job\":\"slurm 47\",", 1);
        for line in [line, old] {
            assert_eq!(serde_json::from_str::<Session>(&line).expect("a session"), session);
        }
    }
}
