//! Games that were lost or not played, by how they ended.

use serde::Serialize;

use super::{Outcome, SuiteVerdict};
use terms::verdict::Verdict;

/// The most kinds of losses to list.
const KINDS: usize = 10;

/// What a diagnosis says of replies that came before the bot had read. It depends on chance, and explains no loss.
pub const ANSWERED_EARLY: &str = "answered before the bot had read the input";

/// Whether a part of a diagnosis says only this.
pub(super) fn is_by_chance(part: &str) -> bool {
    part.contains(ANSWERED_EARLY)
}

/// A lost game, or one that was not played, with others that ended alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The number of the result.
    pub game: usize,
    /// The number of the game, by which people and commands name it.
    pub number: usize,
    /// The name of the bot that lost.
    pub bot: String,
    /// The name of the board on which it lost.
    pub board: String,
    /// How it ended.
    pub verdict: SuiteVerdict,
    /// Why, in one line.
    pub why: String,
    /// Whether it was a timeout.
    pub is_timeout: bool,
    /// The number of further games of the bot that ended alike, apart from turns and times.
    pub alike: usize,
    /// The key that games have in common if they ended alike.
    #[serde(skip)]
    kind: String,
}

impl Loss {
    /// Adds a game to `losses`, which list the first few kinds.
    pub(in crate::suite) fn add(outcome: &Outcome, losses: &mut Vec<Self>) {
        let why = outcome.loss();
        let kind = loss_kind(&why);
        let is_alike = |loss: &&mut Self| loss.bot == outcome.bot && loss.kind == kind;
        if let Some(loss) = losses.iter_mut().find(is_alike) {
            loss.alike += 1;
        } else if losses.len() < KINDS {
            losses.push(Self {
                game: outcome.game,
                number: outcome.number(),
                bot: outcome.bot.clone(),
                board: outcome.board.clone(),
                verdict: outcome.verdict,
                why,
                is_timeout: outcome.verdict == SuiteVerdict::Played(Verdict::Timeout),
                alike: 0,
                kind,
            });
        }
    }
}

/// The reason for a loss without turn, times, moves and what chance adds, so that games lost in the same way have the
/// same kind. Exit statuses stay.
pub fn loss_kind(loss: &str) -> String {
    let mut kind = String::new();
    let mut before = "";
    let parts = loss.split("; ").enumerate();
    let parts = parts.filter(|(index, part)| *index == 0 || !is_by_chance(part));
    for word in parts.flat_map(|(_, part)| part.split_whitespace()) {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        let is_unit = matches!(word.trim_end_matches([',', ';']), "ns" | "µs" | "ms" | "s" | "min");
        if is_number && before != "status" {
            kind.push('#');
        } else if !(is_unit && before.starts_with(|first: char| first.is_ascii_digit())) {
            let digits = |c: char| if c.is_ascii_digit() && word.contains('=') { '#' } else { c };
            kind.extend(word.chars().map(digits));
        }
        kind.push(' ');
        before = word;
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_a_kind_differ_in_turns_times_and_moves_only() {
        let crash = "crash: turn 3: the bot was killed by SIGSEGV after 270 µs without answering";
        for (other, is_alike) in [
            ("crash: turn 41: the bot was killed by SIGSEGV after 1.2 ms without answering", true),
            ("crash: turn 3: the bot was killed by SIGABRT after 270 µs without answering", false),
            ("timeout: turn 3: no answer within 50 ms; the bot's fault", false),
        ] {
            assert_eq!(loss_kind(crash) == loss_kind(other), is_alike, "{other}");
        }
        let status =
            |status: u32| loss_kind(&format!("crash: the bot exited with status {status}"));
        assert_ne!(status(3), status(4));
        assert_eq!(
            loss_kind(
                "illegal move: `x` is not allowed; 1 turn answered before the bot had read the input"
            ),
            loss_kind("illegal move: `x` is not allowed")
        );
        assert_eq!(loss_kind("out of bounds: x=3, y=15"), loss_kind("out of bounds: x=9, y=21"));
    }
}
