//! A game prepared for viewing, for the page and the terminal player.
//!
//! A film is the events of a saved or running game, with the effect of each move on the board. It referees
//! the game again, so its boards follow the rules. Text from bots and logs is kept unchanged; the code that
//! renders it must make it inert.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::links::{self, Link};
use crate::text;
use results::gamelog::{Bot, End, Event, Log, Start, Turn};
use results::replay::{Difference, ReplayError, Replayed, kind_as, kind_of, reply_to};
use rules::game::frames::{Frame, Picture, View};
use rules::game::{Answer, Ask, Game, GameKind};
use rules::score::Score;
use terms::text::named;

/// A game, move by move.
///
/// ```no_run
/// use report::view::film::Film;
/// use report::view::page::page;
/// use results::gamelog::Log;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let film = Film::of_log(Log::open("game.jsonl")?)?;
/// std::fs::write("game.html", page(&film))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Film {
    /// The game whose rules made the positions.
    pub kind: Arc<GameKind>,
    /// The start event.
    pub start: Start,
    /// The board before the first move.
    pub opening: Picture,
    /// The exchanges.
    pub turns: Vec<Turn>,
    /// The moves of all exchanges; an exchange without a move has a placeholder.
    pub moves: Vec<Move>,
    /// How it ended; `None` if it is still running, or its log is incomplete.
    pub end: Option<End>,
    /// A notice to show next to the game.
    pub note: Option<String>,
    /// The pictures that the game's judge has drawn.
    pub drawings: Vec<Link>,
    /// The score before the first exchange.
    at_start: Option<Score>,
    /// What the bot was sent in each exchange of a game without a picture.
    sent: Vec<String>,
    /// Where the rules are, unless they are another program's.
    position: Option<Game>,
}

/// One move, between two boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The index of its exchange.
    pub turn: usize,
    /// Its effect on the board.
    pub frame: Frame,
}

impl Film {
    /// The film of a log, up to its last event.
    ///
    /// # Errors
    /// When the game or the test case in the log is invalid.
    pub fn of_log(log: Log) -> Result<Self, ReplayError> {
        let kind = kind_of(&log.start)?;
        Self::of_kind(kind, log)
    }

    /// As [`of_log`](Self::of_log), by the rules of `kind`, which need not be in the table of games.
    ///
    /// # Errors
    /// When the log is of another game, or its test case is invalid.
    pub fn of_log_as(kind: &Arc<GameKind>, log: Log) -> Result<Self, ReplayError> {
        let kind = kind_as(kind, &log.start)?;
        Self::of_kind(kind, log)
    }

    fn of_kind(kind: Arc<GameKind>, log: Log) -> Result<Self, ReplayError> {
        let mut film = Self::before(kind, log.start)?;
        log.turns.into_iter().for_each(|turn| film.add_turn(turn));
        film.end = log.end;
        Ok(film)
    }

    /// The film of a log by the rules, with a note on the first difference between log and rules.
    ///
    /// # Errors
    /// When the game or the test case in the log is invalid.
    pub fn refereed(
        log: Log,
        replayed: &Replayed,
        difference: Option<&Difference>,
    ) -> Result<Self, ReplayError> {
        let note = difference.map(|Difference { turn, what, .. }| {
            format!("The log differs from the rules from turn {turn} on ({what}).")
        });
        Ok(Self { end: replayed.end.clone(), note, ..Self::of_log(log)? })
    }

    /// The film of a game that is about to start.
    ///
    /// # Errors
    /// When the game is unknown or the test case invalid.
    pub fn new(start: Start) -> Result<Self, ReplayError> {
        Self::before(kind_of(&start)?, start)
    }

    fn before(kind: Arc<GameKind>, start: Start) -> Result<Self, ReplayError> {
        let position = (kind.parse)(&start.test_case)?.opening();
        let view = position.as_ref().and_then(Game::view);
        Ok(Self {
            kind,
            opening: view.map(View::picture).unwrap_or_default(),
            at_start: position.as_ref().map_or(start.score, |game| game.score(0)),
            sent: Vec::new(),
            start,
            turns: Vec::new(),
            moves: Vec::new(),
            end: None,
            note: None,
            drawings: Vec::new(),
            position,
        })
    }

    /// The film for the page at `page`, which links to what the judge has drawn next to the log.
    #[must_use]
    pub fn linked(self, log: &Path, page: &Path) -> Self {
        Self { drawings: links::to_drawings(log, page), ..self }
    }

    /// The film for a page of its own, which shows these pictures, and does not only link to them.
    #[must_use]
    pub fn illustrated(self, log: &Path, page: &Path) -> Self {
        let film = self.linked(log, page);
        let drawings = film.drawings.into_iter().map(Link::with_image).collect();
        Self { drawings, ..film }
    }

    /// The last position. Position `i` is the board before move `i`; the last position is the end of the
    /// game.
    pub fn last_position(&self) -> usize {
        self.moves.len()
    }

