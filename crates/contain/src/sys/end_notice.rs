//! Learning of the end of a child.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::ready::is_ready_within;
use super::wait::Waitable;

/// Learns of the end of a child, which stays a zombie.
#[derive(Debug)]
pub(crate) struct EndNotice(OwnedFd);

impl EndNotice {
    /// The notice of a child that has not been reaped.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        Ok(Self(pidfd_open(child, PidfdFlags::empty())?))
    }

    /// What is readable once the child has ended.
    pub(crate) fn waitable(&self) -> Waitable<'_> {
        self.0.as_fd()
    }

    /// Whether the child ends within `limit`.
    pub(crate) fn comes_within(&mut self, limit: Duration) -> bool {
        is_ready_within(self.waitable(), limit)
    }
}
