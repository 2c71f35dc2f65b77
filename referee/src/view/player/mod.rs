//! The terminal player: shows a game at a human pace, over ssh if need be.
//!
//! It shows a [`Film`]: a whole one, or one that grows while the game is being played. A game never
//! waits for the player: the match loop only sends its events into a channel. `state` has the position
//! and handles keys, `draw` draws, and `terminal` owns the terminal and always restores it.

mod board;
mod draw;
mod exchange;
mod keys;
mod look;
mod metrics;
#[cfg(unix)]
mod sequences;
mod state;
#[cfg_attr(windows, path = "console.rs")]
mod terminal;

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use self::keys::Key;
pub use self::look::{Charset, Look};
use self::state::{GameState, KeyCommand, Player};
use self::terminal::Screen;
use contain::cancel::Canceller;
use report::view::film::Film;
use results::gamelog::Event;

/// The shortest time between two redraws.
const FRAME: Duration = Duration::from_millis(33);
/// The longest time between two checks for signals and events.
const IDLE: Duration = Duration::from_millis(100);

/// Why the player closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// The user quit.
    Quit,
    /// The user pressed Ctrl-C, or a signal came.
    Interrupted,
}

/// The game to show.
#[derive(Debug)]
pub enum Show {
    /// A saved game.
    Saved(Box<Film>),
    /// A running game: its events as they come, until the sender is dropped.
    Live(Receiver<Event>),
}

/// Why nothing can be shown here; `None` if it can.
pub fn obstacle() -> Option<&'static str> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Some("standard input and output must be a terminal");
    }
    terminal::is_dumb().then_some("TERM must name a terminal that can place its cursor")
}

/// Shows a game until the user quits, then restores the terminal. A panic on any thread restores it too.
///
/// # Errors
/// When the terminal fails.
pub fn watch(show: Show, look: Look, interrupt: &Canceller) -> io::Result<Watched> {
    let (mut player, incoming) = match show {
        Show::Saved(film) => (Some(Player::new(*film, GameState::Ended)), None),
        Show::Live(events) => (None, Some(events)),
    };
    let mut screen = Screen::open()?;
    let mut stale = true;
    loop {
        let news = match incoming.as_ref().map(|events| take_in(events, &mut player)) {
            Some(News::NoGame) => return Ok(Watched::Quit),
            Some(News::Some) => true,
            Some(News::None) | None => false,
        };
        stale |= screen.is_resized()?;
        let moved = player.as_mut().is_some_and(|player| player.advance(Instant::now()));
        if let Some(player) = &player
            && (news || moved || stale)
        {
            screen.draw(|frame| draw::draw(frame, player, look))?;
            stale = false;
        }
        if interrupt.cancelled().is_some() {
            return Ok(Watched::Interrupted);
        }
        let pause = if player.as_ref().is_some_and(Player::is_playing) { FRAME } else { IDLE };
        for key in terminal::keys(pause)? {
            stale = true;
            match answer(key, player.as_mut()) {
                KeyCommand::Quit => return Ok(Watched::Quit),
                KeyCommand::Interrupt => return Ok(Watched::Interrupted),
                KeyCommand::Suspend => screen.suspend()?,
                KeyCommand::GoOn => {}
            }
        }
    }
}

/// Handles a key. Before the game has started, the user can only quit.
fn answer(key: Key, player: Option<&mut Player>) -> KeyCommand {
    state::command(key).unwrap_or_else(|| {
        if let Some(player) = player {
            player.press(key);
        }
        KeyCommand::GoOn
    })
}

/// What has happened in a running game since the last check.
enum News {
    None,
    Some,
    /// The game ended before it started.
    NoGame,
}

/// Adds the events that have arrived.
fn take_in(events: &Receiver<Event>, player: &mut Option<Player>) -> News {
    let mut news = News::None;
    loop {
        match (events.try_recv(), player.as_mut()) {
            // A repeated game starts over.
            (Ok(Event::Start(start)), _) => {
                *player = Film::new(start).ok().map(|film| Player::new(film, GameState::Running));
            }
            (Ok(event), Some(player)) => player.film.add(event),
            (Ok(_), None) => {}
            (Err(TryRecvError::Empty), _) => return news,
            (Err(TryRecvError::Disconnected), None) => return News::NoGame,
            (Err(TryRecvError::Disconnected), Some(player)) => {
                return if player.end() { News::Some } else { news };
            }
        }
        news = News::Some;
    }
}