    /// Whether the game has no picture, so that views show [texts](Self::texts).
    pub fn is_text(&self) -> bool {
        self.opening.is_none()
    }

    /// What the bot was sent in the exchange of a position, and what it answered; at the end, in the last exchange. Empty in
    /// games with a picture. The caller must make both inert.
    pub fn texts(&self, position: usize) -> (&str, String) {
        let turn = self.moves.get(position).or(self.moves.last()).map_or(0, |shown| shown.turn);
        let sent = self.sent.get(turn).map_or("", String::as_str);
        (sent, self.turns.get(turn).map(super::reply).unwrap_or_default())
    }

    /// The lines that the judge's summary of the game has of an exchange; the first exchange has those before it too. The caller
    /// must make them inert.
    pub fn told(&self, turn: &Turn) -> String {
        let opening = if turn.turn == 1 { &self.start.summary[..] } else { &[] };
        let told = turn.asked.as_ref().map_or(&[][..], |asked| &asked.summary);
        self.summary(&[opening, told].concat())
    }

    /// The judge's whole summary of the game; empty before its end, and in games with a picture. The caller must make it
    /// inert.
    pub fn told_at_end(&self) -> String {
        let end = self.end.as_ref().filter(|_| self.is_text());
        end.map_or_else(String::new, |end| self.summary(&end.summary))
    }

    /// Lines of a summary as text, in which a game of several players names its bots.
    fn summary(&self, lines: &[String]) -> String {
        let bots = self.start.names();
        lines.iter().map(|line| named(line, &bots) + "\n").collect()
    }

    /// The board after as many moves as `position` says.
    pub fn board(&self, position: usize) -> Picture {
        let mut board = self.opening.clone();
        for played in &self.moves[..position.min(self.moves.len())] {
            board.apply(&played.frame);
        }
        board
    }

    /// The score at a position, before its move scores; `None` if there is none.
    pub fn score(&self, position: usize) -> Option<Score> {
        let before = &self.moves[..position.min(self.moves.len())];
        let turn = match (&self.end, self.moves.get(position)) {
            (Some(end), None) => return end.score,
            (None, None) => self.turns.len(),
            (_, Some(shown)) => shown.turn,
        };
        let at_start = turn.checked_sub(1).map_or(self.at_start, |last| self.turns[last].score);
        let since = before.iter().rev().take_while(|played| played.turn == turn);
        Some(at_start? + since.map(|played| played.frame.gain).sum())
    }

    /// The exchange that a position belongs to; `None` at the end.
    pub fn turn(&self, position: usize) -> Option<&Turn> {
        self.turns.get(self.moves.get(position)?.turn)
    }

    /// The time that a turn took, if it was measured: games that other programs saved have no times.
    pub fn wall(&self, turn: &Turn) -> Option<Duration> {
        (!turn.wall.0.is_zero()).then_some(turn.wall.0)
    }

    /// The limit for a turn, if there was one.
    pub fn limit(&self, turn: &Turn) -> Option<Duration> {
        self.start.limit(turn)
    }

