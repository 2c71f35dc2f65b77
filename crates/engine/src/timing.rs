//! Plays games to measure the times of their turns.

use crate::play::{Match, PlayError};
use results::gamelog::{End, Event, SeatEnd};
use results::timing::Timed;
use rules::game::frames::View;
use rules::game::{Answer, Game};
use terms::lines::Lines;
use terms::verdict::Verdict;

/// The turns and losses of the games so far.
#[derive(Debug, Default)]
pub struct Measured {
    /// Every turn.
    pub turns: Vec<Timed>,
    /// Games that the bot lost: the board and why.
    pub lost: Vec<String>,
    /// The number of games that reached any end. An interrupted game has turns, but does not count.
    pub games: usize,
}

impl Measured {
    /// Plays one more game.
    ///
    /// # Errors
    /// As for [`Match::play`].
    pub fn play(&mut self, game: &Match<'_>) -> Result<End, PlayError> {
        // A second game on the same replies counts the legal moves outside the bot's time.
        let case = (game.game.parse)(game.test_case).map_err(PlayError::TestCase)?;
        let shadow = case.opening();
        let mut events = Vec::new();
        let end = game.play(|event| events.push(event));
        self.add(game.board, shadow, events);
        let end = end?;
        self.games += 1;
        Ok(end)
    }

    /// Adds the last attempt of a game, which may not have ended: the host disturbed the earlier ones.
    fn add(&mut self, board: &str, mut shadow: Option<Game>, events: Vec<Event>) {
        let number = self.games + 1;
        let last = events.iter().rposition(|event| matches!(event, Event::Start(_)));
        for event in events.into_iter().skip(last.unwrap_or(0)) {
            match event {
                Event::Turn(turn) => {
                    let view = shadow.as_ref().and_then(Game::view);
                    let (board, choices) = (board.to_owned(), view.and_then(View::legal_moves));
                    let reply = Lines::split(&turn.reply.0);
                    if let Some(shadow) = &mut shadow {
                        let _ = shadow.answer(Answer::new(&reply, turn.no_reply));
                    }
                    self.turns.push(Timed { game: number, board, turn, choices });
                }
                Event::End(end) if !end.won => {
                    let why = end.process.diagnosis.as_deref().unwrap_or(&end.official);
                    self.lost.push(format!("{board}: {}: {why}", end.verdict));
                }
                Event::End(end) => {
                    let has_failed = |seat: &SeatEnd| seat.verdict != Verdict::Completed;
                    let seats = end.seats.iter().enumerate();
                    for (number, seat) in seats.filter(|(_, seat)| has_failed(seat)) {
                        let why = seat.process.diagnosis.as_deref().unwrap_or(&seat.official);
                        let verdict = seat.verdict;
                        self.lost.push(format!("{board}, seat {number}: {verdict}: {why}"));
                    }
                }
                // Only turns take time, and only ends are lost.
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::gamelog::{Bytes, Turn};
    use serde_json::{Value, from_value, json};
    use terms::limits::LimitKind;

    #[test]
    fn only_the_last_attempt_of_a_game_counts() {
        let event = |event: Value| from_value::<Event>(event).expect("an event");
        let start = || {
            event(json!({
                "type": "start", "format": 1, "referee": "1.0.0", "game": "g", "board": "b", "test_case": "",
                "bot": { "name": "", "command": [] }, "profile": "official", "limits": {},
                "host": { "os": "", "arch": "", "cpus": 1 }, "time": "2026-01-01T00:00:00Z"
            }))
        };
        let turn =
            |number| Event::Turn(Turn::with_reply(number, LimitKind::Total, Bytes::default()));
        let end = |verdict, won| {
            event(json!({
                "type": "end", "verdict": verdict, "official": "", "won": won, "score": null,
                "summary": [], "metadata": {}, "turns": 1
            }))
        };
        let (lost, won) = (end("timeout", false), end("completed", true));
        let mut measured = Measured { games: 1, ..Measured::default() };
        measured.add("b", None, vec![start(), turn(1), turn(2), lost, start(), turn(1), won]);
        let turns: Vec<_> = measured.turns.iter().map(|it| (it.game, it.turn.turn)).collect();
        assert_eq!((turns, measured.lost), (vec![(2, 1)], Vec::new()));
    }
}
