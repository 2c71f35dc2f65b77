//! What a signal raises.

use std::sync::atomic::{AtomicI32, Ordering};

use super::alarm::Alarm;

/// What a signal handler may touch of a canceller.
#[derive(Debug)]
pub(crate) struct Flag {
    pub(crate) wake: Alarm,
    /// 0, [`BY_PROGRAM`] or the number of a signal.
    pub(crate) cause: AtomicI32,
}

pub(crate) const BY_PROGRAM: i32 = -1;

impl Flag {
    /// Safe in a signal handler: it takes no lock and no memory.
    pub(crate) fn raise(&self, cause: i32) {
        let raised = self.cause.compare_exchange(0, cause, Ordering::SeqCst, Ordering::SeqCst);
        if raised.is_ok() {
            self.wake.ring();
        }
    }
}
