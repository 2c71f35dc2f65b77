//! Walks through a program's processes, samples one program turn after turn at the cost of a few reads, and the referee's own thread.

mod waits;

pub(crate) use self::waits::*;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::decide::sample::{Computed, Observation, Process, Sample, Thread};
use crate::decide::tuning::TUNING;
use crate::sys::proc::{
    self, Stat, children, field, numbers_in, numbers_until, open_files, read, read_again,
};
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

/// Samples one bot again and again.
///
/// Most bots are one process with one thread. Its files in /proc are kept open, so that the
/// sample after each turn costs a few reads; larger bots are walked through every time.
#[derive(Debug)]
pub(crate) struct Sampler {
    root: Root,
    /// Opened for the first sample: most judges are never sampled.
    files: OnceCell<Option<Files>>,
    /// The CPU time of the keeper's children at the last walk through the whole tree.
    adopted: Duration,
}

/// The open files of a bot in /proc, and their last figures.
#[derive(Debug)]
struct Files {
    pid: i32,
    /// The keeper's children, if there is a keeper.
    keepers_children: Option<File>,
    children: File,
    schedstat: File,
    stat: File,
    status: File,
    /// The memory at this number of page faults: without a new one it is unchanged.
    memory: Option<(u64, Process)>,
}

impl Sampler {
    pub(crate) fn new(root: Root) -> Self {
        Self { root, files: OnceCell::new(), adopted: Duration::ZERO }
    }

    /// A sample without the number of open files.
    pub(crate) fn sample(&mut self) -> Sample {
        if let Some(quick) = self.quick_sample() {
            return Sample { adopted: self.adopted, ..quick };
        }
        let sample = below(self.root);
        self.adopted = sample.adopted;
        sample
    }

    /// A sample with the CPU time set to zero, and that time.
    pub(crate) fn first(&mut self) -> (Sample, Duration) {
        self.sample().without_computing()
    }

    /// A sample, if the bot is one process with one thread.
    fn quick_sample(&mut self) -> Option<Sample> {
        self.files();
        self.files.get_mut()?.as_mut()?.sample()
    }

    fn files(&self) -> Option<&Files> {
        self.files.get_or_init(|| Files::open(self.root)).as_ref()
    }
}

impl Files {
    fn open(root: Root) -> Option<Self> {
        let &[pid] = root.first_processes().as_slice() else { return None };
        let open = |path: String| File::open(path).ok();
        Some(Self {
            pid,
            keepers_children: match root {
                Root::Keeper(keeper) => {
                    Some(open(format!("/proc/{keeper}/task/{keeper}/children"))?)
                }
                Root::Program(..) => None,
            },
            children: open(format!("/proc/{pid}/task/{pid}/children"))?,
            schedstat: open(format!("/proc/{pid}/task/{pid}/schedstat"))?,
            stat: open(format!("/proc/{pid}/stat"))?,
            status: open(format!("/proc/{pid}/status"))?,
            memory: None,
        })
    }

    /// `None` if the bot is not one process with one thread.
    fn sample(&mut self) -> Option<Sample> {
        let is_only = |text: &str| (text.trim_ascii_end().parse() == Ok(self.pid)).then_some(());
        // In this order: what the process leaves behind moves from its list to the keeper's.
        read_again(&self.children, |text| text.is_empty().then_some(()))?;
        if let Some(children) = &self.keepers_children {
            read_again(children, is_only)?;
        }
        let stat = read_again(&self.stat, Stat::parse).filter(|stat| stat.threads == 1)?;
        let counters = read_again(&self.schedstat, thread)?;
        let memory = match self.memory {
            Some((faults, memory)) if faults == stat.page_faults => memory,
            _ => read_again(&self.status, |text| Some(process(self.pid, text)))?,
        };
        self.memory = Some((stat.page_faults, memory));
        Some(Sample {
            processes: vec![memory],
            threads: BTreeMap::from([(self.pid, counters)]),
            page_faults: Some(stat.page_faults),
            peak_memory: (memory.peak > 0).then_some(memory.peak),
            computed: BTreeMap::from([(self.pid, computed(self.pid, &stat))]),
            adopted: Duration::ZERO,
            unvisited: Vec::new(),
        })
    }
}

/// The counters of the thread that referees, whose file stays open.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefereeThread {
    file: Option<(ThreadId, Arc<File>)>,
    /// The wait for a core that was last read, and when.
    last: Option<(Duration, Instant)>,
}

impl RefereeThread {
    /// The counters of the calling thread.
    pub(crate) fn current(&mut self) -> Self {
        let id = thread::current().id();
        if self.file.as_ref().is_none_or(|(of, _)| *of != id) {
            let file = File::open("/proc/thread-self/schedstat").ok();
            *self = Self { file: file.map(|file| (id, file.into())), last: None };
        }
        if self.last.is_none_or(|(_, when)| when.elapsed() >= TUNING.sampling.recent) {
            let now = Instant::now();
            self.last = self.wait().map(|wait| (wait, now));
        }
        self.clone()
    }

    /// The time for which this thread has waited for a core since its start.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let (_, file) = self.file.as_ref()?;
        read_again(file, thread).map(|thread| thread.wait)
    }

    /// As [`wait`](Self::wait), but at most: it may have done nothing else since the wait was last read.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        self.last.map(|(wait, when)| wait + when.elapsed())
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
        thread::sleep(Duration::from_millis(1));
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

    #[test]
    fn a_wait_is_read_again_after_a_while_and_meanwhile_overrated() {
        let mut thread = RefereeThread::default();
        let (_, first) = thread.current().last.expect("known");
        thread::sleep(TUNING.sampling.recent);
        let (_, second) = thread.current().last.expect("known");
        assert!(second >= first + TUNING.sampling.recent);
        // As if the last one had just been read, with this wait.
        let wait = Duration::from_hours(1);
        thread.last = Some((wait, Instant::now() + TUNING.sampling.recent));
        assert!(thread.current().longest_wait() >= Some(wait), "it is not read again");
    }
}
