//! What runs in the forks: the keeper's life, and the bot's until it executes its program.
//!
//! Nothing here may allocate, lock or panic; see the [theory of operation](super).

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::Ordering;

use libc::pid_t;
use rustix::process::setrlimit;
use rustix::thread::sched_setaffinity;

use super::{EXITED, KILLED, Plan, Shared, Step};
use crate::bot::containment::Means;
use crate::interrupt::SIGNALS;

/// The trial of a namespace: only what can fail.
pub(super) extern "C" fn trial(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given, copied with all memory.
    let plan = unsafe { &*plan.cast::<Plan>() };
    if plan.means == Means::UserNamespace && !map_users(plan) {
        fail(plan, Step::Users);
    }
    0
}

/// The keeper's life.
pub(super) extern "C" fn keeper(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given, copied with all memory.
    let plan = unsafe { &*plan.cast::<Plan>() };
    default_signals();
    if let Some(cores) = &plan.cores
        && let Err(errno) = sched_setaffinity(None, cores)
    {
        fail_with(plan, Step::Cores, errno.raw_os_error());
    }
    let told = if plan.means.is_namespace() { libc::SIGKILL } else { libc::SIGTERM };
    // SAFETY: system calls on numbers and on the plan.
    let bot = unsafe {
        libc::setsid();
        if plan.means == Means::UserNamespace && !map_users(plan) {
            fail(plan, Step::Users);
        }
        if !plan.means.is_namespace() {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        }
        libc::prctl(libc::PR_SET_NAME, c"bot-keeper".as_ptr());
        libc::prctl(libc::PR_SET_PDEATHSIG, told);
        libc::close(plan.report_read);
        if is_orphaned(plan) {
            libc::_exit(0);
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = ptr::from_ref(plan).cast_mut().cast();
        libc::clone(bot, plan.bot_stack, flags, argument)
    };
    if bot < 0 {
        fail(plan, Step::Fork);
    }
    close_all_but(plan.notice);
    keep(bot, plan)
}

/// Whether the referee died before the keeper could ask to be told of it.
fn is_orphaned(plan: &Plan) -> bool {
    let mut report = libc::pollfd { fd: plan.report, events: 0, revents: 0 };
    // SAFETY: one descriptor, valid for writing.
    unsafe { libc::poll(&raw mut report, 1, 0) };
    report.revents & libc::POLLERR != 0
}

/// Undoes the referee's signal handlers: between unblocking its signals and its exec, a bot must not
/// run them. What is ignored stays so, apart from what Rust's runtime ignores.
fn default_signals() {
    // SAFETY: an action is plain data, and zeroes are the default.
    unsafe {
        let default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        for signal in SIGNALS {
            let mut now = default;
            libc::sigaction(signal, ptr::null(), &raw mut now);
            if now.sa_sigaction != libc::SIG_IGN {
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
        libc::sigaction(libc::SIGPIPE, &raw const default, ptr::null_mut());
    }
}

fn map_users(plan: &Plan) -> bool {
    write_file(c"/proc/self/setgroups", b"deny")
        && write_file(c"/proc/self/uid_map", &plan.user)
        && write_file(c"/proc/self/gid_map", &plan.group)
}

fn write_file(path: &CStr, content: &[u8]) -> bool {
    // SAFETY: the path ends in NUL, and the buffer is as long as it says.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        let written = libc::write(file, content.as_ptr().cast(), content.len());
        libc::close(file);
        usize::try_from(written) == Ok(content.len())
    }
}

/// Reports what has failed, with `errno`, and ends.
fn fail(plan: &Plan, step: Step) -> ! {
    // SAFETY: it is this thread's own.
    fail_with(plan, step, unsafe { *libc::__errno_location() })
}

fn fail_with(plan: &Plan, step: Step, errno: i32) -> ! {
    let [a, b, c, d] = errno.to_ne_bytes();
    // SAFETY: the buffer is as long as it says; `_exit` runs nothing of the referee's.
    unsafe {
        let report = [step as u8, a, b, c, d];
        libc::write(plan.report, report.as_ptr().cast(), report.len());
        libc::_exit(127)
    }
}

/// Lets go of everything but `kept`: an end of a pipe that stays open here would hide that the bot
/// closed its own.
fn close_all_but(kept: RawFd) {
    // SAFETY: system calls on numbers; nothing here uses another descriptor any more.
    unsafe {
        let below = libc::syscall(libc::SYS_close_range, 0, kept - 1, 0);
        let above = libc::syscall(libc::SYS_close_range, kept + 1, u32::MAX, 0);
        if below != 0 || above != 0 {
            for fd in (0..most_descriptors()).filter(|&fd| fd != kept) {
                libc::close(fd);
            }
        }
    }
}

/// Marks all descriptors but the standard ones, so that a program that is executed does not get them.
fn close_on_exec() {
    // SAFETY: system calls on numbers.
    unsafe {
        let marked =
            libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) == 0;
        // Linux knows this since 5.11.
        if !marked {
            for fd in 3..most_descriptors() {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Beyond which number no descriptor is looked for one by one. The limit on open files may be in the
/// thousand millions, and each try takes its time.
fn most_descriptors() -> c_int {
    const MOST: c_int = 1 << 16;
    // SAFETY: a question.
    let limit = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) };
    c_int::try_from(limit).map_or(MOST, |limit| limit.min(MOST))
}

/// The bot's fork: becomes the bot.
extern "C" fn bot(plan: *mut c_void) -> c_int {
    // SAFETY: the keeper hands on its plan and stands still.
    let plan = unsafe { &*plan.cast::<Plan>() };
    // SAFETY: system calls on what the plan holds, which lives as long as the keeper's memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpgid(0, 0);
        for (from, to) in plan.stdio.into_iter().zip(0..) {
            libc::dup2(from, to);
        }
        if !plan.cwd.is_null() && libc::chdir(plan.cwd) != 0 {
            fail(plan, Step::Directory);
        }
        // Should memory run out, the bot goes rather than the referee.
        write_file(c"/proc/self/oom_score_adj", b"500");
        for (resource, limit) in &*plan.rlimits {
            if let Err(errno) = setrlimit(*resource, *limit) {
                fail_with(plan, Step::Limits, errno.raw_os_error());
            }
        }
        // The descriptors that the referee was started with are not for the bot.
        close_on_exec();
        confine(plan);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(plan.program, plan.argv.as_ptr(), plan.envp.as_ptr());
        fail(plan, Step::Exec)
    }
}

/// Puts on the rules that no program can shed.
fn confine(plan: &Plan) {
    // SAFETY: system calls on what the plan holds.
    unsafe {
        if plan.ruleset < 0 && plan.filter.len == 0 {
            return;
        }
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            fail(plan, Step::Ruleset);
        }
        if plan.unprivileged && !give_up_privileges() {
            fail(plan, Step::Privileges);
        }
        if plan.ruleset >= 0
            && libc::syscall(libc::SYS_landlock_restrict_self, plan.ruleset, 0) != 0
        {
            fail(plan, Step::Ruleset);
        }
        let filter = &raw const plan.filter;
        if plan.filter.len > 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, filter) != 0
        {
            fail(plan, Step::Filter);
        }
    }
}

