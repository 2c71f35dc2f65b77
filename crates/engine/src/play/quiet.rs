//! Waits for a quiet machine before a game is played again that the host has disturbed: the same neighbours would disturb it
//! again.

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use contain::bot::Pinning;
use contain::cancel::Canceller;
use contain::system::{cpu_time_of_thread, move_thread_to};

/// The longest wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a probe computes.
const PROBE: Duration = Duration::from_millis(30);

/// The time between two probes.
const PAUSE: Duration = Duration::from_millis(200);

/// The share of a core that a probe gets on a quiet machine.
const QUIET: f64 = 0.95;

/// Waits until a thread that computes where the bot does has a core for itself, for a while or until somebody
/// cancels. Returns the time that this took.
pub(crate) fn await_quiet(pinning: Option<&Pinning>, canceller: Option<&Canceller>) -> Duration {
    let start = Instant::now();
    wait_until_quiet(|| {
        let is_stopped = canceller.is_some_and(|canceller| canceller.cancelled().is_some());
        is_stopped || start.elapsed() >= PATIENCE || share_of_core(pinning) >= QUIET
    });
    start.elapsed()
}

/// Two probes in a row must be quiet: a neighbour may have slept during one.
fn wait_until_quiet(mut is_quiet: impl FnMut() -> bool) {
    while !(is_quiet() && is_quiet()) {
        sleep(PAUSE);
    }
}

/// The share of a core that a thread gets, on the bot's cores if it has its own; 1 if the system does not tell.
fn share_of_core(pinning: Option<&Pinning>) -> f64 {
    let compute = || {
        if let Some(pinning) = pinning {
            // Cores that were taken from this process in the meantime cannot be probed.
            let _ = move_thread_to(&pinning.cores);
        }
        let (start, before) = (Instant::now(), cpu_time_of_thread());
        while start.elapsed() < PROBE {}
        let Some((after, before)) = cpu_time_of_thread().zip(before) else { return 1.0 };
        after.saturating_sub(before).as_secs_f64() / start.elapsed().as_secs_f64()
    };
    scope(|threads| threads.spawn(compute).join().unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_quiet_when_two_probes_say_so() {
        let mut answers = [false, true, false, true, true].into_iter();
        wait_until_quiet(|| answers.next().expect("two in a row"));
        assert_eq!(answers.next(), None);
    }
}
