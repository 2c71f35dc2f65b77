//! What really happened, in words: the truth beside the official verdict.

use std::time::Duration;

use crate::bot::Ending;
use crate::game::LimitKind;
use crate::gamelog::Turn;
use crate::lines::Lines;
use crate::text::{duration, plural, quote};
use crate::verdict::{Silence, Verdict};

/// What was seen in a game that may need saying at its end.
#[derive(Debug, Default)]
pub(super) struct Observations {
    /// The exchange that lost the game, and its limit.
    fatal: Option<(Turn, Option<Duration>)>,
    /// The first exchange that was answered before its input had been read, and how many were.
    first_early: Option<u32>,
    early_turns: u64,
}

impl Observations {
    pub(super) fn see(&mut self, turn: &Turn, verdict: Verdict, limit: Option<Duration>) {
        if turn.early {
            self.first_early.get_or_insert(turn.turn);
            self.early_turns += 1;
        }
        if verdict != Verdict::Completed {
            self.fatal = Some((turn.clone(), limit));
        }
    }

    /// The diagnosis; `None` where the verdict says it all.
    pub(super) fn diagnose(&self, ending: &Ending) -> Option<String> {
        let mut parts = Vec::new();
        if let Some((turn, limit)) = &self.fatal {
            parts.push(format!("turn {}: {}", turn.turn, what_happened(turn, *limit)));
            if let Some(silence) = turn.unanswered {
                parts.extend(partial_line(turn, silence));
                parts.extend(input_trouble(turn, silence));
                parts.extend(late_output(silence, ending));
                parts.extend(ending.killed.then(|| "the referee killed it".to_owned()));
            }
        }
        parts.extend(self.early_answers());
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn early_answers(&self) -> Option<String> {
        let first = self.first_early?;
        let turns = plural(self.early_turns, "turn");
        Some(format!(
            "{turns} answered before the input had been read, by surplus lines (the first is turn {first})"
        ))
    }
}

fn what_happened(turn: &Turn, limit: Option<Duration>) -> String {
    let wall = duration(turn.wall.0);
    match turn.unanswered {
        None => format!("the reply was {}", quote(turn.reply.0.trim_ascii_end())),
        Some(Silence::Deadline) => match (limit, turn.limit) {
            (Some(limit), LimitKind::FirstTurn) => {
                format!("no answer within {} of the first turn", duration(limit))
            }
            (Some(limit), LimitKind::Turn) => format!("no answer within {}", duration(limit)),
            (None, _) => "no answer".to_owned(),
        },
        Some(Silence::LineTooLong) => {
            "the line is longer than the original referee reads".to_owned()
        }
        Some(Silence::StdoutClosed) => {
            format!("the bot closed its standard output after {wall} and went on running")
        }
        Some(Silence::Ended(exit)) => format!("the bot {exit} after {wall} without answering"),
    }
}

fn partial_line(turn: &Turn, silence: Silence) -> Option<String> {
    let lines = Lines::split(&turn.reply.0);
    let partial = lines.partial();
    let wanted = silence != Silence::LineTooLong && !partial.is_empty();
    wanted.then(|| format!("it had written {} without a newline", quote(partial)))
}

/// What kept the bot from knowing its input. One that has ended has read and closed whatever it had.
fn input_trouble(turn: &Turn, silence: Silence) -> Option<String> {
    match (silence, turn.stdin_closed, turn.unread_input) {
        (Silence::Ended(_), _, _) | (_, false, 0) => None,
        (_, true, _) => Some("it had closed its standard input".to_owned()),
        (_, false, bytes) => {
            Some(format!("it had not read {} of its input", plural(bytes, "byte")))
        }
    }
}

/// An answer that comes once the input is closed was either late, or stuck in the bot's buffer.
fn late_output(silence: Silence, ending: &Ending) -> Option<String> {
    let output = ending.late_output.bytes.trim_ascii();
    let late = silence == Silence::Deadline && !output.is_empty();
    late.then(|| {
        format!(
            "{} came when its input had been closed: too slow, or not flushed after the turn",
            quote(output)
        )
    })
}
