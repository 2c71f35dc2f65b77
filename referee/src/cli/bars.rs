//! Progress bars that fit the terminal.

use std::io::{self, IsTerminal as _};

use console::Term;
use indicatif::{ProgressBar, ProgressStyle};

use super::is_quiet;

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
