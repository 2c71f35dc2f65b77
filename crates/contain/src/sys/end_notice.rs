//! Learning of the end of a child.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use super::ready::is_ready_within;
use super::wait::Waitable;

/// Learns of the end of a child, which stays a zombie.
#[derive(Debug)]
pub(crate) struct EndNotice(OwnedFd);

impl EndNotice {
    /// The notice of a child that has not been reaped.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        match pidfd_open(child, PidfdFlags::empty()) {
            // A filter around the referee may not know this call.
            Err(Errno::NOSYS | Errno::PERM) => Self::by_thread(child),
            pidfd => Ok(Self(pidfd?)),
        }
    }

    /// The reading end of a pipe, whose other end a thread closes once the child has ended.
    fn by_thread(child: Pid) -> io::Result<Self> {
        let (ended, end) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(child), options), Err(Errno::INTR)) {}
            drop(end);
        };
        thread::Builder::new().name("end-of-bot".to_owned()).spawn(wait)?;
        Ok(Self(ended.into()))
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

#[test]
fn a_thread_notices_an_end_as_a_pidfd_does_and_leaves_the_child_a_zombie() {
    use std::process::{Command, Stdio};

    for notice in [EndNotice::of, EndNotice::by_thread] {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("it runs");
        let mut end = notice(Pid::from_child(&child)).expect("a notice");
        assert!(!end.comes_within(Duration::from_millis(20)));
        drop(child.stdin.take());
        assert!(end.comes_within(Duration::from_mins(1)));
        assert!(child.wait().expect("a zombie").success());
    }
}
