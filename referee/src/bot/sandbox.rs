//! What a bot in a sandbox may do: read what it needs, write to a folder of its own, compute.
//!
//! Landlock limits the files, and a seccomp filter the rest: no sockets, nothing that outlives the
//! game, and no calls that change what Landlock does not look at (modes, owners, times) or the machine
//! itself. Root's privileges are given up: a device made in the scratch folder would lead around it all. The kernel enforces
//! both, and every child inherits them. Neither can be had in part: a host that cannot enforce the
//! sandbox refuses it.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, Scope, path_beneath_rules,
};
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::containment::has_seccomp;
use super::launch::landlock_version;

/// A sandbox that this host can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files that a bot may read beside those that every bot may.
    readable: Vec<PathBuf>,
}

/// Why there can be no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The kernel is too old, or Landlock is switched off.
    #[error("--sandbox cannot be enforced here: it needs Landlock of version {NEEDED} (Linux 6.2, and `landlock` among the security modules), and the kernel has {}", version(*.0))]
    NoLandlock(u32),
    /// The kernel takes no filters.
    #[error(
        "--sandbox cannot be enforced here: the kernel has no seccomp filters, or not for this processor"
    )]
    NoSeccomp,
    /// Something to be read is not there.
    #[error("--sandbox-read: {}: {source}", path.display())]
    Unreadable {
        /// What should be readable.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The first version of Landlock that knows all ways to change a file's content.
const NEEDED: u32 = 3;

fn version(version: u32) -> String {
    if version == 0 { "none".to_owned() } else { format!("version {version}") }
}

/// Folders of the system, without which hardly a program starts.
const SYSTEM: [&str; 15] = [
    "/bin",
    "/etc",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/proc",
    "/run/current-system",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
];

/// Devices that do no harm.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

impl Sandbox {
    /// Checks that this host can enforce a sandbox in which `readable` can be read as well.
    ///
    /// # Errors
    /// When it cannot, or one of these is not there.
    pub fn new(readable: &[PathBuf]) -> Result<Self, SandboxError> {
        let version = landlock_version();
        if version < NEEDED {
            return Err(SandboxError::NoLandlock(version));
        }
        if !has_seccomp() {
            return Err(SandboxError::NoSeccomp);
        }
        let real = |path: &PathBuf| {
            let unreadable = |source| SandboxError::Unreadable { path: path.clone(), source };
            path.canonicalize().map_err(unreadable)
        };
        Ok(Self { readable: readable.iter().map(real).collect::<Result<_, _>>()? })
    }

    /// The rules for one bot: it may read the system, what `program` and `arguments` name, its
    /// working directory and what it finds by `path`; it may write beneath `scratch`.
    pub(super) fn ruleset(
        &self,
        program: &Path,
        arguments: &[impl AsRef<Path>],
        cwd: &Path,
        path: &OsStr,
        scratch: &Path,
    ) -> io::Result<Option<OwnedFd>> {
        let abi = ABI::V3;
        let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        readable.extend(self.readable.iter().cloned());
        readable.extend(around(program));
        readable.extend(not_too_much(cwd));
        readable.extend(arguments.iter().flat_map(|argument| around(&cwd.join(argument))));
        // Of what lies in somebody's home only the programs: the rest may be private.
        let in_path = env::split_paths(path).filter_map(|folder| folder.canonicalize().ok());
        readable.extend(in_path.flat_map(|folder| {
            if is_at_home(&folder) {
                not_too_much(&folder).into_iter().collect()
            } else {
                install(&folder)
            }
        }));
        let ruleset = || {
            Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessFs::from_all(abi))?
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::from_all(ABI::V5))?
                .handle_access(AccessNet::from_all(ABI::V4))?
                .scope(Scope::Signal | Scope::AbstractUnixSocket)?
                .create()?
                .add_rules(path_beneath_rules(readable, AccessFs::from_read(abi)))?
                .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
                .add_rules(path_beneath_rules([scratch], AccessFs::from_all(abi)))
        };
        ruleset().map(Into::into).map_err(io::Error::other)
    }
}

/// A folder, or a file and what is installed around it; nothing if there is no such thing.
fn around(path: &Path) -> Vec<PathBuf> {
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => not_too_much(&folder).into_iter().collect(),
        Ok(file) => {
            let folders = file.parent().map(install).unwrap_or_default();
            folders.into_iter().chain([file]).collect()
        }
        Err(_) => Vec::new(),
    }
}

/// A folder of programs, and what was installed with them: `/opt/x` with `/opt/x/bin`.
fn install(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let holds_programs = ["bin", "sbin", "shims"].iter().any(|name| folder.ends_with(name));
    let whole = folder.parent().filter(|_| holds_programs).and_then(not_too_much);
    not_too_much(&folder).into_iter().chain(whole).collect()
}

/// No bot needs the whole of a user's files, or all of them.
fn not_too_much(folder: &Path) -> Option<PathBuf> {
    let too_much = folder.parent().is_none() || home().is_some_and(|home| home.starts_with(folder));
    (!too_much).then(|| folder.to_owned())
}

fn is_at_home(folder: &Path) -> bool {
    home().is_some_and(|home| folder.starts_with(home))
}

fn home() -> Option<PathBuf> {
    env::home_dir()?.canonicalize().ok()
}

/// System calls that no bot in a sandbox needs.
pub(super) const FORBIDDEN: &[i64] = &[
    // The network. Sockets of a process with itself have a call of their own.
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    // What Landlock does not look at: modes, owners, times and attributes of files.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    // Memory, semaphores, queues and keys that would outlive the game.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine, where the referee runs with privileges.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
];

// Not in `libc` for every processor, and the same for all.
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// The older forms of some of these, which newer processors never had.
#[cfg(target_arch = "x86_64")]
pub(super) const FORBIDDEN_OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_ioperm,
    libc::SYS_iopl,
];
/// The older forms of some of these, which this processor never had.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const FORBIDDEN_OLD: &[i64] = &[];

/// Calls that a bot may use on itself, but not on all processes of its user.
pub(super) fn forbidden_uses() -> io::Result<Vec<(i64, Vec<SeccompRule>)>> {
    const IOPRIO_WHO_USER: u64 = 3;
    let first_is = |value| {
        let is = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
        is.and_then(|is| SeccompRule::new(vec![is])).map_err(io::Error::other)
    };
    Ok(vec![
        (libc::SYS_setpriority, vec![first_is(u64::from(libc::PRIO_USER))?]),
        (libc::SYS_ioprio_set, vec![first_is(IOPRIO_WHO_USER)?]),
    ])
}
