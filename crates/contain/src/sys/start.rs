//! How a program is started as an ordinary child.
#![cfg_attr(not(target_os = "linux"), expect(unsafe_code, reason = "limits between fork and exec"))]

use std::io;
use std::process::{Child, Command};

use rustix::process::{Pid, Resource, Rlimit};

/// Limits of the kernel on a process.
pub(crate) type KernelLimits<'a> = &'a [(Resource, Rlimit)];

/// Spawns a child with a new session keyring, which a thread of its own joins for it.
#[cfg(target_os = "linux")]
pub(crate) fn spawn_apart(command: &mut Command, _limits: KernelLimits<'_>) -> io::Result<Child> {
    use std::panic::resume_unwind;
    use std::thread;

    let spawn = || {
        // The kernel may have no keyrings, or the user no right to one.
        let _ = super::raw::join_session_keyring();
        command.spawn()
    };
    thread::scope(|scope| {
        let spawned = thread::Builder::new().spawn_scoped(scope, spawn)?;
        spawned.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Spawns a child, which sets its limits itself.
#[cfg(not(target_os = "linux"))]
pub(crate) fn spawn_apart(command: &mut Command, limits: KernelLimits<'_>) -> io::Result<Child> {
    use std::os::unix::process::CommandExt as _;

    use rustix::process::setrlimit;

    let limits = limits.to_vec();
    let set = move || {
        for (resource, limit) in &limits {
            setrlimit(*resource, *limit)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec it makes system calls alone.
    unsafe { command.pre_exec(set) };
    command.spawn()
}

/// Sets the limits of a process.
#[cfg(target_os = "linux")]
pub(crate) fn limit(pid: Pid, limits: KernelLimits<'_>) -> io::Result<()> {
    for (resource, limit) in limits {
        rustix::process::prlimit(Some(pid), *resource, *limit)?;
    }
    Ok(())
}

/// The process has set its limits itself.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it may fail")]
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit(_pid: Pid, _limits: KernelLimits<'_>) -> io::Result<()> {
    Ok(())
}
