//! Recorded exchanges of games, from which their decisions can be made again.

use std::sync::{Mutex, PoisonError};

use contain::bot::Trace;
use serde::Serialize;
use terms::verdict::Culprit;

/// Collects the recorded exchanges of a game; see [`Match::traces`](super::Match::traces).
#[derive(Debug, Default)]
pub struct Traces(Mutex<Vec<TracedTurn>>);

/// A recorded exchange.
#[derive(Debug, Serialize)]
struct TracedTurn {
    turn: u32,
    /// Whose fault it is that the reply was late, if it was.
    culprit: Option<Culprit>,
    trace: Trace,
}

impl Traces {
    pub(super) fn add(&self, turn: u32, culprit: Option<Culprit>, trace: Trace) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(TracedTurn { turn, culprit, trace });
    }

    /// One line of JSON for each exchange so far.
    ///
    /// # Errors
    /// When a value has no JSON form.
    pub fn to_json_lines(&self) -> serde_json::Result<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = all.iter().map(serde_json::to_string);
        lines.map(|line| line.map(|line| line + "\n")).collect()
    }
}
