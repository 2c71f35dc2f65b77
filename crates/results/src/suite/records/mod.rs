//! The best scores: of the user's bots in `records.toml`, and published ones.
//!
//! A board is known by a digest that depends neither on its file format nor, for SameGame, on the
//! names of its colours: `record_id` in the results of a suite. Only a game that would have counted
//! under the official rules sets a record.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::suite::files::{check_place, link_target, write_among_others};
use crate::suite::plan::RecordId;
use rules::score::{Direction, Score, in_toml};
use rules::source::SourceError;
use terms::fault::{AtFault, Attributed};
use terms::path::folder_of;
use terms::system::lock_beside;
use terms::text::without_byte_order_mark;

/// The published scores, built into the referee.
const PUBLISHED: &str = include_str!("../../../published-bests.toml");

/// The version of the format of `records.toml`.
const FORMAT: u32 = 1;

/// The best score of a bot on a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The digest that identifies the board.
    pub record_id: RecordId,
    /// The name of the board.
    pub board: String,
    /// The name of the game that the board belongs to.
    pub game: String,
    /// The bot that reached this score.
    pub bot: String,
    /// The best score, with all its digits.
    #[serde(with = "in_toml")]
    pub score: Score,
    /// Which scores of the game are better.
    #[serde(default, skip_serializing_if = "Direction::is_higher")]
    pub better: Direction,
}

impl Record {
    /// The better one of two; the second one if they are equal.
    fn better_one<'r>(&'r self, other: &'r Self) -> &'r Self {
        if self.better.is_better(self.score, other.score) { self } else { other }
    }
}

/// The best score of each bot on each board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records(
    /// The records of each board by bot; a list takes a twelfth of a map's memory where there is one bot.
    BTreeMap<RecordId, Vec<Record>>,
);

/// Why records cannot be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The file is malformed.
    #[error("{}:{problem}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: SourceError,
    },
    /// The file was made by another version.
    #[error("{}: the records have format {format}, and this referee reads format {FORMAT}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that the file has.
        format: u32,
    },
    /// The file cannot be read.
    #[error("cannot read the records")]
    Read(#[source] io::Error),
    /// The file cannot be written.
    #[error("cannot write the records")]
    Write(#[source] io::Error),
}

impl Attributed for RecordsError {
    fn at_fault(&self) -> AtFault {
        if matches!(self, Self::Write(_)) { AtFault::Host } else { AtFault::User }
    }
}

/// The form of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordsFile {
    format: u32,
    #[serde(default, rename = "record")]
    records: Vec<Record>,
}

impl Records {
    /// Reads a file; a missing file counts as empty.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn read(path: &Path) -> Result<Self, RecordsError> {
        let source = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            source => source.map(without_byte_order_mark).map_err(RecordsError::Read)?,
        };
        let file: RecordsFile = toml::from_str(&source).map_err(|error| RecordsError::Invalid {
            path: path.to_owned(),
            problem: SourceError::from_toml(&source, &error),
        })?;
        if file.format != FORMAT {
            return Err(RecordsError::Format { path: path.to_owned(), format: file.format });
        }
        let mut records = Self::default();
        for record in file.records {
            records.add(record);
        }
        Ok(records)
    }

    /// Checks, before any game, that records can be kept in the file at `path`.
    ///
    /// # Errors
    /// When the file is malformed, or cannot be written.
    pub fn check(path: &Path) -> Result<(), RecordsError> {
        Self::read(path)?;
        check_place(path).map_err(RecordsError::Write)
    }

    /// Merges the records that are better than those in the file at `path` into it. The file is replaced
    /// whole, or stays as it was; other processes that do the same wait.
    ///
    /// # Errors
    /// When the file is malformed, or cannot be written.
    pub fn save_into(self, path: &Path) -> Result<(), RecordsError> {
        // A link stays one, and the file that it leads to is replaced.
        let path = &link_target(path).map_err(RecordsError::Write)?;
        // A lock on the file itself would stay with the old one. It ends with `lock`.
        let lock = match lock_beside(path) {
            Some(beside) => fs::File::create(beside),
            None => fs::File::open(folder_of(path)),
        };
        let lock = lock.map_err(RecordsError::Write)?;
        lock.file().lock().map_err(RecordsError::Write)?;
        let mut all = Self::read(path)?;
        let mut has_new = false;
        for record in self.0.into_values().flatten() {
            has_new |= all.add(record);
        }
        if !has_new {
            return Ok(());
        }
        write_among_others(path, all.to_toml().as_bytes()).map_err(RecordsError::Write)
    }

    /// The file's content.
    fn to_toml(&self) -> String {
        let records = self.0.values().flatten().cloned().collect();
        toml::to_string_pretty(&RecordsFile { format: FORMAT, records }).expect("plain data")
    }

    /// Adds a record; `false` if the bot has a better or equal one on its board.
    pub(super) fn add(&mut self, record: Record) -> bool {
        let bots = self.0.entry(record.record_id.clone()).or_default();
        match bots.binary_search_by(|known| known.bot.cmp(&record.bot)) {
            Ok(place) if !record.better.is_better(record.score, bots[place].score) => return false,
            Ok(place) => bots[place] = record,
            Err(place) => {
                bots.reserve_exact(1);
                bots.insert(place, record);
            }
        }
        true
    }

    /// The best record of each board.
    fn leaders(&self) -> impl Iterator<Item = &Record> {
        self.0.values().filter_map(|bots| bots.iter().reduce(Record::better_one))
    }
}

