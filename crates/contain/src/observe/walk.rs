//! Walks through a program's processes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::decide::sample::{Computed, CpuTimes, Observation, Process, Sample, Thread};
use crate::decide::tuning::TUNING;
use crate::observe::snapshot;
use crate::sys::proc::{self, Stat, children, field, numbers_in, open_files, read};
use crate::sys::raw::process_cpu;

/// When a walk must stop that has a deadline.
pub(crate) fn long_walk(deadline: Option<Instant>) -> Instant {
    let until = Instant::now() + TUNING.sampling.long_walk;
    deadline.map_or(until, |deadline| deadline.min(until))
}

/// All processes below a keeper, without itself, as far as they can be visited in a short time.
pub(crate) fn below(keeper: Pid) -> Sample {
    within(keeper, TUNING.sampling.look)
}

/// As [`below`], within this time.
pub(crate) fn within(keeper: Pid, time: Duration) -> Sample {
    of_tree(keeper.as_raw_pid(), Instant::now() + time)
}

/// As [`below`], with more time, but not beyond `deadline`.
pub(crate) fn below_until(keeper: Pid, deadline: Option<Instant>) -> Sample {
    of_tree(keeper.as_raw_pid(), long_walk(deadline))
}

/// All processes below a keeper, with the states of their threads.
pub(crate) fn observe(keeper: Pid) -> Observation {
    observed(below(keeper), keeper)
}

/// A sample, with the states of its threads by now.
pub(crate) fn observed(sample: Sample, keeper: Pid) -> Observation {
    let snapshot = snapshot::at(&sample, keeper);
    Observation { sample, snapshot }
}

fn of_tree(keeper: i32, until: Instant) -> Sample {
    let mut seen = BTreeSet::new();
    let mut sample = Sample::default();
    visit(&mut sample, children(keeper, keeper), &mut seen, until);
    // What a process leaves behind moves to the keeper, perhaps between the reads of both.
    if sample.is_whole() {
        visit(&mut sample, children(keeper, keeper), &mut seen, until);
    }
    let stat = read(&format!("/proc/{keeper}/stat")).and_then(|text| Stat::parse(&text));
    Sample { adopted: stat.as_ref().map(adopted).unwrap_or_default(), ..sample }
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
    let kib = |name| number(name) * 1024;
    let page_tables = kib("VmPTE:");
    Process {
        pid,
        threads: number("Threads:").max(1),
        resident: kib("VmRSS:") + page_tables + kib("VmSwap:"),
        shared: kib("RssShmem:").min(kib("VmRSS:")),
        page_tables,
        peak: if kib("VmHWM:") > 0 { kib("VmHWM:") + page_tables } else { 0 },
        open_files: 0,
    }
}

/// Parses a thread's schedstat.
pub(super) fn thread(text: &str) -> Option<Thread> {
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || fields.next()?.ok();
    let (run, wait, switches) = (next()?, next()?, next()?);
    Some(Thread { run: Duration::from_nanos(run), wait: Duration::from_nanos(wait), switches })
}

pub(super) fn computed(pid: i32, stat: &Stat) -> Computed {
    Computed { own: process_cpu(pid).unwrap_or(stat.cpu), ..adopted(stat) }
}

/// Only the time of children.
fn adopted(stat: &Stat) -> Computed {
    Computed {
        own: Duration::ZERO,
        children: stat.children_cpu,
        child_faults: stat.child_page_faults,
    }
}

/// The CPU time that the processes of a sample have used by now, if they live.
pub(crate) fn computed_by_now(sample: &Sample) -> CpuTimes {
    let of = |pid: i32| Some((pid, process_cpu(pid)?));
    sample.pids().into_iter().filter_map(of).collect()
}

/// Whether a signal has stopped the program's first process.
pub(crate) fn is_stopped(sample: &Sample) -> bool {
    sample.bot().is_some_and(|bot| proc::state(&format!("/proc/{bot}/stat")) == 'T')
}

/// Whether all threads of a sample sleep; false if `deadline` comes first.
pub(crate) fn are_asleep(sample: &Sample, deadline: Option<Instant>) -> bool {
    let until = long_walk(deadline);
    // A disk does nothing while the machine stalls, so a thread that waits for one may have lost time.
    sample.threads.keys().all(|tid| {
        let state = proc::state(&format!("/proc/{tid}/task/{tid}/stat"));
        Instant::now() < until && !matches!(state, 'R' | 'D' | ' ')
    })
}

/// The CPU time of each thread by now, zero if it has ended, and whether it can run.
pub(crate) fn threads(tids: &[i32]) -> Vec<(i32, Duration, bool)> {
    let sampled = |&tid: &i32| {
        let run = read(&format!("/proc/{tid}/schedstat")).as_deref().and_then(thread);
        let can_run = proc::state(&format!("/proc/{tid}/stat")) == 'R';
        (tid, run.unwrap_or_default().run, can_run)
    };
    tids.iter().map(sampled).collect()
}

#[cfg(test)]
pub(super) fn of_all(open: Vec<i32>, until: Instant) -> Sample {
    let mut sample = Sample::default();
    visit(&mut sample, open, &mut BTreeSet::new(), until);
    sample
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::memory;
    use terms::millis::Millis;

    fn look() -> Instant {
        Instant::now() + TUNING.sampling.look
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
    fn memory_is_not_looked_at_for_longer_than_allowed() {
        let me = rustix::process::getpid().as_raw_pid();
        let sample = of_all(vec![me], look());
        let process = sample.processes[0];
        let twice = Sample { processes: vec![process, process], ..Sample::default() };
        assert!(memory::of(&twice, None, Duration::from_mins(1)) > 0);
        assert_eq!(memory::of(&twice, None, Duration::ZERO), 0);
    }

    #[test]
    fn a_sleeping_program_is_asleep_and_this_one_is_not() {
        let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().expect("runs");
        let bot = i32::try_from(sleeper.id()).expect("a process number");
        let sample = || of_all(vec![bot], look());
        // It has to start first.
        let patience = Instant::now() + Duration::from_secs(20);
        while !are_asleep(&sample(), None) {
            assert!(Instant::now() < patience, "it sleeps");
        }
        assert!(!are_asleep(&sample(), Some(Instant::now())), "there was no time");
        sleeper.kill().expect("it runs");
        sleeper.wait().expect("a child");
        let me = rustix::process::getpid().as_raw_pid();
        assert!(!are_asleep(&of_all(vec![me], look()), None));
    }

    #[test]
    fn a_walk_ends_in_time_and_has_the_bot_itself() {
        let me = rustix::process::getpid().as_raw_pid();
        let sample = of_all(vec![me, 1], Instant::now());
        assert_eq!((sample.processes.len(), sample.bot()), (1, Some(me)));
        assert!(sample.tasks() >= 2, "what was not visited counts");
    }
}
