//! Where the games of a run were played.

use std::env;

use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::gamelog::Host;
use crate::millis::Millis;

/// A session of a run: the games that one process played on one machine. A line of `sessions.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its number, from 1; results name it.
    pub number: u32,
    /// When it was begun, in UTC.
    pub started: jiff::Timestamp,
    /// The version of the referee.
    pub referee: String,
    /// The name of the machine.
    pub host: String,
    /// The model of its processors, as far as the kernel tells it.
    pub cpu: String,
    /// The machine.
    #[serde(flatten)]
    pub machine: Host,
    /// The job of a batch system, such as `slurm 4711`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// What kept the bots' processes together.
    pub containment: String,
    /// The smallest limit at which the machine was quiet enough for verdicts to depend on bots, if that was
    /// measured.
    #[serde(default, rename = "smallest_limit_ms", skip_serializing_if = "Option::is_none")]
    pub smallest_limit: Option<Millis>,
}

impl Session {
    /// A session that begins now, here; its number is given to it when it is added to a run.
    pub fn here(containment: &str) -> Self {
        let machine = crate::play::host();
        Self {
            number: 0,
            started: jiff::Timestamp::now(),
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            cpu: cpu_model().unwrap_or_else(|| machine.arch.clone()),
            machine,
            job: batch_job(|name| env::var(name).ok().filter(|value| !value.is_empty())),
            containment: containment.to_owned(),
            smallest_limit: None,
        }
    }
}

/// The processors' model as `/proc/cpuinfo` has it; ARM's kernels tell numbers only.
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let model = text.lines().find(|line| line.starts_with("model name"))?;
    Some(model.split_once(':')?.1.trim().to_owned())
}

/// The job that this process belongs to, from what batch systems put into the environment: the variable
/// of the job, and that of the task in an array of jobs.
fn batch_job(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    const SYSTEMS: [(&str, &str, &str); 3] = [
        ("slurm", "SLURM_JOB_ID", "SLURM_ARRAY_TASK_ID"),
        ("pbs", "PBS_JOBID", "PBS_ARRAY_INDEX"),
        ("lsf", "LSB_JOBID", "LSB_JOBINDEX"),
    ];
    SYSTEMS.iter().find_map(|(system, job, task)| {
        let job = variable(job)?;
        let task = variable(task).map(|task| format!(", task {task}"));
        Some(format!("{system} {job}{}", task.unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_job_is_known_by_its_environment() {
        let job = |pairs: &'static [(&str, &str)]| {
            batch_job(|name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(job(&[]), None);
        assert_eq!(job(&[("SLURM_JOB_ID", "47")]).as_deref(), Some("slurm 47"));
        let array = job(&[("SLURM_ARRAY_TASK_ID", "3"), ("SLURM_JOB_ID", "47")]);
        assert_eq!(array.as_deref(), Some("slurm 47, task 3"));
        assert_eq!(job(&[("PBS_JOBID", "9.head")]).as_deref(), Some("pbs 9.head"));
    }

    #[test]
    fn a_session_tells_where_it_is_played() {
        let session = Session::here("namespace");
        assert!(!session.host.is_empty() && !session.cpu.is_empty());
        let line = serde_json::to_string(&session).expect("JSON");
        assert_eq!(serde_json::from_str::<Session>(&line).expect("a session"), session);
    }
}
