//! What a bot has used of the machine, and what it had to wait for: read from /proc.
//!
//! A sample covers every thread of all processes below the bot's keeper, so that a bot behind a
//! wrapper script counts too, and so does what it has orphaned. Samples are taken outside the bot's clock. What the kernel
//! does not offer is absent.
//!
//! The scheduler's counters of a thread that is *running* move in ticks of up to 10 ms, and a wait
//! for a core that still goes on does not show until it ends; see [`Starvation`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getaffinity;

/// The longest tick of a scheduler (100 Hz): counters of a running thread may be behind by so much.
const TICK: Duration = Duration::from_millis(10);

/// Counters of one thread, since it started.
#[derive(Debug, Clone, Copy, Default)]
struct Thread {
    run: Duration,
    wait: Duration,
    switches: u64,
}

/// A process at one time; memory in bytes.
#[derive(Debug, Clone, Copy)]
struct Process {
    pid: i32,
    threads: u64,
    resident: u64,
    peak: u64,
    open_files: u64,
}

/// Counters of all threads at one time.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The bot's own comes first.
    processes: Vec<Process>,
    /// By thread id.
    threads: BTreeMap<i32, Thread>,
    page_faults: Option<u64>,
    peak_memory: Option<u64>,
    /// CPU time of whole processes, ended threads included, in ticks of the clock.
    process_cpu: Option<Duration>,
}

/// What a bot used during an exchange, and what it waited for; absent is what the kernel does not
/// tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of all threads.
    pub cpu: Option<Duration>,
    /// CPU time of the busiest thread.
    pub busiest_cpu: Option<Duration>,
    /// The longest time that one thread waited for a core while it could have run.
    pub wait: Option<Duration>,
    /// What of that was not the bot's own doing: the other threads of a bot that fills all its cores
    /// keep it waiting as well.
    pub host_wait: Option<Duration>,
    /// How often threads were switched to.
    pub context_switches: Option<u64>,
    /// Page faults, minor and major.
    pub page_faults: Option<u64>,
    /// The most memory resident at one time since the bot started, in bytes.
    pub peak_memory: Option<u64>,
}

/// So many threads are looked at one by one. A bot with more of them is beyond its limit, or its user
/// has lifted that and can do without their figures.
const MANY: u64 = 10_000;

impl Sample {
    /// All processes below a keeper, without itself.
    pub(super) fn below(keeper: Pid) -> Self {
        let keeper = keeper.as_raw_pid();
        Self::of_all(children(keeper, keeper))
    }

    fn of_all(mut open: Vec<i32>) -> Self {
        open.reverse();
        let mut sample = Self::default();
        let mut seen = BTreeSet::new();
        while let Some(pid) = open.pop() {
            if seen.insert(pid) && sample.tasks() < MANY {
                sample.add_process(pid, &mut open);
            }
        }
        sample
    }

    fn add_process(&mut self, pid: i32, open: &mut Vec<i32>) {
        // A process that ends meanwhile has nothing to read any more.
        let status = read(&format!("/proc/{pid}/status")).unwrap_or_default();
        let process = Process { open_files: open_files(pid), ..Process::parse(pid, &status) };
        self.processes.push(process);
        if process.peak > 0 {
            add(&mut self.peak_memory, process.peak);
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
            *self.process_cpu.get_or_insert_default() += stat.cpu;
        }
    }

    /// The number of processes and threads.
    pub(super) fn tasks(&self) -> u64 {
        self.processes.iter().map(|process| process.threads).sum()
    }

