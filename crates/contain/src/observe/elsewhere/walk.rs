//! Reads the figures of a program's processes.

use std::time::{Duration, Instant};

use crate::decide::sample::{Computed, CpuTimes, Observation, Process, Sample, Snapshot};
use crate::observe::root::Root;
use crate::sys::processes::figures;

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
pub(crate) fn within(root: Root, _time: Duration) -> Sample {
    below(root)
}

/// As [`below`], which takes little time.
pub(crate) fn below_until(root: Root, _deadline: Option<Instant>) -> Sample {
    below(root)
}

/// All processes of a program; of their threads nothing is known.
pub(crate) fn observe(root: Root) -> Observation {
    observed(below(root), root)
}

/// A sample; of its threads nothing is known.
pub(crate) fn observed(sample: Sample, _root: Root) -> Observation {
    Observation { sample, snapshot: Snapshot::default() }
}

/// The processes of a program.
pub(crate) fn pids(root: Root, _until: Instant) -> Vec<i32> {
    root.processes()
}

/// The memory of all processes, in bytes; what they share counts for each of them.
pub(crate) fn proportional_memory(sample: &Sample, _until: Instant) -> u64 {
    sample.resident()
}

/// The CPU time that the processes of a sample have used by now, if they live.
pub(crate) fn computed_by_now(sample: &Sample) -> CpuTimes {
    let of = |pid: i32| Some((pid, figures(pid)?.cpu));
    sample.pids().into_iter().filter_map(of).collect()
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

/// Whether all threads of a sample sleep: it is never certain.
pub(crate) fn are_asleep(_sample: &Sample, _deadline: Option<Instant>) -> bool {
    false
}

/// The CPU time of each thread by now, and whether it can run: unknown.
pub(crate) fn threads(tids: &[i32]) -> Vec<(i32, Duration, bool)> {
    tids.iter().map(|&tid| (tid, Duration::ZERO, false)).collect()
}
