//! A game to look at: what the page and the terminal player show.
//!
//! A film is made of a game's events, whether they come from a log or from a game that is being
//! played. It works the game out anew, so the boards are those of the rules. Text that a bot or a
//! log brings along is made inert here, once for everything that shows it.

use std::time::Duration;

use crate::game::Game;
use crate::game::frames::{Choice, Frame, Picture};
use crate::gamelog::{End, Event, Log, Start, Turn};
use crate::play;
use crate::replay::{Difference, ReplayError, Replayed, game_of, reply_to};
use crate::text::{plural, printable, printable_lines};
use crate::verdict::{Culprit, Decision};

/// The most bytes of a reply that are shown. A reply that is a whole game of numbers is shown from
/// its beginning; its moves have their numbers beside them anyway.
const REPLY: usize = 4096;

/// A game, move by move.
pub struct Film {
    /// The name of the game.
    pub game: String,
    /// What the user called the test case.
    pub board: String,
    /// What the user called the bot.
    pub bot: String,
    /// The name of the profile.
    pub profile: String,
    /// The board before the first move.
    pub opening: Picture,
    /// The exchanges.
    pub turns: Vec<Scene>,
    /// The moves of all exchanges.
    pub moves: Vec<Move>,
    /// How it ended; `None` if it has not, or the log stops before.
    pub end: Option<Finale>,
    /// What else whoever looks should know.
    pub note: Option<String>,
    start: Start,
    position: Box<dyn Game>,
}

/// One exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// The limit, if there was one.
    pub limit: Option<Duration>,
    /// The time taken, where it was measured.
    pub wall: Option<Duration>,
    /// The CPU time of all threads, where it is known.
    pub cpu: Option<Duration>,
    /// The longest wait of a thread for a core, where it is known.
    pub wait: Option<Duration>,
    /// Whose fault it was that the reply was late.
    pub culprit: Option<Culprit>,
    /// What was done about it.
    pub decision: Option<Decision>,
    /// Why the reply is not whole, in words.
    pub unanswered: Option<String>,
    /// What the bot wrote.
    pub reply: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Its first move among all, or the one that stands for it when there is none.
    pub first_move: usize,
}

/// One move: what there is to see between two boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The exchange that it belongs to, from 0.
    pub turn: usize,
    /// What it does.
    pub frame: Frame,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finale {
    /// The truth, in words.
    pub verdict: String,
    /// What the original says.
    pub official: String,
    /// Whether the bot won.
    pub won: bool,
    /// The final score.
    pub score: i64,
    /// What really happened.
    pub diagnosis: Option<String>,
    /// Standard error after the last exchange.
    pub stderr: String,
}

/// Whether the times in a log mean anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// They were measured.
    Measured,
    /// Nobody took them.
    Unknown,
}

impl Film {
    /// The film of a log, as far as it goes.
    ///
    /// # Errors
    /// When the log holds no game that could be refereed.
    pub fn of_log(log: &Log, times: Times) -> Result<Self, ReplayError> {
        let mut film = Self::new(&log.start)?;
        for turn in &log.turns {
            film.see_turn(turn);
        }
        if times == Times::Unknown {
            for scene in &mut film.turns {
                scene.wall = None;
            }
        }
        if let Some(end) = &log.end {
            film.see_end(end);
        }
        Ok(film)
    }

    /// The film of a log as the rules have it, with a note on the first difference between the two.
    ///
    /// # Errors
    /// When the log holds no game that could be refereed.
    pub fn refereed(
        log: &Log,
        times: Times,
        replayed: &Replayed,
        difference: Option<&Difference>,
    ) -> Result<Self, ReplayError> {
        let mut film = Self::of_log(log, times)?;
        film.end = None;
        if let Some(end) = &replayed.end {
            film.see_end(end);
        }
        film.note = difference.map(|Difference { turn, what, .. }| {
            format!("This is not as the log says: from turn {turn} on the rules differ ({what}).")
        });
        Ok(film)
    }

    /// The film of a game that is about to start.
    ///
    /// # Errors
    /// When it is a game from elsewhere.
    pub fn new(start: &Start) -> Result<Self, ReplayError> {
        let position = game_of(start)?;
        Ok(Self {
            game: start.game.clone(),
            board: printable(&start.board),
            bot: printable(&start.bot.name),
            profile: printable(&start.profile),
            opening: position.picture(),
            turns: Vec::new(),
            moves: Vec::new(),
            end: None,
            note: None,
            start: start.clone(),
            position,
        })
    }

    /// The last position. A position is the board before the move of that index; behind the last
    /// move it is the end of the game.
    pub fn last_position(&self) -> usize {
        self.moves.len()
    }

    /// The board at a position.
    pub fn board(&self, position: usize) -> Picture {
        let mut board = self.opening.clone();
        for played in &self.moves[..position.min(self.moves.len())] {
            board.apply(&played.frame);
        }
        board
    }

    /// The score at a position, without what the move there brings.
    pub fn score(&self, position: usize) -> i64 {
        match (&self.end, self.moves.get(position)) {
            (Some(end), None) => end.score,
            _ => self.moves.iter().take(position).map(|played| played.frame.gain).sum(),
        }
    }

