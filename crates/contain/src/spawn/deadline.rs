//! The deadline that the launcher holds: until when the referee may stall next to its bot.
//!
//! A process that reads a bot's pipes, or its files in /proc, can be held up by it in the kernel for as long as it likes,
//! where not even SIGKILL helps. The bot's death does. So the referee notes a deadline before it touches anything of the
//! bot's, in memory that it shares with the launcher alone. The launcher, which touches nothing of a bot's, reads it now
//! and then, and ends the bot when it has passed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::thread::gettid;

use crate::decide::tuning::TUNING;
use crate::sys::raw::SharedNumbers;

/// Instead of a deadline: nobody's.
const FREE: u64 = 0;

/// Instead of a deadline: the referee has nothing to do with the bot.
const NONE: u64 = 1;

/// Instead of a deadline: the launcher has ended the bot.
const ENDED: u64 = u64::MAX;

/// The low bits of a deadline are the referee's thread; thread numbers are below 2^22. The others are milliseconds.
const THREAD_BITS: u32 = 22;

/// The deadlines of all bots of a launcher, in milliseconds since `epoch`, each with the thread that set it.
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

    /// This deadline, if it has passed.
    pub(crate) fn passed(&self, place: usize) -> Option<Passed> {
        let number = self.numbers.at(place).load(Ordering::Relaxed);
        let until = Duration::from_millis(number >> THREAD_BITS) + TUNING.launcher.deadline_margin;
        let is_set = ![FREE, NONE, ENDED].contains(&number);
        (is_set && self.epoch.elapsed() >= until).then_some(Passed(number))
    }

    /// Notes that the launcher ends the bot. Returns false if the referee has changed the deadline in the meantime.
    pub(crate) fn end(&self, place: usize, Passed(number): Passed) -> bool {
        let ended = self.numbers.at(place);
        ended.compare_exchange(number, ENDED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn number_of(&self, until: Option<Instant>) -> u64 {
        let since = until.map(|until| until.saturating_duration_since(self.epoch).as_millis());
        // A time that is too far away is as good as none.
        let longest = u128::from(ENDED >> THREAD_BITS);
        let since = since.filter(|since| *since < longest);
        let since = since.and_then(|since| u64::try_from(since).ok());
        let thread = u64::from(gettid().as_raw_nonzero().get().unsigned_abs());
        since.map_or(NONE, |since| since << THREAD_BITS | thread)
    }
}

/// A deadline that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passed(pub(super) u64);

impl Passed {
    /// The referee's thread.
    pub(crate) fn thread(self) -> u64 {
        self.0 & ((1 << THREAD_BITS) - 1)
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
        let number = self.all.number_of(until);
        self.update(|_| number);
    }

    /// As [`set`](Self::set), if that is later.
    pub(crate) fn extend(&self, until: Option<Instant>) {
        let number = self.all.number_of(until);
        self.update(|now| now.max(number));
    }

    /// Changes it, unless the launcher has ended the bot.
    fn update(&self, change: impl Fn(u64) -> u64) {
        let changed = |now| (now != ENDED).then(|| change(now));
        // Fails only on a bot that has ended.
        let _ = self.number().fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
    }

    /// Whether the launcher has ended the bot.
    pub(crate) fn has_ended_bot(&self) -> bool {
        self.number().load(Ordering::SeqCst) == ENDED
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

    impl HeldDeadline {
        fn passed(&self) -> Option<Passed> {
            self.all.passed(self.place)
        }
    }

    #[test]
    fn a_deadline_passes_after_its_margin_and_not_once_it_is_over() {
        let held = held();
        assert_eq!(held.passed(), None, "there is none");
        held.set(Instant::now().checked_add(TUNING.launcher.deadline_margin));
        assert_eq!(held.passed(), None);
        held.set(ago(TUNING.launcher.deadline_margin * 2));
        let passed = held.passed().expect("it has passed");
        let thread = gettid().as_raw_nonzero().get().unsigned_abs();
        assert_eq!(passed.thread(), u64::from(thread));
        held.extend(None);
        held.extend(ago(TUNING.launcher.deadline_margin * 3));
        assert_eq!(held.passed(), Some(passed), "an earlier one changes nothing");
        held.extend(ago(Duration::ZERO));
        assert_eq!(held.passed(), None);
        held.set(ago(TUNING.launcher.deadline_margin * 2));
        held.set(None);
        assert_eq!(held.passed(), None);
    }

    #[test]
    fn no_bot_is_ended_whose_deadline_the_referee_has_changed() {
        for (is_in_time, change) in [
            (false, None::<fn(&HeldDeadline)>),
            (true, Some(|held| held.set(None))),
            (true, Some(|held| held.extend(ago(Duration::ZERO)))),
        ] {
            let held = held();
            held.set(ago(TUNING.launcher.deadline_margin * 2));
            let passed = held.passed().expect("it has passed");
            if let Some(change) = change {
                change(&held);
            }
            assert_eq!(held.all.end(held.place, passed), !is_in_time);
            held.extend(ago(Duration::ZERO));
            held.set(None);
            assert_eq!(held.has_ended_bot(), !is_in_time, "no later deadline hides the end");
            assert_eq!(held.passed(), None);
        }
    }

    #[test]
    fn each_bot_has_a_deadline_of_its_own() {
        let first = held();
        let next = || HeldDeadline::take(Arc::clone(&first.all)).expect("a place");
        let second = next();
        second.set(ago(TUNING.launcher.deadline_margin * 2));
        assert!(second.passed().is_some() && first.passed().is_none());
        let place = second.place();
        drop(second);
        let third = next();
        assert_eq!(third.place(), place);
        assert_eq!(third.passed(), None, "that was another bot's");
    }
}
