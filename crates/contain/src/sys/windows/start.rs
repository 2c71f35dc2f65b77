//! What a program does once that starts others.
#![expect(unsafe_code, reason = "settings of this process")]

use std::mem;
use std::os::windows::io::BorrowedHandle;
use std::sync::Once;

use windows_sys::Win32::Media::timeBeginPeriod;
use windows_sys::Win32::System::Console::GetConsoleCP;
use windows_sys::Win32::System::Diagnostics::Debug::{
    SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use super::processes::Job;

/// Has waits end within a millisecond instead of 16, children crash without a window that waits for somebody, and none outlive this
/// program, not even one that it is just starting when it is killed.
pub(crate) fn prepare() {
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
