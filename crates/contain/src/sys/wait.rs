//! Waits until pipes and other descriptors are ready.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What a wait can be for.
pub type Waitable<'a> = BorrowedFd<'a>;

/// What is awaited of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    Reading,
    Writing,
}

/// A file to wait for.
pub(crate) fn of_file(file: &File) -> Waitable<'_> {
    file.as_fd()
}

/// Waits until something is ready or `until` has come, and returns what is ready. A signal ends the wait early.
pub(crate) fn ready<'a, S>(
    watched: impl Iterator<Item = (S, Waitable<'a>, For)>,
    until: Option<Instant>,
) -> io::Result<Vec<S>> {
    let descriptors = watched.map(|(source, fd, what)| {
        let flags = if what == For::Reading { PollFlags::IN } else { PollFlags::OUT };
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
