//! What the console tells a program to do: it raises a flag, and nothing else is touched.
#![expect(unsafe_code, reason = "a console's handler")]

use std::ffi::c_int;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};

use super::flag::Flag;

/// What Ctrl-C and Ctrl-Break are called here, as elsewhere.
pub(crate) const INTERRUPT: c_int = 2;

/// What the end of the console or of the session is called.
pub(crate) const TERMINATE: c_int = 15;

/// What ends a program.
pub(crate) const ENDING: [c_int; 2] = [INTERRUPT, TERMINATE];

/// How long the end of a console waits for this program, at most; the system waits no longer either.
const PATIENCE: Duration = Duration::from_secs(10);

/// Nothing is to be prepared.
pub(crate) fn prepare() {}

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
