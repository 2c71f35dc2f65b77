//! A bot's mount namespace after its game.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use rustix::process::Pid;

/// A mount namespace that outlives its processes, until this is dropped.
///
/// The last process to leave a mount namespace waits until the kernel has removed it, which takes a large share of a
/// short game's time. That should not be the keeper, since the referee waits for the keeper's end.
#[derive(Debug)]
pub(in crate::bot) struct MountNamespace(Option<OwnedFd>);

/// The most namespaces that may wait for removal; beyond that, dropping one waits.
const WAITING: usize = 16;

impl MountNamespace {
    pub(super) fn open(process: Pid) -> Self {
        let file = File::open(format!("/proc/{}/ns/mnt", process.as_raw_pid()));
        // Without this file the end of the game only takes longer.
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

/// A queue to a thread that removes namespaces in the background.
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
