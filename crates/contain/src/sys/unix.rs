//! Pipes, waits, starts, signals and this process, as on every Unix. A signal handler raises a flag, and touches nothing else.
#![expect(unsafe_code, reason = "signal actions, and limits between fork and exec")]

use std::ffi::c_int;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::sys::{Flag, errno};

pub(crate) use std::io::{PipeReader, PipeWriter};

/// Has reads return at once.
pub(crate) fn prepare_to_read(pipe: &PipeReader) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Has writes return at once.
pub(crate) fn prepare_to_write(pipe: &PipeWriter) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Ready once there is something to read.
pub(crate) fn readable(pipe: &PipeReader) -> Waitable<'_> {
    pipe.as_fd()
}

/// Ready once something can be written.
pub(crate) fn writable(pipe: &PipeWriter) -> Waitable<'_> {
    pipe.as_fd()
}

/// Reads what is there; nothing at EOF.
pub(crate) fn read<'a>(
    pipe: &PipeReader,
    space: &'a mut [MaybeUninit<u8>],
) -> io::Result<&'a mut [u8]> {
    Ok(rustix::io::read(pipe, space)?.0)
}

/// Whether everything that was written is in the pipe.
pub(crate) fn is_written(_pipe: &PipeWriter) -> bool {
    true
}

/// The number of bytes that the reader has not read: Linux tells it at either end, other systems may report 0.
pub(crate) fn unread(pipe: &PipeWriter) -> io::Result<u64> {
    Ok(rustix::io::ioctl_fionread(pipe)?)
}

/// What a wait can be for.
pub type Waitable<'a> = BorrowedFd<'a>;

/// What is awaited of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Reading,
    Writing,
}

/// A file to wait for.
pub(crate) fn waitable_file(file: &File) -> Waitable<'_> {
    file.as_fd()
}

/// Waits until something is ready or `until` has come, and returns what is ready. A signal ends the wait early.
pub(crate) fn ready<'a, S>(
    watched: impl Iterator<Item = (S, Waitable<'a>, Interest)>,
    until: Option<Instant>,
) -> io::Result<Vec<S>> {
    let descriptors = watched.map(|(source, fd, what)| {
        let flags = if what == Interest::Reading { PollFlags::IN } else { PollFlags::OUT };
        (source, PollFd::from_borrowed_fd(fd, flags))
    });
    let (sources, mut fds): (Vec<S>, Vec<PollFd<'_>>) = descriptors.unzip();
    let timeout = until.map(|until| until.saturating_duration_since(Instant::now()));
    // A duration too long for the kernel is as good as no limit.
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Vec::new()),
        Err(errno) => return Err(errno.into()),
    }
    let found = sources.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
    Ok(found.map(|(source, _)| source).collect())
}

/// Spawns a child with these limits.
pub(super) fn limit_and_spawn(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    let set =
        move || Ok(limits.iter().try_for_each(|(resource, limit)| setrlimit(*resource, *limit))?);
    // SAFETY: between fork and exec it makes system calls alone.
    unsafe { command.pre_exec(set) };
    command.spawn()
}

/// The soft and the hard limit on the bytes of this process's stack, if there are any, which what it starts inherits.
pub fn stack_limits() -> (Option<u64>, Option<u64>) {
    let Rlimit { current, maximum } = getrlimit(Resource::Stack);
    (current, maximum)
}

/// The CPU time of the calling thread, if the system counts it finely.
pub fn cpu_time_of_thread() -> Option<Duration> {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

/// The id of this process's user.
pub fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Whether this process's user has made a file.
pub(crate) fn is_own(data: &Metadata) -> bool {
    data.uid() == rustix::process::geteuid().as_raw()
}

/// The signals that a terminal, a user or a batch system sends to end a program.
pub(crate) const ENDING: [c_int; 8] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGXCPU,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
];

/// The number of a signal in logs, where each has the one that Linux gives it.
pub(crate) fn number_in_logs(signal: c_int) -> c_int {
    // Signals 1 to 6, 8, 9, 11 and 13 to 15 have the same number everywhere.
    const LINUX: [(c_int, c_int); 12] = [
        (libc::SIGBUS, 7),
        (libc::SIGUSR1, 10),
        (libc::SIGUSR2, 12),
        (libc::SIGCHLD, 17),
        (libc::SIGCONT, 18),
        (libc::SIGSTOP, 19),
        (libc::SIGTSTP, 20),
        (libc::SIGURG, 23),
        (libc::SIGXCPU, 24),
        (libc::SIGXFSZ, 25),
        (libc::SIGIO, 29),
        (libc::SIGSYS, 31),
    ];
    LINUX.iter().find(|(here, _)| *here == signal).map_or(signal, |(_, there)| *there)
}

/// Undoes this program's signal handlers: between unblocking its signals and its exec, a bot must not
/// run them. Ignored signals stay ignored, apart from SIGPIPE, which Rust's runtime ignores, and SIGCHLD, without
/// which the kernel would forget how children have ended.
#[cfg(target_os = "linux")]
pub(super) fn reset_signals() {
    // SAFETY: an action is plain data, and zeroes are the default.
    let default = unsafe { MaybeUninit::zeroed().assume_init() };
    for signal in 1..=libc::SIGRTMAX() {
        let is_needed = [libc::SIGPIPE, libc::SIGCHLD].contains(&signal);
        // Fails for the signals that have no handlers.
        if action(signal).is_ok_and(|now| now.sa_sigaction != libc::SIG_IGN) || is_needed {
            let _ = set_action(signal, &default);
        }
    }
}

