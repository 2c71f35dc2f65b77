//! Waiting for one thing, on every system.

use std::time::{Duration, Instant};

use super::wait::{For, Waitable, ready};

/// Whether it is ready within `limit`.
pub(crate) fn is_ready_within(waitable: Waitable<'_>, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    loop {
        match ready([((), waitable, For::Reading)].into_iter(), Some(until)) {
            Ok(ready) if !ready.is_empty() => return true,
            Ok(_) if Instant::now() >= until => return false,
            Ok(_) => {}
            Err(error) => {
                log::error!("a process cannot be watched: {error}");
                return false;
            }
        }
    }
}
