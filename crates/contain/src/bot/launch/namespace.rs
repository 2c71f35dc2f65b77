//! A bot's mount namespace after its game.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use rustix::process::Pid;

/// A mount namespace that outlasts its processes, until this is dropped.
///
/// Whoever leaves a mount namespace last waits until the kernel has taken it apart, which is a good part of what a
/// short game costs. That should not be the keeper, whose end the referee waits for.
#[derive(Debug)]
pub(in crate::bot) struct MountNamespace(Option<OwnedFd>);

/// So many may wait to be taken apart; beyond that, who drops one waits.
const WAITING: usize = 16;

impl MountNamespace {
    pub(super) fn of(process: Pid) -> Self {
        let file = File::open(format!("/proc/{}/ns/mnt", process.as_raw_pid()));
        // Without it the end of the game takes longer.
        Self(file.ok().map(Into::into))
    }
}

impl Drop for MountNamespace {
    fn drop(&mut self) {
        let (Some(namespace), Some(queue)) = (self.0.take(), queue()) else { return };
        if let Err(TrySendError::Full(namespace)) = queue.try_send(namespace) {
            drop(namespace);
        }
    }
}

/// Leads to a thread that nobody waits for.
fn queue() -> Option<&'static SyncSender<OwnedFd>> {
    static QUEUE: OnceLock<Option<SyncSender<OwnedFd>>> = OnceLock::new();
    let start = || {
        let (queue, namespaces) = sync_channel(WAITING);
        let close = move || namespaces.into_iter().for_each(drop);
        let thread = thread::Builder::new().name("unmount".to_owned()).spawn(close);
        thread.is_ok().then_some(queue)
    };
    QUEUE.get_or_init(start).as_ref()
}
