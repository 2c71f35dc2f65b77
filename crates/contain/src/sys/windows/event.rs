//! Events: handles that are signalled until they are reset.
#![expect(unsafe_code, reason = "makes and sets events")]

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;

use windows_sys::Win32::System::Threading::{CreateEventW, SetEvent};

/// A new event, which is not signalled.
pub(crate) fn new() -> io::Result<OwnedHandle> {
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
pub(crate) fn set(event: &impl AsHandle) {
    // SAFETY: the handle is open. It fails only for a handle of another kind.
    unsafe {
        SetEvent(event.as_handle().as_raw_handle());
    }
}
