//! Pipes, waits, starts and this process, as on every Unix.
#![expect(unsafe_code, reason = "limits between fork and exec")]

use std::fs::{File, Metadata};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::sys::Inherited;

pub(crate) use std::io::{PipeReader, PipeWriter};

/// Has reads return at once.
pub(crate) fn prepare_to_read(pipe: &PipeReader) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Has writes return at once.
pub(crate) fn prepare_to_write(pipe: &PipeWriter) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Ready once there is something to read.
pub(crate) fn readable(pipe: &PipeReader) -> Waitable<'_> {
    pipe.as_fd()
}

/// Ready once something can be written.
pub(crate) fn writable(pipe: &PipeWriter) -> Waitable<'_> {
    pipe.as_fd()
}

/// Reads what is there; nothing at EOF.
pub(crate) fn read<'a>(
    pipe: &PipeReader,
    space: &'a mut [MaybeUninit<u8>],
) -> io::Result<&'a mut [u8]> {
    Ok(rustix::io::read(pipe, space)?.0)
}

/// Whether everything that was written is in the pipe.
pub(crate) fn is_written(_pipe: &PipeWriter) -> bool {
    true
}

/// The number of bytes that the reader has not read: Linux tells it at either end, other systems may report 0.
pub(crate) fn unread(pipe: &PipeWriter) -> io::Result<u64> {
    Ok(rustix::io::ioctl_fionread(pipe)?)
}

/// What a wait can be for.
pub type Waitable<'a> = BorrowedFd<'a>;

/// What is awaited of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Reading,
    Writing,
}

/// A file to wait for.
pub(crate) fn waitable_file(file: &File) -> Waitable<'_> {
    file.as_fd()
}

/// Waits until something is ready or `until` has come, and returns what is ready. A signal ends the wait early.
pub(crate) fn ready<'a, S>(
    watched: impl Iterator<Item = (S, Waitable<'a>, Interest)>,
    until: Option<Instant>,
) -> io::Result<Vec<S>> {
    let descriptors = watched.map(|(source, fd, what)| {
        let flags = if what == Interest::Reading { PollFlags::IN } else { PollFlags::OUT };
        (source, PollFd::from_borrowed_fd(fd, flags))
    });
    let (sources, mut fds): (Vec<S>, Vec<PollFd<'_>>) = descriptors.unzip();
    let timeout = until.map(|until| until.saturating_duration_since(Instant::now()));
    // A duration too long for the kernel is as good as no limit.
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Vec::new()),
        Err(errno) => return Err(errno.into()),
    }
    let found = sources.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
    Ok(found.map(|(source, _)| source).collect())
}

/// Spawns a child with these limits.
pub(super) fn limit_and_spawn(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    let set =
        move || Ok(limits.iter().try_for_each(|(resource, limit)| setrlimit(*resource, *limit))?);
    // SAFETY: between fork and exec it makes system calls alone.
    unsafe { command.pre_exec(set) };
    command.spawn()
}

impl Inherited {
    /// The soft and the hard limit, if there are any.
    pub fn limits(self) -> (Option<u64>, Option<u64>) {
        let Rlimit { current, maximum } = getrlimit(match self {
            Self::CpuTime => Resource::Cpu,
            Self::FileSize => Resource::Fsize,
            Self::AddressSpace => Resource::As,
            Self::Stack => Resource::Stack,
        });
        (current, maximum)
    }
}

/// The CPU time of the calling thread, if the system counts it finely.
pub fn cpu_time_of_thread() -> Option<Duration> {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

/// The id of this process's user.
pub fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Whether this process's user has made a file.
pub(crate) fn is_own(data: &Metadata) -> bool {
    data.uid() == rustix::process::geteuid().as_raw()
}
