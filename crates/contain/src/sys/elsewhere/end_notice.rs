//! Learning of the end of a child where no descriptor tells it.
#![expect(unsafe_code, reason = "events of the kernel")]

use std::io::{self, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::ptr;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::sys::pipe;
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
        let (ended, end) = pipe::new()?;
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
