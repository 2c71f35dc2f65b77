//! Learning of the end of a child where no descriptor tells it.

use std::io::{self, PipeReader};
use std::os::fd::AsFd as _;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::sys::ready::is_ready_within;
use crate::sys::wait::Waitable;

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
        let (ended, end) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(child), options), Err(Errno::INTR)) {}
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn an_end_is_noticed_and_leaves_a_zombie() {
        let mut child = Command::new("sleep").arg("3600").spawn().expect("a child");
        let mut notice = EndNotice::of(Pid::from_child(&child)).expect("a thread");
        assert!(!notice.comes_within(Duration::from_millis(20)));
        child.kill().expect("it runs");
        assert!(notice.comes_within(Duration::from_mins(1)));
        assert!(!child.wait().expect("it was not reaped").success());
    }
}
