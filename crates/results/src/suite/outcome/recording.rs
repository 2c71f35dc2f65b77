//! Fills in the outcome of a game from what happened in it.

use super::{NotPlayed, Outcome, SuiteVerdict, Times};
use crate::gamelog::{End, Event, Turn};
use crate::timing::longest_run;
use terms::limits::LimitKind;
use terms::verdict::Culprit;

impl Outcome {
    /// Records the end of the game. A score `counts` if the rules were as strict as the official ones.
    fn record_end(&mut self, end: &End, strict: bool) {
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

    /// Records that the game could not be played.
    pub fn record_not_played(&mut self, reason: NotPlayed, why: String) {
        self.verdict = SuiteVerdict::NotPlayed(reason);
        self.diagnosis = Some(why);
    }

    /// Records all events.
    pub fn record(&mut self, events: &[Event], strict: bool) {
        let mut totals = Vec::new();
        for event in events {
            match event {
                Event::Start(_) => {}
                Event::Turn(turn) => {
                    self.times.record(turn);
                    let left = turn.asked.as_ref().and_then(|asked| asked.limit);
                    totals.extend((turn.limit == LimitKind::Total).then_some((turn.wall, left)));
                }
                Event::End(end) => self.record_end(end, strict),
            }
        }
        if !totals.is_empty() {
            self.times.first = Some(longest_run(totals));
        }
    }
}

impl Times {
    fn record(&mut self, turn: &Turn) {
        match turn.limit {
            LimitKind::FirstTurn => self.first = Some(turn.wall),
            // The game's counts.
            LimitKind::Total => {}
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
            assert_eq!((outcome.won, outcome.score), (true, Some(500.into())));
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
