//! Sets of cores, as the kernel takes them, and the thread next to a bot that has cores of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

/// The set of these cores.
pub(crate) fn set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}

/// The cores that the calling thread may use.
pub(crate) fn usable() -> rustix::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores that the calling thread may use, in an order that puts the second threads of physical cores last.
pub(crate) fn usable_cores_apart() -> io::Result<Vec<usize>> {
    Ok(apart(usable()?, place))
}

/// Cores in an order that puts the second ones in each place last, then the third ones.
fn apart<P: Ord>(cores: Vec<usize>, place: impl Fn(usize) -> P) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    let rank = |core| {
        let before = seen.entry(place(core)).or_insert(0);
        *before += 1;
        (*before, core)
    };
    let mut ranked: Vec<(usize, usize)> = cores.into_iter().map(rank).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, core)| core).collect()
}

/// The number of physical cores that the calling thread may use.
pub(crate) fn physical_cores() -> io::Result<usize> {
    Ok(usable()?.into_iter().map(place).collect::<BTreeSet<_>>().len())
}

/// Which core of which package a logical processor is on; itself where the kernel does not tell.
fn place(core: usize) -> (String, String) {
    let read = |file: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu{core}/topology/{file}"))
    };
    match (read("physical_package_id"), read("core_id")) {
        (Ok(package), Ok(core)) => (package.trim().to_owned(), core.trim().to_owned()),
        _ => (String::new(), core.to_string()),
    }
}

/// Moves a thread, or the calling one, to these cores.
pub(crate) fn move_to(thread: Option<Pid>, cores: &[usize]) -> rustix::io::Result<()> {
    sched_setaffinity(thread, &set(cores))
}

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
    pub(crate) fn join(own: &[usize]) -> io::Result<Self> {
        let (thread, before) = (gettid(), sched_getaffinity(None)?);
        move_to(None, own)?;
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

    #[test]
    fn second_threads_of_physical_cores_come_last() {
        assert_eq!(apart((0..6).collect(), |core| core / 2), [0, 2, 4, 1, 3, 5]);
        assert_eq!(apart(vec![1, 2, 5], |core| core % 4), [1, 2, 5]);
    }

    /// The cores that this thread may use.
    fn mine() -> Vec<usize> {
        usable().expect("known")
    }

    #[test]
    fn a_thread_is_on_the_bots_cores_until_the_bot_is_dropped() {
        let all = mine();
        let own = [all[0]];
        let beside = BesideBot::join(&own).expect("allowed");
        assert_eq!(mine(), [all[0]]);
        drop(beside);
        assert_eq!(mine(), all);
        let both = [(); 2].map(|()| BesideBot::join(&own).expect("allowed"));
        let [first, second] = both;
        drop(first);
        assert_eq!(mine(), [all[0]], "the second bot plays on");
        drop(second);
        assert_eq!(mine(), all);
        let beside = thread::spawn(move || BesideBot::join(&own).expect("allowed"));
        drop(beside.join().expect("ends"));
        assert_eq!(mine(), all, "that thread has ended");
    }
}
