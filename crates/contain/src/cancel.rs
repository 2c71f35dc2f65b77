//! Ends an exchange before its time: from any thread, or at a signal that asks the program to stop.
//!
//! A [`Canceller`] touches nothing of the process. A program that wants signals to cancel, so that a Ctrl-C ends its
//! bots in good order, asks for that with [`CaughtSignals`]; a bot runs in a process group of its own, and a Ctrl-C at the
//! terminal does not reach it.

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use crate::sys::{self, Alarm, BY_PROGRAM, Flag, Handlers, Interest};

/// The signals that a terminal, a user or a batch system sends to end a program.
pub const SIGNALS: &[i32] = &sys::ENDING;

/// Prepares the signals of a program that starts others, for as long as it runs: it learns how they end even if its own parent
/// ignored SIGCHLD, as some shells and cron do, and a write beyond `ulimit -f` fails instead of killing it with SIGXFSZ.
/// What it starts inherits neither. Call it before there are threads.
pub fn prepare_signals() {
    sys::prepare_signals();
}

/// Has each thread allocate from a heap of its own. Otherwise games that are played at the same time wait for each other's
/// threads, which may have no core, and their bots seem late. Call it before there are threads.
pub fn separate_heaps() {
    sys::separate_heaps();
}

/// Ends everything that it was given to, once and for all. Its clones are the same canceller.
///
/// ```
/// use contain::cancel::{Cancelled, Canceller};
///
/// # fn main() -> std::io::Result<()> {
/// let canceller = Canceller::new()?;
/// let button = canceller.clone();
/// std::thread::spawn(move || button.cancel());
/// assert_eq!(canceller.wait(std::time::Duration::from_secs(60)), Some(Cancelled::ByProgram));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Canceller(Arc<Flag>);

/// The source of the cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cancelled {
    /// The program itself.
    ByProgram,
    /// The signal of this number.
    BySignal(i32),
}

impl Cancelled {
    /// The signal, if it was one.
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::ByProgram => None,
            Self::BySignal(signal) => Some(signal),
        }
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByProgram => f.write_str("cancelled"),
            Self::BySignal(signal) => write!(f, "interrupted by signal {signal}"),
        }
    }
}

impl Canceller {
    /// A canceller that nobody has triggered.
    ///
    /// # Errors
    /// When the system refuses a descriptor.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(Flag { wake: Alarm::new()?, cause: AtomicI32::new(0) })))
    }

    /// Cancels, from any thread. What has been cancelled stays so.
    pub fn cancel(&self) {
        self.0.raise(BY_PROGRAM);
    }

    /// The source of the first cancellation, if any.
    pub fn cancelled(&self) -> Option<Cancelled> {
        match self.0.cause.load(Ordering::SeqCst) {
            0 => None,
            BY_PROGRAM => Some(Cancelled::ByProgram),
            signal => Some(Cancelled::BySignal(signal)),
        }
    }

    /// What becomes readable, and stays so, once somebody has cancelled: all that an exchange needs.
    pub fn alarm(&self) -> Arc<File> {
        Arc::clone(&self.0.wake.watched)
    }

    /// Waits until somebody cancels, up to `at_most`.
    pub fn wait(&self, at_most: Duration) -> Option<Cancelled> {
        let watched = [((), sys::waitable_file(&self.0.wake.watched), Interest::Reading)];
        // If anything ends the wait early, the caller checks again.
        let _ = sys::ready(watched.into_iter(), Instant::now().checked_add(at_most));
        self.cancelled()
    }
}

/// Has [`SIGNALS`] cancel, until this is dropped; each signal then does again what it did before.
#[derive(Debug)]
pub struct CaughtSignals {
    canceller: Canceller,
    _handlers: Handlers,
}

impl CaughtSignals {
    /// Installs handlers for these signals, except those that are ignored, as under `nohup`; and for SIGXFSZ, so that a
    /// write beyond the limit on file sizes fails with an error instead of killing the program.
    ///
    /// # Errors
    /// When the system refuses a handler or a descriptor, or this program catches signals already
    /// ([`ResourceBusy`](io::ErrorKind::ResourceBusy)).
    pub fn catch() -> io::Result<Self> {
        let canceller = Canceller::new()?;
        let handlers = Handlers::install(SIGNALS, Arc::clone(&canceller.0))?;
        Ok(Self { canceller, _handlers: handlers })
    }

    /// What the signals cancel.
    pub fn canceller(&self) -> &Canceller {
        &self.canceller
    }
}
