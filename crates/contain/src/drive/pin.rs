//! Keeps a thread on the cores of the bot that it talks to.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

use crate::confine::pinning::Pinning;
use crate::sys::cores;

/// A thread on the cores of a bot, which get them from it; dropping the last one of a thread gives it back those that it had
/// before the first.
///
/// Thread and bot take turns, and a core switches between processes faster than a second core wakes up.
#[derive(Debug)]
pub(crate) struct BesideBot {
    thread: Pid,
}

/// The number of bots of each thread that is next to any, and the cores that it had before.
static BEFORE: Mutex<BTreeMap<i32, (usize, CpuSet)>> = Mutex::new(BTreeMap::new());

impl BesideBot {
    /// Moves this thread to the bot's cores.
    pub(crate) fn join(pinning: &Pinning) -> io::Result<Self> {
        let (thread, before) = (gettid(), sched_getaffinity(None)?);
        cores::move_to(None, &pinning.cores)?;
        let mut all = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(thread.as_raw_pid()).or_insert((0, before)).0 += 1;
        Ok(Self { thread })
    }
}

impl Drop for BesideBot {
    fn drop(&mut self) {
        let thread = self.thread.as_raw_pid();
        let mut all = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((bots, before)) = all.get_mut(&thread) else { return };
        *bots -= 1;
        if *bots > 0 {
            return;
        }
        let before = *before;
        all.remove(&thread);
        // The number of a thread that has ended may be anybody's.
        if Path::new("/proc/self/task").join(thread.to_string()).exists() {
            let _ = sched_setaffinity(Some(self.thread), &before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The cores that this thread may use.
    fn mine() -> Vec<usize> {
        cores::usable().expect("known")
    }

    #[test]
    fn a_thread_is_on_the_bots_cores_until_the_bot_is_dropped() {
        let all = mine();
        let pinning = Pinning { cores: vec![all[0]] };
        let beside = BesideBot::join(&pinning).expect("allowed");
        assert_eq!(mine(), [all[0]]);
        drop(beside);
        assert_eq!(mine(), all);
        let both = [(); 2].map(|()| BesideBot::join(&pinning).expect("allowed"));
        let [first, second] = both;
        drop(first);
        assert_eq!(mine(), [all[0]], "the second bot plays on");
        drop(second);
        assert_eq!(mine(), all);
        let beside = thread::spawn(move || BesideBot::join(&pinning).expect("allowed"));
        drop(beside.join().expect("ends"));
        assert_eq!(mine(), all, "that thread has ended");
    }
}
