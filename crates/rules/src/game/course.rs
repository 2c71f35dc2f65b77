//! A game under way: what playing, replaying and showing it share.

use std::fmt;

use serde_json::Value;

use super::frames::View;
use super::referee::{Answer, Ask, End, JudgeFailure, Next, Referee, Ruling, Seat, Step};
use crate::score::Score;
use terms::bounds::UNANSWERED;
use terms::verdict::Verdict;

/// A game under way, driven step by step.
///
/// Each question is [taken](Self::next_ask) once and [answered](Self::answer) once, until there is an [end](Self::end).
pub struct Game {
    referee: Box<dyn Referee>,
    ask: Option<Ask>,
    end: Option<End>,
    /// The seat that was asked last.
    asked: Seat,
    scores: Vec<Score>,
    summary: Vec<String>,
}

/// The effect of an answer on a game.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The verdict; [`Verdict::Completed`] as long as nothing is wrong.
    pub verdict: Verdict,
    /// The points for the reply; `None` if the game does not tell.
    pub gain: Option<Score>,
    /// The score of the seat after the reply; `None` if there is none.
    pub score: Option<Score>,
    /// The move in the game's own terms, if one could be read.
    pub action: Option<Value>,
    /// The line of the reply that was wrong, from 0.
    pub wrong_line: Option<usize>,
    /// The game's remark on the reply.
    pub remark: Option<String>,
    /// The lines that the reply added to the summary.
    pub summary: Vec<String>,
}

impl Game {
    /// Has a referee take its first step.
    ///
    /// # Errors
    /// When the referee fails.
    pub fn begin(mut referee: Box<dyn Referee>) -> Result<Self, JudgeFailure> {
        let first = referee.begin()?;
        let (scores, summary) = (Vec::new(), Vec::new());
        let mut game = Self { referee, ask: None, end: None, asked: 0, scores, summary };
        if game.take(first).verdict != Verdict::Completed {
            return Err(JudgeFailure::new(
                "ended the game against the bot before it asked anything",
            ));
        }
        Ok(game)
    }

    /// The next question, without taking it; `None` once it is taken, or the game is over.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Takes the next question; `None` if the game is over.
    pub fn next_ask(&mut self) -> Option<Ask> {
        self.ask.take()
    }

    /// How the game ended; `None` if it is not over.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What the original reports at the end of the game, without colour marks; empty before the end.
    pub fn official(&self) -> &str {
        self.end.as_ref().map_or("", |end| &end.official)
    }

    /// The score so far, as the original counts it; `None` if there is none.
    pub fn score(&self, seat: Seat) -> Option<Score> {
        self.scores.get(seat).copied()
    }

    /// The lines of the original's game summary so far, with colour marks.
    pub fn summary(&self) -> &[String] {
        &self.summary
    }

    /// The board as it is now, in a game with a picture.
    pub fn view(&self) -> Option<&dyn View> {
        self.referee.view()
    }

    /// Passes on the answer to the last question. A referee that asks a bot again which gave no reply is told the same
    /// again.
    ///
    /// # Errors
    /// When the referee fails: what became of the answer is unknown.
    pub fn answer(&mut self, answer: Answer<'_>) -> Result<Effect, JudgeFailure> {
        let seat = self.asked;
        let before = self.score(seat);
        let (mut ruling, mut summary) = self.step(answer)?;
        if let Answer::NoReply { why, .. } = answer {
            for _ in 1..UNANSWERED {
                if !self.asks(seat) {
                    break;
                }
                summary.extend(self.step(answer)?.1);
            }
            if self.asks(seat) {
                let what = "kept asking after being told that no reply came";
                return Err(JudgeFailure::new(what));
            }
            ruling = Ruling { verdict: why.verdict(), ..Ruling::default() };
        }
        let Ruling { verdict, action, wrong_line, remark } = ruling;
        let score = self.score(seat);
        let gain = score.map(|score| match verdict {
            Verdict::Completed => score - before.unwrap_or(Score::ZERO),
            _ => Score::ZERO,
        });
        Ok(Effect { verdict, gain, score, action, wrong_line, remark, summary })
    }

    fn asks(&self, seat: Seat) -> bool {
        self.ask.as_ref().is_some_and(|ask| ask.seat == seat)
    }

    /// Passes an answer on; returns the ruling, and what it adds to the summary.
    fn step(&mut self, answer: Answer<'_>) -> Result<(Ruling, Vec<String>), JudgeFailure> {
        self.ask = None;
        let step = self.referee.answer(self.asked, answer)?;
        let added = step.summary.clone();
        Ok((self.take(step), added))
    }

    /// Takes over what a step says; returns its ruling.
    fn take(&mut self, Step { ruling, scores, summary, next }: Step) -> Ruling {
        if !scores.is_empty() {
            self.scores = scores;
        }
        self.summary.extend(summary);
        match next {
            Next::Ask(ask) => {
                self.asked = ask.seat;
                self.ask = Some(ask);
            }
            Next::End(end) => self.end = Some(end),
        }
        ruling
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ask, end, scores, .. } = self;
        let mut debug = f.debug_struct("Game");
        debug.field("ask", ask).field("end", end).field("scores", scores).finish_non_exhaustive()
    }
}
