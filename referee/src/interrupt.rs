//! Turns SIGINT, SIGTERM and SIGHUP into something that a poll loop can wait for.
//!
//! The bot runs in a process group of its own, so a Ctrl-C at the terminal reaches only the
//! referee: it has to end the bot, keep what it has, and then die of the signal as it should.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Becomes readable, and stays so, once a signal has asked the referee to stop.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    wake: UnixStream,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Catches SIGINT, SIGTERM and SIGHUP from now on.
    ///
    /// # Errors
    /// When the system refuses a socket pair or a signal handler.
    pub fn catch() -> io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The number is stored before the wake-up is written: handlers run in this order.
            let value = usize::try_from(number).expect("signal numbers are positive");
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, write.try_clone()?)?;
        }
        Ok(Self(Arc::new(Inner { wake, signal })))
    }

    /// The signal that has arrived, if one has.
    pub fn signal(&self) -> Option<i32> {
        match self.0.signal.load(Ordering::SeqCst) {
            0 => None,
            number => i32::try_from(number).ok(),
        }
    }
}

impl AsFd for Interrupt {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.wake.as_fd()
    }
}
