//! Reads the results and the sessions of a run, line by line.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use fs_err::File;
use serde::de::DeserializeOwned;

use super::folder::{FolderError, RESULTS, RunFolder, SESSIONS};
use super::game_set::GameSet;
use super::session::Session;
use crate::suite::files::open_regular;
use crate::suite::outcome::Outcome;
use rules::source::json_problem;
use terms::text::plural;

/// The results of a run, one shard after the other.
#[derive(Debug)]
pub struct Outcomes {
    lines: Option<JsonLines>,
    /// The folder of the current line, and the folders after it.
    homes: VecDeque<PathBuf>,
    /// The last session of the folders before.
    sessions_before: u32,
    played: GameSet,
    /// The run, to check results against its plan.
    run: RunFolder,
    /// The games that later results were left out of.
    doubled: Vec<usize>,
}

impl RunFolder {
    /// The results, in the order in which the games of each shard ended, without a line that was cut short and
    /// without second results of a game.
    ///
    /// # Errors
    /// When they cannot be read or are damaged, or one is not of the plan; the error is the last item.
    pub fn outcomes(&self) -> Result<Outcomes, FolderError> {
        let mut outcomes = Outcomes {
            lines: None,
            homes: self.homes().into_iter().map(Path::to_owned).collect(),
            sessions_before: 0,
            played: GameSet::new(self.run.plan.games()),
            run: self.clone(),
            doubled: Vec::new(),
        };
        outcomes.open()?;
        Ok(outcomes)
    }

    /// Where the games were played; empty for runs of referees before sessions were kept.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn sessions(&self) -> Result<Vec<Session>, FolderError> {
        let mut all: Vec<Session> = Vec::new();
        for home in self.homes() {
            let before = all.last().map_or(0, |last| last.number);
            let own = sessions_in(home)?.into_iter();
            all.extend(own.map(|session| Session { number: before + session.number, ..session }));
        }
        Ok(all)
    }

    /// The games to be played here that have been played.
    ///
    /// # Errors
    /// When a result cannot be read, or belongs to no game of the plan.
    pub fn played(&self) -> Result<GameSet, FolderError> {
        let mut due = GameSet::new(self.run.plan.games());
        for game in self.schedule() {
            due.add(game);
        }
        let mut played = GameSet::new(self.run.plan.games());
        let mut outcomes = self.outcomes()?;
        while let Some(outcome) = outcomes.next() {
            let outcome = outcome?;
            if !due.has(outcome.game) {
                let problem = format!("game {} is in another shard", outcome.game);
                return Err(outcomes.damaged(problem));
            }
            if outcome.is_played() {
                played.add(outcome.game);
            }
        }
        Ok(played)
    }

    /// The games of several players that have no result for some seat, or one that `is_dropped` picks, by their first number. `None`
    /// for games of one player.
    pub(super) fn torn_tables(
        &self,
        is_dropped: impl Fn(&Outcome) -> bool,
    ) -> Result<Option<GameSet>, FolderError> {
        let plan = &self.run.plan;
        let players = plan.players();
        if players == 1 {
            return Ok(None);
        }
        let mut kept = GameSet::new(plan.games());
        for outcome in self.outcomes()? {
            let outcome = outcome?;
            if !is_dropped(&outcome) {
                kept.add(outcome.game);
            }
        }
        let mut torn = GameSet::new(plan.games());
        for first in (1..=plan.games()).step_by(players) {
            if (first..first + players).any(|game| !kept.has(game)) {
                torn.add(first);
            }
        }
        Ok(Some(torn))
    }

    /// Whether a result belongs to the plan.
    fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let plan = &self.run.plan;
        let game = outcome.game;
        let planned = plan.assignment(game);
        let bot = &plan.bots[planned.bot].name;
        let board = plan.board_name(planned.board);
        let is_planned =
            *bot == outcome.bot && board == outcome.board && planned.repeat == outcome.repeat;
        if is_planned {
            return Ok(());
        }
        Err(format!("by the plan, game {game} is one of `{bot}` on {board}"))
    }
}

impl Outcomes {
    /// Opens the results of the first of the folders that are left and have any: a run that has not begun has no file of them.
    fn open(&mut self) -> Result<(), FolderError> {
        self.lines = None;
        while let Some(home) = self.homes.front() {
            let results = home.join(RESULTS);
            if results.exists() {
                self.lines = Some(JsonLines::open(results)?);
                break;
            }
            self.homes.pop_front();
        }
        Ok(())
    }