    /// The most memory resident at one time since each process started, in bytes, if the kernel tells.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        self.peak_memory
    }

    /// Resident memory, in bytes. What processes share counts for each of them.
    pub(super) fn resident(&self) -> u64 {
        self.processes.iter().map(|process| process.resident).sum()
    }

    /// Resident memory, in bytes, where what is shared is shared out. It takes the kernel some time,
    /// which many large processes could make too long: those that are not looked at within `limit` do
    /// not count.
    pub(super) fn proportional(&self, limit: Duration) -> u64 {
        let start = Instant::now();
        let share = |process: &Process| {
            if start.elapsed() >= limit {
                return 0;
            }
            let rollup = read(&format!("/proc/{}/smaps_rollup", process.pid));
            rollup.and_then(|text| field(&text, "Pss:")).map_or(process.resident, |kib| kib * 1024)
        };
        self.processes.iter().map(share).sum()
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

    /// The bot's own process number, as long as it has not been reaped.
    pub(super) fn bot(&self) -> Option<i32> {
        self.processes.first().map(|bot| bot.pid)
    }

    /// What has been used since `before`, in an exchange that took `wall`. Threads that are new count
    /// from their start; of those that have ended only the process's own count is left, which is
    /// coarser. No thread ran or waited for longer than `wall`: what shows beyond is from before, when
    /// it had not shown yet.
    pub(super) fn since(&self, before: &Self, wall: Duration) -> Usage {
        let known = !self.threads.is_empty();
        let deltas = || {
            let delta = |(tid, now): (&i32, &Thread)| now.since(before.threads.get(tid));
            self.threads.iter().map(delta).map(|thread| thread.within(wall))
        };
        let ended = before.threads.keys().any(|tid| !self.threads.contains_key(tid));
        let cpu = known.then(|| deltas().map(|thread| thread.run).sum::<Duration>());
        let process_cpu = self.process_cpu.zip(before.process_cpu);
        let process_cpu = process_cpu.map(|(now, before)| now.saturating_sub(before));
        let cpu = if ended { cpu.max(process_cpu) } else { cpu };
        let busiest_cpu = deltas().map(|thread| thread.run).max();
        let wait = deltas().map(|thread| thread.wait).max();
        let others = cpu.unwrap_or_default().saturating_sub(busiest_cpu.unwrap_or_default());
        Usage {
            cpu,
            busiest_cpu,
            wait,
            host_wait: wait.map(|wait| wait.saturating_sub(self.shared_out(others))),
            context_switches: known.then(|| deltas().map(|thread| thread.switches).sum()),
            page_faults: self
                .page_faults
                .zip(before.page_faults)
                .map(|(now, before)| now.saturating_sub(before)),
            peak_memory: self.peak_memory,
        }
    }

    /// For how long so much CPU time fills all the cores that the bot may use.
    fn shared_out(&self, cpu: Duration) -> Duration {
        if cpu.is_zero() {
            return cpu;
        }
        let bot = self.bot().and_then(Pid::from_raw);
        let cores = bot.and_then(|bot| sched_getaffinity(Some(bot)).ok()).map(|set| set.count());
        cpu / cores.unwrap_or(1).max(1)
    }

    /// Whether any of the threads could run just now, or runs.
    fn is_runnable(&self) -> bool {
        self.processes.iter().any(|process| {
            let task = format!("/proc/{}/task", process.pid);
            let threads = numbers_in(&task).into_iter();
            threads.map(|tid| state(&format!("{task}/{tid}/stat"))).any(|state| state == 'R')
        })
    }
}

impl Process {
    /// From /proc/PID/status, which does not tell of open files. One that has ended has no memory.
    fn parse(pid: i32, status: &str) -> Self {
        let number = |name| field(status, name).unwrap_or(0);
        Self {
            pid,
            threads: number("Threads:").max(1),
            resident: number("VmRSS:") * 1024,
            peak: number("VmHWM:") * 1024,
            open_files: 0,
        }
    }
}

