//! Which of a bot's processes wrote a reply.
//!
//! # Theory of operation
//!
//! Where output counts only until the bot's first process has ended, the original closes the pipe at that
//! end. A child that plays on has no say from then on. The referee sees lines and ends, but not in which
//! order they came, and a child answers within microseconds. So it asks who wrote: the kernel counts what a
//! process has written, with the children that it has waited for. A reply of the first process, or of a
//! wrapper's child, is within that count. Any other reply counts as long as the first process lives on. If
//! it is on its way to its end, it is given the time to get there.
//!
//! A bot of one process is never asked.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::exchange::ExchangeError;
use super::launch::WRITTEN_BEFORE_START;
use super::pipes::Captured;
use super::usage::{Sample, bytes_written, state};
use terms::verdict::NoReply;

/// How long a process that runs may take to end, for which it may have to wait for a core. One that runs
/// on for longer has other work to do.
const SETTLING: Duration = Duration::from_millis(100);

/// The time between two looks at it. The nap leaves it the core.
const NAP: Duration = Duration::from_micros(100);

impl BotProcess {
    /// Why the reply that was just taken does not count: another process wrote it, and the first one has
    /// ended. `None` if it counts.
    pub(super) fn outlived(
        &mut self,
        after: &Sample,
        stderr: &mut Captured,
    ) -> Result<Option<NoReply>, ExchangeError> {
        let Some(first) = after.bot().filter(|_| !after.is_alone()) else { return Ok(None) };
        if self.may_be_of(first) || !ends(first) {
            return Ok(None);
        }
        // It may have waited for the writer meanwhile. What has no other process behind it is its own.
        if self.may_be_of(first) || self.has_no_writer()? {
            return Ok(None);
        }
        self.how_it_ended(None, stderr).map(Some)
    }

    /// Whether the first process may have written all output up to the end of the reply. Unknown is yes.
    fn may_be_of(&self, first: i32) -> bool {
        let Some(written) = bytes_written(first) else { return true };
        let beyond = self.lines.held().as_bytes().len() as u64;
        let replies = self.stdout.total() - beyond;
        written >= WRITTEN_BEFORE_START + self.stderr.total() + replies
    }

    /// Whether no process is left that could write.
    fn has_no_writer(&mut self) -> io::Result<bool> {
        self.drain_stdout()?;
        Ok(self.stdout.is_closed())
    }
}

/// Whether a process has ended, or does so before it next sleeps.
fn ends(pid: i32) -> bool {
    let until = Instant::now() + SETTLING;
    loop {
        match state(&format!("/proc/{pid}/stat")) {
            'Z' | 'X' | ' ' => return true,
            'R' | 'D' if Instant::now() < until => sleep(NAP),
            _ => return false,
        }
    }
}
