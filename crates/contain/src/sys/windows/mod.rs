//! Alarms, waits, the console and this process, as Windows has them.
#![expect(unsafe_code, reason = "events, waits, and settings of this process")]

use std::ffi::c_int;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::marker::PhantomData;
use std::mem;
use std::os::windows::io::{
    AsHandle, AsRawHandle as _, BorrowedHandle, FromRawHandle as _, OwnedHandle,
};
use std::ptr;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HANDLE, WAIT_FAILED, WAIT_OBJECT_0};
use windows_sys::Win32::Media::timeBeginPeriod;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, GetConsoleCP, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    CreateEventW, GetCurrentProcess, GetCurrentThread, INFINITE, SetEvent, SetThreadPriority,
    Sleep, THREAD_PRIORITY_LOWEST, WaitForMultipleObjects, WaitForSingleObject,
};

use crate::sys::Flag;

mod pipe;
mod processes;

pub(crate) use self::{pipe::*, processes::*};

/// A new event, which is not signalled.
pub(crate) fn new_event() -> io::Result<OwnedHandle> {
    // SAFETY: an event without a name, whose handle is ours.
    unsafe {
        let event = CreateEventW(ptr::null(), 1, 0, ptr::null());
        if event.is_null() {
            Err(io::Error::last_os_error())
        } else {
            Ok(OwnedHandle::from_raw_handle(event))
        }
    }
}

/// Signals it.
pub(crate) fn set_event(event: &impl AsHandle) {
    // SAFETY: the handle is open. It fails only for a handle of another kind.
    unsafe {
        SetEvent(event.as_handle().as_raw_handle());
    }
}

/// What one thread sets to wake another that waits.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for: an event, which is held as a file since other systems have one.
    pub(crate) watched: Arc<File>,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { watched: Arc::new(File::from(new_event()?)) })
    }

    pub(crate) fn ring(&self) {
        set_event(&*self.watched);
    }
}

/// What a wait can be for: a handle that is signalled once it is ready.
#[derive(Debug, Clone, Copy)]
pub struct Waitable<'a>(HANDLE, PhantomData<BorrowedHandle<'a>>);

/// What is awaited of it. A handle knows that by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Reading,
    Writing,
}

impl<'a> Waitable<'a> {
    pub(crate) fn of(handle: &'a impl AsHandle) -> Self {
        Self(handle.as_handle().as_raw_handle(), PhantomData)
    }

    /// A handle that is open for as long as what this borrows.
    pub(super) fn raw(handle: HANDLE) -> Self {
        Self(handle, PhantomData)
    }

    /// Whether it is ready now.
    pub(crate) fn is_ready(self) -> bool {
        // SAFETY: the handle is open for as long as this is.
        unsafe { WaitForSingleObject(self.0, 0) == WAIT_OBJECT_0 }
    }
}

/// A handle that is held as a file.
pub(crate) fn waitable_file(file: &File) -> Waitable<'_> {
    Waitable::of(file)
}

