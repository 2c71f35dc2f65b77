//! The processes of a program, as libproc tells of them.
#![expect(unsafe_code, reason = "calls of libproc")]

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::time::Duration;

use super::figures::Figures;

/// What keeps the processes of a program together besides their parents: nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group;

/// The most children of one process that are listed.
const LISTED: usize = 4096;

/// The processes that descend from one, which comes first. One that has lost its parent is not among them.
pub(crate) fn below(pid: i32, _group: Group) -> Vec<i32> {
    let (mut all, mut seen, mut next) = (vec![pid], BTreeSet::from([pid]), 0);
    while let Some(&parent) = all.get(next) {
        all.extend(children(parent).into_iter().filter(|&child| seen.insert(child)));
        next += 1;
    }
    all
}

fn children(pid: i32) -> Vec<i32> {
    let mut list = vec![0_i32; LISTED];
    let size = c_int::try_from(size_of_val(list.as_slice())).expect("small");
    // SAFETY: the list is valid for writing, and of the size that is named.
    let count = unsafe { libc::proc_listchildpids(pid, list.as_mut_ptr().cast::<c_void>(), size) };
    list.truncate(usize::try_from(count).unwrap_or(0));
    list.retain(|&child| child > 0);
    list
}

/// The figures of a process; `None` if it has gone.
pub(crate) fn figures(pid: i32) -> Option<Figures> {
    let mut usage = MaybeUninit::<libc::rusage_info_v4>::zeroed();
    // SAFETY: it is valid for writing, and of the kind that is named; zeroes are a valid one.
    let usage = unsafe {
        let asked = libc::proc_pid_rusage(pid, libc::RUSAGE_INFO_V4, usage.as_mut_ptr().cast());
        (asked == 0).then(|| usage.assume_init())
    }?;
    Some(Figures {
        cpu: duration(usage.ri_user_time + usage.ri_system_time),
        resident: usage.ri_phys_footprint,
        peak: usage.ri_lifetime_max_phys_footprint,
        page_faults: usage.ri_pageins,
    })
}

/// A time in ticks of the machine's clock.
#[expect(deprecated, reason = "the other crate with this call has no other use here")]
fn duration(ticks: u64) -> Duration {
    static BASE: OnceLock<(u64, u64)> = OnceLock::new();
    let &(numerator, denominator) = BASE.get_or_init(|| {
        let mut base = libc::mach_timebase_info { numer: 1, denom: 1 };
        // SAFETY: it is valid for writing.
        unsafe {
            libc::mach_timebase_info(&raw mut base);
        }
        (base.numer.into(), base.denom.max(1).into())
    });
    Duration::from_nanos(ticks.saturating_mul(numerator) / denominator)
}

/// The memory of this machine, in bytes.
pub(super) fn memory_of_machine() -> Option<u64> {
    let (mut memory, mut size) = (0_u64, size_of::<u64>());
    // SAFETY: the memory is valid for writing, and of the size that is named.
    let asked = unsafe {
        let place = (&raw mut memory).cast::<c_void>();
        libc::sysctlbyname(c"hw.memsize".as_ptr(), place, &raw mut size, ptr::null_mut(), 0)
    };
    (asked == 0).then_some(memory)
}

/// Whether a process has ended; a zombie still has its figures.
pub(crate) fn is_ending(pid: i32) -> bool {
    // Or it would not be found as a zombie.
    const EVEN_ENDED: u64 = 1;
    let mut known = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = c_int::try_from(size_of_val(&known)).expect("small");
    // SAFETY: it is valid for writing, and of the size that is named; zeroes are a valid one.
    let known = unsafe {
        let place = known.as_mut_ptr().cast::<c_void>();
        let filled = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, EVEN_ENDED, place, size);
        (filled == size).then(|| known.assume_init())
    };
    known.is_none_or(|known| known.pbi_status == libc::SZOMB)
}
