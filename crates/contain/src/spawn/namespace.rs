//! A bot's mount namespace after its game.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

use crate::scratch::later::drop_later;

/// A mount namespace that outlives its processes, until this is dropped.
///
/// The last process to leave a mount namespace waits until the kernel has removed it, which takes a large share of a
/// short game's time. That should not be the keeper, since the referee waits for the keeper's end.
#[derive(Debug)]
pub(crate) struct MountNamespace(Option<OwnedFd>);

impl MountNamespace {
    pub(crate) fn open(process: Pid) -> Self {
        let file = File::open(format!("/proc/{}/ns/mnt", process.as_raw_pid()));
        // Without this file the end of the game only takes longer.
        Self(file.ok().map(Into::into))
    }
}

impl Drop for MountNamespace {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(drop_later);
    }
}
