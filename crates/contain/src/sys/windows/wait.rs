//! Waits until pipes, processes and events are ready.
#![expect(unsafe_code, reason = "waits for handles")]

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::windows::io::{AsHandle, AsRawHandle as _, BorrowedHandle};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HANDLE, WAIT_FAILED, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    INFINITE, Sleep, WaitForMultipleObjects, WaitForSingleObject,
};

/// What a wait can be for: a handle that is signalled once it is ready.
#[derive(Debug, Clone, Copy)]
pub struct Waitable<'a>(HANDLE, PhantomData<BorrowedHandle<'a>>);

/// What is awaited of it. A handle knows that by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
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
pub(crate) fn of_file(file: &File) -> Waitable<'_> {
    Waitable::of(file)
}

/// Waits until something is ready or `until` has come, and returns what is ready.
pub(crate) fn ready<'a, S>(
    watched: impl Iterator<Item = (S, Waitable<'a>, For)>,
    until: Option<Instant>,
) -> io::Result<Vec<S>> {
    let watched: Vec<(S, Waitable<'_>, For)> = watched.collect();
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
