//! The outcome of one game of a suite: a line of `results.jsonl`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::ids::{BoardId, RecordId};
use crate::gamelog::{End, Event, Turn};
use crate::limits::LimitKind;
use crate::millis::Millis;
use crate::said::SaidInGame;
use crate::verdict::{Culprit, Verdict};

/// The outcome of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of the game in its plan, from 1.
    pub game: usize,
    /// The [session](super::Session) of the run that it was played in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// The bot's name.
    pub bot: String,
    /// What the board is called.
    pub board: String,
    /// The board set that it comes from, if it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The digest of the test case.
    pub board_id: BoardId,
    /// The digest of the board's record key, which boards with the same records share.
    pub record_id: RecordId,
    /// The properties that comparisons may group by.
    #[serde(default)]
    pub traits: BTreeMap<String, u32>,
    /// The number of this game among those of this bot on this board, from 1.
    pub repeat: u32,
    /// How it ended.
    pub verdict: SuiteVerdict,
    /// Whether the bot won, as the original sees it.
    pub won: bool,
    /// The score as the original reports it.
    pub score: i64,
    /// Whether the score would have counted under the official rules.
    pub counts: bool,
    /// What the original says.
    pub official: String,
    /// What really happened, if the verdict does not say everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<String>,
    /// The number of exchanges.
    pub turns: u32,
    /// What the bot said about itself, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, SaidInGame>,
    /// The times.
    #[serde(flatten)]
    pub times: Times,
}

/// How long a game took; nothing here is the same in two runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// From the start of the bot until it was reaped.
    #[serde(default, rename = "wall_ms", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Millis>,
    /// The first response, or the only one.
    #[serde(default, rename = "first_ms", skip_serializing_if = "Option::is_none")]
    pub first: Option<Millis>,
    /// The slowest of the later ones.
    #[serde(default, rename = "slowest_ms", skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Millis>,
    /// Late replies by the bot's own fault, forgiven ones included.
    #[serde(default)]
    pub bot_overruns: u32,
    /// Late replies by the host's fault.
    #[serde(default)]
    pub host_overruns: u32,
}

/// How a game of a suite ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SuiteVerdict {
    /// It was played.
    Played(Verdict),
    /// It was not.
    NotPlayed(NotPlayed),
}

/// Why a game of a suite was not played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotPlayed {
    /// The bot cannot be started.
    CannotStart,
    /// The host is short of processes, memory or files.
    NoResources,
}

impl fmt::Display for SuiteVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played(verdict) => verdict.fmt(f),
            Self::NotPlayed(NotPlayed::CannotStart) => f.write_str("cannot start"),
            Self::NotPlayed(NotPlayed::NoResources) => f.write_str("no resources"),
        }
    }
}

impl Outcome {
    /// Whether the game was played; if not, a resumed suite plays it.
    pub fn is_played(&self) -> bool {
        matches!(self.verdict, SuiteVerdict::Played(_))
    }

    /// What the game is worth in sums and comparisons: its score, or nothing if it was lost.
    pub fn points(&self) -> i64 {
        if self.won { self.score } else { 0 }
    }

    /// Why it was lost or not played, in one line.
    pub fn loss(&self) -> String {
        let why = self.diagnosis.as_deref().unwrap_or(&self.official);
        format!("{}: {why}", self.verdict)
    }

    /// Records the end of the game. A score `counts` if the rules were as strict as the official
    /// ones.
    pub(super) fn record_end(&mut self, end: &End, strict: bool) {
        self.verdict = SuiteVerdict::Played(end.verdict);
        self.won = end.won;
        self.score = end.score;
        self.official.clone_from(&end.official);
        self.diagnosis.clone_from(&end.diagnosis);
        self.turns = end.turns;
        self.said.clone_from(&end.said);
        self.times.wall = end.wall;
        let late = self.times.bot_overruns + self.times.host_overruns;
        self.counts = end.won && strict && late == 0;
    }

    /// Records an exchange.
    pub(super) fn record_turn(&mut self, turn: &Turn) {
        self.times.record(turn);
    }

    /// Records that the game could not be played.
    pub(super) fn record_not_played(&mut self, reason: NotPlayed, why: String) {
        self.verdict = SuiteVerdict::NotPlayed(reason);
        self.diagnosis = Some(why);
    }

    /// Records all events.
    pub(super) fn record(&mut self, events: &[Event], strict: bool) {
        for event in events {
            match event {
                Event::Start(_) => {}
                Event::Turn(turn) => self.record_turn(turn),
                Event::End(end) => self.record_end(end, strict),
            }
        }
    }
}

impl Times {
    fn record(&mut self, turn: &Turn) {
        match turn.limit {
            LimitKind::FirstTurn | LimitKind::Total => self.first = Some(turn.wall),
            LimitKind::Turn => self.slowest = self.slowest.max(Some(turn.wall)),
        }
        match turn.overrun.map(|overrun| overrun.culprit) {
            Some(Culprit::Bot) => self.bot_overruns += 1,
            Some(Culprit::Host) => self.host_overruns += 1,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_game_with_a_late_reply_sets_no_record_even_if_it_was_won() {
        let turn = |overrun: &str| {
            let json = format!(
                r#"{{"type":"turn","turn":1,"limit":"turn","reply":"0 0\\n","gain":0,"score":0,"wall_ms":60{overrun}}}"#
            );
            serde_json::from_str::<Event>(&json).expect("a turn")
        };
        let end = r#"{"type":"end","verdict":"completed","official":"","won":true,"score":500,"summary":[],"metadata":{},"turns":2}"#;
        let end: Event = serde_json::from_str(end).expect("an end");
        let counts = |overrun: &str, strict| {
            let mut outcome: Outcome = serde_json::from_str(
                r#"{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"completed","won":false,"score":0,"counts":false,"official":"","turns":0}"#,
            )
            .expect("an outcome");
            outcome.record(&[turn(""), turn(overrun), end.clone()], strict);
            assert_eq!((outcome.won, outcome.score), (true, 500));
            outcome.counts
        };
        assert!(counts("", true));
        assert!(!counts("", false));
        for culprit in ["bot", "host"] {
            for decision in ["forgiven", "accepted"] {
                let late =
                    format!(r#","overrun":{{"culprit":"{culprit}","decision":"{decision}"}}"#);
                assert!(!counts(&late, true), "{late}");
            }
        }
    }
}
