//! A detailed sample of a late bot: its threads' states and scheduling.

use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getcpu;

use super::root::{self, Root, Scheduling};
use crate::decide::sample::{Process, Sample, Snapshot, ThreadState};
use crate::decide::tuning::TUNING;
use crate::sys::cores;
use crate::sys::proc::{numbers_in, numbers_until, read};

/// Kernel functions in which a stopped or frozen thread waits: by a signal, and by control groups of version 2 and 1.
const STOPS: [&str; 4] = ["do_signal_stop", "get_signal", "do_freezer_trap", "__refrigerator"];

/// `/proc/PID/status` shows ignored signals as bits, the first signal as the lowest one.
const SIGCHLD_BIT: u64 = 1 << (libc::SIGCHLD - 1);

/// The threads of a sample, if they can be read in a short time; of a program whose processes could not all be sampled
/// in that time, only its first thread.
pub(crate) fn at(sample: &Sample, root: Root) -> Snapshot {
    let start = root.scheduling_at_start();
    let mut snapshot = Snapshot {
        is_stopped: !sample.processes.is_empty(),
        referee_core: Some(sched_getcpu()),
        ..Snapshot::default()
    };
    let time = if sample.is_whole() { TUNING.sampling.walk } else { Duration::ZERO };
    let until = Instant::now() + time;
    for &Process { pid, .. } in &sample.processes {
        // Of a process that has ended since, the kernel may need long to find nothing.
        if is_enough(&mut snapshot, until) {
            return snapshot;
        }
        let folder = format!("/proc/{pid}/task");
        let session = root::session(pid);
        for tid in numbers_in(&folder) {
            if is_enough(&mut snapshot, until) {
                return snapshot;
            }
            let path = format!("{folder}/{tid}");
            let Some(task) = Task::read(&format!("{path}/stat")) else { continue };
            let wait_channel = task.wait_channel(&path);
            let is_stopped = task.is_stopped(&wait_channel);
            snapshot.is_stopped &= is_stopped;
            snapshot.waits_for_disk |=
                task.state == 'D' && !is_stopped && !wait_channel.contains("vfork");
            let cores = Pid::from_raw(tid).and_then(cores::of);
            let now = Scheduling { how: task.scheduling, cores, session };
            let state = ThreadState {
                is_runnable: task.state == 'R',
                is_as_started: start == Some(now),
                core: task.core,
            };
            snapshot.threads.insert(tid, state);
        }
        snapshot.forgets_children |= forgets_children(pid);
    }
    snapshot.is_stopped = snapshot.is_stopped
        && !sample
            .processes
            .iter()
            .any(|process| has_alarm(process.pid) || has_signalling_file(process.pid, until));
    snapshot
}

/// Whether there is no time left for more than the first thread. Whether the others are stopped is then unknown.
fn is_enough(snapshot: &mut Snapshot, until: Instant) -> bool {
    let is_enough = Instant::now() >= until && !snapshot.threads.is_empty();
    snapshot.is_stopped &= !is_enough;
    is_enough
}

fn forgets_children(pid: i32) -> bool {
    let status = read(&format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & SIGCHLD_BIT != 0)
}

/// Whether a process has a timer that sends SIGCONT, or SIGKILL: its end may continue others. No other signal reaches a process that
/// is stopped. A process with too many timers to read may have one.
fn has_alarm(pid: i32) -> bool {
    const LONGEST: u64 = 1 << 17;
    let mut timers = Vec::new();
    let file = File::open(format!("/proc/{pid}/timers"));
    let _ = file.and_then(|file| file.take(LONGEST).read_to_end(&mut timers));
    let signals = [libc::SIGCONT, libc::SIGKILL].map(|signal| format!("signal: {signal}/"));
    let mut lines = timers.split(|byte| *byte == b'\n');
    timers.len() as u64 == LONGEST
        || lines.any(|line| signals.iter().any(|signal| line.starts_with(signal.as_bytes())))
}

/// Whether a process has a descriptor whose events send a signal, perhaps SIGCONT, such as a socket's when its connection times out;
/// yes if there is no time to find out.
fn has_signalling_file(pid: i32, until: Instant) -> bool {
    let folder = format!("/proc/{pid}/fdinfo");
    let signals = |fd: i32| {
        let info = read(&format!("{folder}/{fd}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & libc::O_ASYNC != 0)
    };
    numbers_until(&folder, until).any(signals) || Instant::now() >= until
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
        let mut fields = rest.split_whitespace();
        let state = fields.next()?.chars().next()?;
        // proc(5) counts from 1; the state is the third.
        let core = fields.nth(39 - 4).and_then(|core| core.parse().ok());
        Some(Self { state, core, scheduling: root::parse(&stat)? })
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
    use crate::sys::proc::state;

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
        let processes: Vec<_> =
            pids.map(|pid| Process { pid, threads: 1, ..Process::default() }).into();
        let seen = [vec![], vec![1]].map(|unvisited| {
            let sample = Sample { processes: processes.clone(), unvisited, ..Sample::default() };
            let snapshot = at(&sample, Root::Keeper(getpid(), None));
            (snapshot.threads.len(), snapshot.is_stopped)
        });
        stopped.kill().and_then(|()| stopped.wait()).expect("a child");
        assert_eq!(seen, [(1, true), (1, false)]);
    }
}
