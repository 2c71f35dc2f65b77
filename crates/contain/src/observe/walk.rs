//! Walks through a program's processes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::decide::sample::{Computed, Observation, Process, Sample, Thread};
use crate::decide::tuning::TUNING;
use crate::sys::proc::{self, Stat, children, field, numbers_in, numbers_until, open_files, read};
use crate::sys::raw::process_cpu;

/// When a walk must stop that has a deadline.
pub(crate) fn long_walk(deadline: Option<Instant>) -> Instant {
    let until = Instant::now() + TUNING.sampling.long_walk;
    deadline.map_or(until, |deadline| deadline.min(until))
}

/// All processes of a program that can be visited in a short time.
pub(crate) fn below(root: Root) -> Sample {
    of_tree(root, Instant::now() + TUNING.sampling.walk)
}

/// As [`below`], with more time, but not beyond `deadline`.
pub(crate) fn below_until(root: Root, deadline: Option<Instant>) -> Sample {
    of_tree(root, long_walk(deadline))
}

/// All processes of a program, and which of their threads can run.
pub(crate) fn observe(root: Root) -> Observation {
    observed(below(root))
}

/// A sample, and which of its threads can run by now, of those that can be read in a short time.
pub(crate) fn observed(sample: Sample) -> Observation {
    let until = Instant::now() + TUNING.sampling.walk;
    let can_run = |tid: &i32| {
        Instant::now() < until && proc::state(&format!("/proc/{tid}/task/{tid}/stat")) == 'R'
    };
    let runnable = sample.threads.keys().copied().filter(can_run).collect();
    Observation { sample, runnable }
}

fn of_tree(root: Root, until: Instant) -> Sample {
    let mut seen = BTreeSet::new();
    let mut sample = Sample::default();
    visit(&mut sample, root.first_processes(), &mut seen, until);
    let Root::Keeper(keeper) = root else { return sample };
    // What a process leaves behind moves to the keeper, perhaps between the reads of both.
    if sample.is_whole() {
        visit(&mut sample, root.first_processes(), &mut seen, until);
    }
    let stat = read(&format!("/proc/{keeper}/stat")).and_then(|text| Stat::parse(&text));
    Sample { adopted: stat.map(|stat| stat.children_cpu).unwrap_or_default(), ..sample }
}

/// The processes of a program that can be visited before `until`: fewer reads than a sample needs.
pub(crate) fn pids(root: Root, until: Instant) -> Vec<i32> {
    let mut seen = BTreeSet::new();
    // What a process leaves behind moves to the keeper, perhaps between the reads of both.
    for _ in 0..2 {
        let mut open = root.first_processes();
        while let Some(pid) = open.pop() {
            if seen.insert(pid) {
                let threads = numbers_until(&format!("/proc/{pid}/task"), until);
                open.extend(threads.flat_map(|tid| children(pid, tid)));
            }
        }
    }
    seen.into_iter().collect()
}

/// Adds these processes and all below them, except those that were `seen`.
fn visit(sample: &mut Sample, mut open: Vec<i32>, seen: &mut BTreeSet<i32>, until: Instant) {
    open.retain(|pid| !seen.contains(pid));
    open.reverse();
    while let Some(pid) = open.pop() {
        if seen.insert(pid) && has_few_threads(sample) {
            add_process(sample, pid, &mut open);
        }
        // The program itself is the first.
        if Instant::now() >= until {
            sample.unvisited = open;
            break;
        }
    }
}

/// Whether more threads are to be read one by one. A program with many is beyond its limit, or its user
/// has lifted the limit and can do without their figures.
fn has_few_threads(sample: &Sample) -> bool {
    sample.tasks() < TUNING.sampling.many_threads
}

fn add_process(sample: &mut Sample, pid: i32, open: &mut Vec<i32>) {
    // The process may have been reaped in the meantime.
    let Some(status) = read(&format!("/proc/{pid}/status")) else { return };
    let process = Process { open_files: open_files(pid), ..process(pid, &status) };
    sample.processes.push(process);
    if process.peak > 0 {
        sample.peak_memory = sample.peak_memory.max(Some(process.peak));
    }
    if has_few_threads(sample) {
        for tid in numbers_in(&format!("/proc/{pid}/task")) {
            let schedstat = read(&format!("/proc/{pid}/task/{tid}/schedstat"));
            let thread = schedstat.as_deref().and_then(thread);
            sample.threads.extend(thread.map(|thread| (tid, thread)));
            open.extend(children(pid, tid));
        }
    }
    if let Some(stat) = read(&format!("/proc/{pid}/stat")).and_then(|text| Stat::parse(&text)) {
        *sample.page_faults.get_or_insert_default() += stat.page_faults;
        sample.computed.insert(pid, computed(pid, &stat));
    }
}

/// Parses /proc/PID/status, which lacks open files. A process that has ended has no memory.
pub(super) fn process(pid: i32, status: &str) -> Process {
    let number = |name| field(status, name).unwrap_or(0);
    Process {
        pid,
        threads: number("Threads:").max(1),
        resident: 1024 * (number("VmRSS:") + number("VmSwap:")),
        peak: 1024 * number("VmHWM:"),
        open_files: 0,
    }
}

