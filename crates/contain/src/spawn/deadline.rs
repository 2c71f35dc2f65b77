//! The deadline that the launcher holds: until when the referee may stand still beside its bot.
//!
//! Whoever reads a bot's pipes, or its files in /proc, can be held up by it in the kernel for as long as it likes,
//! where not even SIGKILL helps. The bot's death does. So the referee notes a deadline before it touches anything of the
//! bot's, in memory that it shares with the launcher alone. The launcher, which touches nothing of a bot's, reads it now
//! and then, and ends the bot when it has passed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::decide::tuning::TUNING;
use crate::sys::raw::SharedNumbers;

/// In place of a deadline: nobody's.
const FREE: u64 = 0;

/// In place of a deadline: the referee has nothing to do with the bot.
const NONE: u64 = 1;

/// The deadlines of all bots of a launcher, in nanoseconds since `epoch`.
#[derive(Debug)]
pub(crate) struct Deadlines {
    epoch: Instant,
    numbers: SharedNumbers,
}

impl Deadlines {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { epoch: Instant::now(), numbers: SharedNumbers::new()? })
    }

    /// Keeps them from the forks that this process makes from now on.
    pub(crate) fn keep_from_forks(&self) -> io::Result<()> {
        self.numbers.keep_from_forks()
    }

    /// Whether this one has passed.
    pub(crate) fn has_passed(&self, place: usize) -> bool {
        let until = self.numbers.at(place).load(Ordering::Relaxed);
        until > NONE
            && self.epoch.elapsed() >= Duration::from_nanos(until) + TUNING.launcher.deadline_margin
    }

    fn number_of(&self, until: Option<Instant>) -> u64 {
        let since = until.map(|until| until.saturating_duration_since(self.epoch).as_nanos());
        // A time that is too far away is as good as none.
        since.and_then(|since| u64::try_from(since).ok()).map_or(NONE, |since| since.max(NONE + 1))
    }
}

/// The referee's part of a bot's deadline.
#[derive(Debug)]
pub(crate) struct HeldDeadline {
    all: Arc<Deadlines>,
    place: usize,
}

impl HeldDeadline {
    /// Takes a place among the launcher's deadlines.
    pub(crate) fn take(all: Arc<Deadlines>) -> io::Result<Self> {
        let is_taken = |place: &usize| {
            let number = all.numbers.at(*place);
            number.compare_exchange(FREE, NONE, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        let place = (0..SharedNumbers::COUNT).find(is_taken).ok_or(Errno::AGAIN)?;
        Ok(Self { all, place })
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    fn number(&self) -> &AtomicU64 {
        self.all.numbers.at(self.place)
    }

    /// Has the bot ended soon after `until`; `None` is never.
    pub(crate) fn set(&self, until: Option<Instant>) {
        self.number().store(self.all.number_of(until), Ordering::Relaxed);
    }

    /// As [`set`](Self::set), if that is later.
    pub(crate) fn extend(&self, until: Option<Instant>) {
        self.number().fetch_max(self.all.number_of(until), Ordering::Relaxed);
    }

    /// Whether it has passed, so that the launcher ends the bot or has done so.
    pub(crate) fn has_passed(&self) -> bool {
        self.all.has_passed(self.place)
    }
}

impl Drop for HeldDeadline {
    fn drop(&mut self) {
        self.number().store(FREE, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ago(time: Duration) -> Option<Instant> {
        Instant::now().checked_sub(time)
    }

    fn held() -> HeldDeadline {
        // Deadlines of before the machine's start cannot be tested.
        let epoch = ago(3 * TUNING.launcher.deadline_margin).expect("the machine runs");
        let all = Deadlines { epoch, ..Deadlines::new().expect("memory") };
        HeldDeadline::take(Arc::new(all)).expect("a place")
    }

    #[test]
    fn a_deadline_passes_after_its_margin_and_not_once_it_is_over() {
        let held = held();
        assert!(!held.has_passed(), "there is none");
        held.set(Instant::now().checked_add(TUNING.launcher.deadline_margin));
        assert!(!held.has_passed());
        held.set(ago(TUNING.launcher.deadline_margin * 2));
        assert!(held.has_passed());
        held.extend(None);
        held.extend(ago(TUNING.launcher.deadline_margin * 3));
        assert!(held.has_passed(), "an earlier one changes nothing");
        held.extend(ago(Duration::ZERO));
        assert!(!held.has_passed());
        held.set(ago(TUNING.launcher.deadline_margin * 2));
        held.set(None);
        assert!(!held.has_passed());
    }

    #[test]
    fn each_bot_has_a_deadline_of_its_own() {
        let first = held();
        let next = || HeldDeadline::take(Arc::clone(&first.all)).expect("a place");
        let second = next();
        second.set(ago(TUNING.launcher.deadline_margin * 2));
        assert!(second.has_passed() && !first.has_passed());
        let place = second.place();
        drop(second);
        let third = next();
        assert_eq!(third.place(), place);
        assert!(!third.has_passed(), "that was another bot's");
    }
}
