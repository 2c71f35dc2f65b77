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
        let number = self.games + 1;
        // A second game on the same replies counts the legal moves outside the bot's time.
        let case = (game.game.parse)(game.test_case).map_err(PlayError::TestCase)?;
        let mut shadow = case.opening();
        let end = game.play(|event| match event {
            Event::Turn(turn) => {
                let view = shadow.as_ref().and_then(Game::view);
                let (board, choices) = (game.board.to_owned(), view.and_then(View::legal_moves));
                let reply = Lines::split(&turn.reply.0);
                if let Some(shadow) = &mut shadow {
                    let _ = shadow.answer(Answer::new(&reply, turn.no_reply));
                }
                self.turns.push(Timed { game: number, board, turn, choices });
            }
            Event::End(end) if !end.won => {
                let why = end.diagnosis.as_deref().unwrap_or(&end.official);
                self.lost.push(format!("{}: {}: {why}", game.board, end.verdict));
            }
            Event::End(end) => {
                let has_failed = |seat: &SeatEnd| seat.verdict != Verdict::Completed;
                let seats = end.seats.iter().enumerate();
                for (number, seat) in seats.filter(|(_, seat)| has_failed(seat)) {
                    let why = seat.process.diagnosis.as_deref().unwrap_or(&seat.official);
                    let (board, verdict) = (game.board, seat.verdict);
                    self.lost.push(format!("{board}, seat {number}: {verdict}: {why}"));
                }
            }
            // Only turns take time, and only ends are lost.
            _ => {}
        })?;
        self.games = number;
        Ok(end)
    }
}
