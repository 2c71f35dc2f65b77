//! System calls for which no crate has a safe form.
#![expect(unsafe_code, reason = "processes: fork, clone, exec, and what happens between them")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::time::Duration;

use linux_raw_sys::landlock::{
    LANDLOCK_CREATE_RULESET_VERSION, landlock_path_beneath_attr, landlock_rule_type,
    landlock_ruleset_attr,
};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Signal, WaitOptions, getrlimit, kill_process, waitpid};
use seccompiler::sock_filter;

use crate::sys::reset_signals;
use terms::verdict::BotExit;

/// Strings for the kernel, each with the NUL that ends it.
#[derive(Debug, Default)]
pub(crate) struct Strings(pub(crate) Vec<u8>);

impl Strings {
    pub(crate) fn new(strings: &[CString]) -> Self {
        Self(strings.iter().map(CString::as_bytes_with_nul).collect::<Vec<_>>().concat())
    }

    /// The addresses of the strings, and a null pointer.
    fn pointers(&self) -> Vec<*const c_char> {
        let strings = self.0.split_inclusive(|&byte| byte == 0);
        // What came from elsewhere may lack its last NUL.
        let whole = strings.filter(|string| string.ends_with(&[0]));
        whole.map(|string| string.as_ptr().cast()).chain([ptr::null()]).collect()
    }
}

