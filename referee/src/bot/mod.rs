//! A bot as a child process: its lines, its deadlines, its end. No game is known here.
//!
//! # Theory of operation
//!
//! A bot runs as the leader of a process group of its own, with three pipes. One thread, one poll
//! loop: writing its input, reading its output and draining its standard error take turns as the
//! pipes allow, so a bot that does not read, that floods, or that answers before it is asked
//! blocks nobody. A pidfd in the same loop tells of its end at once.
//!
//! An exchange ([`BotProcess::exchange`]) has one absolute deadline on the monotonic clock. The
//! clock starts just before the first byte is written, and stops when the read that completes the
//! reply returns; output never moves it. At the deadline there is one more read that does not
//! block, since the poll may have woken late and the answer be there already.
//!
//! When poll reports output and the end of the process together, output comes first: the last line
//! of a bot that answers and exits counts.
//!
//! Output is read only while an exchange waits for it. What comes in surplus stays queued for the
//! next one, and a flood fills the pipe and stops there, instead of the referee's memory.
//!
//! The end ([`BotProcess::finish`]) is bounded: close the input, leave a short grace for a clean
//! exit, then kill the whole group and reap. The leader stays a zombie until its group has been
//! killed, so that the group's number cannot pass to strangers. Dropping a bot kills it as well.

mod command;
mod exchange;
mod pin;
mod pipes;
mod teardown;
mod usage;

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::{Arc, OnceLock};

use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, waitid};
use signal_hook::consts::SIGCHLD;

pub use self::command::{BotCommand, SpawnError};
pub use self::exchange::{ExchangeError, Exchanged, Overtime, Phase, Request};
pub use self::pin::{PinError, Pinning};
pub use self::pipes::Captured;
use self::pipes::{Sink, Source};
pub use self::teardown::Ending;
pub use self::usage::Usage;
use crate::interrupt::Interrupt;
use crate::lines::LineBuffer;
use crate::verdict::BotExit;

/// A running bot.
#[derive(Debug)]
pub struct BotProcess {
    child: Child,
    pid: Pid,
    /// Readable once the bot has ended.
    pidfd: OwnedFd,
    stdin: Sink<ChildStdin>,
    stdout: Source<ChildStdout>,
    stderr: Source<ChildStderr>,
    lines: LineBuffer,
    stderr_cap: usize,
    interrupt: Option<Interrupt>,
    reaped: bool,
}

impl BotProcess {
    /// Starts a bot. At most `stderr_cap` bytes of its standard error are kept for each exchange;
    /// `interrupt` makes an exchange end early.
    ///
    /// # Errors
    /// When the command cannot be started, or the system lacks pipes or a pidfd (Linux 5.4).
    pub fn spawn(
        command: &BotCommand,
        stderr_cap: usize,
        interrupt: Option<Interrupt>,
    ) -> Result<Self, SpawnError> {
        let resources =
            |source| SpawnError::Resources { program: command.program.clone().into(), source };
        keep_children().map_err(resources)?;
        let child = command.spawn()?;
        log::debug!("bot {}: started {command:?}", child.id());
        Self::adopt(child, stderr_cap, interrupt).map_err(resources)
    }

    fn adopt(
        mut child: Child,
        stderr_cap: usize,
        interrupt: Option<Interrupt>,
    ) -> io::Result<Self> {
        let pid = Pid::from_child(&child);
        let pipes = (|| {
            Ok((
                pidfd_open(pid, PidfdFlags::empty())?,
                Sink::new(child.stdin.take().expect("piped"))?,
                Source::new(child.stdout.take().expect("piped"))?,
                Source::new(child.stderr.take().expect("piped"))?,
            ))
        })();
        match pipes {
            Ok((pidfd, stdin, stdout, stderr)) => Ok(Self {
                child,
                pid,
                pidfd,
                stdin,
                stdout,
                stderr,
                lines: LineBuffer::default(),
                stderr_cap,
                interrupt,
                reaped: false,
            }),
            Err(error) => {
                // Not yet a `BotProcess`, so nobody else ends it.
                teardown::kill_group(pid);
                child.wait()?;
                Err(error)
            }
        }
    }

    /// How the bot ended, if it has, without reaping it.
    fn exit_status(&self) -> io::Result<Option<BotExit>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::PidFd(self.pidfd.as_fd()), options)?;
        Ok(status.as_ref().and_then(bot_exit))
    }
}

/// Sees to it that a child that ends stays until it has been waited for.
///
/// A parent may have left SIGCHLD ignored, which survives exec and makes the kernel reap children by
/// itself: then their exit status is lost, and their numbers may be someone else's by the time they
/// are killed. Any handler undoes that.
fn keep_children() -> io::Result<()> {
    static HANDLER: OnceLock<()> = OnceLock::new();
    if HANDLER.get().is_none() {
        signal_hook::flag::register(SIGCHLD, Arc::default())?;
        HANDLER.get_or_init(|| ());
    }
    Ok(())
}

fn bot_exit(status: &WaitIdStatus) -> Option<BotExit> {
    let code = status.exit_status().map(BotExit::Code);
    code.or_else(|| status.terminating_signal().map(BotExit::Signal))
}
