//! The end of a bot: noticed, awaited for a while, and then enforced, always in a bounded time.
//!
//! EOF comes before the end of a process can be seen: the kernel closes its files, and frees what they and it held, and
//! only then reports how it has ended. That may take longer than the turn.

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::drive::pipes::{Captured, DRAIN_CHUNKS, Source};
use crate::drive::process::{BotProcess, ExchangeError};
use crate::observe;
use crate::scratch::Scratch;
use crate::spawn::running::Leftovers;
use crate::sys::{self, is_ending, is_ready_within};
use terms::bounds::LATE_OUTPUT;
use terms::verdict::{BotExit, NoReply, SIGKILL};

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
        self.alarm.as_deref().is_some_and(|alarm| is_ready_within(sys::waitable_file(alarm), limit))
    }

    /// Whether the bot has ended, or is about to.
    fn is_ending(&self) -> bool {
        let bot = observe::below(self.root).bot();
        bot.is_none_or(is_ending)
    }
}

/// How a bot's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotEnd {
    /// Its exit, by itself or by the kill; `None` if it may still run.
    pub exit: Option<BotExit>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// Its standard output beyond the awaited replies.
    pub late_output: Captured,
    /// How many bytes of that it had written before the referee closed its input.
    pub surplus: usize,
    /// Its standard error after the last exchange.
    pub stderr: Captured,
    /// Its remaining processes.
    pub left: Leftovers,
    /// The limit on open files, if one of its processes has reached it.
    pub reached_open_files: Option<u64>,
}

impl BotProcess {
    /// Closes the bot's input, gives it `grace` to exit, then kills and reaps all its processes.
    ///
    /// If a system call fails, the bot is still killed; the log names what was lost.
    pub fn finish(mut self, grace: Duration) -> BotEnd {
        self.running.set_deadline(Instant::now().checked_add(grace));
        self.running.announce_end();
        // The peer gets nothing of what comes now.
        self.link = None;
        self.resume();
        let reached_open_files = self.guard.reached_open_files();
        let mut ending = BotEnd { reached_open_files, ..BotEnd::default() };
        self.take_surplus(&mut ending);
        // Once the bot has exited, its children are no longer below it.
        let known = self.below();
        self.pipes.stdin.close();
        let grace = if self.guard.is_breached() { Duration::ZERO } else { grace };
        let exited = self.await_exit(grace, &mut ending).unwrap_or_else(|error| {
            log::error!("cannot watch the bot end: {error}");
            false
        });
        ending.left = self.end_all(known);
        if self.guard.clear_group() == Some(true) {
            // Processes out of the keeper's reach have been killed too.
            ending.left = Leftovers::default();
        }
        let exit = self.running.exit();
        ending.killed = !exited;
        ending.exit = exit.or(matches!(ending.left, Leftovers::Survivors(..)).then_some(KILLED));
        // A process that lives on could hold up the referee for ever.
        if ending.left == Leftovers::default()
            && let Err(error) = self.drain_into(&mut ending)
        {
            log::error!("cannot read what the bot has left: {error}");
        }
        log::debug!("process {}: {ending:?}", self.root.pid());
        if let Some(scratch) = self.scratch.take() {
            Scratch::remove_later(scratch);
        }
        ending
    }

    /// Takes what the bot has written so far, which cannot be its reaction to the end of its input.
    fn take_surplus(&mut self, ending: &mut BotEnd) {
        let held = self.pipes.lines.take(usize::MAX);
        let mut take = |chunk: &[u8]| {
            ending.late_output.push(chunk, LATE_OUTPUT);
            ending.surplus += chunk.len();
        };
        take(held.as_bytes());
        if let Err(error) = self.pipes.stdout.drain(DRAIN_CHUNKS, &mut self.pipes.chunk, take) {
            log::error!("cannot read what the bot has written: {error}");
        }
    }

    /// Whether the bot ends by itself within `grace`.
    fn await_exit(&mut self, grace: Duration, ending: &mut BotEnd) -> io::Result<bool> {
        let until = Instant::now() + grace;
        if self.running.exit().is_some() {
            return Ok(true);
        }
        loop {
            let ready = self.wait(Some(until))?;
            self.drain_into(ending)?;
            let has_ended = ready.has(Source::End);
            if has_ended || ready.has(Source::Canceller) || Instant::now() >= until {
                return Ok(has_ended);
            }
        }
    }

    fn drain_into(&mut self, ending: &mut BotEnd) -> io::Result<()> {
        let keep = |chunk: &[u8]| ending.late_output.push(chunk, LATE_OUTPUT);
        self.pipes.stdout.drain(DRAIN_CHUNKS, &mut self.pipes.chunk, keep)?;
        self.read_stderr(&mut ending.stderr)
    }
}

/// The exit of a bot that had to be killed.
const KILLED: BotExit = BotExit::Signal(SIGKILL);

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use crate::bot::{BotCommand, Confinement, ContainmentMethod, Host, Sandbox, await_removals};
    use crate::scratch::drop_later;
    use terms::limits::Resources;

    use super::*;

    /// Takes as long to drop as somebody wants.
    struct Slow(Receiver<()>);

    impl Drop for Slow {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }

    #[test]
    fn no_game_waits_for_the_removal_of_a_scratch_folder() {
        // The last host waits for all that is to be removed.
        let _host = Host::hold();
        let sandbox = Sandbox::new(&[]).ok();
        let (method, resources) = (ContainmentMethod::Seccomp, Resources::default());
        let confinement = Confinement { method, resources, sandbox };
        let command = BotCommand::new("true", [] as [&str; 0], confinement);
        let Ok(bot) = BotProcess::spawn(&command, 0, None) else {
            assert!(std::env::var_os("CI").is_none(), "this host has Landlock");
            return;
        };
        let folder = bot.scratch.as_ref().expect("it has a sandbox").path().to_owned();
        let (let_go, slow) = channel();
        drop_later(Slow(slow));
        bot.finish(Duration::ZERO);
        assert!(folder.exists(), "it is removed in the background");
        drop::<Sender<()>>(let_go);
        await_removals();
        assert!(!folder.exists());
    }
}