/// Gives up all capabilities but the one to read what others own, where the rules about files decide.
/// Since no program brings new privileges any more, they stay lost.
fn give_up_privileges() -> bool {
    const VERSION_3: u32 = 0x2008_0522;
    const READ_ALL: u32 = 1 << 2;
    // As the kernel has it: effective, permitted, inheritable; for 32 capabilities each.
    let mut sets = [[0_u32; 3]; 2];
    let mut header = [VERSION_3, 0];
    // SAFETY: both are as large as the kernel takes them to be for this version.
    unsafe {
        if libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr()) != 0 {
            return false;
        }
        let [[effective, permitted, _], _] = sets;
        sets = [[effective & READ_ALL, permitted & READ_ALL, 0], [0; 3]];
        libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) == 0
    }
}

/// Takes in orphans until the bot ends, and then waits to be told to end, unless the game is over.
fn keep(bot: pid_t, plan: &Plan) -> ! {
    // SAFETY: the page is shared with the referee, and this mapping of it is the keeper's own.
    let shared = unsafe { &*plan.shared };
    shared.bot.store(bot, Ordering::Release);
    let mut has_ended = false;
    // SAFETY: `awaited` is valid for writing.
    unsafe {
        let mut awaited = MaybeUninit::uninit();
        libc::sigemptyset(awaited.as_mut_ptr());
        libc::sigaddset(awaited.as_mut_ptr(), libc::SIGCHLD);
        if !plan.means.is_namespace() {
            // In a namespace only the bot could send it; the referee uses SIGKILL.
            libc::sigaddset(awaited.as_mut_ptr(), libc::SIGTERM);
        }
        while libc::sigwaitinfo(awaited.as_ptr(), ptr::null_mut()) != libc::SIGTERM {
            if !has_ended && reap_orphans(bot, shared) {
                has_ended = true;
                libc::close(plan.notice);
                if shared.is_over.load(Ordering::Acquire) != 0 {
                    break;
                }
            }
        }
        reap_orphans(bot, shared);
        clear(bot, plan.means, shared);
        libc::_exit(0)
    }
}

