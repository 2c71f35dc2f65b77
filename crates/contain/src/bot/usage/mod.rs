//! A bot's use of the machine, and its waits, read from /proc.
//!
//! A sample covers every thread of all processes below the bot's keeper, so it includes a bot behind a
//! wrapper script, and orphans. Samples are taken outside the bot's
//! clock. Figures that the kernel does not offer are absent.
//!
//! The scheduler's counters of a *running* thread move in ticks of up to 10 ms, and a wait
//! for a core does not show until it ends; see [`Watch`].

mod computed;
mod ended;
mod held;
mod living;
mod memory;
mod parts;
mod procfs;
mod sampler;
mod snapshot;
mod thread;
mod track;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use self::computed::Computed;
pub(super) use self::computed::CpuTimes;
pub use self::procfs::online_cores;
pub(super) use self::procfs::{
    Life, bytes_written, is_ending, numbers_until, pids_below, read, state,
};
use self::procfs::{Stat, children, field, numbers_in, open_files};
pub(super) use self::sampler::Sampler;
pub(super) use self::thread::OwnThread;
use self::thread::Thread;
pub(super) use self::watch::{Delays, Watch};
use terms::certificate::Certificate;
use terms::millis::Millis;

/// A process at one time; memory in bytes.
#[derive(Debug, Clone, Copy)]
struct Process {
    pid: i32,
    threads: u64,
    /// Resident memory, page tables and swapped pages.
    resident: u64,
    /// The part of `resident` that belongs to files in memory or to shared memory.
    shared: u64,
    page_tables: u64,
    /// The peak resident memory, with the current page tables.
    peak: u64,
    open_files: u64,
}

/// Counters of all threads at one time.
#[derive(Debug, Default, Clone)]
pub(super) struct Sample {
    /// The bot's own process comes first.
    processes: Vec<Process>,
    /// By thread id.
    threads: BTreeMap<i32, Thread>,
    page_faults: Option<u64>,
    peak_memory: Option<u64>,
    /// By process number.
    computed: BTreeMap<i32, Computed>,
    /// The CPU time of children that the keeper has reaped.
    adopted: Computed,
    /// Processes left over when the time for the walk was up.
    unvisited: Vec<i32>,
}

/// The most threads to read one by one. A bot with more is beyond its limit, or its user
/// has lifted the limit and can do without their figures.
const MANY: u64 = 10_000;

/// How long a look at a bot's processes may take: one that forks and exits all the time would otherwise
/// keep the referee looking for ever. Thousands of processes on a busy machine take some tenths of a second.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// As [`LOOK`], when a deadline leaves time.
const LONG_WALK: Duration = Duration::from_secs(1);

/// When a walk must stop.
fn long_walk(deadline: Option<Instant>) -> Instant {
    let until = Instant::now() + LONG_WALK;
    deadline.map_or(until, |deadline| deadline.min(until))
}

impl Sample {
    /// All processes below a keeper, without itself, as far as they can be visited in a short time.
    pub(super) fn below(keeper: Pid) -> Self {
        Self::of_tree(keeper.as_raw_pid(), Instant::now() + LOOK)
    }

    /// As [`below`](Self::below), with more time, but not beyond `deadline`.
    pub(super) fn below_until(keeper: Pid, deadline: Option<Instant>) -> Self {
        Self::of_tree(keeper.as_raw_pid(), long_walk(deadline))
    }

    fn of_tree(keeper: i32, until: Instant) -> Self {
        let mut seen = BTreeSet::new();
        let mut sample = Self::default();
        sample.visit(children(keeper, keeper), &mut seen, until);
        // What a process leaves behind moves to the keeper, perhaps between the looks at both.
        if sample.is_whole() {
            sample.visit(children(keeper, keeper), &mut seen, until);
        }
        let stat = read(&format!("/proc/{keeper}/stat")).and_then(|text| Stat::parse(&text));
        Self { adopted: stat.as_ref().map(Computed::adopted).unwrap_or_default(), ..sample }
    }

    /// Adds these processes and all below them, except those that were `seen`.
    fn visit(&mut self, mut open: Vec<i32>, seen: &mut BTreeSet<i32>, until: Instant) {
        open.retain(|pid| !seen.contains(pid));
        open.reverse();
        while let Some(pid) = open.pop() {
            if seen.insert(pid) && self.tasks() < MANY {
                self.add_process(pid, &mut open);
            }
            // The bot itself is the first.
            if Instant::now() >= until {
                self.unvisited = open;
                break;
            }
        }
    }