/// The memory of the processes that the kernel measures before `until`, in bytes. Pages that they share are divided among them.
pub(crate) fn proportional_memory(sample: &Sample, until: Instant) -> u64 {
    let in_time = sample.processes.iter().take_while(|_| Instant::now() < until);
    in_time.map(proportional).sum()
}

/// A kernel without this file, or a process that has ended, shows no shares.
fn proportional(process: &Process) -> u64 {
    let rollup = read(&format!("/proc/{}/smaps_rollup", process.pid)).unwrap_or_default();
    let bytes = |name| field(&rollup, name).map(|kib| kib * 1024);
    bytes("Pss:").map_or(process.resident, |pss| pss + bytes("SwapPss:").unwrap_or(0))
}

/// Parses a thread's schedstat.
pub(super) fn thread(text: &str) -> Option<Thread> {
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || fields.next()?.ok();
    let (run, wait, switches) = (next()?, next()?, next()?);
    Some(Thread { run: Duration::from_nanos(run), wait: Duration::from_nanos(wait), switches })
}

pub(super) fn computed(pid: i32, stat: &Stat) -> Computed {
    Computed { own: process_cpu(pid).unwrap_or(stat.cpu), children: stat.children_cpu }
}

/// Whether a thread of a sample has a core, or waits for one.
pub(crate) fn can_run(sample: &Sample) -> bool {
    sample.threads.keys().any(|tid| proc::state(&format!("/proc/{tid}/stat")) == 'R')
}

/// Whether a process of a sample is neither stopped nor has ended.
pub(crate) fn has_unstopped(sample: &Sample) -> bool {
    let is_stopped =
        |pid| matches!(proc::state(&format!("/proc/{pid}/stat")), 'T' | 'Z' | 'X' | ' ');
    !sample.pids().into_iter().all(is_stopped)
}

/// Whether a signal has stopped the program's first process.
pub(crate) fn is_stopped(sample: &Sample) -> bool {
    sample.bot().is_some_and(|bot| proc::state(&format!("/proc/{bot}/stat")) == 'T')
}

#[cfg(test)]
pub(super) fn of_all(open: Vec<i32>, until: Instant) -> Sample {
    let mut sample = Sample::default();
    visit(&mut sample, open, &mut BTreeSet::new(), until);
    sample
}

/// The process from which all processes of a program descend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Root {
    /// Its keeper, which is not one of them.
    Keeper(Pid),
    /// The program itself.
    Program(Pid),
}

impl Root {
    /// An ordinary child.
    pub(crate) fn of_child(child: Pid) -> Self {
        Self::Program(child)
    }

    /// The process itself.
    pub(crate) fn pid(self) -> Pid {
        let (Self::Keeper(pid) | Self::Program(pid)) = self;
        pid
    }

    /// The processes with which a walk begins: the program is the first one.
    pub(super) fn first_processes(self) -> Vec<i32> {
        match self {
            Self::Keeper(keeper) => children(keeper.as_raw_pid(), keeper.as_raw_pid()),
            Self::Program(pid) => vec![pid.as_raw_pid()],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::{Signal, kill_process};

    use terms::millis::Millis;

    use super::*;

    fn look() -> Instant {
        Instant::now() + TUNING.sampling.walk
    }

    #[test]
    fn all_processes_below_another_one_are_found_while_there_is_time() {
        let script = ["-c", "(sleep 60; :) & wait"];
        let mut shell = Command::new("sh").args(script).spawn().expect("starts");
        let keeper = Root::Keeper(Pid::from_child(&shell));
        let patience = Instant::now() + Duration::from_secs(20);
        let below = || pids(keeper, patience);
        while below().len() < 2 {
            assert!(Instant::now() < patience, "a shell and its child");
        }
        assert_eq!(pids(keeper, Instant::now()).len(), 1, "no time for the second one");
        for pid in below().into_iter().filter_map(Pid::from_raw) {
            kill_process(pid, Signal::KILL).expect("it is there");
        }
        shell.wait().expect("a child");
    }

    #[test]
    fn this_very_process_can_be_sampled() {
        let me = vec![rustix::process::getpid().as_raw_pid()];
        let before = of_all(me.clone(), look());
        let mut x = 1_u64;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(30) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        std::thread::sleep(Duration::from_millis(1));
        let usage = of_all(me, look()).since(&before, start.elapsed());
        assert!(usage.cpu > Some(Millis::default()), "{usage:?}");
        assert!(usage.peak_memory > Some(100_000), "{usage:?}");
        assert!(usage.wait.is_some() && usage.page_faults.is_some(), "{usage:?}");
    }

    #[test]
    fn pages_that_processes_share_are_divided_among_them() {
        let me = of_all(vec![rustix::process::getpid().as_raw_pid()], look());
        let divided = proportional_memory(&me, look());
        assert!(divided > 100_000 && divided <= me.resident(), "{divided} of {}", me.resident());
        assert_eq!(proportional_memory(&me, Instant::now()), 0, "there was no time");
    }

    #[test]
    fn a_walk_ends_in_time_and_has_the_bot_itself() {
        let me = rustix::process::getpid().as_raw_pid();
        let sample = of_all(vec![me, 1], Instant::now());
        assert_eq!((sample.processes.len(), sample.bot()), (1, Some(me)));
        assert!(sample.tasks() >= 2, "what was not visited counts");
    }
}
