//! The state of the player, and how keys and time change it. This module does not touch the terminal.

use std::time::{Duration, Instant};

use super::keys::Key;
use report::view::film::Film;
use rules::game::frames::Pace;

/// The speeds of each [`Pace`], in moves per second.
const SLOW_MOVES_PER_SECOND: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
const FAST_MOVES_PER_SECOND: [f64; 7] = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];
/// The most digits of a move's number that can be typed.
const MAX_DIGITS: usize = 5;

/// A key's effect on the player as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyCommand {
    Quit,
    Interrupt,
    Suspend,
    GoOn,
}

/// Whether the game is still being played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GameState {
    /// The game is being played.
    Running,
    /// The game has ended, or was saved.
    Ended,
}

/// The content of the main part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Board,
    /// The bot's output, scrolled down by this number of lines.
    Output(u16),
    /// The list of keys.
    Keys,
}

/// A game and the position that is shown.
pub(super) struct Player {
    pub(super) film: Film,
    pub(super) position: usize,
    pub(super) pane: Pane,
    pub(super) game_state: GameState,
    /// The number that is being typed.
    pub(super) typed: String,
    speed: usize,
    /// The time of the next move; `None` while paused.
    due: Option<Instant>,
}

impl Player {
    /// Starts playing a running game; a saved one waits for a key.
    pub(super) fn new(film: Film, game_state: GameState) -> Self {
        let due = (game_state == GameState::Running).then(Instant::now);
        let (pane, typed) = (Pane::Board, String::new());
        Self { film, position: 0, pane, game_state, typed, speed: 3, due }
    }

    pub(super) fn is_playing(&self) -> bool {
        self.due.is_some()
    }

    /// The speed in moves per second.
    pub(super) fn speed(&self) -> f64 {
        self.speeds()[self.speed]
    }

    fn speeds(&self) -> [f64; 7] {
        match self.film.opening.pace {
            Pace::Turns => SLOW_MOVES_PER_SECOND,
            Pace::Moves => FAST_MOVES_PER_SECOND,
        }
    }

    /// Records that the game has ended; `false` if it had ended before.
    pub(super) fn end(&mut self) -> bool {
        std::mem::replace(&mut self.game_state, GameState::Ended) == GameState::Running
    }

    /// Plays the moves that are due; `true` if the screen must be redrawn.
    pub(super) fn advance(&mut self, now: Instant) -> bool {
        let Some(mut due) = self.due else { return false };
        let before = self.position;
        let each = Duration::from_secs_f64(1.0 / self.speed());
        // After the process was suspended, playback does not race to catch up.
        due = due.max(now.checked_sub(Duration::from_millis(200)).unwrap_or(due));
        while due <= now && self.position < self.film.last_position() {
            self.position += 1;
            due += each;
        }
        let is_over = self.game_state == GameState::Ended;
        let at_end = self.position == self.film.last_position();
        self.due = (!at_end || !is_over).then_some(due);
        self.position != before || self.due.is_none()
    }

    /// Handles a key, other than the keys that quit.
    pub(super) fn press(&mut self, key: Key) {
        match (key, self.pane) {
            (Key::Char(digit @ '0'..='9'), _) if self.typed.len() < MAX_DIGITS => {
                self.typed.push(digit);
                return;
            }
            (Key::Backspace, _) => drop(self.typed.pop()),
            (Key::Enter, _) => self.jump(),
            (Key::Char(' '), _) => self.toggle(),
            (Key::Char('e'), Pane::Output(_)) | (Key::Char('?'), Pane::Keys) => {
                self.pane = Pane::Board;
            }
            (Key::Char('e'), _) => self.pane = Pane::Output(0),
            (Key::Char('?'), _) => self.pane = Pane::Keys,
            (Key::Up, Pane::Output(line)) => self.pane = Pane::Output(line.saturating_sub(1)),
            (Key::Down, Pane::Output(line)) => self.pane = Pane::Output(line.saturating_add(1)),
            (Key::Char('+' | '='), _) => {
                self.speed = (self.speed + 1).min(SLOW_MOVES_PER_SECOND.len() - 1);
            }
            (Key::Char('-'), _) => self.speed = self.speed.saturating_sub(1),
            (key, _) => self.travel(key),
        }
        if key != Key::Backspace {
            self.typed.clear();
        }
    }

    fn travel(&mut self, key: Key) {
        let last = self.film.last_position();
        let page = (last / 20).max(5);
        let to = match key {
            Key::Left | Key::Char('h') => self.position.saturating_sub(1),
            Key::Right | Key::Char('l') => self.position + 1,
            Key::PageUp => self.position.saturating_sub(page),
            Key::PageDown => self.position + page,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            Key::Char('n') => self.film.next_gain(self.position),
            _ => return,
        };
        self.go(to);
    }

    fn jump(&mut self) {
        if let Ok(number) = self.typed.parse() {
            self.go(self.film.position_of(number));
        }
    }

    fn go(&mut self, position: usize) {
        self.due = None;
        self.position = position.min(self.film.last_position());
        if let Pane::Output(line) = &mut self.pane {
            *line = 0;
        }
    }

    fn toggle(&mut self) {
        if self.due.take().is_some() {
            return;
        }
        let at_end = self.position == self.film.last_position();
        if at_end && self.game_state == GameState::Ended {
            self.position = 0;
        }
        self.due = Some(Instant::now() + Duration::from_secs_f64(1.0 / self.speed()));
    }
}

/// The command of a key that affects the player as a whole; `None` for other keys.
pub(super) fn command(key: Key) -> Option<KeyCommand> {
    match key {
        Key::Ctrl('c') => Some(KeyCommand::Interrupt),
        Key::Ctrl('z') => Some(KeyCommand::Suspend),
        Key::Char('q') | Key::Escape => Some(KeyCommand::Quit),
        Key::Ctrl(_) => Some(KeyCommand::GoOn),
        _ => None,
    }
}