/// Has the kernel keep how children end, even if this program was started with SIGCHLD ignored, and has a write beyond
/// the limit on the size of files fail. A handler is not inherited by other programs, as an ignored signal would be.
pub(crate) fn prepare_signals() {
    if has_disposition(libc::SIGCHLD, libc::SIG_IGN) {
        let _ = set_disposition(libc::SIGCHLD, libc::SIG_DFL);
    }
    if has_disposition(libc::SIGXFSZ, libc::SIG_DFL) {
        let _ = set_disposition(libc::SIGXFSZ, handler());
    }
}

/// While there is one of these, the kernel keeps how children have ended, though this program was started so that it forgets them.
#[derive(Debug)]
pub(crate) struct SigchldGuard(());

/// The number of these, and whether SIGCHLD was ignored before the first one.
static HEEDED: Mutex<(usize, bool)> = Mutex::new((0, false));

impl SigchldGuard {
    pub(crate) fn begin() -> Self {
        let mut guard = HEEDED.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.0 == 0 {
            guard.1 = has_disposition(libc::SIGCHLD, libc::SIG_IGN);
            if guard.1 {
                let _ = set_disposition(libc::SIGCHLD, libc::SIG_DFL);
            }
        }
        guard.0 += 1;
        Self(())
    }
}

impl Drop for SigchldGuard {
    fn drop(&mut self) {
        let mut guard = HEEDED.lock().unwrap_or_else(PoisonError::into_inner);
        guard.0 -= 1;
        // A handler that was set since then is to stay.
        if *guard == (0, true) && has_disposition(libc::SIGCHLD, libc::SIG_DFL) {
            let _ = set_disposition(libc::SIGCHLD, libc::SIG_IGN);
        }
    }
}

fn set_disposition(signal: c_int, disposition: libc::sighandler_t) -> io::Result<()> {
    // SAFETY: an action is plain data.
    let mut ours: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    ours.sa_sigaction = disposition;
    ours.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
    set_action(signal, &ours)
}

/// Whether this is what a signal does.
fn has_disposition(signal: c_int, disposition: libc::sighandler_t) -> bool {
    action(signal).is_ok_and(|now| now.sa_sigaction == disposition)
}

/// What a signal does.
fn action(signal: c_int) -> io::Result<libc::sigaction> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: `now` is valid for writing, and read only if the call has filled it.
    unsafe {
        match libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) {
            0 => Ok(now.assume_init()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn set_action(signal: c_int, action: &libc::sigaction) -> io::Result<()> {
    // SAFETY: `action` is valid for reading.
    match unsafe { libc::sigaction(signal, action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The flag that signals raise, while there are [`Handlers`].
static RAISED: AtomicPtr<Flag> = AtomicPtr::new(ptr::null_mut());

/// The number of handlers that are running.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handle(signal: c_int) {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    let flag = RAISED.load(Ordering::SeqCst);
    if !flag.is_null() && signal != libc::SIGXFSZ {
        // SAFETY: the thread that takes the flag away waits until no handler runs any more. The thread may be about to read its
        // errno, so it gets that back.
        unsafe {
            let before = *errno();
            (*flag).raise(signal);
            *errno() = before;
        }
    }
    RUNNING.fetch_sub(1, Ordering::SeqCst);
}

/// Signal handlers that raise a flag, until this is dropped. There is at most one of these.
pub(crate) struct Handlers {
    /// Raised by [`handle`].
    _flag: Arc<Flag>,
    /// What the signals did before.
    before: Vec<(c_int, libc::sigaction)>,
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.before.iter().map(|(signal, _)| signal)).finish()
    }
}

impl Handlers {
    /// Has these signals raise `flag`, except those that are ignored; SIGXFSZ is caught as well, and raises nothing.
    pub(crate) fn install(signals: &[c_int], flag: Arc<Flag>) -> io::Result<Self> {
        let raised = Arc::as_ptr(&flag).cast_mut();
        let (all, none) = (Ordering::SeqCst, ptr::null_mut());
        RAISED.compare_exchange(none, raised, all, all).map_err(|_| io::ErrorKind::ResourceBusy)?;
        // From here on, dropping this undoes what was done.
        let mut handlers = Self { _flag: flag, before: Vec::new() };
        for &signal in signals.iter().chain(&[libc::SIGXFSZ]) {
            let before = action(signal)?;
            if before.sa_sigaction != libc::SIG_IGN {
                set_disposition(signal, handler())?;
                handlers.before.push((signal, before));
            }
        }
        Ok(handlers)
    }
}

fn handler() -> libc::sighandler_t {
    handle as extern "C" fn(c_int) as libc::sighandler_t
}

impl Drop for Handlers {
    fn drop(&mut self) {
        for (signal, before) in &self.before {
            // A program that has changed the action since then wants it so.
            if has_disposition(*signal, handler()) {
                let _ = set_action(*signal, before);
            }
        }
        RAISED.store(ptr::null_mut(), Ordering::SeqCst);
        while RUNNING.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
    }
}
