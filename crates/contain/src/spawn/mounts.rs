//! The mounts of a bot in a namespace: prepared by the referee, and carried out by the keeper.

use std::ffi::CStr;
use std::fs::File;

use rustix::fs::{Mode, OFlags, mkdir, open, symlink};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::{chdir, geteuid, pivot_root};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities,
};

use super::numbers;
use crate::confine::tree::{MountStep, Tree};
use crate::sys::raw::make_read_only;

/// A folder that every host has, where the new root is mounted until it becomes the root.
const GROUND: &CStr = c"/proc";

const UNPRIVILEGED: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Where in /proc root, even in a namespace, changes the machine's settings, or restarts it; similar to what runc protects.
const SETTINGS: [&CStr; 10] = [
    c"/proc/acpi",
    c"/proc/asound",
    c"/proc/bus",
    c"/proc/dynamic_debug",
    c"/proc/fs",
    c"/proc/irq",
    c"/proc/latency_stats",
    c"/proc/scsi",
    c"/proc/sys",
    c"/proc/sysrq-trigger",
];

/// Gives the new namespace its own /proc and, in a sandbox, its own file system. Returns the file that holds the maximum of its
/// process numbers, opened before the settings are read-only.
pub(crate) fn enter(tree: Option<&Tree>) -> Result<Option<File>, Errno> {
    let Some(tree) = tree else {
        hide_terminals();
        numbers::begin_anywhere();
        mount_proc(c"/proc", None)?;
        let numbers = numbers::open();
        if geteuid().is_root() {
            protect_settings()?;
        }
        return Ok(numbers);
    };
    // What the host mounts during the game could be written to.
    let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change(c"/", flags)?;
    mount(c"tmpfs", GROUND, c"tmpfs", UNPRIVILEGED, tree.options.as_c_str())?;
    chdir(GROUND)?;
    for step in &tree.steps {
        carry_out(step)?;
    }
    // The old root ends up on top of the new one, and is unmounted.
    pivot_root(c".", c".")?;
    unmount(c".", UnmountFlags::DETACH)?;
    chdir(c"/")?;
    Ok(numbers::open())
}

fn protect_settings() -> Result<(), Errno> {
    for path in SETTINGS {
        match mount_bind(path, path) {
            Err(Errno::NOENT) => continue,
            done => done?,
        }
        let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOEXEC;
        mount_remount(path, flags | UNPRIVILEGED, c"")?;
    }
    match make_read_only(c"/sys") {
        // It is not mounted, or the kernel is older than Linux 5.12.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => Ok(()),
        done => done,
    }
}

/// Leaves no process of the namespace the right to undo these mounts. A namespace that a bot makes within this one has
/// that right only for mounts of its own.
pub(crate) fn fix() -> Result<(), Errno> {
    let right = CapabilitySet::SYS_ADMIN;
    remove_capability_from_bounding_set(right)?;
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let [effective, permitted, inheritable] =
        [effective, permitted, inheritable].map(|set| set.difference(right));
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })
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