    /// Opens the next folder.
    fn go_on(&mut self) -> Result<(), FolderError> {
        if let Some(home) = self.homes.pop_front() {
            let last = sessions_in(&home)?.last().map_or(0, |session| session.number);
            self.sessions_before += last;
        }
        self.open()
    }

    /// The result that came last, as it was written.
    pub fn line(&self) -> &[u8] {
        self.lines.as_ref().map_or(&[], |lines| &lines.line)
    }

    /// The number of second results so far.
    pub fn duplicates(&self) -> usize {
        self.doubled.len()
    }

    /// The games that had one already, for each result so far that was left out.
    pub fn doubled(&self) -> &[usize] {
        &self.doubled
    }

    /// The error for the result that came last.
    pub(super) fn damaged(&self, problem: String) -> FolderError {
        self.lines.as_ref().expect("a result has come").damaged(problem)
    }

    /// Checks that the plan has the game of this result, in this seat, and with this bot on this board.
    fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let (game, players) = (outcome.game, self.run.run.plan.players());
        if !(1..=self.played.games()).contains(&game) {
            return Err(format!("there is no game {game} in the plan"));
        }
        let seat = (game - 1) % players;
        if outcome.seat.as_ref().map(|seat| seat.seat) != (players > 1).then_some(seat) {
            let players = plural(players as u64, "player");
            return Err(format!(
                "by the plan, game {game} is in seat {seat} of a game of {players}"
            ));
        }
        if self.run.reads_foreign { Ok(()) } else { self.run.check(outcome) }
    }

    fn is_duplicate(&mut self, outcome: &Outcome) -> bool {
        outcome.is_played() && !self.played.add(outcome.game)
    }

    fn warn_of_duplicates(&mut self) {
        let Some(lines) = self.lines.as_ref().filter(|_| !self.doubled.is_empty()) else { return };
        let path = lines.path.display();
        let results = plural(self.doubled.len() as u64, "result");
        self.run.duplicates_told.call_once(|| {
            log::warn!("{path}: left out {results} of games that have an earlier one");
        });
    }
}

impl Iterator for Outcomes {
    type Item = Result<Outcome, FolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.lines.as_mut()?.next::<Outcome>(not_a_result) {
                Some(Ok(mut outcome)) => {
                    if let Err(problem) = self.check(&outcome) {
                        return Some(Err(self.damaged(problem)));
                    }
                    if self.is_duplicate(&outcome) {
                        self.doubled.push(outcome.game);
                        continue;
                    }
                    let number = outcome.number();
                    outcome.seat.iter_mut().for_each(|seat| seat.number = number);
                    outcome.session = outcome.session.map(|own| self.sessions_before + own);
                    return Some(Ok(outcome));
                }
                Some(error) => return Some(error),
                None => {
                    self.warn_of_duplicates();
                    if let Err(error) = self.go_on() {
                        self.lines = None;
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

/// The sessions in a folder, as they are numbered there.
pub(super) fn sessions_in(home: &Path) -> Result<Vec<Session>, FolderError> {
    let path = home.join(SESSIONS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut lines = JsonLines::open(path)?;
    let not_a_session = |path, line, problem: &str| FolderError::Session {
        path,
        line,
        problem: problem.to_owned(),
    };
    std::iter::from_fn(|| lines.next(not_a_session)).collect()
}

fn not_a_result(path: PathBuf, line: usize, problem: &str) -> FolderError {
    FolderError::Damaged { path, line, problem: format!("not a result: {problem}") }
}

/// A file of JSON values, one on each line.
#[derive(Debug)]
struct JsonLines {
    path: PathBuf,
    reader: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl JsonLines {
    fn open(path: PathBuf) -> Result<Self, FolderError> {
        let file = open_regular(&path).map_err(FolderError::Read)?;
        Ok(Self { path, reader: BufReader::new(file), number: 0, line: Vec::new() })
    }

    /// The next value; a line without its newline was cut short and is left out. A line that is not one is an error of `not_one`.
    fn next<T: DeserializeOwned>(
        &mut self,
        not_one: fn(PathBuf, usize, &str) -> FolderError,
    ) -> Option<Result<T, FolderError>> {
        self.line.clear();
        self.number += 1;
        match self.reader.read_until(b'\n', &mut self.line) {
            Err(error) => return Some(Err(FolderError::Read(error))),
            Ok(_) if !self.line.ends_with(b"\n") => return None,
            Ok(_) => {}
        }
        let parsed = serde_json::from_slice(&self.line);
        Some(parsed.map_err(|error| not_one(self.path.clone(), self.number, &json_problem(&error))))
    }

    fn damaged(&self, problem: String) -> FolderError {
        FolderError::Damaged { path: self.path.clone(), line: self.number, problem }
    }
}
