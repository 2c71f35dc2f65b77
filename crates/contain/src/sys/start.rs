//! How a program is started as an ordinary child.
#![expect(unsafe_code, reason = "limits between fork and exec")]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Resource, Rlimit, setrlimit};

/// With this function, the standard library need not copy the referee's page tables for a child that has another working
/// directory. It takes it only from what is linked, and a static program links only what it names.
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
#[used]
static LINKED: unsafe extern "C" fn(
    *mut libc::posix_spawn_file_actions_t,
    *const libc::c_char,
) -> libc::c_int = libc::posix_spawn_file_actions_addchdir_np;

/// Spawns a child with these limits.
pub(crate) fn spawn_limited(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    // A stack gets its room when the program begins. Other limits can wait until then on Linux, where a child that does nothing
    // before its program needs no copy of the referee's page tables.
    #[cfg(target_os = "linux")]
    if limits.iter().all(|(resource, _)| *resource != Resource::Stack) {
        return spawn_and_limit(command, &limits);
    }
    let set =
        move || Ok(limits.iter().try_for_each(|(resource, limit)| setrlimit(*resource, *limit))?);
    // SAFETY: between fork and exec it makes system calls alone.
    unsafe { command.pre_exec(set) };
    #[cfg(not(target_os = "linux"))]
    let _alone = super::pipe::alone();
    command.spawn()
}

/// Limits the child once it has been spawned.
#[cfg(target_os = "linux")]
fn spawn_and_limit(command: &mut Command, limits: &[(Resource, Rlimit)]) -> io::Result<Child> {
    use rustix::process::{Pid, Signal, kill_process_group, prlimit};

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
