//! How many threads want a core of this machine at the same time.

use std::fs;
use std::time::Duration;

use contain::bot::online_cores;
use results::host::is_overloaded;

/// How often the threads are counted, and the pause in between.
const SAMPLES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);
/// The fewest samples after the first that can show that there are enough cores.
const ENOUGH: u32 = 3;

/// The number of other threads that want a core now.
pub(super) fn runnable() -> Option<f64> {
    // proc(5): three averages, then the runnable threads and all of them, as in 3/512.
    let loads = fs::read_to_string("/proc/loadavg").ok()?;
    let runnable: f64 = loads.split(' ').nth(3)?.split('/').next()?.parse().ok()?;
    Some((runnable - 1.0).max(0.0))
}

/// The number of other threads and the number of cores, if there are not enough cores for these threads and `bots` bots.
/// Takes 20 ms if so, and less as soon as several samples show enough cores on average.
pub(crate) fn overload(bots: usize) -> Option<(f64, usize)> {
    let cores = online_cores()?;
    // More bots than cores are their user's choice.
    let bots = bots.min(cores);
    let mut sum = runnable().filter(|&others| is_overloaded(others, bots, cores))?;
    for earlier in 1..SAMPLES {
        std::thread::sleep(PAUSE);
        sum += runnable()?;
        let others = sum / f64::from(earlier + 1);
        if earlier >= ENOUGH && !is_overloaded(others, bots, cores) {
            return None;
        }
    }
    Some((sum / f64::from(SAMPLES), cores))
}