    /// Describes a position's move, or the end, in a few words.
    pub fn describe(&self, position: usize) -> Cow<'_, str> {
        let Some(played) = self.moves.get(position) else {
            return self.result();
        };
        let turn = self.turns.get(played.turn);
        match turn.and_then(|turn| Some((turn, turn.no_reply?))) {
            Some((turn, no_reply)) => {
                format!("{}No move: {}", self.seat_of(turn), no_reply.verdict()).into()
            }
            None => (&played.frame.caption).into(),
        }
    }

    /// The bots: one, or each with its seat.
    pub fn bots(&self) -> String {
        if !self.start.is_of_several() {
            return self.start.bot.name.clone();
        }
        let named = self.start.bots().enumerate().map(|(seat, bot)| format!("{seat} {}", bot.name));
        named.collect::<Vec<_>>().join(", ")
    }

    /// In a game of several players each bot with its seat, and what it has reached: `old 2 : 0 new`.
    pub fn heading(&self) -> Option<Vec<(Option<usize>, String)>> {
        let seats = self.end.as_ref().map_or(&[][..], |end| &end.seats);
        let reached = |seat: usize| {
            let end = seats.get(seat)?;
            Some(end.score.map_or_else(|| format!("place {}", end.place), |it| it.to_string()))
        };
        let bot = |(seat, bot): (usize, &Bot)| (Some(seat), bot.name.clone());
        let bots: Vec<_> = self.start.bots().enumerate().map(bot).collect();
        match (&bots[..], reached(0), reached(1)) {
            ([_], ..) => None,
            ([one, other], Some(its), Some(others)) => {
                Some(vec![one.clone(), (None, format!(" {its} : {others} ")), other.clone()])
            }
            _ => {
                let part = |bot: (Option<usize>, String)| {
                    let after =
                        bot.0.and_then(reached).map(|it| format!(" {it}")).unwrap_or_default();
                    let is_last = bot.0 == Some(bots.len() - 1);
                    [bot, (None, after + if is_last { "" } else { ", " })]
                };
                Some(bots.iter().cloned().flat_map(part).collect())
            }
        }
    }

    /// What the original reports at the end, in a game of several players with the result of each; empty before.
    pub fn result(&self) -> Cow<'_, str> {
        let Some(end) = &self.end else { return Cow::default() };
        if end.seats.is_empty() {
            return (&end.official).into();
        }
        let standings = self.start.bots().zip(&end.seats).enumerate();
        let told = standings
            .map(|(seat, (bot, end))| format!("{seat} {}: {}", bot.name, text::standing(end)));
        told.collect::<Vec<_>>().join("; ").into()
    }

    /// The diagnosis at the end; in a game of several players, of each bot.
    pub fn diagnosis(&self) -> Option<Cow<'_, str>> {
        let end = self.end.as_ref()?;
        if end.seats.is_empty() {
            return end.process.diagnosis.as_deref().map(Cow::from);
        }
        let told =
            self.start.bots().zip(&end.seats).enumerate().filter_map(|(seat, (bot, end))| {
                Some(format!("{seat} {}: {}", bot.name, end.process.diagnosis.as_ref()?))
            });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join("; ").into())
    }

    /// Adds an event of a game that is being played.
    pub fn add(&mut self, event: Event) {
        match event {
            Event::Turn(turn) => self.add_turn(turn),
            Event::End(end) => self.end = Some(end),
            // The film has begun, and others change no position.
            _ => {}
        }
    }

    /// The number of the first move in which two games on the same board differ.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let pairs = self.moves.iter().zip(&other.moves);
        let same = pairs.take_while(|(one, two)| one.frame.caption == two.frame.caption).count();
        let different = self.moves.get(same).or(other.moves.get(same))?;
        Some(different.frame.number)
    }

    /// Whether another game was played on the same board.
    pub fn is_of_same_board(&self, other: &Self) -> bool {
        self.start.game == other.start.game && self.start.test_case == other.start.test_case
    }

    fn add_turn(&mut self, turn: Turn) {
        let index = self.turns.len();
        // What a judge asked and said is in the turn.
        let game = self.position.as_mut().filter(|_| turn.asked.is_none());
        let ask = game.and_then(Game::next_ask);
        if self.is_text() {
            self.sent.push(input(&turn, ask.as_ref()));
        }
        let mut frames = ask.map(|ask| self.referee(&ask, &turn)).unwrap_or_default();
        if self.is_text() {
            frames = vec![self.text_frame(&turn)];
        }
        // A turn without a move gets a position too, which shows the board that the bot did not answer.
        if frames.is_empty() {
            let caption = "No move".to_owned();
            frames.push(Frame { number: index + 1, caption, ..Frame::default() });
        }
        self.moves.extend(frames.into_iter().map(|frame| Move { turn: index, frame }));
        self.turns.push(turn);
    }

    /// An exchange of a game without a picture: the beginning of its answer, and its points.
    fn text_frame(&self, turn: &Turn) -> Frame {
        let reply = super::reply(turn);
        let answer: String =
            reply.lines().next().unwrap_or_default().chars().take(MAX_CAPTION).collect();
        let (number, gain) = (turn.turn as usize, turn.gain.unwrap_or_default());
        let caption = if answer.is_empty() { "No move".to_owned() } else { answer };
        let caption = self.seat_of(turn) + &caption;
        Frame { number, caption, gain, ..Frame::default() }
    }

    /// The seat and the name of the bot that was asked, before what it answered; empty in a game of one player.
    pub fn seat_of(&self, turn: &Turn) -> String {
        if !self.start.is_of_several() {
            return String::new();
        }
        let name = self.start.bots().nth(turn.seat).map_or("", |bot| &bot.name);
        format!("{} {name}: ", turn.seat)
    }

    /// Plays the turn, and returns the frames of its moves.
    fn referee(&mut self, ask: &Ask, turn: &Turn) -> Vec<Frame> {
        let Some(game) = &mut self.position else { return Vec::new() };
        let reply = reply_to(ask, turn);
        let frames = match (turn.no_reply, game.view()) {
            (None, Some(view)) => view.frames(&reply),
            _ => Vec::new(),
        };
        // The rules are here, and do not fail.
        let _ = game.answer(Answer::new(&reply, turn.no_reply));
        frames
    }
}

/// What the bot was sent in an exchange.
fn input(turn: &Turn, ask: Option<&Ask>) -> String {
    let asked = turn.asked.as_ref().map(|asked| asked.input.as_str());
    let input = asked.or(ask.map(|ask| ask.input.as_str())).unwrap_or_default();
    let (shown, rest) = input.as_bytes().split_at(input.len().min(MAX_INPUT_BYTES));
    super::output(shown, rest.len() as u64)
}

/// The most bytes of an input to keep and show.
const MAX_INPUT_BYTES: usize = 1 << 16;

/// The longest caption of an answer, in characters.
const MAX_CAPTION: usize = 60;
