//! A detailed sample of a late bot: its threads' states and scheduling.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity};

use super::procfs::{numbers_in, read};
use super::{LOOK, Process, Sample};

/// Kernel functions in which a stopped or frozen thread waits: by a signal, and by control groups of version 2 and 1.
const STOPS: [&str; 4] = ["do_signal_stop", "get_signal", "do_freezer_trap", "__refrigerator"];

/// `/proc/PID/status` shows ignored signals as bits, the first signal as the lowest one.
const SIGCHLD_BIT: u64 = 1 << (libc::SIGCHLD - 1);

/// The threads of a bot at one time.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) threads: BTreeMap<i32, Seen>,
    /// Whether an outsider has stopped or frozen the bot: none of its processes runs and could continue the others,
    /// or has set a timer to do so.
    pub(super) is_stopped: bool,
    /// Whether a process has the kernel forget its children, so that their CPU time is unknown.
    pub(super) forgets_children: bool,
    /// Whether a thread waits for a disk, or for anything else that no signal interrupts, except a vfork.
    pub(super) waits_for_disk: bool,
}

/// One thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) is_runnable: bool,
    /// Whether it still has the bot's original policy, niceness and cores.
    pub(super) is_as_started: bool,
    /// Its last core.
    pub(super) core: Option<usize>,
}

impl Snapshot {
    /// The threads of a sample, as far as they can be read in a short time; of a bot whose processes could not all be sampled
    /// in that time, only its first thread. `keeper` still has the bot's original scheduling.
    pub(super) fn at(sample: &Sample, keeper: Pid) -> Self {
        let start = Task::read(&format!("/proc/{}/stat", keeper.as_raw_pid()));
        let start = start.map(|task| (task.scheduling, cores_of(keeper)));
        let mut snapshot = Self { is_stopped: !sample.processes.is_empty(), ..Self::default() };
        let until = Instant::now() + if sample.is_whole() { LOOK } else { Duration::ZERO };
        for &Process { pid, .. } in &sample.processes {
            // Of a process that has ended since, the kernel may take long to find nothing.
            if snapshot.is_enough_at(until) {
                return snapshot;
            }
            let folder = format!("/proc/{pid}/task");
            for tid in numbers_in(&folder) {
                if snapshot.is_enough_at(until) {
                    return snapshot;
                }
                let path = format!("{folder}/{tid}");
                let Some(task) = Task::read(&format!("{path}/stat")) else { continue };
                let wait_channel = task.wait_channel(&path);
                let is_stopped = task.is_stopped(&wait_channel);
                snapshot.is_stopped &= is_stopped;
                snapshot.waits_for_disk |=
                    task.state == 'D' && !is_stopped && !wait_channel.contains("vfork");
                let now = (task.scheduling, Pid::from_raw(tid).and_then(cores_of));
                let seen = Seen {
                    is_runnable: task.state == 'R',
                    is_as_started: start.is_some_and(|(how, cores)| (how, cores) == now),
                    core: task.core,
                };
                snapshot.threads.insert(tid, seen);
            }
            snapshot.forgets_children |= forgets_children(pid);
        }
        snapshot.is_stopped =
            snapshot.is_stopped && !sample.processes.iter().any(|process| has_alarm(process.pid));
        snapshot
    }

    /// Whether there is no time left for more than the first thread. Nobody knows then whether the others are stopped.
    fn is_enough_at(&mut self, until: Instant) -> bool {
        let is_enough = Instant::now() >= until && !self.threads.is_empty();
        self.is_stopped &= !is_enough;
        is_enough
    }
}

fn cores_of(pid: Pid) -> Option<CpuSet> {
    sched_getaffinity(Some(pid)).ok()
}

fn forgets_children(pid: i32) -> bool {
    let status = read(&format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & SIGCHLD_BIT != 0)
}

/// Whether a process has a timer that sends SIGCONT.
fn has_alarm(pid: i32) -> bool {
    let timers = fs::read_to_string(format!("/proc/{pid}/timers")).unwrap_or_default();
    let signal = format!("signal: {}/", libc::SIGCONT);
    timers.lines().any(|line| line.starts_with(&signal))
}

/// The figures of one thread in /proc.
struct Task {
    state: char,
    core: Option<usize>,
    /// Niceness, priority in real time, and policy.
    scheduling: (i64, i64, i64),
}

impl Task {
    fn read(path: &str) -> Option<Self> {
        let stat = read(path)?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        // proc(5) counts from 1; the state is the third.
        let field = |number: usize| fields.get(number - 3)?.parse::<i64>().ok();
        Some(Self {
            state: fields.first()?.chars().next()?,
            core: field(39).and_then(|core| usize::try_from(core).ok()),
            scheduling: (field(19)?, field(40)?, field(41)?),
        })
    }

    /// The kernel function in which it sleeps.
    fn wait_channel(&self, path: &str) -> String {
        let sleeps = matches!(self.state, 'S' | 'D');
        sleeps.then(|| read(&format!("{path}/wchan"))).flatten().unwrap_or_default()
    }

    /// Whether it is stopped, frozen or has ended.
    fn is_stopped(&self, wait_channel: &str) -> bool {
        matches!(self.state, 'T' | 't' | 'Z' | 'X')
            || STOPS.contains(&wait_channel.trim_end_matches('\0'))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::{Signal, getpid, kill_process};

    use super::*;
    use crate::bot::usage::state;

    #[test]
    fn of_a_bot_that_could_not_all_be_sampled_nobody_knows_whether_it_is_stopped() {
        let run = |seconds| Command::new("sleep").arg(seconds).spawn().expect("starts");
        let [mut stopped, mut ended] = ["3600", "0"].map(run);
        let pids = [&stopped, &ended].map(|child| Pid::from_child(child).as_raw_pid());
        kill_process(Pid::from_child(&stopped), Signal::STOP).expect("it is there");
        let patience = Instant::now() + Duration::from_secs(20);
        while state(&format!("/proc/{}/stat", pids[0])) != 'T' {
            assert!(Instant::now() < patience, "it stops");
        }
        ended.wait().expect("a child");
        let processes: Vec<_> = pids.map(|pid| Process::parse(pid, "")).into();
        let seen = [vec![], vec![1]].map(|unvisited| {
            let sample = Sample { processes: processes.clone(), unvisited, ..Sample::default() };
            let snapshot = Snapshot::at(&sample, getpid());
            (snapshot.threads.len(), snapshot.is_stopped)
        });
        stopped.kill().and_then(|()| stopped.wait()).expect("a child");
        assert_eq!(seen, [(1, true), (1, false)]);
    }
}
