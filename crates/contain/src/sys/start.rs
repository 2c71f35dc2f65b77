//! How a program is started as an ordinary child.
#![expect(unsafe_code, reason = "limits between fork and exec")]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Resource, Rlimit, setrlimit};

/// Spawns a child with these limits, and a session keyring of its own where there are any.
pub(crate) fn spawn_apart(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    // A stack gets its room when the program begins. Other limits can wait until then on Linux, where a child that does nothing
    // before its program needs no copy of the referee's page tables.
    #[cfg(target_os = "linux")]
    if limits.iter().all(|(resource, _)| *resource != Resource::Stack) {
        return spawn_and_limit(command, &limits);
    }
    let set = move || {
        // The kernel may have no keyrings, or the user no right to one.
        #[cfg(target_os = "linux")]
        let _ = super::raw::join_session_keyring();
        for (resource, limit) in &limits {
            setrlimit(*resource, *limit)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec it makes system calls alone.
    unsafe { command.pre_exec(set) };
    command.spawn()
}

/// Limits the child once it has been spawned, by a thread whose new session keyring it gets.
#[cfg(target_os = "linux")]
fn spawn_and_limit(command: &mut Command, limits: &[(Resource, Rlimit)]) -> io::Result<Child> {
    use std::panic::resume_unwind;
    use std::thread;

    use rustix::process::{Pid, Signal, kill_process_group, prlimit};

    let spawn = || {
        let _ = super::raw::join_session_keyring();
        command.spawn()
    };
    let mut child = thread::scope(|scope| {
        let spawned = thread::Builder::new().spawn_scoped(scope, spawn)?;
        spawned.join().unwrap_or_else(|panic| resume_unwind(panic))
    })?;
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
