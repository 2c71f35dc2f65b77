//! Ends a program whose referee does not come back to it.
//!
//! A thread that reads a program's pipes, or its files in /proc, can be held up by it in the kernel for as long as it likes,
//! where not even SIGKILL helps. The program's death does. So one thread of the referee, which touches nothing of a program's,
//! kills the keeper of each whose exchange is a second beyond its deadline.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, pidfd_send_signal};

use crate::decide::tuning::TUNING;
use crate::sys::is_ready_within;

/// A program that is watched until this is dropped.
#[derive(Debug)]
pub(crate) struct Watched {
    keeper: Arc<OwnedFd>,
    /// The process group to kill with the keeper, or 0.
    group: AtomicI32,
    /// In milliseconds of the watchdog's clock; 0 is never.
    deadline: AtomicU64,
    was_killed: AtomicBool,
}

/// What is watched, and whether there is a thread that does.
static ALL: Mutex<(Vec<Weak<Watched>>, bool)> = Mutex::new((Vec::new(), false));

impl Watched {
    /// Watches a program beneath this keeper, which has no deadline yet.
    pub(crate) fn new(keeper: Arc<OwnedFd>) -> Arc<Self> {
        let (group, deadline, was_killed) = Default::default();
        let watched = Arc::new(Self { keeper, group, deadline, was_killed });
        let (all, is_watching) = &mut *ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::downgrade(&watched));
        if !*is_watching {
            let thread = thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
            // A referee that gets no thread now is watched from the next start on.
            *is_watching = thread.is_ok();
        }
        watched
    }

    /// Has this process group killed too: its processes do not end with the keeper.
    pub(crate) fn with_group(&self, group: Pid) {
        self.group.store(group.as_raw_pid(), Ordering::Relaxed);
    }

    /// Sets the deadline; `None` is never.
    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        self.deadline.store(deadline.map_or(0, since_epoch), Ordering::Relaxed);
    }

    /// Whether it was killed for its deadline.
    pub(crate) fn was_killed(&self) -> bool {
        self.was_killed.load(Ordering::Relaxed)
    }

    fn is_overdue(&self, now: u64) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline > 0 && now.saturating_sub(deadline) >= millis(TUNING.watchdog.patience)
    }

    fn kill(&self) {
        // A group may have the number of one whose keeper has ended.
        if is_ready_within(self.keeper.as_fd(), Duration::ZERO) {
            return;
        }
        self.was_killed.store(true, Ordering::Relaxed);
        if let Some(group) = Pid::from_raw(self.group.load(Ordering::Relaxed)) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = pidfd_send_signal(self.keeper.as_fd(), Signal::KILL);
    }
}

/// Checks all deadlines again and again, until there is nothing to watch. After a pause of the whole referee, as by Ctrl-Z or a
/// sleeping laptop, the other threads get their time again.
fn watch() {
    let interval = TUNING.watchdog.interval;
    let mut last = Instant::now();
    let mut not_before = last;
    loop {
        thread::sleep(interval);
        let now = Instant::now();
        if now - last >= 2 * interval {
            not_before = now + TUNING.watchdog.patience;
        }
        last = now;
        let watched: Vec<Arc<Watched>> = {
            let (all, is_watching) = &mut *ALL.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|watched| watched.strong_count() > 0);
            if all.is_empty() {
                *is_watching = false;
                return;
            }
            all.iter().filter_map(Weak::upgrade).collect()
        };
        if now >= not_before {
            let now = since_epoch(now);
            watched.iter().filter(|watched| watched.is_overdue(now)).for_each(|it| it.kill());
        }
    }
}

/// Milliseconds of the watchdog's clock, which begins at 1.
fn since_epoch(moment: Instant) -> u64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    let epoch = EPOCH.get_or_init(Instant::now);
    1 + millis(moment.saturating_duration_since(*epoch))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_overdue_a_second_after_its_deadline() {
        let pidfd = rustix::process::pidfd_open(
            rustix::process::getpid(),
            rustix::process::PidfdFlags::empty(),
        );
        let watched = Watched::new(Arc::new(pidfd.expect("this process")));
        let now = Instant::now();
        let after = |millis| since_epoch(now + Duration::from_millis(millis));
        assert!(!watched.is_overdue(after(1_000_000)), "it has no deadline");
        watched.set_deadline(Some(now + Duration::from_mins(1)));
        assert!(!watched.is_overdue(after(60_900)));
        assert!(watched.is_overdue(after(61_100)));
        watched.set_deadline(None);
        assert!(!watched.is_overdue(after(61_100)));
    }
}
