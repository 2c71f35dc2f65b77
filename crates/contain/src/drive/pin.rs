//! Pins a bot to its own cores.

use std::io;
use std::path::Path;
use std::slice;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

use crate::confine::pinning::Pinning;
use crate::decide::tuning::TUNING;
use crate::sys::cores;

/// The core of a thread while it referees a pinned bot; then it may use the same cores as before.
///
/// A core switches between processes faster than a second core wakes up, and referee and bot take turns.
/// So the thread shares the core of a bot that has only one, while each answer comes within a prompt time. It awaits
/// slower answers on its own core, so that a bot that thinks, or fills its core with hogs, disturbs nobody.
#[derive(Debug)]
pub(crate) struct RefereeCore {
    pinning: Pinning,
    /// The thread that was moved last.
    thread: ThreadId,
    /// Its number for the kernel, and the cores that it had before.
    moved: (Pid, CpuSet),
    is_shared: bool,
    /// Whether the bot's peer was last sent to the bot's core, if anywhere.
    peer_shares: Option<bool>,
    /// The time until which an answer is prompt, in this exchange.
    prompt: Instant,
    /// Whether the first exchange is over, which includes the bot's start and predicts nothing of the others.
    has_begun: bool,
    /// Whether an answer was not prompt.
    has_thought: bool,
}

impl RefereeCore {
    /// Moves this thread to the bot's cores, so that the bot starts there.
    pub(crate) fn join_bot(pinning: &Pinning) -> io::Result<Self> {
        let moved = (gettid(), sched_getaffinity(None)?);
        cores::move_to(None, &pinning.bot)?;
        Ok(Self {
            pinning: pinning.clone(),
            thread: thread::current().id(),
            moved,
            is_shared: true,
            peer_shares: None,
            prompt: Instant::now(),
            has_begun: false,
            has_thought: pinning.bot.len() > 1,
        })
    }

    /// Begins an exchange of at most `limit`.
    pub(crate) fn begin(&mut self, limit: Option<Duration>) {
        self.follow();
        let prompt = if self.has_begun { TUNING.cores.prompt } else { TUNING.cores.prompt_start };
        let has_room = limit.is_none_or(|limit| limit >= prompt + TUNING.cores.margin);
        self.share(has_room && !self.has_thought);
        self.prompt = Instant::now() + prompt;
    }

    /// Notes that the referee has woken. No timer is set for this: a timer that a hypervisor has to arm costs more than
    /// the rest of a turn.
    pub(crate) fn woke(&mut self, now: Instant) {
        if self.is_shared && now >= self.prompt {
            self.has_thought = self.has_begun;
            self.share(false);
        }
    }

    /// Ends the exchange.
    pub(crate) fn end(&mut self) {
        self.has_begun = true;
    }

    fn share(&mut self, is_shared: bool) {
        if self.is_shared != is_shared {
            self.is_shared = is_shared;
            self.move_thread();
        }
    }

    /// Where this thread is, if the bot's peer is to come there as well: it takes turns with both.
    pub(crate) fn place_of_peer(&mut self) -> Option<&[usize]> {
        let has_moved = self.peer_shares.replace(self.is_shared) != Some(self.is_shared);
        has_moved.then(|| self.cores())
    }

    fn cores(&self) -> &[usize] {
        let Pinning { bot, referee } = &self.pinning;
        if self.is_shared { bot } else { slice::from_ref(referee) }
    }

    fn move_thread(&self) {
        // If this process has lost the core meanwhile, the system decides where it runs.
        let _ = cores::move_to(None, self.cores());
    }

    /// Lets the last thread go if another one has taken over.
    fn follow(&mut self) {
        let thread = thread::current().id();
        if thread != self.thread
            && let Ok(before) = sched_getaffinity(None)
        {
            self.let_go();
            self.thread = thread;
            self.moved = (gettid(), before);
            self.move_thread();
        }
    }

    /// Gives the thread its cores back, if it still lives.
    fn let_go(&self) {
        let (thread, before) = &self.moved;
        if Path::new("/proc/self/task").join(thread.to_string()).exists() {
            let _ = sched_setaffinity(Some(*thread), before);
        }
    }
}

impl Drop for RefereeCore {
    fn drop(&mut self) {
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores that this thread may use.
    fn mine() -> Vec<usize> {
        cores::usable().expect("known")
    }

    /// Plays an exchange that the bot answers before the referee wakes, or after that.
    fn exchange(core: &mut RefereeCore, is_prompt: bool) {
        core.begin(Some(TUNING.cores.prompt_start + TUNING.cores.margin));
        let now = Instant::now();
        core.woke(if is_prompt { now } else { now + 2 * TUNING.cores.prompt_start });
        core.end();
    }

    #[test]
    fn the_core_of_a_bot_is_shared_until_it_thinks() {
        let all = mine();
        let [referee, bot, ..] = all[..] else { return };
        let mut core =
            RefereeCore::join_bot(&Pinning { bot: vec![bot], referee }).expect("allowed");
        assert_eq!(mine(), [bot]);
        assert_eq!(core.place_of_peer(), Some(&[bot][..]), "a peer shares it, too");
        assert_eq!(core.place_of_peer(), None, "and is there already");
        exchange(&mut core, false);
        assert_eq!(mine(), [referee], "its start took a while");
        assert_eq!(core.place_of_peer(), Some(&[referee][..]));
        for _ in 0..3 {
            exchange(&mut core, true);
            assert_eq!(mine(), [bot]);
        }
        core.begin(Some(TUNING.cores.margin));
        assert_eq!(mine(), [referee], "its time is too short");
        core.begin(None);
        assert_eq!(mine(), [bot]);
        exchange(&mut core, false);
        assert_eq!(mine(), [referee]);
        exchange(&mut core, true);
        assert_eq!(mine(), [referee], "it may think again");
    }

    #[test]
    fn the_cores_of_a_bot_that_has_several_are_its_own() {
        let all = mine();
        let [referee, bot, ..] = all[..] else { return };
        let pinning = Pinning { bot: vec![bot, referee], referee };
        let mut core = RefereeCore::join_bot(&pinning).expect("allowed");
        exchange(&mut core, true);
        assert_eq!(mine(), [referee]);
    }

    #[test]
    fn a_thread_that_no_longer_referees_has_its_cores_back() {
        let all = mine();
        let [referee, bot, ..] = all[..] else { return };
        let pinning = Pinning { bot: vec![bot], referee };
        let mut core = RefereeCore::join_bot(&pinning).expect("allowed");
        let core = thread::spawn(move || {
            exchange(&mut core, true);
            assert_eq!(mine(), [bot]);
            core
        });
        let core = core.join().expect("ends");
        assert_eq!(mine(), all, "another thread has taken over");
        // That thread has ended, and its number may be anybody's.
        drop(core);
        assert_eq!(mine(), all);
        drop(RefereeCore::join_bot(&pinning).expect("allowed"));
        assert_eq!(mine(), all);
    }
}
