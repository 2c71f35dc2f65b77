//! A game under way: what playing, replaying and showing it share.

use std::fmt;
use std::mem;

use serde_json::Value;

use super::frames::View;
use super::referee::{
    Answer, Ask, End, JudgeFailure, Next, Out, Referee, Ruling, Seat, SeatEnd, Step,
};
use crate::score::Score;
use terms::bounds::{OFFICIAL, UNANSWERED};
use terms::lines::Lines;
use terms::text::cut;
use terms::verdict::{NoReply, Verdict};

/// A game under way, driven step by step.
///
/// Each question is [taken](Self::next_ask) once and [answered](Self::answer) once, until there is an [end](Self::end).
pub struct Game {
    referee: Box<dyn Referee>,
    ask: Option<Ask>,
    end: Option<End>,
    /// The seat that was asked last.
    asked: Seat,
    /// What is known of each seat, up to the last that has been asked or put out.
    seats: Vec<Known>,
    scores: Vec<Score>,
    summary: Vec<String>,
}

/// What is known of a seat.
#[derive(Debug, Clone, Default)]
struct Known {
    /// The number of its answers.
    turns: u32,
    /// Why it gave no reply. The referee is told the same at each further question to it.
    silence: Option<NoReply>,
    /// The referee's verdict, if it has put the seat out, and its words.
    out: Option<(Verdict, String)>,
}

/// The effect of an answer on a game.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// The seats that the referee has put out after the reply.
    pub out: Vec<Out>,
}

impl Effect {
    /// The effect of an answer after which the referee failed, in a game with this score.
    pub fn unknown(score: Option<Score>) -> Self {
        Self { score, ..Self::default() }
    }
}

/// What a referee said in one step or several, besides what comes next.
#[derive(Default)]
struct StepReport {
    ruling: Ruling,
    summary: Vec<String>,
    out: Vec<Out>,
}

impl Game {
    /// Has a referee take its first step.
    ///
    /// # Errors
    /// When the referee fails.
    pub fn begin(mut referee: Box<dyn Referee>) -> Result<Self, JudgeFailure> {
        let first = referee.begin()?;
        let (seats, scores, summary) = (Vec::new(), Vec::new(), Vec::new());
        let mut game = Self { referee, ask: None, end: None, asked: 0, seats, scores, summary };
        let told = game.take(first);
        if told.ruling.verdict != Verdict::Completed || !told.out.is_empty() {
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

    /// The number of answers of a seat.
    pub fn turns(&self, seat: Seat) -> u32 {
        self.seats.get(seat).map_or(0, |known| known.turns)
    }

    /// Whether a seat plays no more: it gave no reply, or the referee has put it out.
    pub fn is_out(&self, seat: Seat) -> bool {
        self.seats.get(seat).is_some_and(|known| known.silence.is_some() || known.out.is_some())
    }

    /// The lines of the original's game summary so far, with colour marks.
    pub fn summary(&self) -> &[String] {
        &self.summary
    }

    /// The board as it is now, in a game with a picture.
    pub fn view(&self) -> Option<&dyn View> {
        self.referee.view()
    }

    /// Passes on the answer to the last question. A referee that asks a seat again which gave no reply is told the same
    /// again.
    ///
    /// # Errors
    /// When the referee fails: what became of the answer is unknown.
    pub fn answer(&mut self, answer: Answer<'_>) -> Result<Effect, JudgeFailure> {
        let seat = self.asked;
        let before = self.score(seat);
        self.known(seat).turns += 1;
        if let Answer::NoReply { why, .. } = answer {
            self.known(seat).silence = Some(why);
        }
        let mut told = self.step(answer)?;
        let ruling = match answer {
            Answer::NoReply { why, .. } => Ruling { verdict: why.verdict(), ..Ruling::default() },
            Answer::Reply { .. } => mem::take(&mut told.ruling),
        };
        self.pass_on_silence(&mut told)?;
        let put_out = told.out.iter().find(|out| out.seat == seat);
        let ruling = match put_out {
            Some(out) if ruling.verdict == Verdict::Completed => {
                Ruling::by_judge(out.verdict, &out.official)
            }
            _ => ruling,
        };
        let Ruling { verdict, action, wrong_line, remark } = ruling;
        let StepReport { summary, out, .. } = told;
        let score = self.score(seat);
        let gain = score.map(|score| match verdict {
            Verdict::Completed => score - before.unwrap_or(Score::ZERO),
            _ => Score::ZERO,
        });
        Ok(Effect { verdict, gain, score, action, wrong_line, remark, summary, out })
    }

    /// Answers questions to seats that gave no reply before, and adds what the referee tells.
    fn pass_on_silence(&mut self, told: &mut StepReport) -> Result<(), JudgeFailure> {
        let nothing = Lines::default();
        for _ in 1..UNANSWERED {
            let Some(known) = self.ask.as_ref().and_then(|ask| self.seats.get(ask.seat)) else {
                return Ok(());
            };
            let Some(why) = known.silence else {
                let what =
                    format!("asked player {} again after putting that player out", self.asked);
                return if known.out.is_some() { Err(JudgeFailure::new(what)) } else { Ok(()) };
            };
            let more = self.step(Answer::NoReply { received: &nothing, why })?;
            told.summary.extend(more.summary);
            told.out.extend(more.out);
        }
        Err(JudgeFailure::new("kept asking after being told that no reply came"))
    }

    fn known(&mut self, seat: Seat) -> &mut Known {
        if self.seats.len() <= seat {
            self.seats.resize_with(seat + 1, Known::default);
        }
        &mut self.seats[seat]
    }

    /// Passes an answer on.
    fn step(&mut self, answer: Answer<'_>) -> Result<StepReport, JudgeFailure> {
        self.ask = None;
        let step = self.referee.answer(self.asked, answer)?;
        Ok(self.take(step))
    }

    /// Takes over what a step says.
    fn take(&mut self, Step { ruling, scores, summary, next }: Step) -> StepReport {
        if !scores.is_empty() {
            self.scores = scores;
        }
        self.summary.extend(summary.iter().cloned());
        let mut out = Vec::new();
        match next {
            Next::Ask(mut ask) => {
                out = mem::take(&mut ask.out);
                for Out { seat, verdict, official } in &mut out {
                    *official = cut(official, OFFICIAL);
                    self.known(*seat).out = Some((*verdict, official.clone()));
                }
                self.asked = ask.seat;
                self.ask = Some(ask);
            }
            Next::End(mut end) => {
                for (seat, known) in end.seats.iter_mut().zip(&self.seats) {
                    known.complete(seat);
                }
                let words = end.seats.iter_mut().map(|seat| &mut seat.official);
                words.chain([&mut end.official]).for_each(|words| *words = cut(words, OFFICIAL));
                self.end = Some(end);
            }
        }
        StepReport { ruling, summary, out }
    }
}

impl Known {
    /// Adds what is known of a seat to what its referee reports at the end.
    fn complete(&self, end: &mut SeatEnd) {
        if let Some((verdict, official)) = &self.out {
            end.verdict = *verdict;
            if end.official.is_empty() {
                end.official.clone_from(official);
            }
        }
        if let Some(why) = self.silence {
            end.verdict = why.verdict();
        }
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ask, end, scores, .. } = self;
        let mut debug = f.debug_struct("Game");
        debug.field("ask", ask).field("end", end).field("scores", scores).finish_non_exhaustive()
    }
}
