//! The tests of times and of blame, in a binary of their own: Cargo runs one binary after the other, so nothing but the
//! work that these tests start themselves keeps their bots waiting.

mod blame;
#[path = "heavy/blame.rs"]
mod heavy;
mod late;
#[expect(dead_code, reason = "shared with the other tests")]
mod support;
mod timing;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds up the other tests of this binary.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