    fn add_process(&mut self, pid: i32, open: &mut Vec<i32>) {
        // The process may have been reaped meanwhile.
        let Some(status) = read(&format!("/proc/{pid}/status")) else { return };
        let process = Process { open_files: open_files(pid), ..Process::parse(pid, &status) };
        self.processes.push(process);
        if process.peak > 0 {
            self.peak_memory = self.peak_memory.max(Some(process.peak));
        }
        if self.tasks() < MANY {
            for tid in numbers_in(&format!("/proc/{pid}/task")) {
                let schedstat = format!("/proc/{pid}/task/{tid}/schedstat");
                self.threads.extend(Thread::read(&schedstat).map(|thread| (tid, thread)));
                open.extend(children(pid, tid));
            }
        }
        if let Some(stat) = read(&format!("/proc/{pid}/stat")).and_then(|text| Stat::parse(&text)) {
            add(&mut self.page_faults, stat.page_faults);
            self.computed.insert(pid, Computed::from_stat(pid, &stat));
        }
    }

    /// The number of processes and threads.
    pub(super) fn tasks(&self) -> u64 {
        let visited: u64 = self.processes.iter().map(|process| process.threads).sum();
        visited + self.unvisited.len() as u64
    }

    /// The most memory that one of the processes had at one time, in bytes.
    pub(super) fn largest_peak(&self) -> u64 {
        self.processes.iter().map(|process| process.peak).max().unwrap_or(0)
    }

    /// The most files that one of the processes has open.
    pub(super) fn open_files(&self) -> u64 {
        self.processes.iter().map(|process| process.open_files).max().unwrap_or(0)
    }

    /// Whether a signal has stopped the bot itself.
    pub(super) fn is_stopped(&self) -> bool {
        self.processes.first().is_some_and(|bot| state(&format!("/proc/{}/stat", bot.pid)) == 'T')
    }

    /// Whether there was time to look at all processes.
    pub(super) fn is_whole(&self) -> bool {
        self.unvisited.is_empty()
    }

    /// Whether there is no process beside the bot's first one.
    pub(super) fn is_alone(&self) -> bool {
        self.processes.len() == 1 && self.is_whole()
    }

    /// The numbers of the processes.
    pub(super) fn pids(&self) -> Vec<i32> {
        self.processes.iter().map(|process| process.pid).collect()
    }

    /// The bot's own process number, as long as it has not been reaped.
    pub(super) fn bot(&self) -> Option<i32> {
        self.processes.first().map(|bot| bot.pid)
    }

    /// Whether all threads sleep, and have not run since `before`; false if `deadline` comes first.
    pub(super) fn has_slept_since(&self, before: &Self, deadline: Option<Instant>) -> bool {
        let until = long_walk(deadline);
        // A disk does nothing while the machine stands still, so a thread that waits for one may have lost time.
        let sleeps = |tid: &i32| {
            let state = state(&format!("/proc/{tid}/task/{tid}/stat"));
            Instant::now() < until && !matches!(state, 'R' | 'D' | ' ')
        };
        self.is_whole()
            && before.is_whole()
            && self.bot().is_some()
            && self.threads == before.threads
            && self.threads.keys().all(sleeps)
    }

    /// The usage since `before`, in an exchange that took `wall`. New threads and processes count
    /// from their start. No thread ran or waited for longer than `wall`: any excess is from before, when
    /// it did not show yet.
    pub(super) fn since(&self, before: &Self, wall: Duration) -> Certificate {
        let known = !self.threads.is_empty();
        let deltas = || self.threads_since(before, wall).map(|(_, thread)| thread);
        let cpu = known.then(|| {
            let threads: Duration = deltas().map(|thread| thread.run).sum();
            threads.max(self.tree_time_since(before).all())
        });
        Certificate {
            cpu: cpu.map(Millis),
            busiest_cpu: deltas().map(|thread| thread.run).max().map(Millis),
            wait: deltas().map(|thread| thread.wait).max().map(Millis),
            referee_wait: None,
            parts: None,
            context_switches: known.then(|| deltas().map(|thread| thread.switches).sum()),
            page_faults: self
                .page_faults
                .zip(before.page_faults)
                .map(|(now, before)| now.saturating_sub(before)),
            peak_memory: self.peak_memory,
        }
    }

    /// The usage of each thread since `before`.
    fn threads_since(&self, before: &Self, wall: Duration) -> impl Iterator<Item = (i32, Thread)> {
        self.threads
            .iter()
            .map(move |(tid, now)| (*tid, now.since(before.threads.get(tid)).within(wall)))
    }
}

impl Process {
    /// Parses /proc/PID/status, which lacks open files. A process that has ended has no memory.
    fn parse(pid: i32, status: &str) -> Self {
        let number = |name| field(status, name).unwrap_or(0);
        let kib = |name| number(name) * 1024;
        let page_tables = kib("VmPTE:");
        Self {
            pid,
            threads: number("Threads:").max(1),
            resident: kib("VmRSS:") + page_tables + kib("VmSwap:"),
            shared: kib("RssShmem:").min(kib("VmRSS:")),
            page_tables,
            peak: if kib("VmHWM:") > 0 { kib("VmHWM:") + page_tables } else { 0 },
            open_files: 0,
        }
    }
}

