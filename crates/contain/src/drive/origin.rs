//! Which of a bot's processes wrote a reply.
//!
//! # Theory of operation
//!
//! Where output counts only until the bot's first process has ended, the original closes the pipe at that
//! end. A child that plays on has no say from then on. The referee sees lines and ends, but not in which
//! order they came, and a child answers within microseconds. So it asks which process wrote: the kernel counts what a
//! process has written, with the children that it has waited for. A reply of the first process, or of a
//! wrapper's child, is within that count. Any other reply counts as long as the first process lives on. If
//! it is on its way to its end, it is given the time to get there.
//!
//! A bot of one process is never asked, unless others of its processes may be out of sight: without a keeper, those that
//! have lost their parent are, and with one those that it has reaped since the first process ended.

use super::pipes::Captured;
use super::process::{BotProcess, ExchangeError};
use crate::decide::sample::Sample;
use crate::observe::life::{Next, next_of};
use crate::sys::proc::bytes_written;
use terms::verdict::NoReply;

impl BotProcess {
    /// Why the reply that was just taken does not count: another process wrote it, and the first one has
    /// ended. `None` if it counts.
    pub(crate) fn outlived(
        &mut self,
        after: &Sample,
        stderr: &mut Captured,
    ) -> Result<Option<NoReply>, ExchangeError> {
        // Once the first process has ended, the one that wrote may have been reaped.
        let is_alone =
            after.is_alone() && self.running.adopts_orphans() && self.running.exit().is_none();
        let Some(first) = after.bot().filter(|_| !is_alone) else { return Ok(None) };
        if self.is_by_first() || self.may_be_of(first) {
            return Ok(None);
        }
        match next_of(first, self.first.runs_on) {
            Next::End => {}
            Next::Sleep => return Ok(None),
            Next::RunOn => {
                self.first.runs_on = true;
                return Ok(None);
            }
        }
        // It may have waited for the writer in the meantime.
        if self.may_be_of(first) {
            return Ok(None);
        }
        self.how_it_ended(None, stderr).map(Some)
    }

    /// Whether the first process has certainly written all output: one read tells, and is true of most bots.
    pub(crate) fn is_by_first(&self) -> bool {
        let all = self.pipes.stdout.total() + self.pipes.stderr.total();
        self.meter
            .sampler
            .bytes_written()
            .is_some_and(|written| written >= self.running.written_before_start() + all)
    }

    /// Whether the first process may have written all output up to the end of the reply. Unknown is yes.
    fn may_be_of(&self, first: i32) -> bool {
        let Some(written) = bytes_written(first) else { return true };
        let beyond = self.pipes.lines.held().as_bytes().len() as u64;
        let replies = self.pipes.stdout.total() - beyond;
        written >= self.running.written_before_start() + self.pipes.stderr.total() + replies
    }
}