/// The best known score on a board, and its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best {
    /// Exactly as the game gave it.
    pub score: Score,
    /// The bot or the source.
    pub by: String,
}

/// The best known scores on many boards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bests(BTreeMap<RecordId, Best>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedFile {
    source: String,
    game: String,
    best: Vec<Published>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    #[serde(rename = "board")]
    _board: String,
    record_id: RecordId,
    #[serde(with = "in_toml")]
    score: Score,
}

impl Bests {
    /// The published scores of a game, overlaid with the user's records.
    pub fn of(game: &str, records: &Records) -> Self {
        let mut bests = Self::default();
        let published: PublishedFile = toml::from_str(PUBLISHED).expect("tested: it is valid");
        let figures = published.best.iter().filter(|_| published.game == game);
        for Published { record_id, score, .. } in figures {
            bests.add(record_id, Direction::Higher, *score, &published.source);
        }
        for record in records.leaders().filter(|record| record.game == game) {
            bests.add(&record.record_id, record.better, record.score, &record.bot);
        }
        bests
    }

    fn add(&mut self, record_id: &RecordId, better: Direction, score: Score, by: &str) {
        if self.best(record_id).is_none_or(|best| better.is_better(score, best)) {
            self.0.insert(record_id.clone(), Best { score, by: by.to_owned() });
        }
    }

    /// The best score on a board.
    pub fn best(&self, record_id: &RecordId) -> Option<Score> {
        self.holder(record_id).map(|best| best.score)
    }

    /// The best score on a board, and its holder.
    pub fn holder(&self, record_id: &RecordId) -> Option<&Best> {
        self.0.get(record_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(board: &str, bot: &str, score: i64) -> Record {
        Record {
            record_id: RecordId::named(board),
            board: board.to_owned(),
            game: "samegame".to_owned(),
            bot: bot.to_owned(),
            score: score.into(),
            better: Direction::Higher,
        }
    }

    fn records(all: &[(&str, &str, i64)]) -> Records {
        let mut records = Records::default();
        for (board, bot, score) in all {
            records.add(record(board, bot, *score));
        }
        records
    }

    #[test]
    fn the_published_figures_come_to_what_was_published() {
        let bests = Bests::of("samegame", &Records::default());
        assert_eq!(bests.0.len(), 20);
        assert_eq!(bests.0.values().map(|best| best.score).sum::<Score>(), 87_858.into());
        assert_eq!(Bests::of("square-remover", &Records::default()), Bests::default());
    }

    #[test]
    fn only_a_better_score_is_a_record() {
        let mut records = records(&[("x", "a", 5), ("x", "a", 4), ("x", "b", 7), ("y", "a", 1)]);
        assert!(!records.add(record("x", "a", 5)), "an equal one changes nothing");
        let scores = records.0[&RecordId::named("x")].iter().map(|record| record.score);
        assert_eq!(scores.collect::<Vec<_>>(), [5, 7].map(Score::from));
        let leaders: Vec<_> = records.leaders().map(|record| record.bot.as_str()).collect();
        assert_eq!(leaders, ["b", "a"]);
    }

    #[test]
    fn saving_keeps_what_is_better_on_either_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.toml");
        records(&[("x", "a", 5), ("y", "a", 1)]).save_into(&path).expect("saved");
        records(&[("x", "a", 4), ("y", "a", 2), ("z", "c", 3)]).save_into(&path).expect("saved");
        let read = Records::read(&path).expect("read");
        assert_eq!(read, records(&[("x", "a", 5), ("y", "a", 2), ("z", "c", 3)]));
    }

    #[test]
    fn a_file_is_read_as_it_is_written_and_with_the_run_that_version_1_named() {
        let odd = "a \"quoted\" name, it's\n[[record]]\nformat = 1\n";
        let odd_ones = records(&[("x", "a", 5), ("x", odd, 4), (odd, "b", -7)]);
        let path = tempfile::NamedTempFile::new().expect("a file").into_temp_path();
        for records in [odd_ones, Records::default()] {
            let written = records.to_toml();
            let old = written.replace("score =", "run = '../runs/1'\nscore =");
            for text in [written, old] {
                std::fs::write(&path, &text).expect("written");
                assert_eq!(Records::read(&path).expect("read"), records, "{text}");
            }
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.toml");
        for (text, problem) in
            [("format = 2", "format 2"), ("format = 1\nx = 1", ":2:1: unknown field")]
        {
            std::fs::write(&path, text).expect("written");
            let error = records(&[("x", "a", 5)]).save_into(&path).expect_err("refused");
            assert!(error.to_string().contains(problem), "{error}");
            assert_eq!(std::fs::read_to_string(&path).expect("there"), text);
        }
    }
}
