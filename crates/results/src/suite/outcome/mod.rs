//! The outcome of one game of a suite: a line of `results.jsonl`.

mod loss;
mod recording;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::loss::{ANSWERED_EARLY, Loss, loss_kind};
pub use self::recording::FIRST_GAMES;
use crate::metrics::GameMetrics;
use crate::suite::plan::{BoardId, RecordId};
use rules::score::Score;
use terms::bounds::JUDGE_LINE;
use terms::millis::Millis;
use terms::text::{cut, named};
use terms::verdict::Verdict;

/// The outcome of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of this result in the plan, from 1. Each seat of a game of several players has its own, so it is not the
    /// [number](Self::number) of the game there.
    pub game: usize,
    /// The [session](super::Session) of the run, in which it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// The bot's name.
    pub bot: String,
    /// What is known of the whole game, if it has several players.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The board's name.
    pub board: String,
    /// The board set of the board, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The digest of the test case.
    pub board_id: BoardId,
    /// The digest of the board's record key, which boards with the same records share.
    pub record_id: RecordId,
    /// The properties by which comparisons may group.
    #[serde(default)]
    pub traits: BTreeMap<String, u32>,
    /// The number of this game among this bot's games on this board, from 1.
    pub repeat: u32,
    /// How it ended.
    pub verdict: SuiteVerdict,
    /// Whether the bot won, as the original sees it.
    pub won: bool,
    /// Whether it was decided without being played, since all bots but one are out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forfeit: bool,
    /// The score as the original reports it; `None` if there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub score: Option<Score>,
    /// The best score that was known on the board when the game was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_known: Option<Score>,
    /// Whether the score would have counted under the official rules.
    pub counts: bool,
    /// What the original says.
    pub official: String,
    /// What really happened, where the verdict leaves that open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<String>,
    /// The number of exchanges.
    pub turns: u32,
    /// What the bot said about itself, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, GameMetrics>,
    /// How long the game and its turns took.
    #[serde(flatten)]
    pub times: Times,
}

/// A bot's part in a game of several players.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seat {
    /// The number of the game in its plan, from 1; 0 in a line of a referee before it had one.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub number: usize,
    /// The seat, from 0.
    pub seat: usize,
    /// The bots by seat.
    #[serde(rename = "with")]
    pub bots: Vec<String>,
    /// Its place in percent: 100 for each other seat that it beats and 50 for each that is even, divided by their number. `None` if the
    /// game was not played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<f64>,
    /// Whether the host's delay has ended a bot's part in the game. It then says nothing of any of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spoilt: bool,
}

/// How long a game took; all of it differs from run to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// From the start of the bot until it was reaped.
    #[serde(default, rename = "wall_ms", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Millis>,
    /// The first response, or where one limit holds for the whole game, all responses together.
    #[serde(default, rename = "first_ms", skip_serializing_if = "Option::is_none")]
    pub first: Option<Millis>,
    /// The slowest of the later ones.
    #[serde(default, rename = "slowest_ms", skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Millis>,
    /// The mean of all responses.
    #[serde(default, rename = "mean_ms", skip_serializing_if = "Option::is_none")]
    pub mean: Option<Millis>,
    /// The limit of the first response, if the game has a judge, which can name limits.
    #[serde(default, rename = "first_limit_ms", skip_serializing_if = "Option::is_none")]
    pub first_limit: Option<Millis>,
    /// The limit of the slowest later one, if the game has a judge.
    #[serde(default, rename = "slowest_limit_ms", skip_serializing_if = "Option::is_none")]
    pub slowest_limit: Option<Millis>,
    /// The largest share of its limit that a response took, to six decimals, if the game has a judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_limit: Option<f64>,
    /// Late replies by the bot's own fault, forgiven ones included.
    #[serde(default)]
    pub bot_overruns: u32,
    /// Late replies by the host's fault.
    #[serde(default)]
    pub host_overruns: u32,
}

/// How a game of a suite ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SuiteVerdict {
    /// It was played.
    Played(Verdict),
    /// It was not played.
    NotPlayed(NotPlayed),
}

