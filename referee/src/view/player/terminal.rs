//! The terminal while the player owns it: raw mode, the alternate screen, keys, and restoring it.

use std::collections::VecDeque;
use std::io::{self, Stdout, Write as _};
use std::panic;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use ratatui::backend::TermionBackend;
use ratatui::layout::Rect;
use ratatui::termion::screen::{ToAlternateScreen, ToMainScreen};
use ratatui::termion::{clear, cursor};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::raise;

use super::keys::Key;
use super::sequences::ESCAPE;

/// How long the rest of a key's sequence may take after its first bytes.
const SEQUENCE: Duration = Duration::from_millis(50);

/// The terminal's original settings; `None` if there is nothing to restore.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, restored when this is dropped, or when any thread panics.
pub(super) struct Screen {
    terminal: Terminal<TermionBackend<Stdout>>,
    /// Its columns and rows.
    size: (u16, u16),
}

impl Screen {
    /// Takes the terminal over, and has a panic restore it before its message is printed.
    pub(super) fn open() -> io::Result<Self> {
        restore_before_panics();
        let size = size()?;
        let screen = Self { terminal: blank(size)?, size };
        // From here on, dropping the screen restores the terminal, also if something fails.
        take_over()?;
        Ok(screen)
    }

    /// Gives the terminal back to the shell, until the shell continues this process.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        raise(SIGTSTP)?;
        self.terminal = blank(self.size)?;
        take_over()
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Follows the terminal to its size. Whether that is a different one than at the last call.
    pub(super) fn is_resized(&mut self) -> io::Result<bool> {
        let before = std::mem::replace(&mut self.size, size()?);
        let is_resized = before != self.size;
        if is_resized {
            self.terminal.resize(all(self.size))?;
        }
        Ok(is_resized)
    }
}

/// Whether the terminal cannot place its cursor, or nobody says which one it is.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Waits up to `at_most` for a key, and takes all that have been typed by then.
pub(super) fn keys(at_most: Duration) -> io::Result<Vec<Key>> {
    let mut typed = VecDeque::new();
    let mut wait = at_most;
    while read(wait, &mut typed)? {
        // Over a slow line a key's sequence may come in pieces.
        wait = match typed.make_contiguous() {
            [.., ESCAPE] | [.., ESCAPE, b'[' | b'O'] => SEQUENCE,
            _ => Duration::ZERO,
        };
    }
    Ok(std::iter::from_fn(|| Key::take(&mut typed)).collect())
}

/// Waits up to `at_most` for input, and adds it to `typed`; `false` without input.
fn read(at_most: Duration, typed: &mut VecDeque<u8>) -> io::Result<bool> {
    let stdin = rustix::stdio::stdin();
    let at_most = Timespec::try_from(at_most).expect("short");
    match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&at_most)) {
        Ok(0) | Err(Errno::INTR) => return Ok(false),
        ready => ready?,
    };
    let mut bytes = [0; 1024];
    match rustix::io::read(stdin, &mut bytes)? {
        0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has gone away")),
        count => {
            typed.extend(&bytes[..count]);
            Ok(true)
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// The columns and rows of a terminal that does not know them, such as a serial line's.
const USUAL_SIZE: (u16, u16) = (80, 24);

fn size() -> io::Result<(u16, u16)> {
    let size = tcgetwinsize(rustix::stdio::stdout())?;
    let is_known = size.ws_col > 0 && size.ws_row > 0;
    Ok(if is_known { (size.ws_col, size.ws_row) } else { USUAL_SIZE })
}

fn all((columns, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, columns, rows)
}

/// What ratatui knows of a cleared screen of this size.
fn blank(size: (u16, u16)) -> io::Result<Terminal<TermionBackend<Stdout>>> {
    let viewport = Viewport::Fixed(all(size));
    Terminal::with_options(TermionBackend::new(io::stdout()), TerminalOptions { viewport })
}

/// Turns to raw mode and to a cleared alternate screen, and keeps the settings for [`restore`].
fn take_over() -> io::Result<()> {
    let before = tcgetattr(rustix::stdio::stdin())?;
    let mut raw = before.clone();
    raw.make_raw();
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &raw)?;
    write!(io::stdout(), "{ToAlternateScreen}{}{}", clear::All, cursor::Hide)?;
    io::stdout().flush()
}

/// Restores the terminal, unless that was done.
fn restore() {
    let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() else {
        return;
    };
    // If the terminal has gone away, there is nothing to restore.
    let _ = write!(io::stdout(), "{}{ToMainScreen}", cursor::Show);
    let _ = io::stdout().flush();
    let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &before);
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
