//! The keeper that has tried whether this host grants a namespace: it waits for the first bot, since another keeper would
//! take a large share of a short game's time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Keeper, Launch, LaunchError, Started, Step, open_ends, order};

/// A keeper without a bot, and when it started.
static SPARE: Mutex<Option<(Keeper, Instant)>> = Mutex::new(None);

/// How long it may wait: it does not see what the host has mounted since its start.
const FRESH: Duration = Duration::from_secs(10);

/// Keeps a trial's keeper for the next bot.
pub(super) fn put(keeper: Keeper) {
    let spare = (keeper, Instant::now());
    // Dropped without the lock: it waits for the end of the one before.
    let _before = SPARE.lock().unwrap_or_else(PoisonError::into_inner).replace(spare);
}

/// Ends the waiting keeper.
pub(in crate::bot) fn end_spare() {
    let _spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// The waiting keeper, if it can keep this bot; otherwise it ends.
pub(super) fn take(launch: &Launch) -> Option<Keeper> {
    let (keeper, start) = SPARE.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    let fits = launch.method.is_namespace() && launch.tree.is_none() && launch.cgroup.is_none();
    let is_ready = start.elapsed() < FRESH && !keeper.has_lost_launcher();
    (fits && is_ready).then_some(keeper)
}

impl Keeper {
    /// Has a trial's keeper start a bot; `None` if it was killed. The launcher still holds the trial's deadline.
    pub(super) fn start(mut self, launch: &Launch) -> Result<Option<Started>, LaunchError> {
        let (own, theirs) = open_ends().map_err(|error| Step::Pipes.failed(error))?;
        let is_sent = order::send(&self.channel, launch, self.deadline.place(), &theirs).is_ok();
        drop(theirs);
        self.channel = own.channel;
        let has_started = is_sent && self.await_start()?;
        let (stdin, stdout, stderr) = (own.stdin, own.stdout, own.stderr);
        Ok(has_started.then_some(Started { keeper: self, stdin, stdout, stderr }))
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, Signal, pidfd_send_signal};

    use super::super::{launch, try_namespace};
    use super::*;
    use crate::bot::Host;
    use crate::bot::launch::Strings;
    use crate::bot::method::ContainmentMethod;

    /// The keeper that waits, after `act` on it.
    fn waiting(act: impl Fn(&Keeper)) -> Pid {
        try_namespace().expect("this host grants namespaces");
        let spare = SPARE.lock().expect("no panic");
        let (keeper, _) = spare.as_ref().expect("it waits");
        act(keeper);
        keeper.pid
    }

    #[test]
    fn the_keeper_of_a_trial_keeps_the_first_bot_if_it_lives() {
        let bot = || Launch {
            argv: Strings::new(&[c"sh".into(), c"-c".into(), c"exit 3".into()]),
            ..Launch::new(c"/bin/sh".into(), ContainmentMethod::Namespace)
        };
        // Without a host, nothing waits.
        let _host = Host::hold();
        if let Err(error) = try_namespace() {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            return;
        }
        let pid = waiting(|_| ());
        let first = launch(&bot()).expect("starts").keeper.pid;
        let second = launch(&bot()).expect("starts").keeper.pid;
        assert!(first == pid && second != pid, "{first} {second} {pid}");
        let killed = waiting(|keeper| {
            pidfd_send_signal(&keeper.pidfd, Signal::KILL).expect("it is there");
            poll(&mut [PollFd::new(&keeper.pidfd, PollFlags::IN)], None).expect("it ends");
        });
        assert_ne!(launch(&bot()).expect("another one starts it").keeper.pid, killed);
    }
}
