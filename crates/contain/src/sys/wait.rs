//! Waits until pipes and other descriptors are ready.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

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

/// Whether it is ready within `limit`.
pub(crate) fn is_ready_within(waitable: Waitable<'_>, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    loop {
        match ready([((), waitable, For::Reading)].into_iter(), Some(until)) {
            Ok(ready) if !ready.is_empty() => return true,
            Ok(_) if Instant::now() >= until => return false,
            Ok(_) => {}
            Err(error) => {
                log::error!("a process cannot be watched: {error}");
                return false;
            }
        }
    }
}
