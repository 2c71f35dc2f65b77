//! What a process that may be about to end does next.

use std::thread::sleep;
use std::time::Instant;

use crate::decide::tuning::TUNING;
use crate::sys::proc::Life;
use crate::sys::raw::process_cpu;

/// What a process does next.
pub(crate) enum Next {
    End,
    Sleep,
    /// It neither ends nor sleeps for as long as it is watched.
    RunOn,
}

/// Watches a process until it sleeps or has ended; not if it is known to run on, since the bot's other processes may
/// compute in the meantime.
pub(crate) fn next_of(pid: i32, runs_on: bool) -> Next {
    let start = Instant::now();
    let before = process_cpu(pid);
    loop {
        let has_time = start.elapsed() < TUNING.ending.lingering_wall;
        match Life::of(pid) {
            Life::Ended => return Next::End,
            Life::Ending if !has_time => return Next::End,
            Life::Ending => {}
            Life::Running => {
                let used = process_cpu(pid).zip(before).map(|(now, was)| now.saturating_sub(was));
                if runs_on
                    || !has_time
                    || used.unwrap_or(start.elapsed()) >= TUNING.ending.lingering_cpu
                {
                    return Next::RunOn;
                }
            }
            Life::Asleep => return Next::Sleep,
        }
        sleep(TUNING.ending.lingering_nap);
    }
}