impl Thread {
    fn read(path: &str) -> Option<Self> {
        Self::parse(&read(path)?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace().map(str::parse::<u64>);
        let mut next = || fields.next()?.ok();
        let (run, wait, switches) = (next()?, next()?, next()?);
        Some(Self { run: Duration::from_nanos(run), wait: Duration::from_nanos(wait), switches })
    }

    fn within(self, wall: Duration) -> Self {
        Self { run: self.run.min(wall), wait: self.wait.min(wall), ..self }
    }

    /// A thread id that has passed to another thread shows in counters that have gone back.
    fn since(self, before: Option<&Self>) -> Self {
        match before.filter(|before| before.switches <= self.switches) {
            Some(before) => Self {
                run: self.run.saturating_sub(before.run),
                wait: self.wait.saturating_sub(before.wait),
                switches: self.switches - before.switches,
            },
            None => self,
        }
    }
}

thread_local! {
    /// Opened once: it stands for this thread whoever reads it.
    static OWN: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

/// The time that the calling thread itself has waited for a core, since it started.
pub(super) fn own_wait() -> Option<Duration> {
    OWN.with(|own| read_again(own.as_ref()?, Thread::parse)).map(|thread| thread.wait)
}

/// Samples one bot again and again.
///
/// Most bots are one process with one thread. The files that tell of that are kept open, so that the
/// sample after each turn costs a few reads; a bot of more than that is walked through every time.
#[derive(Debug)]
pub(super) struct Sampler {
    keeper: Pid,
    files: Option<Files>,
}

/// What is kept open of a bot, and what it told last.
#[derive(Debug)]
struct Files {
    pid: i32,
    keepers_children: File,
    children: File,
    schedstat: File,
    stat: File,
    status: File,
    /// As long as no page has been faulted in, memory is what it was.
    memory: Option<(u64, Process)>,
}

impl Sampler {
    pub(super) fn new(keeper: Pid) -> Self {
        Self { keeper, files: Files::open(keeper.as_raw_pid()) }
    }

    /// A sample without the number of open files.
    pub(super) fn sample(&mut self) -> Sample {
        let quick = self.files.as_mut().and_then(Files::sample);
        quick.unwrap_or_else(|| Sample::below(self.keeper))
    }
}

impl Files {
    fn open(keeper: i32) -> Option<Self> {
        let &[pid] = children(keeper, keeper).as_slice() else { return None };
        let open = |path: String| File::open(path).ok();
        Some(Self {
            pid,
            keepers_children: open(format!("/proc/{keeper}/task/{keeper}/children"))?,
            children: open(format!("/proc/{pid}/task/{pid}/children"))?,
            schedstat: open(format!("/proc/{pid}/task/{pid}/schedstat"))?,
            stat: open(format!("/proc/{pid}/stat"))?,
            status: open(format!("/proc/{pid}/status"))?,
            memory: None,
        })
    }

    /// `None` if this is more, or less, than one process with one thread.
    fn sample(&mut self) -> Option<Sample> {
        let is_only = |text: &str| (text.trim_ascii_end().parse() == Ok(self.pid)).then_some(());
        read_again(&self.keepers_children, is_only)?;
        read_again(&self.children, |text| text.is_empty().then_some(()))?;
        let stat = read_again(&self.stat, Stat::parse).filter(|stat| stat.threads == 1)?;
        let thread = read_again(&self.schedstat, Thread::parse)?;
        let process = match self.memory {
            Some((faults, process)) if faults == stat.page_faults => process,
            _ => read_again(&self.status, |text| Some(Process::parse(self.pid, text)))?,
        };
        self.memory = Some((stat.page_faults, process));
        Some(Sample {
            processes: vec![process],
            threads: BTreeMap::from([(self.pid, thread)]),
            page_faults: Some(stat.page_faults),
            peak_memory: (process.peak > 0).then_some(process.peak),
            process_cpu: Some(stat.cpu),
        })
    }
}

/// Fields of /proc/PID/stat.
struct Stat {
    page_faults: u64,
    cpu: Duration,
    threads: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        // proc(5) counts from 1; the state, its third field, is the first one here. What is asked for
        // must be asked for in order.
        let mut next = 3;
        let mut field = |number: usize| {
            let skipped = number - std::mem::replace(&mut next, number + 1);
            fields.nth(skipped)?.parse::<u64>().ok()
        };
        let page_faults = field(10)? + field(12)?;
        let ticks = field(14)? + field(15)?;
        let hertz = rustix::param::clock_ticks_per_second();
        let cpu = Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / hertz.max(1)));
        Some(Self { page_faults, cpu, threads: field(20)? })
    }
}

/// The number behind a name in /proc/PID/status and the like.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The number of files that a process has open: the size of a folder (since Linux 6.2).
fn open_files(pid: i32) -> u64 {
    fs::metadata(format!("/proc/{pid}/fd")).map_or(0, |folder| folder.len())
}

/// The state in a file called stat: `R` for who could run, `T` for who was stopped, a space if there
/// is none.
pub(super) fn state(path: &str) -> char {
    let stat = read(path).unwrap_or_default();
    // The name in parentheses may hold anything; the state is behind the last one.
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or(' ')
}

