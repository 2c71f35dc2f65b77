//! Fills in the outcome of a game from what happened in it.

use std::time::Duration;

use super::{NotPlayed, Outcome, SuiteVerdict, Times};
use crate::gamelog::{End, Event, SeatEnd, Turn};
use crate::timing::longest_run;
use statistics::real;
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::verdict::{Culprit, Verdict};

/// A bot that has lost this many first games at once, all with one verdict, is out.
pub const FIRST_GAMES: usize = 10;

impl Outcome {
    /// Records the end of the game. A score `counts` if the rules were as strict as the official ones.
    fn record_end(&mut self, end: &End, strict: bool) {
        self.verdict = SuiteVerdict::Played(end.verdict);
        self.won = end.won;
        self.score = end.score;
        self.official.clone_from(&end.official);
        self.diagnosis.clone_from(&end.process.diagnosis);
        self.turns = end.turns;
        self.said.clone_from(&end.process.said);
        self.times.wall = end.process.wall;
        let late = self.times.bot_overruns + self.times.host_overruns;
        self.counts = end.won && strict && late == 0;
    }

    /// Records how a game of several players ended for the bot's seat. Records are of games of one player.
    fn record_seat(&mut self, end: &End, events: &[Event]) {
        let Some(seat) = &mut self.seat else { return };
        let Some(own) = end.seats.get(seat.seat) else { return };
        self.verdict = SuiteVerdict::Played(own.verdict);
        self.won = own.verdict == Verdict::Completed;
        self.score = own.score;
        let official = if own.official.is_empty() { &end.official } else { &own.official };
        self.official.clone_from(official);
        self.diagnosis.clone_from(&own.process.diagnosis);
        self.turns = own.turns;
        self.said.clone_from(&own.process.said);
        self.times.wall = own.process.wall;
        self.counts = false;
        seat.place = Some(place(own, &end.seats));
        seat.spoilt = end.seats.iter().enumerate().any(|(number, end)| {
            let mut times = Times::default();
            turns(events, number).for_each(|turn| times.record(turn));
            end.verdict == Verdict::Timeout && times.are_late_by_host()
        });
    }

    /// Records that the game could not be played.
    pub fn record_not_played(&mut self, reason: NotPlayed, why: String) {
        self.verdict = SuiteVerdict::NotPlayed(reason);
        self.diagnosis = Some(why);
    }

    /// Records a game that was decided without being played: its bot is out with this verdict, or else has won. Those that are
    /// out share the last place.
    pub fn record_forfeit(&mut self, out: Option<SuiteVerdict>, is_won: bool) {
        let Some(seat) = &mut self.seat else { return };
        let others = seat.bots.len() - 1;
        let even = 50.0 * real(others - usize::from(is_won)) / real(others);
        seat.place = Some(if out.is_none() { 100.0 } else { even });
        (self.forfeit, self.won, self.score) = (true, out.is_none(), None);
        self.verdict = out.unwrap_or(SuiteVerdict::Played(Verdict::Completed));
        let why = format!(
            "forfeit: it lost its first {FIRST_GAMES} games in the first turn, with one verdict"
        );
        self.diagnosis = out.map(|_| why);
    }

    /// Takes over verdict, score and times from the events of a game.
    pub fn record(&mut self, events: &[Event], strict: bool) {
        let (mut totals, mut all) = (Vec::new(), (Duration::ZERO, 0));
        for turn in turns(events, self.seat.as_ref().map_or(0, |seat| seat.seat)) {
            self.turns += 1;
            self.times.record(turn);
            all = (all.0 + turn.wall.0, all.1 + 1);
            let left = turn.asked.as_ref().and_then(|asked| asked.limit);
            totals.extend((turn.limit == LimitKind::Total).then_some((turn.wall, left)));
        }
        self.times.mean = all.0.checked_div(all.1).map(Millis);
        match events.last() {
            Some(Event::End(end)) if self.seat.is_some() => self.record_seat(end, events),
            Some(Event::End(end)) => self.record_end(end, strict),
            _ => {}
        }
        if !totals.is_empty() {
            // Before the first turn nothing of the limit was spent.
            let limit = totals.iter().filter_map(|(_, left)| *left).max();
            let first = longest_run(totals);
            (self.times.first, self.times.first_limit) = (Some(first), limit);
            self.times.record_share(first, limit);
        }
    }
}

