//! The console of Windows while the player owns it: raw mode, the alternate screen, keys, and restoring it.

use std::io::{self, Stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen,
};
use ratatui::{Frame, Terminal};

use super::keys::Key;

/// Whether there is something to restore.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The console, restored when this is dropped, or when any thread panics.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// Its columns and rows.
    size: (u16, u16),
}

impl Screen {
    /// Takes the console over, and has a panic restore it before its message is printed.
    pub(super) fn open() -> io::Result<Self> {
        restore_before_panics();
        let screen = Self { terminal: blank()?, size: terminal::size()? };
        // From here on, dropping the screen restores the console, also if something fails.
        take_over()?;
        Ok(screen)
    }

    /// Nothing suspends a program here.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on other systems")]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Draws a frame.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Whether the console has another size than at the last call.
    pub(super) fn is_resized(&mut self) -> io::Result<bool> {
        let before = std::mem::replace(&mut self.size, terminal::size()?);
        Ok(before != self.size)
    }
}

/// Every console can place its cursor.
pub(super) fn is_dumb() -> bool {
    false
}

/// Waits up to `at_most` for a key, and takes all that have been typed by then.
pub(super) fn keys(at_most: Duration) -> io::Result<Vec<Key>> {
    let mut typed = Vec::new();
    let mut wait = at_most;
    while event::poll(wait)? {
        if let Event::Key(key) = event::read()? {
            typed.extend(key_of(key));
        }
        wait = Duration::ZERO;
    }
    Ok(typed)
}

/// The key that was pressed, if the player knows it.
fn key_of(KeyEvent { code, modifiers, kind, .. }: KeyEvent) -> Option<Key> {
    if kind == KeyEventKind::Release {
        return None;
    }
    Some(match code {
        KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
            Key::Ctrl(c.to_ascii_lowercase())
        }
        KeyCode::Char(c @ ' '..='~') => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// What ratatui knows of a cleared screen.
fn blank() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

/// Turns to raw mode and to a cleared alternate screen.
fn take_over() -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, Clear(ClearType::All), Hide)
}

/// Restores the console, unless that was done.
fn restore() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // If the console has gone away, there is nothing to restore.
        let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

fn restore_before_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            print(info);
        }));
    });
}
