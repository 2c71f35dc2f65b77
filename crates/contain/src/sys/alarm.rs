//! What becomes ready to be read once it is rung, and stays so.

use std::fs::File;
use std::io;
use std::sync::Arc;

#[cfg(target_os = "linux")]
use rustix::event::{EventfdFlags, eventfd};

/// An alarm. Ringing it takes no lock and no memory, so that a signal handler may do it.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for.
    pub(crate) watched: Arc<File>,
    /// The other end of a pipe, where there is no descriptor that counts.
    #[cfg(not(target_os = "linux"))]
    rung: File,
}

#[cfg(target_os = "linux")]
impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        let watched = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { watched: Arc::new(File::from(watched)) })
    }

    pub(crate) fn ring(&self) {
        // Fails only if the counter is full, and then it is readable too.
        let _ = rustix::io::write(&self.watched, &1_u64.to_ne_bytes());
    }
}

#[cfg(not(target_os = "linux"))]
impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        use std::os::fd::OwnedFd;

        let (watched, rung) = super::pipe::new()?;
        rustix::io::ioctl_fionbio(&rung, true)?;
        let (watched, rung) = (OwnedFd::from(watched), OwnedFd::from(rung));
        Ok(Self { watched: Arc::new(watched.into()), rung: rung.into() })
    }

    pub(crate) fn ring(&self) {
        // Fails only if the pipe is full, and then it is readable too.
        let _ = rustix::io::write(&self.rung, &[1]);
    }
}