fn turns(events: &[Event], seat: usize) -> impl Iterator<Item = &Turn> {
    events.iter().filter_map(move |event| match event {
        Event::Turn(turn) if turn.seat == seat => Some(turn),
        _ => None,
    })
}

/// The place of a seat among all of them, in percent.
fn place(own: &SeatEnd, seats: &[SeatEnd]) -> f64 {
    let beaten = seats.iter().filter(|seat| seat.place > own.place).count();
    let even = seats.iter().filter(|seat| seat.place == own.place).count() - 1;
    100.0 * (real(beaten) + real(even) / 2.0) / (real(seats.len()) - 1.0).max(1.0)
}

impl Times {
    /// Whether replies were late by the host's fault, and none by the bot's own.
    pub(super) fn are_late_by_host(&self) -> bool {
        self.host_overruns > 0 && self.bot_overruns == 0
    }

    /// Records the share of its limit that a response took.
    fn record_share(&mut self, wall: Millis, limit: Option<Millis>) {
        let Some(limit) = limit else { return };
        // A limit for the whole game can be spent.
        let share = wall.as_secs_f64() / limit.as_secs_f64().max(1e-9);
        let share = (share * 1e6).round() / 1e6;
        self.of_limit = Some(self.of_limit.map_or(share, |largest| largest.max(share)));
    }

