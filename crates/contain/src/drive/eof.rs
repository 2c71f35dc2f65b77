//! Tells a bot that has ended from one that has only closed its standard output.
//!
//! EOF comes before the end of a process can be seen: the kernel closes its files, and frees what they and it held, and
//! only then reports how it has ended. That may take longer than the turn.

use std::mem;
use std::time::{Duration, Instant};

use super::pipes::Captured;
use super::poll::Source;
use super::process::{BotProcess, ExchangeError};
use crate::decide::tuning::TUNING;
use crate::observe::walk;
use crate::sys::proc::is_ending;
use crate::sys::ready::is_ready_within;
use crate::sys::wait;
use terms::verdict::{BotExit, NoReply};

impl BotProcess {
    /// How a bot ended, or that it only closed its output. With a `deadline` the watchdog leaves it the time for its end.
    pub(crate) fn how_it_ended(
        &mut self,
        deadline: Option<Instant>,
        stderr: &mut Captured,
    ) -> Result<NoReply, ExchangeError> {
        let notice = Instant::now() + TUNING.ending.exit_notice;
        let mut until = deadline.map_or(notice, |deadline| deadline.min(notice));
        let patience =
            deadline.map_or(notice, |deadline| deadline.max(notice)) + TUNING.ending.exit;
        loop {
            if let Some(exit) = self.running.exit() {
                if exit.is_by_console() && self.is_cancelled_within(TUNING.ending.exit_notice) {
                    return Err(ExchangeError::Cancelled(mem::take(&mut stderr.bytes)));
                }
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
                self.running.set_deadline(deadline.and(Some(until)));
            }
            let ready = self.wait(Some(until))?;
            if ready.has(Source::Canceller) {
                return Err(ExchangeError::Cancelled(mem::take(&mut stderr.bytes)));
            }
            if ready.has(Source::End) && self.running.exit().is_none() {
                // The keeper was killed, and with it the bot.
                return if self.running.has_lost_launcher() {
                    Err(ExchangeError::LauncherKilled)
                } else {
                    Ok(NoReply::Ended(BotExit::Unknown))
                };
            }
            if ready.has(Source::Stdin) {
                self.pipes.stdin.flush()?;
            }
            if ready.has(Source::Stderr) {
                self.read_some_stderr(stderr)?;
            }
        }
    }

    /// Whether the referee is told to end too: its console tells that to all of its processes, one after the other.
    fn is_cancelled_within(&self, limit: Duration) -> bool {
        self.alarm.as_deref().is_some_and(|alarm| is_ready_within(wait::of_file(alarm), limit))
    }

    /// Whether the bot has ended, or is about to.
    fn is_ending(&self) -> bool {
        let bot = walk::below(self.root).bot();
        bot.is_none_or(is_ending)
    }
}
