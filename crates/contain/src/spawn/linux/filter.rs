//! Seccomp programs: what they name of a bot's system calls is answered without being carried out.

use std::collections::BTreeMap;
use std::io;
use std::sync::OnceLock;

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

use crate::confine::ContainmentMethod;
use crate::sys::raw::has_seccomp_filters;

/// System calls, each with the rules of which one must apply; without a rule every call is meant.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// The seccomp programs for a bot; none if it may call everything. They are made once.
///
/// Each also kills a bot that calls the kernel as a program for another processor does, such as one of 32 bits: those calls have
/// other numbers.
///
/// # Errors
/// When there is no seccomp for this processor.
pub(crate) fn programs(
    method: ContainmentMethod,
    is_sandboxed: bool,
) -> io::Result<Vec<BpfProgram>> {
    const KINDS: usize = 2 * ContainmentMethod::ALL.len();
    static PROGRAMS: [OnceLock<Vec<BpfProgram>>; KINDS] = [const { OnceLock::new() }; KINDS];
    let programs = &PROGRAMS[2 * method as usize + usize::from(is_sandboxed)];
    if let Some(known) = programs.get() {
        return Ok(known.clone());
    }
    let made = make(method, is_sandboxed)?;
    Ok(programs.get_or_init(|| made).clone())
}

fn make(method: ContainmentMethod, is_sandboxed: bool) -> io::Result<Vec<BpfProgram>> {
    let (mut refused, mut ignored, mut missing) = (Calls::new(), Calls::new(), Calls::new());
    // A bot in a namespace cannot name processes outside it.
    if !method.is_namespace() {
        refused.extend([libc::SYS_setsid, libc::SYS_setpgid].map(always));
        refused.extend(on_others()?);
        ignored = scheduling_of_others()?;
    }
    if is_sandboxed {
        refused.extend(REFUSED.concat().into_iter().map(always));
        refused.extend(refused_uses()?);
        missing.extend(MISSING.iter().copied().map(always));
    }
    let answers = [(refused, libc::EPERM), (ignored, 0), (missing, libc::ENOSYS)];
    let answers = answers.into_iter().filter(|(calls, _)| !calls.is_empty());
    answers.map(|(calls, errno)| compile(calls, errno)).collect()
}

/// Whether the kernel supports filters, and this crate can make them for the processor.
pub(crate) fn has_seccomp() -> bool {
    has_seccomp_filters() && compile(Calls::new(), libc::EPERM).is_ok()
}

/// A program that answers these calls with `errno`, or with success if that is 0.
fn compile(calls: Calls, errno: i32) -> io::Result<BpfProgram> {
    let answer = SeccompAction::Errno(errno.cast_unsigned());
    let processor = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, answer, processor);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
    Ok([&NO_X32[..], &program].concat())
}

/// Kills a bot that uses the second number of a call, which some kernels know for programs of 32 bits: it differs in this bit.
const NO_X32: [sock_filter; 4] = [
    // Loads the number, masks it and compares it.
    sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
    sock_filter { code: 0x54, jt: 0, jf: 0, k: 0xC000_0000 },
    sock_filter { code: 0x15, jt: 0, jf: 1, k: 0x4000_0000 },
    sock_filter { code: 0x06, jt: 0, jf: 0, k: libc::SECCOMP_RET_KILL_PROCESS },
];

fn always(call: i64) -> (i64, Vec<SeccompRule>) {
    (call, Vec::new())
}

/// A rule that applies if an argument, of which the kernel reads this much, compares so with a value.
fn when(
    argument: u8,
    length: SeccompCmpArgLen,
    op: SeccompCmpOp,
    value: i32,
) -> io::Result<SeccompRule> {
    let condition = condition(argument, length, op, value)?;
    SeccompRule::new(vec![condition]).map_err(io::Error::other)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    op: SeccompCmpOp,
    value: i32,
) -> io::Result<SeccompCondition> {
    let value = value.cast_unsigned().into();
    SeccompCondition::new(argument, length, op, value).map_err(io::Error::other)
}

/// Calls that set limits of other processes, or signal them. Every process of the same user may do so: a limit on CPU time would
/// kill the referee as surely as a signal. A filter cannot tell which processes are the bot's own.
fn on_others() -> io::Result<Calls> {
    let new_limit = vec![condition(0, Dword, Ne, 0)?, condition(2, Qword, Ne, 0)?];
    let new_limit = SeccompRule::new(new_limit).map_err(io::Error::other)?;
    Ok(Calls::from([
        (libc::SYS_prlimit64, vec![new_limit]),
        // Recent versions of Landlock protect single processes, but not from this form, which signals all.
        (libc::SYS_kill, vec![when(0, Dword, Eq, -1)?]),
    ]))
}

