//! The mounts of a bot in a namespace: prepared by the referee, and carried out by the keeper.

use std::ffi::{CStr, CString};

use rustix::fs::{Mode, OFlags, mkdir, open, symlink};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, UnmountFlags, mount, mount_bind_recursive, mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};
use serde::{Deserialize, Serialize};

/// One step of building a tree. Paths are relative to its root, except sources of binds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::bot) enum MountStep {
    Folder(CString),
    /// A folder where everybody may make files.
    OpenFolder(CString),
    File(CString),
    Link {
        target: CString,
        at: CString,
    },
    /// Shows a file or folder of the host, with all mounts in it.
    Bind {
        from: CString,
        at: CString,
    },
    /// Changes the flags of a mount.
    Remount {
        at: CString,
        /// [`MountFlags`].
        flags: u32,
    },
    /// The mount point of /proc.
    Proc(CString),
}

/// A bot's own file system: a small one in memory, with parts of the host's in it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::bot) struct Tree {
    /// Its size, as options of tmpfs.
    pub(in crate::bot) options: CString,
    pub(in crate::bot) steps: Vec<MountStep>,
}

/// A folder that every host has, where the new root is mounted until it becomes the root.
const GROUND: &CStr = c"/proc";

const UNPRIVILEGED: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Gives the new namespace its own /proc and, in a sandbox, its own file system.
pub(super) fn enter(tree: Option<&Tree>) -> Result<(), Errno> {
    let Some(tree) = tree else {
        hide_terminals();
        return mount_proc(c"/proc", None);
    };
    mount(c"tmpfs", GROUND, c"tmpfs", UNPRIVILEGED, tree.options.as_c_str())?;
    chdir(GROUND)?;
    for step in &tree.steps {
        carry_out(step)?;
    }
    // The old root ends up on top of the new one, and is unmounted.
    pivot_root(c".", c".")?;
    unmount(c".", UnmountFlags::DETACH)?;
    chdir(c"/")
}

fn carry_out(step: &MountStep) -> Result<(), Errno> {
    match step {
        MountStep::Folder(at) => mkdir(at.as_c_str(), Mode::from_raw_mode(0o755)),
        MountStep::OpenFolder(at) => {
            mkdir(at.as_c_str(), Mode::empty())?;
            // Regardless of the umask.
            rustix::fs::chmod(at.as_c_str(), Mode::from_raw_mode(0o1777))
        }
        MountStep::File(at) => {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            open(at.as_c_str(), flags, Mode::from_raw_mode(0o644)).map(drop)
        }
        MountStep::Link { target, at } => symlink(target.as_c_str(), at.as_c_str()),
        MountStep::Bind { from, at } => mount_bind_recursive(from.as_c_str(), at.as_c_str()),
        MountStep::Remount { at, flags } => {
            match mount_remount(
                at.as_c_str(),
                MountFlags::BIND | MountFlags::from_bits_retain(*flags),
                c"",
            ) {
                // The bot cannot write to a mount that it cannot reach.
                Err(Errno::ACCESS | Errno::NOENT) => Ok(()),
                done => done,
            }
        }
        // Hides processes that are not the bot's own, such as its keeper.
        MountStep::Proc(at) => mount_proc(at, Some(c"hidepid=2")),
    }
}

/// Gives the bot its own terminals, so that it finds nobody else's by name. A host may have none.
fn hide_terminals() {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let _ = mount(c"devpts", c"/dev/pts", c"devpts", flags, c"newinstance,ptmxmode=0666");
}

fn mount_proc(at: &CStr, options: Option<&CStr>) -> Result<(), Errno> {
    mount(c"proc", at, c"proc", UNPRIVILEGED | MountFlags::NOEXEC, options)
}
