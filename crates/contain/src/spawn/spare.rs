//! Keepers that wait for their bots, since to fork one and make its namespaces takes a large share of a short game's time:
//! the one that has tried whether this host grants a namespace, and in a program that starts many bots, one that is forked
//! while the bot before it starts.
//!
//! Each keeps one bot, as any other keeper.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::handle::{Kept, Ordered, order};
use super::order::send;
use super::plan::Launch;
use super::report::LaunchError;
use crate::confine::method::ContainmentMethod;
use crate::decide::tuning::TUNING;

/// A keeper that waits.
#[derive(Debug)]
pub(crate) struct Spare {
    keeper: Waiting,
    since: Instant,
}

#[derive(Debug)]
enum Waiting {
    /// The launcher was asked for it.
    Ordered(Ordered),
    Ready(Kept),
}

/// All that wait, from the oldest on.
static SPARES: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

/// The number of bots that were started while there was a [`Host`](crate::spawn::host::Host).
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A program that starts more bots than this is likely to start another one; a single game has a bot and perhaps a judge.
const FEW: u32 = 2;

fn push(keeper: Waiting) {
    let spare = Spare { keeper, since: Instant::now() };
    SPARES.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
}

/// Keeps a trial's keeper for the next bot.
pub(crate) fn put(trial: Kept) {
    push(Waiting::Ready(trial));
}

/// Has the launcher fork a keeper for the bot after this one, without waiting for it.
pub(crate) fn prepare(launch: &Launch) {
    if can_keep(launch)
        && STARTED.fetch_add(1, Ordering::Relaxed) >= FEW
        && let Ok(Some(ordered)) = order(&Launch::trial(ContainmentMethod::Namespace))
    {
        push(Waiting::Ordered(ordered));
    }
}

/// Ends the waiting keepers, and starts to count anew.
pub(crate) fn end_spares() {
    STARTED.store(0, Ordering::Relaxed);
    let all = std::mem::take(&mut *SPARES.lock().unwrap_or_else(PoisonError::into_inner));
    for spare in all {
        // Dropping a keeper waits for its end.
        drop(spare.ready());
    }
}

/// Whether a waiting keeper can keep this bot.
fn can_keep(launch: &Launch) -> bool {
    launch.method.is_namespace() && launch.tree.is_none() && launch.cgroup.is_none()
}

/// A waiting keeper, if it can keep this bot. Those that have waited for too long end.
pub(crate) fn take(launch: &Launch) -> Option<Spare> {
    while can_keep(launch) {
        let mut all = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = if all.is_empty() { None } else { Some(all.remove(0)) };
        drop(all);
        let spare = spare?;
        if spare.since.elapsed() < TUNING.launcher.spare && !spare.has_lost_launcher() {
            return Some(spare);
        }
        drop(spare.ready());
    }
    None
}

impl Spare {
    fn has_lost_launcher(&self) -> bool {
        match &self.keeper {
            Waiting::Ordered(ordered) => ordered.launcher.has_ended(),
            Waiting::Ready(started) => started.keeper.has_lost_launcher(),
        }
    }

    /// The keeper once it waits; `None` if it could not start, or was killed.
    fn ready(self) -> Option<Kept> {
        match self.keeper {
            Waiting::Ready(started) => Some(started),
            Waiting::Ordered(ordered) => {
                let mut started = ordered.forked().ok()??;
                let is_ready = started.keeper.await_start().ok()?;
                is_ready.then_some(started)
            }
        }
    }

    /// Has it start a bot; `None` if it was killed. The launcher still holds the deadline with which it was forked.
    pub(crate) fn start(self, launch: &Launch) -> Result<Option<Kept>, LaunchError> {
        let Some(mut started) = self.ready() else { return Ok(None) };
        let keeper = &mut started.keeper;
        let is_sent = send(&keeper.channel, launch, keeper.deadline.place(), None).is_ok();
        if is_sent {
            // Later it would keep the bot, or whoever talks to it, from a core.
            prepare(launch);
        }
        let has_started = is_sent && keeper.await_start()?;
        Ok(has_started.then_some(started))
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, Signal, pidfd_send_signal};

    use super::*;
    use crate::spawn::handle::Keeper;
    use crate::spawn::host::Host;
    use crate::spawn::launch::{launch, try_namespace};
    use crate::sys::raw::Strings;

    fn bot() -> Launch {
        Launch {
            argv: Strings::new(&[c"sh".into(), c"-c".into(), c"exit 3".into()]),
            ..Launch::new(c"/bin/sh".into(), ContainmentMethod::Namespace)
        }
    }

    /// Starts a bot; returns the number of its keeper.
    fn keeper() -> Pid {
        launch(&bot()).expect("starts").keeper.pid
    }

    /// The keeper that waits, after `act` on it.
    fn waiting(act: impl Fn(&Keeper)) -> Pid {
        let spare = take(&bot()).and_then(Spare::ready).expect("it waits");
        act(&spare.keeper);
        let pid = spare.keeper.pid;
        put(spare);
        pid
    }

    #[test]
    fn a_keeper_that_waits_keeps_the_next_bot_if_it_lives() {
        // Without a host, nothing waits.
        let _host = Host::hold();
        if let Err(error) = try_namespace() {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            return;
        }
        let of_trial = waiting(|_| ());
        assert_eq!([(); 2].map(|()| keeper() == of_trial), [true, false]);
        assert!(take(&bot()).is_none(), "a single game needs no other");
        keeper();
        let mut before = of_trial;
        for _ in 0..3 {
            let next = waiting(|_| ());
            assert_ne!(next, before);
            assert_eq!(keeper(), next, "each keeps one");
            before = next;
        }
        let killed = waiting(|keeper| {
            pidfd_send_signal(&keeper.pidfd, Signal::KILL).expect("it is there");
            poll(&mut [PollFd::new(&keeper.pidfd, PollFlags::IN)], None).expect("it ends");
        });
        assert_ne!(keeper(), killed, "another one starts it");
        end_spares();
        assert!(take(&bot()).is_none());
    }
}
