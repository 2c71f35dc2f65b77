//! Tells a bot that has ended from one that has only closed its standard output.
//!
//! EOF comes before the end of a process can be seen: the kernel closes its files, and frees what they and it held, and
//! only then reports how it has ended. That may take longer than the turn.

use std::mem;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::exchange::ExchangeError;
use super::pipes::Captured;
use super::usage::{Sample, is_ending};
use terms::verdict::{BotExit, NoReply};

/// How long after EOF a bot may take to begin its end before it counts as running with its output closed. A process
/// closes its pipes a moment before its end is visible.
const EXIT_NOTICE: Duration = Duration::from_millis(200);

/// How much longer than that, and than its limit, its end may take once it has begun: the kernel has to free what it held.
const EXIT: Duration = Duration::from_millis(700);

impl BotProcess {
    /// How a bot ended, or that it only closed its output. With a `deadline` the launcher leaves it the time for its end.
    pub(super) fn how_it_ended(
        &mut self,
        deadline: Option<Instant>,
        stderr: &mut Captured,
    ) -> Result<NoReply, ExchangeError> {
        let notice = Instant::now() + EXIT_NOTICE;
        let mut until = deadline.map_or(notice, |deadline| deadline.min(notice));
        let patience = deadline.map_or(notice, |deadline| deadline.max(notice)) + EXIT;
        loop {
            if let Some(exit) = self.keeper.bot_exit() {
                return Ok(NoReply::Ended(exit));
            }
            if Instant::now() >= until {
                if !self.is_ending() {
                    return Ok(NoReply::StdoutClosed);
                }
                if until == patience {
                    // Or it has ended, and a tracer hides how.
                    return Ok(NoReply::Ended(BotExit::Unknown));
                }
                until = patience;
                self.keeper.deadline.extend(deadline.and(Some(until)));
            }
            let ready = self.wait(Some(until))?;
            if ready.cancelled {
                return Err(ExchangeError::Cancelled(mem::take(&mut stderr.bytes)));
            }
            if ready.ended && self.keeper.bot_exit().is_none() {
                // The keeper was killed, and with it the bot.
                return if self.keeper.has_lost_launcher() {
                    Err(ExchangeError::LauncherKilled)
                } else {
                    Ok(NoReply::Ended(BotExit::Unknown))
                };
            }
            if ready.stdin {
                self.stdin.flush()?;
            }
            if ready.stderr {
                self.read_some_stderr(stderr)?;
            }
        }
    }

    /// Whether the bot has ended, or is about to.
    fn is_ending(&self) -> bool {
        let bot = Sample::below(self.keeper.pid).bot();
        bot.is_none_or(is_ending)
    }
}