/// Reaps every process that has ended, except the bot: as long as that is a zombie, the number of
/// its group belongs to nobody else. Returns whether the bot has ended.
fn reap_orphans(bot: pid_t, shared: &Shared) -> bool {
    loop {
        // SAFETY: `info` is valid for writing, and zeroes are a valid one.
        unsafe {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &raw mut info, options) != 0 || info.si_pid() == 0 {
                return false;
            }
            if info.si_pid() == bot {
                let kind = if info.si_code == libc::CLD_EXITED { EXITED } else { KILLED };
                shared.exit.store(kind << 16 | info.si_status(), Ordering::Release);
                return true;
            }
            libc::waitpid(info.si_pid(), ptr::null_mut(), libc::WNOHANG);
        }
    }
}

/// How long the keeper hunts before it gives up, in passes of at most a tenth of a millisecond each
/// (and what the kernel adds): some seconds.
const PASSES: u32 = 30_000;

/// How many passes wait for what the kill of the process group has hit: some tenths of a second.
const GROUP_PASSES: u32 = 2_000;

/// Kills the process group, and, unless that is to be all, every child, until there is none: each
/// one that dies leaves its own children to the keeper. What stays is named.
fn clear(bot: pid_t, means: Means, shared: &Shared) {
    // SAFETY: system calls on numbers.
    unsafe {
        libc::kill(-bot, libc::SIGKILL);
        let passes = if means == Means::Group { GROUP_PASSES } else { PASSES };
        for pass in 0..passes {
            if means != Means::Group {
                each_child(|pid| {
                    libc::kill(pid, libc::SIGKILL);
                });
            }
            loop {
                match libc::waitpid(-1, ptr::null_mut(), libc::WNOHANG) {
                    0 => break,
                    pid if pid < 0 => return,
                    _ => {}
                }
            }
            // A process that forks and exits is caught by looking often.
            if pass % 8 == 7 || means == Means::Group {
                let pause = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
                libc::nanosleep(&raw const pause, ptr::null_mut());
            }
        }
    }
    let mut places = shared.survivors.iter();
    each_child(|pid| {
        if let Some(place) = places.next() {
            place.store(pid, Ordering::Release);
        }
    });
}

/// Calls `act` with the process number of each child, as far as they fit into a buffer.
fn each_child(mut act: impl FnMut(pid_t)) {
    let mut buffer = [0_u8; 4096];
    // SAFETY: the path ends in NUL, and the buffer is as long as it says.
    let count = unsafe {
        let path = c"/proc/thread-self/children".as_ptr();
        let file = libc::open(path, libc::O_RDONLY | libc::O_CLOEXEC);
        let count = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
        libc::close(file);
        usize::try_from(count).unwrap_or(0)
    };
    let mut number: pid_t = 0;
    // Every number has a space behind it; one that is cut off at the end of the buffer does not count.
    for &byte in buffer.iter().take(count) {
        if byte.is_ascii_digit() {
            number = number.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
        } else {
            if number > 0 {
                act(number);
            }
            number = 0;
        }
    }
}
