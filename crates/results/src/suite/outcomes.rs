//! The results of a run, line by line.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::sync::{Arc, Once};

use fs_err::File;
use serde::de::DeserializeOwned;

use super::folder::{FolderError, RESULTS, RunFolder};
use super::game_set::GameSet;
use super::outcome::Outcome;
use rules::source::json_problem;
use terms::text::plural;

/// The results of a run, those of its parts one after the other.
pub struct Outcomes {
    lines: Option<JsonLines>,
    /// The folder that the lines are in, and those that follow.
    pieces: VecDeque<RunFolder>,
    /// The last session of the folders before.
    sessions_before: u32,
    played: GameSet,
    duplicates: usize,
    told: Arc<Once>,
}

impl Outcomes {
    /// Those in `pieces`, of a plan with so many `games`.
    pub(super) fn of(
        pieces: Vec<RunFolder>,
        games: usize,
        told: Arc<Once>,
    ) -> Result<Self, FolderError> {
        let mut outcomes = Self {
            lines: None,
            pieces: pieces.into(),
            sessions_before: 0,
            played: GameSet::new(games),
            duplicates: 0,
            told,
        };
        outcomes.open()?;
        Ok(outcomes)
    }

    /// Opens the first of the pieces that are left.
    fn open(&mut self) -> Result<(), FolderError> {
        let path = self.pieces.front().map(|piece| piece.place().join(RESULTS));
        self.lines = path.map(JsonLines::open).transpose()?;
        Ok(())
    }

    /// Goes on to the next piece.
    fn go_on(&mut self) -> Result<(), FolderError> {
        if let Some(piece) = self.pieces.pop_front() {
            let last = piece.own_sessions()?.last().map_or(0, |session| session.number);
            self.sessions_before += last;
        }
        self.open()
    }

    /// The result that came last, as it was written.
    pub fn line(&self) -> &[u8] {
        self.lines.as_ref().map_or(&[], |lines| &lines.line)
    }

    /// The results so far of games that had one already.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Says what is wrong with the result that came last.
    pub(super) fn damaged(&self, problem: String) -> FolderError {
        self.lines.as_ref().expect("a result has come").damaged(problem)
    }

    fn is_duplicate(&mut self, outcome: &Outcome) -> bool {
        let is_planned = (1..=self.played.games()).contains(&outcome.game);
        outcome.is_played() && is_planned && !self.played.add(outcome.game)
    }

    fn tell_duplicates(&mut self) {
        let Some(lines) = self.lines.as_ref().filter(|_| self.duplicates > 0) else { return };
        let path = lines.path.display();
        let results = plural(self.duplicates as u64, "result");
        self.told.call_once(|| {
            log::warn!("{path}: left out {results} of games that have an earlier one");
        });
    }
}

impl Iterator for Outcomes {
    type Item = Result<Outcome, FolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.lines.as_mut()?.next::<Outcome>() {
                Some(Ok(outcome)) if self.is_duplicate(&outcome) => self.duplicates += 1,
                Some(Ok(mut outcome)) => {
                    outcome.session = outcome.session.map(|own| self.sessions_before + own);
                    return Some(Ok(outcome));
                }
                Some(error) => return Some(error),
                None => {
                    self.tell_duplicates();
                    if let Err(error) = self.go_on() {
                        self.lines = None;
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

/// A file of JSON values, one on each line.
pub(super) struct JsonLines {
    path: PathBuf,
    reader: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl JsonLines {
    pub(super) fn open(path: PathBuf) -> Result<Self, FolderError> {
        let file = File::open(&path).map_err(FolderError::Read)?;
        Ok(Self { path, reader: BufReader::new(file), number: 0, line: Vec::new() })
    }

    /// The next value; a line without its newline was cut short and is left out.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> Option<Result<T, FolderError>> {
        self.line.clear();
        self.number += 1;
        match self.reader.read_until(b'\n', &mut self.line) {
            Err(error) => return Some(Err(FolderError::Read(error))),
            Ok(_) if !self.line.ends_with(b"\n") => return None,
            Ok(_) => {}
        }
        let parsed = serde_json::from_slice(&self.line);
        Some(
            parsed.map_err(|error| self.damaged(format!("not a result: {}", json_problem(&error)))),
        )
    }

    fn damaged(&self, problem: String) -> FolderError {
        FolderError::Damaged { path: self.path.clone(), line: self.number, problem }
    }
}