    /// The exchange that a position belongs to; `None` at the end.
    pub fn scene(&self, position: usize) -> Option<&Scene> {
        self.turns.get(self.moves.get(position)?.turn)
    }

    /// The next position whose move brings points, or the end.
    pub fn next_gain(&self, position: usize) -> usize {
        let later = self.moves.iter().enumerate().skip(position + 1);
        let found =
            later.filter(|(_, played)| played.frame.gain != 0).map(|(index, _)| index).next();
        found.unwrap_or(self.last_position())
    }

    /// The position of the move of this number, or the end.
    pub fn position_of(&self, number: usize) -> usize {
        let found = self.moves.iter().position(|played| played.frame.number == number);
        found.unwrap_or(self.last_position())
    }

    /// What happens at a position, in a sentence.
    pub fn tell(&self, position: usize) -> String {
        let Some(played) = self.moves.get(position) else {
            return self.end.as_ref().map_or_else(String::new, |end| end.official.clone());
        };
        let Frame { words, gain, steps, .. } = &played.frame;
        if let Some(why) = &self.turns[played.turn].unanswered {
            return format!("no move: {why}");
        }
        let Some(first) = steps.first() else { return format!("{words}: not a legal move") };
        match self.opening.choice {
            Choice::Region => format!("{words} takes {} tiles, +{gain}", first.gone.len()),
            Choice::Swap if *gain > 0 => format!("{words}: +{gain}"),
            Choice::Swap => words.clone(),
        }
    }

    /// Takes in what has happened.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Start(_) => {}
            Event::Turn(turn) => self.see_turn(turn),
            Event::End(end) => self.see_end(end),
        }
    }

    /// The number of the first move that differs from that of another game on the same board; `None`
    /// if there is none.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let index = self.first_different_move(other)?;
        let longer = if self.moves.len() > index { self } else { other };
        Some(longer.moves[index].frame.number)
    }

    /// The same as an index into the moves of the one that has more.
    pub(super) fn first_different_move(&self, other: &Self) -> Option<usize> {
        let words = |shown: &'_ Move| shown.frame.words.clone();
        let (one, two) = (self.moves.iter().map(words), other.moves.iter().map(words));
        let same = one.zip(two).take_while(|(one, two)| one == two).count();
        (same < self.moves.len().max(other.moves.len())).then_some(same)
    }

    /// Whether another game was played on the same board.
    pub fn is_of_same_board(&self, other: &Self) -> bool {
        self.game == other.game && self.start.test_case == other.start.test_case
    }

    fn see_turn(&mut self, turn: &Turn) {
        let first_move = self.moves.len();
        let frames = self.referee(turn);
        let number = self.turns.len() + 1;
        let index = self.turns.len();
        // A turn without a move is one to look at too: the board that nothing came back for.
        let frames = if frames.is_empty() {
            vec![Frame { number, words: "no move".to_owned(), ..Frame::default() }]
        } else {
            frames
        };
        self.moves
            .extend(frames.into_iter().map(|frame| Move { turn: index, frame: inert(frame) }));
        self.turns.push(Scene {
            limit: self.start.limits.of(turn.limit),
            wall: Some(turn.wall.0),
            cpu: turn.certificate.cpu.map(|cpu| cpu.0),
            wait: turn.certificate.wait.map(|wait| wait.0),
            culprit: turn.overrun.map(|overrun| overrun.culprit),
            decision: turn.overrun.map(|overrun| overrun.decision),
            unanswered: turn.unanswered.map(|silence| silence.verdict().to_string()),
            reply: beginning(&turn.reply.0),
            stderr: output(&turn.stderr.0, turn.stderr_dropped),
            first_move,
        });
    }

    /// Plays the turn, and returns what there is to see of it.
    fn referee(&mut self, turn: &Turn) -> Vec<Frame> {
        let Some(exchange) = self.position.next_exchange() else { return Vec::new() };
        let reply = reply_to(&exchange, turn);
        let frames = match turn.unanswered {
            None => self.position.frames(&reply),
            Some(_) => Vec::new(),
        };
        play::rule(self.position.as_mut(), &reply, turn.unanswered);
        frames
    }

    fn see_end(&mut self, end: &End) {
        self.end = Some(Finale {
            verdict: end.verdict.to_string(),
            official: printable(&end.official),
            won: end.won,
            score: end.score,
            diagnosis: end.diagnosis.as_deref().map(printable),
            stderr: output(&end.stderr.0, end.stderr_dropped),
        });
    }
}

fn inert(frame: Frame) -> Frame {
    let message = frame.message.map(|lines| lines.map(|line| printable(&line)));
    Frame { message, ..frame }
}

fn beginning(bytes: &[u8]) -> String {
    let rest = bytes.len().saturating_sub(REPLY);
    output(&bytes[..bytes.len() - rest], rest as u64)
}

/// What a bot wrote, inert, and how much of it is missing.
fn output(bytes: &[u8], dropped: u64) -> String {
    let text = printable_lines(&String::from_utf8_lossy(bytes));
    if dropped == 0 { text } else { format!("{text}\n… and {} more", plural(dropped, "byte")) }
}
