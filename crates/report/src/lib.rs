//! Results for people and programs: text, Markdown, pages, JSON, CSV, `JUnit`, SVG; a game board by board.
//!
//! A module for each subject, from a game and its [`view`] to the [`history`] of all runs. A page is one file that needs
//! no other; whatever came from a bot or a log is made inert before it is shown.
//!
//! It starts no process, plays no game and reads no settings.

mod advice;
pub mod compare;
pub mod doctor;
mod document;
mod figures;
mod format;
pub mod groups;
mod histogram;
pub mod history;
mod html;
mod inert;
mod json;
mod junit;
pub mod markup;
mod metrics;
pub mod needed;
mod overview;
pub mod ratings;
mod rows;
pub mod runs;
mod stderr;
pub mod suite;
mod text;
pub mod timing;
pub mod view;

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;

pub use self::format::{Format, Report};
use self::stderr::Stderr;
use results::gamelog::{Certificate, End, Log, Start, Turn};
use results::replay::Difference;
use rules::game::Seat;
use rules::game::judge::JudgeProgram;
use rules::score::Score;
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::verdict::{Culprit, Overrun};

/// The mark in a comment near the beginning of a page, which lets a later one replace it.
pub const MARK: &str = "made by referee";

/// The content of a report on a game.
#[derive(Debug, Clone, PartialEq)]
pub struct GameReport {
    /// What was played.
    pub start: Start,
    /// How it ended; `None` if unknown.
    pub end: Option<End>,
    /// The exchanges.
    pub turns: u32,
    /// The score after the last exchange; `None` if there is none.
    pub score: Option<Score>,
    /// The original's game summary, with colour marks.
    pub summary: Vec<String>,
    /// The responses, in order.
    pub exchanges: Vec<Response>,
    /// Where the log of the game was written, if it was.
    pub log: Option<PathBuf>,
    /// The page that shows the game.
    pub page: Option<PathBuf>,
    /// The result of a replay; `None` for a game that was played.
    pub replay: Option<ReplayReport>,
    /// The only seat to show of a game of several players, if one was chosen.
    pub seat: Option<Seat>,
    /// Whether the text shows the standard error of a bot that succeeds too; by default in contests, whose programs print notes there.
    pub shows_stderr: bool,
    /// The standard error of each bot.
    stderr: Vec<Stderr>,
}

/// How long the bot took for a turn. In JSON its fields are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Response {
    /// The number of the turn, from 1.
    pub turn: u32,
    /// The seat of the bot, from 0.
    #[serde(skip_serializing_if = "is_first")]
    pub seat: Seat,
    /// The kind of limit that applied.
    #[serde(skip)]
    pub kind: LimitKind,
    /// The time taken.
    #[serde(rename = "wall_ms")]
    pub wall: Millis,
    /// The limit for it, if there was one.
    #[serde(rename = "limit_ms")]
    pub limit: Option<Millis>,
    /// What the turn cost.
    #[serde(flatten)]
    pub certificate: Certificate,
    /// Whose fault a late response is, and what was done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// Whether the log holds the end of the game.
    pub complete: bool,
    /// The first difference from the log; for a game that another program saved, all differences.
    pub differences: Vec<Difference>,
}

impl GameReport {
    /// The report of a game that was played.
    pub fn of(game: &Log) -> Self {
        let mut report = Self {
            stderr: game.start.bots().map(|_| Stderr::default()).collect(),
            start: game.start.clone(),
            end: game.end.clone(),
            turns: 0,
            score: None,
            summary: Vec::new(),
            exchanges: Vec::new(),
            log: None,
            page: None,
            replay: None,
            seat: None,
            shows_stderr: game.start.judge.as_ref().is_some_and(JudgeProgram::is_of_contest),
        };
        game.turns.iter().for_each(|turn| report.add(turn));
        if let Some(end) = &game.end {
            report.score = end.score;
            report.summary.clone_from(&end.summary);
            if end.seats.is_empty() {
                report.stderr[0].add_end(&end.process.stderr.0);
            }
            for (stderr, seat) in report.stderr.iter_mut().zip(&end.seats) {
                stderr.add_end(&seat.process.stderr.0);
            }
        }
        report
    }

    fn add(&mut self, turn: &Turn) {
        self.turns = turn.turn;
        self.score = turn.score;
        if let Some(stderr) = self.stderr.get_mut(turn.seat) {
            stderr.add_turn(&turn.stderr.0, turn.stderr_dropped);
        }
        self.exchanges.push(Response {
            turn: turn.turn,
            seat: turn.seat,
            kind: turn.limit,
            wall: turn.wall,
            limit: self.start.limit(turn).map(Millis),
            certificate: turn.certificate,
            overrun: turn.overrun,
        });
    }

    fn first(&self) -> Option<&Response> {
        self.exchanges.first()
    }

    /// The slowest response after the first; the earliest of several equal ones.
    fn slowest(&self) -> Option<&Response> {
        self.exchanges.iter().skip(1).rev().max_by_key(|response| response.wall)
    }

    /// How many late replies are the fault of `culprit`.
    fn overruns(&self, culprit: Culprit) -> usize {
        let culprits = self.exchanges.iter().filter_map(|response| response.overrun);
        culprits.filter(|overrun| overrun.culprit == culprit).count()
    }

    /// The seats of a game of several players that are to be shown.
    fn shown_seats(&self) -> impl Iterator<Item = Seat> {
        let seats = if self.start.is_of_several() { self.start.bots().count() } else { 0 };
        (0..seats).filter(|seat| self.seat.is_none_or(|shown| shown == *seat))
    }

    /// The slowest response of a seat after its first; the earliest of several equal ones.
    fn slowest_of(&self, seat: Seat) -> Option<&Response> {
        let of_seat = |response: &&Response| response.seat == seat;
        let first = self.exchanges.iter().position(|response| of_seat(&response))?;
        self.exchanges[first + 1..]
            .iter()
            .rev()
            .filter(of_seat)
            .max_by_key(|response| response.wall)
    }

    /// Writes the report as text or JSON.
    ///
    /// # Errors
    /// When `out` fails, or for another format.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, out),
            Format::Json => json::write(self, out),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_first(seat: &Seat) -> bool {
    *seat == 0
}
