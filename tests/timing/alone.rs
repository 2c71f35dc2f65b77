//! The tests of times and of blame, in a binary of their own: Cargo runs one binary after the other, so only the
//! work that these tests start themselves keeps their bots waiting.

mod blame;
mod late_turns;
mod turns;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds up the other tests of this binary.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
