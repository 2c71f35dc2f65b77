//! A bot's mount namespace after its game.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{mem, thread};

use rustix::process::Pid;

/// A mount namespace that outlasts its processes, until this is dropped.
///
/// Whoever leaves a mount namespace last waits until the kernel has taken it apart, which is a good part of what a
/// short game costs. That should not be the keeper, whose end the referee waits for.
#[derive(Debug)]
pub(in crate::bot) struct MountNamespace(Option<OwnedFd>);

/// How many are taken apart at once. Waking the thread for each would cost a game more than it saves; the last few wait
/// for the end of this process.
const BATCH: usize = 8;

static WAITING: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

impl MountNamespace {
    pub(super) fn of(process: Pid) -> Self {
        let file = File::open(format!("/proc/{}/ns/mnt", process.as_raw_pid()));
        // Without it the end of the game takes longer.
        Self(file.ok().map(Into::into))
    }
}

impl Drop for MountNamespace {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.extend(self.0.take());
        if waiting.len() < BATCH {
            return;
        }
        let namespaces = mem::replace(&mut *waiting, Vec::with_capacity(BATCH));
        drop(waiting);
        // Blocks while the thread is a whole batch behind.
        if let Some(queue) = queue() {
            let _ = queue.send(namespaces);
        }
    }
}

/// Leads to a thread that nobody waits for.
fn queue() -> Option<&'static SyncSender<Vec<OwnedFd>>> {
    static QUEUE: OnceLock<Option<SyncSender<Vec<OwnedFd>>>> = OnceLock::new();
    let start = || {
        let (queue, namespaces) = sync_channel(1);
        let close = move || namespaces.into_iter().for_each(drop);
        let thread = thread::Builder::new().name("unmount".to_owned()).spawn(close);
        thread.is_ok().then_some(queue)
    };
    QUEUE.get_or_init(start).as_ref()
}
