//! Observes a program where the system tells of each process its CPU time and its memory, and nothing of threads and waits.
#![expect(clippy::unused_self, reason = "as on Linux")]

use std::time::{Duration, Instant};

use crate::decide::sample::{Computed, Observation, Process, Sample};
use crate::sys::{self, ProcessGroup, Waitable, figures};

/// The process from which all processes of a program descend, and what keeps them together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Root {
    pid: i32,
    group: ProcessGroup,
}

impl Root {
    pub(crate) fn new(pid: i32, group: ProcessGroup) -> Self {
        Self { pid, group }
    }

    /// An ordinary child.
    #[cfg(unix)]
    pub(crate) fn of_child(child: rustix::process::Pid) -> Self {
        Self::new(child.as_raw_pid(), ProcessGroup)
    }

    /// The process itself.
    pub(crate) fn pid(self) -> i32 {
        self.pid
    }

    /// All processes by now, the program's first one first.
    pub(crate) fn processes(self) -> Vec<i32> {
        sys::below(self.pid, self.group)
    }
}

/// All processes of a program.
pub(crate) fn below(root: Root) -> Sample {
    let mut sample = Sample::default();
    for pid in root.processes() {
        let Some(figures) = figures(pid) else { continue };
        let (resident, peak) = (figures.resident, figures.peak);
        sample.processes.push(Process { pid, threads: 1, resident, peak, ..Process::default() });
        sample.peak_memory = sample.peak_memory.max(Some(peak).filter(|&peak| peak > 0));
        *sample.page_faults.get_or_insert_default() += figures.page_faults;
        sample.computed.insert(pid, Computed { own: figures.cpu, ..Computed::default() });
    }
    sample
}

/// As [`below`], which takes little time.
pub(crate) fn below_until(root: Root, _deadline: Option<Instant>) -> Sample {
    below(root)
}

/// All processes of a program; of their threads nothing is known.
pub(crate) fn observe(root: Root) -> Observation {
    observed(below(root))
}

/// A sample; of its threads nothing is known.
pub(crate) fn observed(sample: Sample) -> Observation {
    Observation { sample, ..Observation::default() }
}

/// The processes of a program.
pub(crate) fn pids(root: Root, _until: Instant) -> Vec<i32> {
    root.processes()
}

/// The memory of all processes, in bytes; what they share counts for each of them.
pub(crate) fn proportional_memory(sample: &Sample, _until: Instant) -> u64 {
    sample.resident()
}

/// Whether a thread of a sample has a core, or waits for one: unknown.
pub(crate) fn can_run(_sample: &Sample) -> bool {
    false
}

/// Whether a process of a sample may not be stopped: unknown.
pub(crate) fn has_unstopped(_sample: &Sample) -> bool {
    true
}

/// Whether a signal has stopped the program's first process: unknown.
pub(crate) fn is_stopped(_sample: &Sample) -> bool {
    false
}

/// Samples one bot again and again.
#[derive(Debug)]
pub(crate) struct Sampler {
    root: Root,
}

impl Sampler {
    pub(crate) fn new(root: Root) -> Self {
        Self { root }
    }

    pub(crate) fn sample(&mut self) -> Sample {
        below(self.root)
    }

    /// A sample with the CPU time set to zero, and that time.
    pub(crate) fn first(&mut self) -> (Sample, Duration) {
        self.sample().without_computing()
    }
}

/// The counters of the thread that referees.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefereeThread {}

impl RefereeThread {
    /// The counters of the calling thread.
    pub(crate) fn current(&mut self) -> Self {
        Self {}
    }

    /// The time for which this thread has waited for a core: unknown.
    pub(crate) fn wait(&self) -> Option<Duration> {
        None
    }

    /// As [`wait`](Self::wait), but at most: unknown too.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        None
    }
}

/// Whether a process is blocked reading the pipe whose other end is `input`: it is never certain.
pub(crate) fn awaits_input(
    _processes: &[i32],
    _input: Waitable<'_>,
    _output: Waitable<'_>,
    _until: Instant,
) -> bool {
    false
}
