//! Landlock: rules about files, network and signals that a process and its children cannot shed.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use linux_raw_sys::landlock as kernel;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;

use crate::sys::raw::{landlock_allow, landlock_ruleset, landlock_version};

pub(crate) const READ_FILE: u32 = kernel::LANDLOCK_ACCESS_FS_READ_FILE;
pub(crate) const WRITE_FILE: u32 = kernel::LANDLOCK_ACCESS_FS_WRITE_FILE;
pub(crate) const MAKE_BLOCK_DEVICE: u32 = kernel::LANDLOCK_ACCESS_FS_MAKE_BLOCK;
/// Commands to devices. Since version 5.
pub(crate) const IOCTL: u32 = kernel::LANDLOCK_ACCESS_FS_IOCTL_DEV;

/// To list folders.
pub(crate) const LIST: u32 = kernel::LANDLOCK_ACCESS_FS_READ_DIR;

/// To read and execute files, and to list folders.
pub(crate) const READ: u32 = READ_FILE | LIST | kernel::LANDLOCK_ACCESS_FS_EXECUTE;

/// To change files and folders, all of it since version 3.
pub(crate) const WRITE: u32 = WRITE_FILE
    | MAKE_BLOCK_DEVICE
    | kernel::LANDLOCK_ACCESS_FS_MAKE_CHAR
    | kernel::LANDLOCK_ACCESS_FS_MAKE_DIR
    | kernel::LANDLOCK_ACCESS_FS_MAKE_FIFO
    | kernel::LANDLOCK_ACCESS_FS_MAKE_REG
    | kernel::LANDLOCK_ACCESS_FS_MAKE_SOCK
    | kernel::LANDLOCK_ACCESS_FS_MAKE_SYM
    | kernel::LANDLOCK_ACCESS_FS_REMOVE_DIR
    | kernel::LANDLOCK_ACCESS_FS_REMOVE_FILE
    | kernel::LANDLOCK_ACCESS_FS_REFER
    | kernel::LANDLOCK_ACCESS_FS_TRUNCATE;

/// TCP. Since version 4.
pub(crate) const NETWORK: u32 =
    kernel::LANDLOCK_ACCESS_NET_BIND_TCP | kernel::LANDLOCK_ACCESS_NET_CONNECT_TCP;

/// Signals to processes outside. Since version 6.
pub(crate) const SIGNALS: u32 = kernel::LANDLOCK_SCOPE_SIGNAL;
/// Sockets without a file of processes outside. Since version 6.
pub(crate) const SOCKETS: u32 = kernel::LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET;

/// The rights that concern a file, rather than a folder.
const OF_FILES: u32 = READ_FILE
    | WRITE_FILE
    | IOCTL
    | kernel::LANDLOCK_ACCESS_FS_EXECUTE
    | kernel::LANDLOCK_ACCESS_FS_TRUNCATE;

/// The rights to files that this version of Landlock knows.
fn known(version: u32) -> u32 {
    match version {
        0 => 0,
        1 => {
            (READ | WRITE)
                & !(kernel::LANDLOCK_ACCESS_FS_REFER | kernel::LANDLOCK_ACCESS_FS_TRUNCATE)
        }
        2 => (READ | WRITE) & !kernel::LANDLOCK_ACCESS_FS_TRUNCATE,
        3 | 4 => READ | WRITE,
        _ => READ | WRITE | IOCTL,
    }
}

/// What is forbidden, apart from what is allowed by a rule.
#[derive(Debug)]
pub(crate) struct Ruleset {
    ruleset: OwnedFd,
    files: u32,
}

impl Ruleset {
    /// Forbids the part of this that the kernel supports.
    pub(crate) fn forbid(files: u32, network: u32, outside: u32) -> Result<Self, Errno> {
        let version = landlock_version();
        let since = |first, what: u32| if version < first { 0 } else { what.into() };
        let files = files & known(version);
        let ruleset = landlock_ruleset(kernel::landlock_ruleset_attr {
            handled_access_fs: files.into(),
            handled_access_net: since(4, network),
            scoped: since(6, outside),
        })?;
        Ok(Self { ruleset, files })
    }

    /// Allows this to the files and folders at these paths and beneath them; what is missing is skipped.
    pub(crate) fn allow<P: AsRef<Path>>(
        self,
        rights: u32,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, Errno> {
        for path in paths {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let Ok(file) = open(path.as_ref(), flags, Mode::empty()) else { continue };
            let is_folder = FileType::from_raw_mode(fstat(&file)?.st_mode).is_dir();
            let rights = rights & self.files & if is_folder { u32::MAX } else { OF_FILES };
            landlock_allow(self.ruleset.as_fd(), rights.into(), file.as_fd())?;
        }
        Ok(self)
    }
}

impl From<Ruleset> for OwnedFd {
    fn from(ruleset: Ruleset) -> Self {
        ruleset.ruleset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_adds_its_rights_to_those_before() {
        // As the kernel's documentation lists them.
        let of_versions = [0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff];
        for (version, rights) in (0..).zip(of_versions) {
            assert_eq!(known(version), rights, "version {version}");
        }
    }
}
