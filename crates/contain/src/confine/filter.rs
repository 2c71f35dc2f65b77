//! Seccomp programs: they make system calls fail with `EPERM` in a bot.

use std::io;
use std::sync::OnceLock;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

use super::method::ContainmentMethod;
use crate::sys::raw::has_seccomp_filters;

/// A system call and the rules that refuse it; without a rule it is always refused.
type Refused = (i64, Vec<SeccompRule>);

/// The seccomp program for a bot; empty if nothing is refused. It is made once.
///
/// # Errors
/// When there is no seccomp for this processor.
pub(crate) fn program(method: ContainmentMethod, is_sandboxed: bool) -> io::Result<BpfProgram> {
    const KINDS: usize = 2 * ContainmentMethod::ALL.len();
    static PROGRAMS: [OnceLock<BpfProgram>; KINDS] = [const { OnceLock::new() }; KINDS];
    let program = &PROGRAMS[2 * method as usize + usize::from(is_sandboxed)];
    if let Some(known) = program.get() {
        return Ok(known.clone());
    }
    let made = make(method, is_sandboxed)?;
    Ok(program.get_or_init(|| made).clone())
}

fn make(method: ContainmentMethod, is_sandboxed: bool) -> io::Result<BpfProgram> {
    let mut refused = Vec::new();
    if method == ContainmentMethod::Seccomp {
        refused.extend([libc::SYS_setsid, libc::SYS_setpgid].map(always));
    }
    // A bot in a namespace cannot name processes outside it.
    if !method.is_namespace() && (has_seccomp() || !refused.is_empty()) {
        refused.extend(on_others()?);
    }
    let mut program = Vec::new();
    if is_sandboxed {
        refused.extend(FORBIDDEN.iter().chain(FORBIDDEN_OLD).copied().map(always));
        refused.extend(forbidden_uses()?);
        program.extend(NO_CLONE3);
    }
    if refused.is_empty() {
        return Ok(BpfProgram::new());
    }
    program.extend(NO_SECOND_NUMBERS);
    program.extend(compile(refused)?);
    Ok(program)
}

/// Whether the kernel supports filters, and this crate can make them for the processor.
pub(crate) fn has_seccomp() -> bool {
    has_seccomp_filters() && compile(vec![always(libc::SYS_setsid)]).is_ok()
}

fn always(call: i64) -> Refused {
    (call, Vec::new())
}

fn compile(refused: Vec<Refused>) -> io::Result<BpfProgram> {
    let mut calls = std::collections::BTreeMap::<i64, Vec<SeccompRule>>::new();
    for (call, rules) in refused {
        match calls.get_mut(&call) {
            // A call that is always refused remains always refused.
            Some(known) if known.is_empty() || rules.is_empty() => known.clear(),
            Some(known) => known.extend(rules),
            None => drop(calls.insert(call, rules)),
        }
    }
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let processor = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refuse, processor);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

/// A condition on an argument of 32 bits.
fn number(argument: u8, op: SeccompCmpOp, value: i32) -> io::Result<SeccompCondition> {
    let value = u64::from(value.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value).map_err(io::Error::other)
}

fn is(argument: u8, value: i32) -> io::Result<SeccompCondition> {
    number(argument, SeccompCmpOp::Eq, value)
}

fn is_not_0(argument: u8) -> io::Result<SeccompCondition> {
    number(argument, SeccompCmpOp::Ne, 0)
}

/// A rule that refuses a call when all these conditions hold.
fn when(conditions: Vec<SeccompCondition>) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions).map_err(io::Error::other)
}

/// A rule that refuses a call unless its second argument is one of these.
fn unless_one_of(allowed: &[i32]) -> io::Result<SeccompRule> {
    let others = allowed.iter().map(|&value| number(1, SeccompCmpOp::Ne, value));
    others.collect::<io::Result<_>>().and_then(when)
}

/// Calls that change other processes' scheduling or limits, which every process of the same user may do: a limit on
/// CPU time would kill the referee as surely as a signal. A filter cannot tell which processes are the bot's own,
/// so a bot may change only the calling thread.
fn on_others() -> io::Result<Vec<Refused>> {
    let new_limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0);
    let new_limit = new_limit.map_err(io::Error::other)?;
    let mut refused = vec![(libc::SYS_prlimit64, vec![when(vec![is_not_0(0)?, new_limit])?])];
    for call in [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ] {
        refused.push((call, vec![when(vec![is_not_0(0)?])?]));
    }
    for (call, of_user) in
        [(libc::SYS_setpriority, PRIO_USER), (libc::SYS_ioprio_set, IOPRIO_WHO_USER)]
    {
        refused.push((call, vec![when(vec![is_not_0(1)?])?, when(vec![is(0, of_user)?])?]));
    }
    // Recent versions of Landlock protect single processes, but not from this form, which signals all.
    refused.push((libc::SYS_kill, vec![when(vec![is(0, -1)?])?]));
    Ok(refused)
}

