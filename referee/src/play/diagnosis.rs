//! What really happened, in words: the truth beside the official verdict.

use std::time::Duration;

use crate::bot::{Captured, Ending};
use crate::game::LimitKind;
use crate::gamelog::{Certificate, Turn};
use crate::lines::Lines;
use crate::text::{duration, plural, quote};
use crate::verdict::{Culprit, Decision, Silence, Verdict};

/// What was seen in a game that may need saying at its end.
#[derive(Debug, Default)]
pub(super) struct Observations {
    /// The exchange that lost the game, and its limit.
    fatal: Option<(Turn, Option<Duration>)>,
    /// Exchanges that were answered before their input had been read.
    early: Tally,
    /// Late replies that counted all the same, by why they did.
    accepted: Tally,
    forgiven: Tally,
}

impl Observations {
    pub(super) fn see(&mut self, turn: &Turn, verdict: Verdict, limit: Option<Duration>) {
        if turn.unanswered.is_none() && (turn.early || turn.unread_input > 0) {
            self.early.count(turn.turn);
        }
        match turn.overrun.map(|overrun| overrun.decision) {
            Some(Decision::Accepted) => self.accepted.count(turn.turn),
            Some(Decision::Forgiven) => self.forgiven.count(turn.turn),
            Some(Decision::Timeout | Decision::Measured) | None => {}
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
                parts.extend(input_trouble(turn, silence, ending));
                parts.extend(blame(turn));
                parts.extend(late_output(silence, ending));
                parts.extend(ending.killed.then(|| "the referee killed it".to_owned()));
            }
        }
        if self.fatal.as_ref().is_none_or(|(turn, _)| turn.unanswered.is_none()) {
            parts.extend(surplus_output(ending));
        }
        parts.extend(self.early.says("answered before the bot had read the input"));
        parts.extend(self.accepted.says("answered late through the host's fault, and counted"));
        parts.extend(self.forgiven.says("answered late, and forgiven"));
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// How often something was seen, and when first.
#[derive(Debug, Default)]
struct Tally {
    first: Option<u32>,
    turns: u64,
}

impl Tally {
    fn count(&mut self, turn: u32) {
        self.first.get_or_insert(turn);
        self.turns += 1;
    }

    fn says(&self, what: &str) -> Option<String> {
        let first = self.first?;
        Some(format!("{} {what} (the first is turn {first})", plural(self.turns, "turn")))
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
            (Some(limit), _) => format!("no answer within {}", duration(limit)),
            (None, _) => "no answer".to_owned(),
        },
        Some(Silence::LineTooLong) => {
            "the line is longer than the original referee reads".to_owned()
        }
        Some(Silence::StdoutClosed) => {
            format!("the bot closed its standard output after {wall}, while it was running")
        }
        Some(Silence::Ended(exit)) => format!("the bot {exit} after {wall} without answering"),
    }
}

/// Whose fault a timeout is, with the figures that say so.
fn blame(turn: &Turn) -> Option<String> {
    let culprit = match turn.overrun?.culprit {
        Culprit::Bot => "the bot's",
        Culprit::Host => "the host's",
    };
    let Certificate { busiest_cpu, wait, referee_wait, .. } = turn.certificate;
    let figures = [
        busiest_cpu.map(|cpu| format!("it computed for {}", duration(cpu.0))),
        wait.map(|wait| format!("waited {} for a core", duration(wait.0))),
        referee_wait.map(|wait| format!("the referee waited {}", duration(wait.0))),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let wall = duration(turn.wall.0);
    Some(format!("{culprit} fault: in {wall} {}", figures.join(", ")))
}

fn partial_line(turn: &Turn, silence: Silence) -> Option<String> {
    let lines = Lines::split(&turn.reply.0);
    let partial = lines.partial();
    let wanted = silence != Silence::LineTooLong && !partial.is_empty();
    wanted.then(|| format!("it had written {} without a newline", quote(partial)))
}

/// What kept the bot from knowing its input. One that has ended has read and closed whatever it had.
fn input_trouble(turn: &Turn, silence: Silence, ending: &Ending) -> Option<String> {
    match (silence, turn.stdin_closed, turn.unread_input) {
        (Silence::Ended(_), _, _) | (_, false, 0) => None,
        (_, true, _) => ending.killed.then(|| "it had closed its standard input".to_owned()),
        (_, false, bytes) => {
            Some(format!("it had not read {} of its input", plural(bytes, "byte")))
        }
    }
}

/// What a bot writes beyond a game that it has completed.
fn surplus_output(ending: &Ending) -> Option<String> {
    let Captured { bytes, dropped } = &ending.late_output;
    let count = bytes.len() as u64 + dropped;
    let surplus = || {
        let (bytes, output) = (plural(count, "byte"), quote(bytes.trim_ascii_end()));
        format!("the bot wrote {bytes} more than it was asked for: {output}")
    };
    (count > 0).then(surplus)
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
