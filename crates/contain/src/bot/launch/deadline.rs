//! The deadline that the launcher holds: until when the referee may stand still beside its bot.
//!
//! Whoever reads a bot's pipes, or its files in /proc, can be held up by it in the kernel for as long as it likes,
//! where not even SIGKILL helps. The bot's death does. So the referee sets a timer before it touches anything of the
//! bot's, and the launcher, which shares the timer and touches nothing, ends the bot when it expires.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

/// How long after the deadline the timer expires. The launcher then waits a moment longer, together less than half a
/// second.
const MARGIN: Duration = Duration::from_millis(300);

/// The referee's part of the deadline.
#[derive(Debug)]
pub(in crate::bot) struct HeldDeadline {
    pub(super) timer: OwnedFd,
    /// When the referee must have shown up, as far as the timer is set.
    until: Option<Instant>,
}

impl HeldDeadline {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Self { timer: timerfd_create(TimerfdClockId::Monotonic, flags)?, until: None })
    }

    /// Has the bot ended soon after `until`; `None` is never.
    pub(in crate::bot) fn set(&mut self, until: Option<Instant>) {
        if self.until != until {
            self.until = until;
            let left = until.map(|until| until.saturating_duration_since(Instant::now()) + MARGIN);
            // A duration too long for the kernel is as good as none.
            let left = left.and_then(|left| Timespec::try_from(left).ok()).unwrap_or_default();
            let once = Itimerspec { it_interval: Timespec::default(), it_value: left };
            // Fails only for a time that is out of range.
            let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
        }
    }

    /// As [`set`](Self::set), if that is later than before by a good part of the margin.
    pub(in crate::bot) fn extend(&mut self, until: Option<Instant>) {
        if until > self.until.map(|held| held + MARGIN / 2) {
            self.set(until.map(|until| until + MARGIN / 2));
        }
    }

    /// Whether it has passed, so that the launcher ends the bot or has done so.
    pub(in crate::bot) fn has_passed(&self) -> bool {
        has_expired(&self.timer)
    }
}

/// Whether a timer has expired since it was set.
pub(super) fn has_expired(timer: impl AsFd) -> bool {
    let mut timer = [PollFd::new(&timer, PollFlags::IN)];
    poll(&mut timer, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}