    fn record(&mut self, turn: &Turn) {
        let limit = turn.asked.as_ref().and_then(|asked| asked.limit);
        match turn.limit {
            LimitKind::FirstTurn => (self.first, self.first_limit) = (Some(turn.wall), limit),
            LimitKind::Turn if self.slowest < Some(turn.wall) => {
                (self.slowest, self.slowest_limit) = (Some(turn.wall), limit);
            }
            _ => {}
        }
        // Where one limit holds for the whole game, the share of all turns together counts.
        if turn.limit != LimitKind::Total {
            self.record_share(turn.wall, limit);
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
    use serde_json::json;

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

    /// The result of each seat of a game of three.
    fn seats(turns: &[Event], seats: &str) -> Vec<Outcome> {
        let end = format!(
            r#"{{"type":"end","verdict":"completed","official":"over","won":true,"score":null,"summary":[],"metadata":{{}},
            "turns":4,"seats":[{seats}]}}"#
        );
        let end: Event = serde_json::from_str(&end).expect("an end");
        let events: Vec<Event> = turns.iter().cloned().chain([end]).collect();
        let of = |seat: usize| {
            let line = format!(
                r#"{{"game":{},"bot":"b{seat}","seat":{seat},"with":["b0","b1","b2"],"board":"x","board_id":"","record_id":"",
                "repeat":1,"verdict":"completed","won":false,"score":0,"counts":false,"official":"","turns":0}}"#,
                7 + seat
            );
            let mut outcome: Outcome = serde_json::from_str(&line).expect("an outcome");
            outcome.record(&events, true);
            outcome
        };
        (0..3).map(of).collect()
    }

    const SEATS: &str = r#"{"place":2,"score":5,"verdict":"completed","turns":2},
        {"place":1,"score":9,"verdict":"completed","official":"won","turns":1},
        {"place":2,"score":5,"verdict":"VERDICT","turns":1}"#;

    #[test]
    fn a_seat_has_its_own_part_of_the_game_and_its_place_in_percent() {
        let turn = |seat: usize, ms: u32| {
            let json = format!(
                r#"{{"type":"turn","turn":1,"seat":{seat},"limit":"turn","reply":"0\n","gain":0,"score":0,"wall_ms":{ms}}}"#
            );
            serde_json::from_str::<Event>(&json).expect("a turn")
        };
        let found = seats(
            &[turn(0, 10), turn(1, 20), turn(0, 30), turn(2, 5)],
            &SEATS.replace("VERDICT", "crash"),
        );
        assert_eq!(
            found.iter().map(Outcome::place).collect::<Vec<_>>(),
            [Some(25.0), Some(100.0), Some(25.0)]
        );
        assert_eq!(found.iter().map(|it| it.won).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(
            found.iter().map(|it| it.official.as_str()).collect::<Vec<_>>(),
            ["over", "won", "over"]
        );
        assert!(found.iter().all(|it| it.table() == 7 && !it.counts && !it.is_lost_by_host()));
        let slowest = found.iter().map(|it| it.times.slowest.map(|time| time.0.as_millis()));
        assert_eq!(slowest.collect::<Vec<_>>(), [Some(30), Some(20), Some(5)]);
    }

    #[test]
    fn the_share_of_a_limit_is_that_of_the_limit_that_the_judge_named() {
        let times = |turns: &[(&str, u32, u32)]| {
            let turn = |(kind, ms, limit): &(&str, u32, u32)| {
                let json = format!(
                    r#"{{"type":"turn","turn":1,"limit":"{kind}","asked":{{"input":"","limit_ms":{limit}}},"reply":"0\n",
                    "gain":0,"score":0,"wall_ms":{ms}}}"#
                );
                serde_json::from_str::<Event>(&json).expect("a turn")
            };
            let turns: Vec<Event> = turns.iter().map(turn).collect();
            let times = seats(&turns, &SEATS.replace("VERDICT", "completed"))[0].times;
            let json = serde_json::to_value(times).expect("JSON");
            ["first_limit_ms", "slowest_limit_ms", "of_limit"].map(|field| json[field].clone())
        };
        let turns = [("first_turn", 10, 1000), ("turn", 300, 900), ("turn", 49, 50)];
        assert_eq!(times(&turns), [json!(1000.0), json!(900.0), json!(0.98)]);
        let whole_game = [("total", 50, 200), ("total", 50, 150), ("total", 50, 100)];
        assert_eq!(times(&whole_game), [json!(200.0), json!(null), json!(0.75)]);
    }

    #[test]
    fn a_delay_of_the_host_at_one_seat_spoils_the_whole_table() {
        let late = |culprit: &str| {
            let json = format!(
                r#"{{"type":"turn","turn":1,"seat":2,"limit":"turn","reply":"","gain":0,"score":0,"wall_ms":60,
                "overrun":{{"culprit":{culprit},"decision":"timeout"}}}}"#
            );
            let turn = serde_json::from_str::<Event>(&json).expect("a turn");
            seats(&[turn], &SEATS.replace("VERDICT", "timeout"))
        };
        assert!(late(r#""host""#).iter().all(Outcome::is_lost_by_host));
        let by_bot = late(r#""bot""#);
        assert!(by_bot.iter().all(|it| !it.is_lost_by_host() && it.times.host_overruns == 0));
    }

    #[test]
    fn the_line_of_a_seat_names_it_and_that_of_a_game_of_one_player_does_not() {
        let line = |outcome: &Outcome| serde_json::to_string(outcome).expect("JSON");
        let found = line(&seats(&[], &SEATS.replace("VERDICT", "completed"))[1]);
        let expected =
            r#"{"game":8,"bot":"b1","seat":1,"with":["b0","b1","b2"],"place":100.0,"board":"x","#;
        assert!(found.starts_with(expected), "{found}");
        let mut alone: Outcome = serde_json::from_str(&found).expect("an outcome");
        alone.seat = None;
        assert!(line(&alone).starts_with(r#"{"game":8,"bot":"b1","board":"x","board_id":"#));
    }
}