/// Calls that set priority, policy or cores of any thread but the calling one. A runtime names its own threads in them as well, and may
/// fail if it is refused.
fn scheduling_of_others() -> io::Result<Calls> {
    const PRIO_USER: i32 = 2;
    const IOPRIO_WHO_USER: i32 = 3;
    let of_user =
        |user| Ok::<_, io::Error>(vec![when(1, Dword, Ne, 0)?, when(0, Dword, Eq, user)?]);
    Ok(Calls::from([
        (libc::SYS_sched_setaffinity, vec![when(0, Dword, Ne, 0)?]),
        (libc::SYS_sched_setattr, vec![when(0, Dword, Ne, 0)?]),
        (libc::SYS_sched_setparam, vec![when(0, Dword, Ne, 0)?]),
        (libc::SYS_sched_setscheduler, vec![when(0, Dword, Ne, 0)?]),
        (libc::SYS_setpriority, of_user(PRIO_USER)?),
        (libc::SYS_ioprio_set, of_user(IOPRIO_WHO_USER)?),
    ]))
}

/// Calls that a sandbox refuses with certain arguments.
fn refused_uses() -> io::Result<Calls> {
    let new_namespaces = [
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWUTS,
    ];
    let has = |argument, bit: i32| when(argument, Dword, MaskedEq(bit.cast_unsigned().into()), bit);
    Ok(Calls::from([
        // Only pairs of local sockets that stay connected to each other are allowed: their types lack this bit.
        (libc::SYS_socketpair, vec![when(0, Dword, Ne, libc::AF_UNIX)?, has(1, libc::SOCK_DGRAM)?]),
        (
            libc::SYS_clone,
            new_namespaces.map(|flag| has(0, flag)).into_iter().collect::<Result<_, _>>()?,
        ),
    ]))
}

/// A list of system calls.
macro_rules! calls {
    ($($call:ident)*) => { &[$(libc::$call),*] };
}

/// What a sandbox refuses, by kind.
const REFUSED: &[&[i64]] = &[
    // The network. Pairs of sockets have a separate call, and need no names.
    calls![SYS_socket SYS_bind SYS_listen SYS_connect SYS_io_uring_setup],
    // Namespaces and mounts.
    calls![SYS_unshare SYS_setns SYS_mount SYS_umount2 SYS_pivot_root SYS_chroot SYS_move_mount],
    calls![SYS_mount_setattr SYS_open_tree SYS_fsopen SYS_fspick SYS_open_by_handle_at],
    // Tracing.
    calls![SYS_ptrace SYS_perf_event_open],
    // What processes share by number or name: it belongs to others, or outlives the game.
    calls![SYS_shmget SYS_shmat SYS_shmctl SYS_semget SYS_semctl SYS_semop SYS_semtimedop],
    calls![SYS_msgget SYS_msgctl SYS_msgsnd SYS_msgrcv SYS_mq_open],
    calls![SYS_add_key SYS_request_key SYS_keyctl],
    // Memory that is not counted.
    calls![SYS_vmsplice SYS_memfd_secret],
    // Modes, owners, times and attributes of files, which Landlock does not check.
    calls![SYS_fchmod SYS_fchmodat SYS_fchown SYS_fchownat SYS_utimensat],
    calls![SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr],
    // fchmodat2, setxattrat, removexattrat and file_setattr, which `libc` does not have for every processor.
    &[452, 463, 466, 469],
    // Modules and settings of the kernel.
    calls![SYS_init_module SYS_finit_module SYS_delete_module SYS_kexec_load SYS_kexec_file_load SYS_bpf],
    calls![SYS_acct SYS_quotactl SYS_swapon SYS_swapoff SYS_reboot SYS_syslog],
    calls![SYS_sethostname SYS_setdomainname SYS_settimeofday SYS_clock_settime],
    calls![SYS_adjtimex SYS_clock_adjtime],
    // Old forms of these.
    #[cfg(target_arch = "x86_64")]
    calls![SYS_chmod SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat SYS_ioperm SYS_iopl],
];

/// What a sandbox answers as a kernel does that lacks it: programs then do without.
const MISSING: &[i64] = &[
    // A filter cannot see the flags; programs use `clone` instead.
    libc::SYS_clone3,
    // They use up quotas of the user or the machine.
    libc::SYS_inotify_init1,
    libc::SYS_fanotify_init,
    libc::SYS_io_setup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
];

/// The privileges of the referee that a bot keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privileges {
    All,
    None,
    /// None; the bot runs as another user.
    Nobody,
}

impl Privileges {
    pub(crate) const ALL: [Self; 3] = [Self::All, Self::None, Self::Nobody];
}
