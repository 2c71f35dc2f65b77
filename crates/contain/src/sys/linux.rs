//! Alarms, notices of an end, starts and this machine, as Linux has them.
#![expect(unsafe_code, reason = "a function to be linked, and errno")]

use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group,
    pidfd_open, prlimit, setpriority_process, waitid,
};

pub(crate) use crate::sys::cgroup::{kills_are_of_group, memory_kills};
pub use crate::sys::cgroup::{memory_limit_of_host, process_limit_of_host, refused_processes};
pub(crate) use crate::sys::cores::{BesideBot, physical_cores, usable_cores_apart};
pub use crate::sys::proc::online_cores;
pub(crate) use crate::sys::proc::{is_ending, lives};
pub(crate) use crate::sys::raw::separate_heaps;
use crate::sys::unix::limit_and_spawn;
use crate::sys::{Waitable, cores, is_ready_within};

/// What becomes ready to be read once it is rung, and stays so. Ringing it takes no lock and no memory, so that a signal handler
/// may do it.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for.
    pub(crate) watched: Arc<File>,
}

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

/// Learns of the end of a child, which stays a zombie.
#[derive(Debug)]
pub(crate) struct EndNotice(OwnedFd);

impl EndNotice {
    /// The notice of a child that has not been reaped.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        match pidfd_open(child, PidfdFlags::empty()) {
            // A filter around the referee may not know this call.
            Err(Errno::NOSYS | Errno::PERM) => Self::by_thread(child),
            pidfd => Ok(Self(pidfd?)),
        }
    }

    /// The reading end of a pipe, whose other end a thread closes once the child has ended.
    fn by_thread(child: Pid) -> io::Result<Self> {
        let (ended, end) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(child), options), Err(Errno::INTR)) {}
            drop(end);
        };
        thread::Builder::new().name("end-of-bot".to_owned()).spawn(wait)?;
        Ok(Self(ended.into()))
    }

    /// What is readable once the child has ended.
    pub(crate) fn waitable(&self) -> Waitable<'_> {
        self.0.as_fd()
    }

    /// Whether the child ends within `limit`.
    pub(crate) fn comes_within(&mut self, limit: Duration) -> bool {
        is_ready_within(self.waitable(), limit)
    }
}

/// With this function, the standard library need not copy the referee's page tables for a child that has another working
/// directory. It takes it only from what is linked, and a static program links only what it names.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[used]
static LINKED: unsafe extern "C" fn(
    *mut libc::posix_spawn_file_actions_t,
    *const libc::c_char,
) -> c_int = libc::posix_spawn_file_actions_addchdir_np;

/// Spawns a child with these limits.
pub(crate) fn spawn_limited(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    // A stack gets its room when the program begins. Other limits can wait until then: a child that does nothing before its
    // program needs no copy of the referee's page tables.
    if limits.iter().any(|(resource, _)| *resource == Resource::Stack) {
        return limit_and_spawn(command, limits);
    }
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let limited = limits
        .iter()
        .try_for_each(|(resource, limit)| prlimit(Some(pid), *resource, *limit).map(drop));
    if let Err(error) = limited {
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = child.wait();
        return Err(error.into());
    }
    Ok(child)
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// When the system refuses it, or has no such call.
pub fn move_thread_to(cores: &[usize]) -> io::Result<()> {
    Ok(cores::move_to(None, cores)?)
}

/// Has the calling thread run only where no other one wants a core, where the system can do that for one thread.
pub fn yield_to_others() {
    // A refusal is harmless.
    let _ = setpriority_process(Some(rustix::thread::gettid()), 19);
}

/// The memory of this machine, in bytes.
pub fn memory() -> Option<u64> {
    let machine = rustix::system::sysinfo();
    Some((machine.totalram as u64).saturating_mul(machine.mem_unit.into()))
}

/// A core that this process has taken: an address that only one process can have, and that the kernel frees when it ends; no file
/// is left behind.
#[derive(Debug)]
pub struct CoreClaim {
    _address: UnixListener,
}

impl CoreClaim {
    /// Takes a core; `None` if another process has it.
    pub fn take(core: usize) -> Option<Self> {
        let address = SocketAddr::from_abstract_name(format!("referee-core-{core}")).ok()?;
        Some(Self { _address: UnixListener::bind_addr(&address).ok()? })
    }
}

/// Has a pipe hold no more than this number of bytes; returns whether it does. What is not a pipe is as large as it is.
pub(crate) fn narrow(pipe: Waitable<'_>, size: usize) -> bool {
    !matches!(fcntl_setpipe_size(pipe, size), Err(Errno::BUSY))
}

/// Where the calling thread's errno is.
pub(super) fn errno() -> *mut c_int {
    // SAFETY: it is a place of the thread's own.
    unsafe { libc::__errno_location() }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_thread_notices_an_end_as_a_pidfd_does_and_leaves_the_child_a_zombie() {
        for notice in [EndNotice::of, EndNotice::by_thread] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("it runs");
            let mut end = notice(Pid::from_child(&child)).expect("a notice");
            assert!(!end.comes_within(Duration::from_millis(20)));
            drop(child.stdin.take());
            assert!(end.comes_within(Duration::from_mins(1)));
            assert!(child.wait().expect("a zombie").success());
        }
    }
}