const PRIO_USER: i32 = 2;
const IOPRIO_WHO_USER: i32 = 3;

/// Calls that a sandbox refuses with certain arguments.
fn forbidden_uses() -> io::Result<Vec<Refused>> {
    let mut refused = Vec::new();
    // Only pairs of sockets that stay connected to each other are allowed. The other bits are flags.
    let of_kind = |kind| {
        let mask = SeccompCmpOp::MaskedEq(0xF);
        number(1, mask, kind).and_then(|is| when(vec![is]))
    };
    let others = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM];
    refused
        .push((libc::SYS_socketpair, others.map(of_kind).into_iter().collect::<Result<_, _>>()?));
    // Through a descriptor that only reads, others change a file's attributes, or block its writers.
    refused.push((libc::SYS_ioctl, vec![unless_one_of(&IOCTLS.map(u32::cast_signed))?]));
    refused.push((libc::SYS_fcntl, vec![unless_one_of(&FCNTLS)?]));
    // New namespaces.
    let namespaces = NAMESPACES.iter().map(|&flag| {
        let mask = SeccompCmpOp::MaskedEq(u64::from(flag.cast_unsigned()));
        number(0, mask, flag).and_then(|is| when(vec![is]))
    });
    refused.push((libc::SYS_clone, namespaces.collect::<Result<_, _>>()?));
    for (call, of_user) in
        [(libc::SYS_setpriority, PRIO_USER), (libc::SYS_ioprio_set, IOPRIO_WHO_USER)]
    {
        refused.push((call, vec![when(vec![is(0, of_user)?])?]));
    }
    Ok(refused)
}

/// What a sandbox allows to ask of ioctl(2): whether a descriptor is a terminal, and of what kind (`TCGETS`, `TCGETS2`,
/// `TIOCGWINSZ`, `TIOCGPGRP`), how much there is to read (`FIONREAD`), and flags of the descriptor (`FIONBIO`, `FIOASYNC`,
/// `FIOCLEX`, `FIONCLEX`). The numbers are the same on all processors that seccompiler knows.
const IOCTLS: [u32; 9] =
    [0x5401, 0x802C_542A, 0x5413, 0x540F, 0x541B, 0x5421, 0x5452, 0x5451, 0x5450];

/// What a sandbox allows to ask of fcntl(2): all but leases, notices and signals of files, and hints about them.
const FCNTLS: [i32; 17] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    F_DUPFD_QUERY,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_GETPIPE_SZ,
    libc::F_SETPIPE_SZ,
    libc::F_GET_SEALS,
    libc::F_ADD_SEALS,
];

/// Since Linux 6.10, and not in `libc` yet.
const F_DUPFD_QUERY: i32 = 1027;

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Answers a call by its x32 number with `EPERM`: some kernels know every call by a second number,
/// which differs from the first one, used in the filter, by this bit.
const NO_SECOND_NUMBERS: [sock_filter; 3] = {
    const X32: u32 = 0x4000_0000;
    answer(0x35, X32, libc::EPERM)
};

/// Answers `clone3`, whose flags a filter cannot see, as a kernel without it would: programs then
/// use `clone`.
const NO_CLONE3: [sock_filter; 3] = answer(0x15, 435, libc::ENOSYS);

/// Loads the call's number, and answers with `errno` if `comparison` (jeq or jge) with `number` holds.
const fn answer(comparison: u16, number: u32, errno: i32) -> [sock_filter; 3] {
    let errno = libc::SECCOMP_RET_ERRNO | errno.cast_unsigned();
    [
        sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
        sock_filter { code: comparison, jt: 0, jf: 1, k: number },
        sock_filter { code: 0x06, jt: 0, jf: 0, k: errno },
    ]
}

/// System calls that no bot in a sandbox needs.
const FORBIDDEN: &[i64] = &[
    // The network. Pairs of sockets within a process have a separate call, and need no names.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_connect,
    libc::SYS_io_uring_setup,
    // Pages in a pipe stay when nobody maps them any more, and are not counted.
    libc::SYS_vmsplice,
    // Memory that the kernel shows to nobody.
    SYS_MEMFD_SECRET,
    // Modes, owners, times and attributes of files, which Landlock does not check.
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
    // Memory, semaphores, queues and keys: they would outlive the game, or belong to others.
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Settings of the machine, in case the referee is privileged.
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
const SYS_MEMFD_SECRET: i64 = 447;
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// The older forms of some of these, which newer processors never had.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_OLD: &[i64] = &[
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
const FORBIDDEN_OLD: &[i64] = &[];
