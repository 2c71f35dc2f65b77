//! This process, its threads and this machine, for programs that play games.

use std::io;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process};
use rustix::time::{ClockId, clock_gettime};

use super::inherited::Inherited;

impl Inherited {
    /// The soft and the hard limit, if there are any.
    pub fn limits(self) -> (Option<u64>, Option<u64>) {
        let Rlimit { current, maximum } = getrlimit(match self {
            Self::CpuTime => Resource::Cpu,
            Self::FileSize => Resource::Fsize,
            Self::AddressSpace => Resource::As,
            Self::Stack => Resource::Stack,
        });
        (current, maximum)
    }
}

/// The CPU time of the calling thread, if the system counts it finely.
pub fn cpu_time_of_thread() -> Option<Duration> {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// When the system refuses it, or has no such call.
#[cfg(target_os = "linux")]
pub fn move_thread_to(cores: &[usize]) -> io::Result<()> {
    Ok(super::cores::move_to(None, cores)?)
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// Always: the system has no such call.
#[cfg(not(target_os = "linux"))]
pub fn move_thread_to(_cores: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has the calling thread run only where no other one wants a core, where the system can do that for one thread.
pub fn yield_to_others() {
    // A refusal is harmless.
    #[cfg(target_os = "linux")]
    let _ = setpriority_process(Some(rustix::thread::gettid()), 19);
    // Here it would be the whole process.
    #[cfg(not(target_os = "linux"))]
    let _ = setpriority_process;
}

/// The id of this process's user.
pub fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// The memory of this machine, in bytes.
#[cfg(target_os = "linux")]
pub fn memory() -> Option<u64> {
    let machine = rustix::system::sysinfo();
    Some((machine.totalram as u64).saturating_mul(machine.mem_unit.into()))
}

/// The memory of this machine, in bytes.
#[cfg(not(target_os = "linux"))]
pub fn memory() -> Option<u64> {
    super::processes::memory_of_machine()
}

/// A core that this process has taken: an address that only one process can have, and that the kernel frees when it ends; no file
/// is left behind.
#[derive(Debug)]
pub struct CoreClaim {
    _address: UnixListener,
}

impl CoreClaim {
    /// Takes a core; `None` if another process has it.
    #[cfg(target_os = "linux")]
    pub fn take(core: usize) -> Option<Self> {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::SocketAddr;

        let address = SocketAddr::from_abstract_name(format!("referee-core-{core}")).ok()?;
        Some(Self { _address: UnixListener::bind_addr(&address).ok()? })
    }

    /// Takes a core: none can be chosen here.
    #[cfg(not(target_os = "linux"))]
    pub fn take(_core: usize) -> Option<Self> {
        None
    }
}