fn add(sum: &mut Option<u64>, amount: u64) {
    *sum.get_or_insert_default() += amount;
}

#[cfg(test)]
impl Sample {
    fn of_all(open: Vec<i32>, until: Instant) -> Self {
        let mut sample = Self::default();
        sample.visit(open, &mut BTreeSet::new(), until);
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Millis {
        Millis(Duration::from_millis(millis))
    }

    fn thread(run: u64, wait: u64, switches: u64) -> Thread {
        Thread { run: Duration::from_millis(run), wait: Duration::from_millis(wait), switches }
    }

    fn sample(threads: &[(i32, Thread)]) -> Sample {
        Sample {
            threads: threads.iter().copied().collect(),
            page_faults: Some(7),
            peak_memory: Some(4096),
            ..Sample::default()
        }
    }

    #[test]
    fn threads_that_come_and_go_are_counted() {
        let before = sample(&[(1, thread(100, 10, 5)), (2, thread(50, 5, 5))]);
        let after = sample(&[(1, thread(110, 12, 7)), (3, thread(20, 8, 2))]);
        let usage = after.since(&before, Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(ms(30)));
        assert_eq!(usage.busiest_cpu, Some(ms(20)));
        assert_eq!(usage.wait, Some(ms(8)));
        assert_eq!(usage.context_switches, Some(4));
        assert_eq!(usage.page_faults, Some(0));
    }

    #[test]
    fn a_thread_id_that_was_used_again_counts_from_its_start() {
        let usage = sample(&[(1, thread(3, 1, 2))])
            .since(&sample(&[(1, thread(100, 10, 5))]), Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(ms(3)));
    }

    #[test]
    fn no_thread_ran_or_waited_for_longer_than_the_exchange() {
        let after = sample(&[(1, thread(30, 20, 2))]);
        let usage = after.since(&Sample::default(), Duration::from_millis(5));
        assert_eq!((usage.cpu, usage.wait), (Some(ms(5)), Some(ms(5))));
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_absent() {
        assert_eq!(
            Sample::default().since(&Sample::default(), Duration::ZERO),
            Certificate::default()
        );
    }

    #[test]
    fn this_very_process_can_be_sampled() {
        let me = vec![rustix::process::getpid().as_raw_pid()];
        let before = Sample::of_all(me.clone(), Instant::now() + LOOK);
        let mut x = 1_u64;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(30) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        std::thread::sleep(Duration::from_millis(1));
        let usage = Sample::of_all(me, Instant::now() + LOOK).since(&before, start.elapsed());
        assert!(usage.cpu > Some(ms(0)), "{usage:?}");
        assert!(usage.peak_memory > Some(100_000), "{usage:?}");
        assert!(usage.wait.is_some() && usage.page_faults.is_some(), "{usage:?}");
    }

    #[test]
    fn memory_is_not_looked_at_for_longer_than_allowed() {
        let me = rustix::process::getpid().as_raw_pid();
        let sample = Sample::of_all(vec![me], Instant::now() + LOOK);
        let process = sample.processes[0];
        let twice = Sample { processes: vec![process, process], ..Sample::default() };
        assert!(twice.memory(None, Duration::from_mins(1)) > 0);
        assert_eq!(twice.memory(None, Duration::ZERO), 0);
    }

    #[test]
    fn only_who_was_seen_whole_has_slept() {
        let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().expect("runs");
        let bot = i32::try_from(sleeper.id()).expect("a process number");
        let look = || Sample::of_all(vec![bot], Instant::now() + LOOK);
        let mut seen = look();
        let sleeps = |before: &Sample, now: &Sample| now.has_slept_since(before, None);
        // It has to start first.
        while !sleeps(&seen, &look()) {
            seen = look();
        }
        let partly = Sample { unvisited: vec![1], ..seen.clone() };
        assert!(!sleeps(&partly, &seen) && !sleeps(&seen, &partly));
        assert!(!sleeps(&Sample::default(), &Sample::default()), "nobody was seen");
        sleeper.kill().expect("it runs");
        sleeper.wait().expect("a child");
    }

    #[test]
    fn a_walk_ends_in_time_and_has_the_bot_itself() {
        let me = rustix::process::getpid().as_raw_pid();
        let sample = Sample::of_all(vec![me, 1], Instant::now());
        assert_eq!((sample.processes.len(), sample.bot()), (1, Some(me)));
        assert!(sample.tasks() >= 2, "what was not visited counts");
    }
}
