//! Shows on a terminal that the referee is waiting for a slow bot.
//!
//! The match loop only notes when an exchange began. A separate thread checks that a few times a second,
//! so that quick replies cause neither drawing nor wake-ups.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::is_quiet;
use results::gamelog::Event;
use terms::limits::{LimitKind, Limits};
use terms::text::duration;

/// How long a bot may think before the spinner appears.
const NOTICE: Duration = Duration::from_millis(500);
const INTERVAL: Duration = Duration::from_millis(100);

/// The exchange that the referee is waiting for.
#[derive(Debug, Clone, Copy)]
struct Wait {
    turn: u32,
    since: Instant,
}

/// A line that appears while a bot is slow, and disappears when it has answered.
pub(super) struct Spinner {
    /// `None` while the referee is not waiting. The thread ends when this is gone.
    wait: Arc<Mutex<Option<Wait>>>,
    thread: JoinHandle<()>,
}

impl Spinner {
    /// Spawns the thread, if standard error is a terminal.
    pub(super) fn spawn(limits: Limits, kinds: Vec<LimitKind>) -> Option<Self> {
        (io::stderr().is_terminal() && !is_quiet()).then(|| {
            let wait = Arc::new(Mutex::new(None));
            let seen = Arc::downgrade(&wait);
            let thread = thread::spawn(move || {
                let line = LimitLine::new(limits, kinds);
                while let Some(wait) = seen.upgrade() {
                    line.show(*lock(&wait));
                    drop(wait);
                    thread::park_timeout(INTERVAL);
                }
                line.bar.finish_and_clear();
            });
            Self { wait, thread }
        })
    }

    /// Records an event, after which the wait for the next one begins.
    pub(super) fn add(&self, event: &Event) {
        let turn = match event {
            Event::Start(_) => Some(1),
            Event::Turn(turn) => Some(turn.turn + 1),
            Event::End(_) => None,
            // The wait goes on.
            _ => return,
        };
        *lock(&self.wait) = turn.map(|turn| Wait { turn, since: Instant::now() });
    }

    /// Clears the line.
    pub(super) fn join(self) {
        drop(self.wait);
        self.thread.thread().unpark();
        // A panic of the drawing thread does not matter.
        let _ = self.thread.join();
    }
}

/// Ignores poisoning: the values behind these locks are never half-written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct LimitLine {
    bar: ProgressBar,
    limits: Limits,
    /// The kind of limit of the first exchange, and of those after it.
    kinds: Vec<LimitKind>,
}

impl LimitLine {
    fn new(limits: Limits, kinds: Vec<LimitKind>) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("a valid template");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self { bar: bar.with_style(style), limits, kinds }
    }

    fn show(&self, wait: Option<Wait>) {
        let slow = wait.filter(|wait| wait.since.elapsed() >= NOTICE);
        match slow {
            Some(wait) => {
                self.bar.set_message(self.message(wait));
                self.bar.tick();
            }
            None if self.bar.message().is_empty() => {}
            None => {
                self.bar.set_message("");
                self.bar.finish_and_clear();
                self.bar.reset();
            }
        }
    }

    fn message(&self, Wait { turn, since }: Wait) -> String {
        let kind = if turn == 1 { self.kinds.first() } else { self.kinds.last() };
        let limit = kind.and_then(|&kind| self.limits.of(kind));
        let of = limit.map(|limit| format!(" of {}", duration(limit))).unwrap_or_default();
        format!("turn {turn}: no answer yet, {:.1} s{of}", since.elapsed().as_secs_f64())
    }
}