/// Why a game of a suite was not played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotPlayed {
    /// The bot cannot be started.
    CannotStart,
    /// The host is short of processes, memory or files.
    NoResources,
    /// The judge of the game failed.
    JudgeTrouble,
}

impl fmt::Display for SuiteVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played(verdict) => verdict.fmt(f),
            Self::NotPlayed(NotPlayed::CannotStart) => f.write_str("cannot start"),
            Self::NotPlayed(NotPlayed::NoResources) => f.write_str("no resources"),
            Self::NotPlayed(NotPlayed::JudgeTrouble) => f.write_str("judge failure"),
        }
    }
}

impl Outcome {
    /// Whether the game was played; if not, a resumed suite plays it.
    pub fn is_played(&self) -> bool {
        matches!(self.verdict, SuiteVerdict::Played(_))
    }

    /// Whether the host's delay ended the game, so that it says nothing of the bot. If the bot itself was late
    /// too, as where a first late reply is forgiven, the game stays its loss.
    pub fn is_lost_by_host(&self) -> bool {
        self.seat.as_ref().is_some_and(|seat| seat.spoilt) || self.was_late_by_host()
    }

    /// Whether the host's delay ended the bot's part in the game.
    fn was_late_by_host(&self) -> bool {
        self.verdict == SuiteVerdict::Played(Verdict::Timeout) && self.times.are_late_by_host()
    }

    /// The number of the first seat's result in its game.
    pub fn table(&self) -> usize {
        self.game - self.seat.as_ref().map_or(0, |seat| seat.seat)
    }

    /// The number of the game, from 1, by which people and commands name it: all its seats share it.
    pub fn number(&self) -> usize {
        self.seat.as_ref().map_or(self.game, |seat| (self.game - 1) / seat.bots.len() + 1)
    }

    /// Whether its bot lost or failed because of the host's delay.
    pub(in crate::suite) fn is_failed_by_host(&self) -> bool {
        !self.won && self.was_late_by_host()
    }

    /// Its place in percent, in a game of several players that was played.
    pub fn place(&self) -> Option<f64> {
        self.seat.as_ref()?.place
    }

    /// The score of a game that was not lost; whatever a lost one was given says nothing.
    pub fn won_score(&self) -> Option<Score> {
        self.score.filter(|_| self.won)
    }

    /// Why it was lost or not played, in one line.
    pub fn loss(&self) -> String {
        let bots = self.seat.iter().flat_map(|seat| seat.bots.iter().map(String::as_str));
        let official = cut(&named(&self.official, &bots.collect::<Vec<_>>()), JUDGE_LINE);
        let verdict = &self.verdict;
        match self.diagnosis.as_deref() {
            None => format!("{verdict}: {official}"),
            Some(why) if !official.is_empty() && why.split("; ").all(loss::is_by_chance) => {
                format!("{verdict}: {official}; {why}")
            }
            Some(why) => format!("{verdict}: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_has_its_reason_before_what_explains_none() {
        let loss = |diagnosis: &str| {
            let json = format!(
                r#"{{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"illegal_move",
                "won":false,"score":0,"counts":false,"official":"no x","diagnosis":"{diagnosis}","turns":1}}"#
            );
            serde_json::from_str::<Outcome>(&json).expect("an outcome").loss()
        };
        let early = format!("1 turn {ANSWERED_EARLY} (the first is turn 1)");
        assert_eq!(loss(&early), format!("illegal move: no x; {early}"));
        assert_eq!(loss("turn 1: `x`"), "illegal move: turn 1: `x`");
        assert_eq!(loss_kind(&loss(&early)), loss_kind("illegal move: no x"));
    }

    #[test]
    fn endings_are_one_word_in_json() {
        for (ending, word) in [
            (SuiteVerdict::Played(Verdict::EarlyExit), "\"early_exit\""),
            (SuiteVerdict::NotPlayed(NotPlayed::CannotStart), "\"cannot_start\""),
        ] {
            assert_eq!(serde_json::to_string(&ending).expect("JSON"), word);
            assert_eq!(serde_json::from_str::<SuiteVerdict>(word).expect("an ending"), ending);
        }
    }
}