/// Forks this process, which may have threads: `run` is the child's life, with every signal blocked, those that this
/// program handles at their default, and no descriptor but `kept`.
///
/// The child is as free as any process of one thread: `fork` leaves the allocator in order, and `run` uses no other
/// lock of this program.
pub(crate) fn fork_apart(kept: RawFd, run: impl FnOnce() -> c_int) -> io::Result<Pid> {
    let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` and `mask` are valid for writing. The child gets a copy of this memory, and leaves by `_exit`.
    let pid = unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), mask.as_mut_ptr());
        let pid = libc::fork();
        if pid == 0 {
            reset_signals();
            close_all_but(kept);
            libc::_exit(catch_unwind(AssertUnwindSafe(run)).unwrap_or(1));
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), ptr::null_mut());
        pid
    };
    Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error)
}

/// Forks a process that has one thread. Returns the child's number and a pidfd, or `None` in the child.
pub(crate) fn fork(
    flags: c_int,
    cgroup: Option<BorrowedFd<'_>>,
) -> io::Result<Option<(Pid, OwnedFd)>> {
    let mut pidfd: c_int = -1;
    // SAFETY: `pidfd` is valid for writing, and the child gets a copy of this memory and this stack. No other thread
    // can have left anything locked.
    let pid = unsafe { clone(flags | libc::CLONE_PIDFD, cgroup, &raw mut pidfd) };
    if pid == 0 {
        return Ok(None);
    }
    let pid = Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error)?;
    if pidfd < 0 {
        // An emulator that does not support pidfds.
        let _ = kill_process(pid, Signal::KILL);
        let _ = waitpid(Some(pid), WaitOptions::empty());
        return Err(Errno::NOSYS.into());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(Some((pid, unsafe { OwnedFd::from_raw_fd(pidfd) })))
}

/// Returns twice, as fork(2) does. Without a control group, it uses the call that emulators and
/// containers of any age support.
///
/// # Safety
/// `pidfd` is valid for writing, and the child does only what is allowed after a fork.
unsafe fn clone(flags: c_int, cgroup: Option<BorrowedFd<'_>>, pidfd: *mut c_int) -> libc::pid_t {
    let none = 0_usize;
    let pid = match cgroup {
        None => unsafe {
            let flags = flags | libc::SIGCHLD;
            libc::syscall(libc::SYS_clone, flags.cast_unsigned(), none, pidfd, none, none)
        },
        Some(cgroup) => unsafe {
            let mut args = MaybeUninit::<libc::clone_args>::zeroed().assume_init();
            args.flags = u64::from(flags.cast_unsigned()) | CLONE_INTO_CGROUP;
            args.pidfd = pidfd as u64;
            args.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
            args.cgroup = u64::from(cgroup.as_raw_fd().cast_unsigned());
            libc::syscall(libc::SYS_clone3, &raw const args, size_of_val(&args))
        },
    };
    libc::pid_t::try_from(pid).unwrap_or(-1)
}

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Forks without copying memory, as vfork(2) does: the caller blocks until the child has executed
/// a program or ended.
pub(crate) fn fork_sharing_memory<F: Fn() -> c_int>(run: &F) -> io::Result<Pid> {
    extern "C" fn call<F: Fn() -> c_int>(run: *mut c_void) -> c_int {
        // SAFETY: it is the reference that the caller holds while it is blocked.
        unsafe { (*run.cast::<F>())() }
    }
    let mut stack = [MaybeUninit::<u128>::uninit(); 1024];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is aligned, is the child's alone, and outlives its use of it, as `run` does.
    let pid = unsafe {
        let top = stack.as_mut_ptr_range().end.cast();
        libc::clone(call::<F>, top, flags, ptr::from_ref(run).cast_mut().cast())
    };
    Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error)
}

/// Has each thread of this program allocate from a heap of its own, where the C library shares a few among all threads: a
/// thread that loses its core while it holds a shared one's lock holds up the others.
pub(crate) fn separate_heaps() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it sets a number.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, c_int::MAX);
    }
}

/// Executes a program with no signal blocked. Returns only if that fails.
pub(crate) fn execute(program: &CStr, argv: &Strings, envp: &Strings) -> Errno {
    let (argv, envp) = (argv.pointers(), envp.pointers());
    // SAFETY: the lists end in null pointers, and what they point to lives as long as `Strings` do.
    unsafe {
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr());
    }
    last_errno()
}

fn last_errno() -> Errno {
    Errno::from_raw_os_error(io::Error::last_os_error().raw_os_error().unwrap_or(0))
}

/// Closes all descriptors but `kept`. An end of a pipe left open would keep EOF from its reader.
fn close_all_but(kept: RawFd) {
    close_range(0, kept - 1);
    close_range(kept + 1, RawFd::MAX);
}

fn close_range(first: RawFd, last: RawFd) {
    if first > last {
        return;
    }
    let (low, high) = (first.cast_unsigned(), last.cast_unsigned());
    // SAFETY: the fork uses none of these any more, and never drops what owns them.
    unsafe {
        // Since Linux 5.9.
        if libc::syscall(libc::SYS_close_range, low, high, 0) != 0 {
            for fd in first..=last.min(highest_descriptor()) {
                libc::close(fd);
            }
        }
    }
}

/// The highest descriptor to close one by one. The limit on open files may be a billion, and each
/// attempt takes time.
fn highest_descriptor() -> RawFd {
    const HIGHEST: RawFd = 1 << 16;
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| RawFd::try_from(limit).ok()).map_or(HIGHEST, |limit| limit.min(HIGHEST))
}

/// A descriptor that becomes readable when a child has ended. SIGCHLD must be blocked.
pub(crate) fn child_notices() -> Result<OwnedFd, Errno> {
    // SAFETY: the set is initialised before it is read, and the kernel makes the descriptor for us.
    unsafe {
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        let fd = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 { Err(last_errno()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// A child that has ended, and its exit. It remains a zombie.
pub(crate) fn ended_child() -> Option<(Pid, BotExit)> {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: zeroes are a valid one, and it is valid for writing. The kernel fills it in as for a
    // child, or leaves its zeroes.
    let (pid, code, status) = unsafe {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
        if libc::waitid(libc::P_ALL, 0, &raw mut info, options) != 0 {
            return None;
        }
        (info.si_pid(), info.si_code, info.si_status())
    };
    let exit = if code == libc::CLD_EXITED { BotExit::Code } else { BotExit::Signal };
    Some((Pid::from_raw(pid)?, exit(status)))
}

/// Applies a Landlock ruleset.
pub(crate) fn restrict_self(ruleset: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: a system call on numbers.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Applies a seccomp filter, with speculation left on: before Linux 5.16 filters disabled it unless
/// told otherwise.
pub(crate) fn set_filter(filter: &[sock_filter]) -> Result<(), Errno> {
    let len = u16::try_from(filter.len()).map_err(|_| Errno::INVAL)?;
    let program = libc::sock_fprog { len, filter: filter.as_ptr().cast_mut().cast() };
    let (set, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    // SAFETY: the kernel copies the program, which is as long as it says.
    let done = unsafe { libc::syscall(libc::SYS_seccomp, set, flags, &raw const program) };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// The kernel's version of Landlock; 0 without Landlock.
pub(crate) fn landlock_version() -> u32 {
    let flag = LANDLOCK_CREATE_RULESET_VERSION;
    // SAFETY: with this flag the kernel reads no attributes, and makes nothing.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0, flag) };
    u32::try_from(version).unwrap_or(0)
}

/// Makes a Landlock ruleset.
pub(crate) fn landlock_ruleset(what: landlock_ruleset_attr) -> Result<OwnedFd, Errno> {
    let (call, size) = (libc::SYS_landlock_create_ruleset, size_of_val(&what));
    // SAFETY: the kernel copies the attributes, and makes the descriptor for us.
    unsafe {
        let fd = RawFd::try_from(libc::syscall(call, &raw const what, size, 0)).unwrap_or(-1);
        if fd < 0 { Err(last_errno()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Adds a rule to it: these rights to a file, or to all in a folder.
pub(crate) fn landlock_allow(
    ruleset: BorrowedFd<'_>,
    allowed_access: u64,
    file: BorrowedFd<'_>,
) -> Result<(), Errno> {
    let rule = landlock_path_beneath_attr { allowed_access, parent_fd: file.as_raw_fd() };
    let (call, kind) =
        (libc::SYS_landlock_add_rule, landlock_rule_type::LANDLOCK_RULE_PATH_BENEATH as c_int);
    // SAFETY: the kernel copies the rule.
    let done = unsafe { libc::syscall(call, ruleset.as_raw_fd(), kind, &raw const rule, 0) };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Makes a mount read-only, with all mounts in it.
pub(crate) fn make_read_only(mount: &CStr) -> Result<(), Errno> {
    let (call, flags) = (libc::SYS_mount_setattr, libc::AT_RECURSIVE);
    // SAFETY: zeroes are valid attributes, which change nothing, and the kernel copies them.
    let done = unsafe {
        let mut what = MaybeUninit::<libc::mount_attr>::zeroed().assume_init();
        what.attr_set = libc::MOUNT_ATTR_RDONLY;
        let size = size_of_val(&what);
        libc::syscall(call, libc::AT_FDCWD, mount.as_ptr(), flags, &raw const what, size)
    };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Whether the kernel has seccomp filters: if so, it complains that the filter's address is invalid.
pub(crate) fn has_seccomp_filters() -> bool {
    // SAFETY: the kernel reads a filter from no address, and puts on none.
    let set = unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, ptr::null::<c_void>())
    };
    set != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// The CPU time of a process, including threads that have ended; `None` once it has been reaped.
pub(crate) fn process_cpu(pid: i32) -> Option<Duration> {
    // The clock that clock_getcpuclockid(3) returns, without its check that the process exists.
    let clock = (!pid << 3) | 2;
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is valid for writing, and read only if the call has filled it.
    let time = unsafe {
        (libc::clock_gettime(clock, time.as_mut_ptr()) == 0).then(|| time.assume_init())
    }?;
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}
