//! Alarms, notices of an end, starts and the processes of a program, as macOS has them.
#![expect(unsafe_code, reason = "events of the kernel, and calls of libproc")]

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit};

use crate::sys::{Figures, Waitable, is_ready_within, limit_and_spawn};

/// Held while a child is started or a pipe is made. This system makes a descriptor first and keeps it from children after that;
/// a child that started in between would hold a pipe of another bot open.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new pipe, of which no child gets an end.
fn new_pipe() -> io::Result<(PipeReader, PipeWriter)> {
    let _alone = alone();
    io::pipe()
}

/// Spawns a child with these limits.
pub(crate) fn spawn_limited(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    let _alone = alone();
    limit_and_spawn(command, limits)
}

/// What becomes ready to be read once it is rung, and stays so. Ringing it takes no lock and no memory, so that a signal handler
/// may do it.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for.
    pub(crate) watched: Arc<File>,
    /// The other end of the pipe.
    rung: File,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        let (watched, rung) = new_pipe()?;
        rustix::io::ioctl_fionbio(&rung, true)?;
        let (watched, rung) = (OwnedFd::from(watched), OwnedFd::from(rung));
        Ok(Self { watched: Arc::new(watched.into()), rung: rung.into() })
    }

    pub(crate) fn ring(&self) {
        // Fails only if the pipe is full, and then it is readable too.
        let _ = rustix::io::write(&self.rung, &[1]);
    }
}

/// Where the calling thread's errno is.
pub(super) fn errno() -> *mut c_int {
    // SAFETY: it is a place of the thread's own.
    unsafe { libc::__error() }
}

/// Nothing: here it would be the whole process.
pub fn yield_to_others() {}

/// Learns of the end of a child, by a thread that waits for it and leaves it a zombie.
#[derive(Debug)]
pub(crate) struct EndNotice {
    /// At EOF once the child has ended.
    ended: PipeReader,
    thread: Option<JoinHandle<()>>,
}

impl EndNotice {
    /// The notice of a child that has not been reaped.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        let (ended, end) = new_pipe()?;
        let queue = kqueue()?;
        // A wait for the child itself would also return when it is stopped, on some versions of macOS.
        let exit = EventFilter::Proc { pid: child, flags: ProcessEvents::EXIT };
        let exit = [Event::new(exit, EventFlags::ADD, ptr::null_mut())];
        // SAFETY: the event names no descriptor.
        let added = unsafe { kevent(&queue, &exit, &mut [][..] as &mut [Event], None) };
        let has_ended = match added {
            Err(Errno::SRCH) => true,
            added => added.map(|_| false)?,
        };
        let wait = move || {
            let mut events = [MaybeUninit::uninit()];
            // SAFETY: no descriptor is among the events.
            let mut is_awaited =
                || unsafe { kevent(&queue, &[], &mut events, None) }.err() == Some(Errno::INTR);
            while !has_ended && is_awaited() {}
            drop(end);
        };
        let thread = thread::Builder::new().name("end-of-bot".to_owned()).spawn(wait)?;
        Ok(Self { ended, thread: Some(thread) })
    }

    /// What is readable once the child has ended.
    pub(crate) fn waitable(&self) -> Waitable<'_> {
        self.ended.as_fd()
    }

    /// Whether the child ends within `limit`.
    pub(crate) fn comes_within(&mut self, limit: Duration) -> bool {
        let comes = is_ready_within(self.waitable(), limit);
        if comes && let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        comes
    }
}

/// What keeps the processes of a program together besides their parents: nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessGroup;

/// The most children of one process that are listed.
const LISTED: usize = 4096;

/// The processes that descend from one, which comes first. One that has lost its parent is not among them.
pub(crate) fn below(pid: i32, _group: ProcessGroup) -> Vec<i32> {
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
pub fn memory() -> Option<u64> {
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

/// Whether a process has not begun to end.
pub(crate) fn lives(pid: i32) -> bool {
    !is_ending(pid)
}
