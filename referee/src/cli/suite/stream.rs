//! A line on standard output for each game as it ends, for programs that read along.

use std::io;

use crate::cli::Failure;
use report::suite::write_game;
use results::suite::{Bests, Outcome};

/// Writes the lines. After the first failure nothing more is written.
pub(super) struct GameStream<'a> {
    bests: &'a Bests,
    failed: Option<io::Error>,
}

impl<'a> GameStream<'a> {
    pub(super) fn new(bests: &'a Bests) -> Self {
        Self { bests, failed: None }
    }

    /// Writes the line of a game. Returns whether somebody still reads them.
    pub(super) fn tell(&mut self, outcome: &Outcome) -> bool {
        if self.failed.is_none() {
            self.failed = write_game(outcome, self.bests, &mut io::stdout().lock()).err();
        }
        self.failed.is_none()
    }

    /// Whether all lines were written, as far as somebody wanted to read them.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
            _ => Ok(()),
        }
    }
}
