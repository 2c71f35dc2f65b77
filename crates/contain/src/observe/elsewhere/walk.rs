//! Reads the figures of a program's processes.

use std::time::Instant;

use crate::decide::sample::{Computed, Observation, Process, Sample};
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
