//! Progress bars and other lines of a terminal that come and go.

use std::fmt::Write;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use console::Term;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::is_quiet;
use results::gamelog::Event;

/// A narrower terminal has no room for a bar next to the words.
const LEAST_COLUMNS_OF_BAR: u16 = 60;

/// The progress of this many games, if standard error is a terminal; `tail` is the template of the line's end.
pub(super) fn bar(games: usize, tail: &str) -> Option<ProgressBar> {
    (io::stderr().is_terminal() && !is_quiet()).then(|| {
        let size = Term::stderr().size_checked();
        // A terminal that does not know its size says 0.
        let is_narrow =
            size.is_some_and(|(_, columns)| (1..LEAST_COLUMNS_OF_BAR).contains(&columns));
        let head = if is_narrow { "{pos}/{len}" } else { "{bar:30} {pos}/{len} games" };
        let style = ProgressStyle::with_template(&format!("{head}, {tail}"));
        ProgressBar::new(games as u64).with_style(style.expect("a valid template"))
    })
}

/// How long a bot may think before a line says so, which is looked at this often.
const NOTICE: Duration = Duration::from_millis(500);

/// A line that appears while a bot is slow, if standard error is a terminal. Its position is the turn.
pub(super) fn spinner() -> Option<ProgressBar> {
    (io::stderr().is_terminal() && !is_quiet()).then(|| {
        let style = ProgressStyle::with_template("{turn}").expect("a valid template");
        let style = style.with_key("turn", |state: &ProgressState, out: &mut dyn Write| {
            let (turn, waited) = (state.pos(), state.elapsed());
            if turn > 0 && waited >= NOTICE {
                let _ = write!(out, "turn {turn}: no answer for {:.1} s", waited.as_secs_f64());
            }
        });
        let spinner = ProgressBar::new_spinner().with_style(style);
        spinner.enable_steady_tick(NOTICE);
        spinner
    })
}

/// Notes an event, after which the wait for the next turn begins.
pub(super) fn note(spinner: &ProgressBar, event: &Event) {
    spinner.set_position(match event {
        Event::Start(_) => 1,
        Event::Turn(turn) => u64::from(turn.turn) + 1,
        _ => 0,
    });
    spinner.reset_elapsed();
}
