//! Whether the host was busy, or stalled, while something was played: a sign of the host, independent of the referee.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// What the yardstick does again and again.
const PAUSE: Duration = Duration::from_millis(5);
const WORK: Duration = Duration::from_millis(1);

/// A delay that is a sign by itself.
const STALL: Duration = Duration::from_millis(100);

/// Plays, and returns whether others, or the game itself, kept a thread that wants a fifth of a core waiting for long, or
/// for a tenth of the time.
pub fn beside_a_yardstick<T>(play: impl FnOnce() -> T) -> (T, bool) {
    let is_over = AtomicBool::new(false);
    scope(|scope| {
        let yardstick = scope.spawn(|| {
            let (start, mut delay, mut longest) = (Instant::now(), Duration::ZERO, Duration::ZERO);
            while !is_over.load(Ordering::Relaxed) {
                let begin = Instant::now();
                sleep(PAUSE);
                let end = own_time() + WORK;
                while own_time() < end {}
                let late = begin.elapsed().saturating_sub(PAUSE + WORK);
                (delay, longest) = (delay + late, longest.max(late));
            }
            longest >= STALL || delay >= start.elapsed() / 10
        });
        let over = SetOnDrop(&is_over);
        let played = play();
        drop(over);
        (played, yardstick.join().expect("no panic"))
    })
}

/// The CPU time of this thread.
fn own_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("not negative")
}

/// Ends the yardstick also when a test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