/// Waits until something is ready or `until` has come, and returns what is ready.
pub(crate) fn ready<'a, S>(
    watched: impl Iterator<Item = (S, Waitable<'a>, Interest)>,
    until: Option<Instant>,
) -> io::Result<Vec<S>> {
    let watched: Vec<(S, Waitable<'_>, Interest)> = watched.collect();
    let handles: Vec<HANDLE> = watched.iter().map(|(_, handle, _)| handle.0).collect();
    let count = u32::try_from(handles.len()).expect("a few");
    let time = until.map_or(INFINITE, milliseconds);
    // SAFETY: the handles are open for as long as `watched` is, and there are as many as it says.
    unsafe {
        if count == 0 {
            Sleep(time);
        } else if WaitForMultipleObjects(count, handles.as_ptr(), 0, time) == WAIT_FAILED {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(watched.into_iter().filter(|(_, handle, _)| handle.is_ready()).map(|it| it.0).collect())
}

/// The time until then, rounded up: a wait that ends too early would be repeated.
fn milliseconds(until: Instant) -> u32 {
    let left = until.saturating_duration_since(Instant::now());
    let millis = left.saturating_add(Duration::from_nanos(999_999)).as_millis();
    u32::try_from(millis).unwrap_or(INFINITE - 1).min(INFINITE - 1)
}

/// What Ctrl-C and Ctrl-Break are called here, as elsewhere.
pub(crate) const INTERRUPT: c_int = 2;

/// What the end of the console or of the session is called.
pub(crate) const TERMINATE: c_int = 15;

/// What ends a program.
pub(crate) const ENDING: [c_int; 2] = [INTERRUPT, TERMINATE];

/// How long the end of a console waits for this program, at most; the system waits no longer either.
const PATIENCE: Duration = Duration::from_secs(10);

/// Nothing is to be prepared.
pub(crate) fn prepare_signals() {}

/// The flag that is raised, while there are [`Handlers`].
static RAISED: Mutex<Option<Arc<Flag>>> = Mutex::new(None);

/// Handlers that raise a flag, until this is dropped. There is at most one of these.
pub(crate) struct Handlers(());

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handlers")
    }
}

/// The system calls this on a thread of its own.
unsafe extern "system" fn handle(event: u32) -> i32 {
    let flag = RAISED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(flag) = flag else { return 0 };
    if matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        flag.raise(INTERRUPT);
    } else {
        flag.raise(TERMINATE);
        // The program is killed once this returns.
        thread::sleep(PATIENCE);
    }
    1
}

impl Handlers {
    /// Has the console raise `flag`.
    pub(crate) fn install(_signals: &[c_int], flag: Arc<Flag>) -> io::Result<Self> {
        let mut raised = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_some() {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        // SAFETY: the handler is a function, and so always there.
        if unsafe { SetConsoleCtrlHandler(Some(handle), 1) } == 0 {
            return Err(io::Error::last_os_error());
        }
        *raised = Some(flag);
        Ok(Self(()))
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        // SAFETY: as it was installed.
        unsafe {
            SetConsoleCtrlHandler(Some(handle), 0);
        }
        *RAISED.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Has waits end within a millisecond instead of 16, children crash without a window that waits for somebody, and none outlive this
/// program, not even one that it is just starting when it is killed.
pub(crate) fn prepare_to_start() {
    static ONCE: Once = Once::new();
    // SAFETY: these set numbers of this process, and the handle that stands for it is always open.
    ONCE.call_once(|| unsafe {
        timeBeginPeriod(1);
        SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
        let this = BorrowedHandle::borrow_raw(GetCurrentProcess());
        match Job::new().and_then(|job| job.take(&this).map(|()| job)) {
            // The system closes its handle when this program ends, and ends what it has started.
            Ok(job) => mem::forget(job),
            Err(error) => log::debug!("this program is in no job of its own: {error}"),
        }
    });
}

/// Whether this program has a console, which its children share.
pub(crate) fn has_console() -> bool {
    // SAFETY: it reads a number.
    unsafe { GetConsoleCP() != 0 }
}

/// The memory of this machine, in bytes.
pub fn memory() -> Option<u64> {
    let size = u32::try_from(size_of::<MEMORYSTATUSEX>()).expect("small");
    let mut memory = MEMORYSTATUSEX { dwLength: size, ..Default::default() };
    // SAFETY: it is valid for writing, and of the size that it names.
    let known = unsafe { GlobalMemoryStatusEx(&raw mut memory) };
    (known != 0).then_some(memory.ullTotalPhys)
}

/// The soft and the hard limit on this process's stack: none.
pub fn stack_limits() -> (Option<u64>, Option<u64>) {
    (None, None)
}

/// The CPU time of the calling thread, which the system counts in ticks too long to be of use.
pub fn cpu_time_of_thread() -> Option<Duration> {
    None
}

/// Has the calling thread run only where no other one wants a core.
pub fn yield_to_others() {
    // SAFETY: the handle stands for the calling thread. A refusal is harmless.
    unsafe {
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
    }
}

/// The id of this process's user: Windows has no numbers for them.
pub fn user() -> u32 {
    0
}

/// Whether this process's user has made a file: each user has a folder of temporary files here.
pub(crate) fn is_own(_data: &Metadata) -> bool {
    true
}
