//! How a program is started as an ordinary child.
#![expect(unsafe_code, reason = "limits between fork and exec")]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Resource, Rlimit, setrlimit};

/// Spawns a child that sets its limits before its program begins, which is when the kernel makes room for a stack, and that has a
/// session keyring of its own where there are any.
pub(crate) fn spawn_apart(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
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