/// The children of one thread of a process, in the order of their birth or adoption.
pub(super) fn children(pid: i32, tid: i32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{tid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn add(sum: &mut Option<u64>, amount: u64) {
    *sum.get_or_insert_default() += amount;
}

fn numbers_in(folder: &str) -> Vec<i32> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The same file of /proc once more, from its beginning; `None` once what it tells of has ended.
fn read_again<T>(file: &File, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    // Longer than any of these files of one thread; what does not fit is for the long way.
    let mut buffer = [0; 2048];
    let count = file.read_at(&mut buffer, 0).ok().filter(|&count| count < 2048)?;
    parse(str::from_utf8(&buffer[..count]).ok()?)
}

/// A small file of /proc; `None` once what it tells of has ended.
fn read(path: &str) -> Option<String> {
    let mut buffer = [0; 4096];
    let count = File::open(path).ok()?.read(&mut buffer).ok()?;
    // The name of a process, which stands in several of them, is any bytes that it likes.
    Some(String::from_utf8_lossy(&buffer[..count]).into_owned())
}

/// Watches a bot that has not answered by its limit, to learn whether it is slow or kept waiting.
///
/// The limit holds for the time without the waits for a core. As long as that is not used up, there
/// is a reason to look on; [`look`](Self::look) tells until when.
#[derive(Debug)]
pub(super) struct Starvation {
    start: Instant,
    limit: Duration,
    /// When to stop looking in any case.
    give_up: Instant,
    /// Since when the counters have stood still, and at what CPU time and wait.
    still: Option<(Instant, (Duration, Duration))>,
    /// A wait that goes on and does not show yet.
    hidden_wait: Duration,
    given_up: bool,
    /// How often there was reason to doubt that the counters show all.
    doubts: u32,
}

impl Starvation {
    /// The shortest and the longest time to look on for.
    const STEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

    pub(super) fn new(start: Instant, limit: Duration, patience: Duration) -> Self {
        let give_up = start + limit + patience;
        Self {
            start,
            limit,
            give_up,
            still: None,
            hidden_wait: Duration::ZERO,
            given_up: false,
            doubts: 0,
        }
    }

    /// Whether the patience ended before the bot had had its time.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// A wait that the counters do not show yet.
    pub(super) fn hidden_wait(&self) -> Duration {
        self.hidden_wait
    }

    /// Looks at a bot whose exchange began at `before`. Returns when to look again, or `None` when the
    /// case is clear.
    pub(super) fn look(&mut self, keeper: Pid, before: &Sample) -> Option<Instant> {
        let sample = Sample::below(keeper);
        let now = Instant::now();
        let elapsed = now - self.start;
        let usage = sample.since(before, elapsed);
        let runnable = sample.is_runnable();
        let (ran, waited) = (usage.cpu?, usage.host_wait?);
        let stalled = match self.still {
            Some((since, counters)) if runnable && counters == (ran, waited) => now - since,
            _ => {
                self.still = Some((now, (ran, waited)));
                Duration::ZERO
            }
        };
        // Time that is neither CPU nor wait is sleep, or a wait that does not show. Who could run, and
        // whose counters have stood still for a tick, waits.
        let unexplained = elapsed.saturating_sub(ran + waited);
        self.hidden_wait = if stalled >= TICK { unexplained } else { Duration::ZERO };
        let kept_waiting = waited + self.hidden_wait;
        let missing = self.limit.saturating_sub(elapsed.saturating_sub(kept_waiting));
        if now >= self.give_up {
            self.given_up = !missing.is_zero();
            return None;
        }
        if let Some(doubt) = self.doubt(runnable && unexplained > 2 * TICK, stalled) {
            return Some((now + doubt).min(self.give_up));
        }
        let step = missing.clamp(Self::STEPS.0, Self::STEPS.1);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    /// How long to look on to learn whether a bot that could run does. A short look tells for most:
    /// by then they have run on or gone to sleep. A bot that has done neither gets a whole tick.
    fn doubt(&mut self, could_run: bool, stalled: Duration) -> Option<Duration> {
        let step = match self.doubts {
            0 => Self::STEPS.0,
            1 if !stalled.is_zero() => TICK,
            _ => return None,
        };
        let doubts = could_run && stalled < TICK;
        self.doubts += u32::from(doubts);
        doubts.then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(run: u64, wait: u64, switches: u64) -> Thread {
        Thread { run: Duration::from_millis(run), wait: Duration::from_millis(wait), switches }
    }

    fn sample(threads: &[(i32, Thread)], process_cpu: u64) -> Sample {
        Sample {
            processes: Vec::new(),
            threads: threads.iter().copied().collect(),
            page_faults: Some(7),
            peak_memory: Some(4096),
            process_cpu: Some(Duration::from_millis(process_cpu)),
        }
    }

    #[test]
    fn threads_that_come_and_go_are_counted() {
        let before = sample(&[(1, thread(100, 10, 5)), (2, thread(50, 5, 5))], 150);
        let after = sample(&[(1, thread(110, 12, 7)), (3, thread(20, 8, 2))], 220);
        let usage = after.since(&before, Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(Duration::from_millis(70)), "thread 2 ran on and ended");
        assert_eq!(usage.busiest_cpu, Some(Duration::from_millis(20)));
        assert_eq!(usage.wait, Some(Duration::from_millis(8)));
        assert_eq!(usage.context_switches, Some(4));
        assert_eq!(usage.page_faults, Some(0));
    }

    #[test]
    fn what_a_bot_does_to_itself_is_not_the_hosts_doing() {
        let of = |others: u64| {
            let threads = [(1, thread(100, 90, 9)), (2, thread(others, 80, 9))];
            sample(&threads, 0).since(&Sample::default(), Duration::from_secs(1))
        };
        // The sample has no process, so one core is reckoned with.
        assert_eq!(of(0).host_wait, Some(Duration::from_millis(90)));
        assert_eq!(of(60).host_wait, Some(Duration::from_millis(30)));
        assert_eq!(of(99).host_wait, Some(Duration::ZERO));
        assert_eq!(of(60).wait, Some(Duration::from_millis(90)), "the certificate tells it all");
    }

    #[test]
    fn a_thread_id_that_was_used_again_counts_from_its_start() {
        let usage = sample(&[(1, thread(3, 1, 2))], 0)
            .since(&sample(&[(1, thread(100, 10, 5))], 0), Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(Duration::from_millis(3)));
    }

    #[test]
    fn no_thread_ran_or_waited_for_longer_than_the_exchange() {
        let after = sample(&[(1, thread(30, 20, 2))], 0);
        let usage = after.since(&Sample::default(), Duration::from_millis(5));
        assert_eq!(
            (usage.cpu, usage.wait),
            (Some(Duration::from_millis(5)), Some(Duration::from_millis(5)))
        );
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_absent() {
        assert_eq!(Sample::default().since(&Sample::default(), Duration::ZERO), Usage::default());
    }

    #[test]
    fn this_very_process_can_be_sampled() {
        let me = vec![rustix::process::getpid().as_raw_pid()];
        let before = Sample::of_all(me.clone());
        let mut x = 1_u64;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(30) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        std::thread::sleep(Duration::from_millis(1));
        let usage = Sample::of_all(me).since(&before, start.elapsed());
        assert!(usage.cpu > Some(Duration::ZERO), "{usage:?}");
        assert!(usage.peak_memory > Some(100_000), "{usage:?}");
        assert!(usage.wait.is_some() && usage.page_faults.is_some(), "{usage:?}");
    }

    #[test]
    fn shared_memory_is_not_looked_at_for_longer_than_allowed() {
        let sample = Sample::of_all(vec![rustix::process::getpid().as_raw_pid()]);
        assert!(sample.proportional(Duration::MAX) > 0);
        assert_eq!(sample.proportional(Duration::ZERO), 0);
    }

    #[test]
    fn names_with_parentheses_do_not_confuse() {
        let stat = "7 (a) R b) S 1 7 7 0 -1 0 11 0 22 0 300 200 0 0 20 0 4 0 5 6 7";
        let stat = Stat::parse(stat).expect("well-formed");
        assert_eq!((stat.page_faults, stat.threads), (33, 4));
        assert!(stat.cpu > Duration::ZERO);
    }
}
