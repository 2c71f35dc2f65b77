//! What a program that starts bots does to its own process, and how all of it is undone.

use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::groups::group;
use super::launcher;
use crate::scratch::later;

/// Keeps what the bots of this program share: the launcher that starts them, their control groups, a thread that removes
/// what they leave. When the last host is dropped, all of that is gone.
///
/// Every bot holds one, so a program need not. A program that starts one bot after the other should: otherwise each bot
/// has a launcher of its own, which costs a fork of the program, and where there are control groups, the search for
/// them.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let _host = contain::bot::Host::start()?;
/// // Bots, on any thread.
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Host {
    /// The process that it belongs to. A fork of it has neither the threads nor the children.
    process: u32,
}

/// The number of hosts; locked while what they share is undone.
static HOSTS: Mutex<usize> = Mutex::new(0);

fn hosts() -> MutexGuard<'static, usize> {
    HOSTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// Starts the process that starts all bots of this program; without this, the first bot's start does.
    ///
    /// A program should call this before it starts a thread, changes its limits or reads what no bot should know: the
    /// launcher is a copy of the program at this moment, and bots inherit its limits, priority and control group.
    ///
    /// # Errors
    /// When the system refuses another process or a socket.
    pub fn start() -> io::Result<Self> {
        let host = Self::hold();
        launcher::start_launcher()?;
        Ok(host)
    }

    /// Keeps the launcher and the control groups from being removed, if there are any; starts nothing.
    pub fn hold() -> Self {
        *hosts() += 1;
        Self { process: process::id() }
    }
}

impl Clone for Host {
    fn clone(&self) -> Self {
        Self::hold()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let mut hosts = hosts();
        *hosts -= 1;
        if *hosts == 0 && self.process == process::id() {
            group::remove_all();
            launcher::end_launcher();
            later::end();
        }
    }
}
