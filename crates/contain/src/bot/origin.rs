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

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::exchange::ExchangeError;
use super::launch::{WRITTEN_BEFORE_START, process_cpu};
use super::pipes::Captured;
use super::usage::{Life, Sample, bytes_written};
use terms::verdict::NoReply;

/// The CPU time in which a process that runs may end. One that runs on for longer has other work to do.
const SETTLING: Duration = Duration::from_millis(100);

/// How long it may take to get this time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(1);

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
        if self.may_be_of(first) {
            return Ok(None);
        }
        match next_of(first, self.runs_on) {
            Next::End => {}
            Next::Sleep => return Ok(None),
            Next::RunOn => {
                self.runs_on = true;
                return Ok(None);
            }
        }
        // It may have waited for the writer meanwhile.
        if self.may_be_of(first) {
            return Ok(None);
        }
        self.how_it_ended(None, stderr).map(Some)
    }

    /// Whether the first process has certainly written all output: one read tells, and is true of most bots.
    pub(super) fn is_by_first(&self) -> bool {
        let all = self.stdout.total() + self.stderr.total();
        self.sampler.bytes_written().is_some_and(|written| written >= WRITTEN_BEFORE_START + all)
    }

    /// Whether the first process may have written all output up to the end of the reply. Unknown is yes.
    fn may_be_of(&self, first: i32) -> bool {
        let Some(written) = bytes_written(first) else { return true };
        let beyond = self.lines.held().as_bytes().len() as u64;
        let replies = self.stdout.total() - beyond;
        written >= WRITTEN_BEFORE_START + self.stderr.total() + replies
    }
}

/// What a process does next.
enum Next {
    End,
    Sleep,
    /// It neither ends nor sleeps for as long as it is watched.
    RunOn,
}

/// Watches a process until it sleeps or has ended; not if it is known to run on, since the bot's other processes may
/// compute meanwhile.
fn next_of(pid: i32, runs_on: bool) -> Next {
    let start = Instant::now();
    let before = process_cpu(pid);
    loop {
        let has_time = start.elapsed() < PATIENCE;
        match Life::of(pid) {
            Life::Ended => return Next::End,
            Life::Ending if !has_time => return Next::End,
            Life::Ending => {}
            Life::Running => {
                let used = process_cpu(pid).zip(before).map(|(now, was)| now.saturating_sub(was));
                if runs_on || !has_time || used.unwrap_or(start.elapsed()) >= SETTLING {
                    return Next::RunOn;
                }
            }
            Life::Asleep => return Next::Sleep,
        }
        sleep(NAP);
    }
}
