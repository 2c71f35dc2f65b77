//! The referee's ends of a program's pipes, which never block.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;

use super::wait::Waitable;

pub(crate) use std::io::{PipeReader, PipeWriter};

/// Held while a child is started or a pipe is made. Other systems make a descriptor first and keep it from children after that;
/// a child that started in between would hold a pipe of another bot open.
#[cfg(not(target_os = "linux"))]
pub(super) fn alone() -> std::sync::MutexGuard<'static, ()> {
    use std::sync::{Mutex, PoisonError};

    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new pipe, of which no child gets an end.
#[cfg(not(target_os = "linux"))]
pub(super) fn new() -> io::Result<(PipeReader, PipeWriter)> {
    let _alone = alone();
    io::pipe()
}

/// Has reads return at once.
pub(crate) fn prepare_to_read(pipe: &PipeReader) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Has writes return at once.
pub(crate) fn prepare_to_write(pipe: &PipeWriter) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Ready once there is something to read.
pub(crate) fn readable(pipe: &PipeReader) -> Waitable<'_> {
    pipe.as_fd()
}

/// Ready once something can be written.
pub(crate) fn writable(pipe: &PipeWriter) -> Waitable<'_> {
    pipe.as_fd()
}

/// Reads what is there; nothing at EOF.
pub(crate) fn read<'a>(
    pipe: &PipeReader,
    space: &'a mut [MaybeUninit<u8>],
) -> io::Result<&'a mut [u8]> {
    Ok(rustix::io::read(pipe, space)?.0)
}

/// Whether everything that was written is in the pipe.
pub(crate) fn is_written(_pipe: &PipeWriter) -> bool {
    true
}

/// The number of bytes that the reader has not read: Linux tells it at either end, other systems may report 0.
pub(crate) fn unread(pipe: &PipeWriter) -> io::Result<u64> {
    Ok(rustix::io::ioctl_fionread(pipe)?)
}
