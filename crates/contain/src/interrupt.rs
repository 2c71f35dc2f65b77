//! Turns the signals that ask a program to stop into a descriptor for a poll loop.
//!
//! The bot runs in a process group of its own, so a Ctrl-C at the terminal reaches only the
//! referee: it must end the bot, save the results so far, and then die of the signal.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
};

/// The signals that a terminal, a user or a batch system sends to end a program.
pub const SIGNALS: [i32; 8] =
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM];

/// The time for ending the bot and saving its results after a signal. Longer than the bound on
/// reaping.
const CLEAN_END_TIMEOUT: Duration = Duration::from_secs(7);

/// Becomes readable, and stays so, once a signal has asked the referee to stop.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    wake: UnixStream,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Installs handlers for the signals that ask a program to stop, except those ignored at start, as
    /// under `nohup`. If the referee is still running some seconds after the first signal, stuck in a
    /// write for example, the signal ends it.
    ///
    /// # Errors
    /// When the system refuses a socket pair or a signal handler.
    pub fn catch() -> io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        let signal = Arc::new(AtomicUsize::new(0));
        let ignored = ignored_signals();
        for number in SIGNALS.into_iter().filter(|number| ignored & (1 << (number - 1)) == 0) {
            // Handlers run in this order. The number is stored before the wake-up is written.
            let value = usize::try_from(number).expect("signal numbers are positive");
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, write.try_clone()?)?;
        }
        // At its size limit a file write should fail with an error, not kill the referee. Bots do not inherit
        // handlers, whereas they would inherit an ignored signal.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let interrupt = Self(Arc::new(Inner { wake, signal }));
        let watched = interrupt.clone();
        thread::Builder::new().name("interrupt".to_owned()).spawn(move || watched.insist())?;
        Ok(interrupt)
    }

    /// Waits for a signal, and ends the process if it is still running after the timeout.
    fn insist(&self) {
        let mut wake = [PollFd::new(&self.0.wake, PollFlags::IN)];
        while self.signal().is_none() {
            if poll(&mut wake, None).is_err_and(|errno| errno != Errno::INTR) {
                return;
            }
        }
        thread::sleep(CLEAN_END_TIMEOUT);
        if let Some(signal) = self.signal() {
            // Only returns if the signal cannot end the process.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }

    /// Waits for a signal, up to `at_most`.
    pub fn wait(&self, at_most: Duration) -> Option<i32> {
        let timeout = Timespec::try_from(at_most).ok();
        // If anything ends the wait early, the caller checks again.
        let _ = poll(&mut [PollFd::new(&self.0.wake, PollFlags::IN)], timeout.as_ref());
        self.signal()
    }

    /// The first signal that has arrived.
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

/// The signals that are ignored now, a bit for each from bit 0 for signal 1.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
