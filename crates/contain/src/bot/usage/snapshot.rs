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
            let folder = format!("/proc/{pid}/task");
            for tid in numbers_in(&folder) {
                if Instant::now() >= until && !snapshot.threads.is_empty() {
                    snapshot.is_stopped = false;
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
        snapshot.is_stopped &= !sample.processes.iter().any(|process| has_alarm(process.pid));
        snapshot
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
