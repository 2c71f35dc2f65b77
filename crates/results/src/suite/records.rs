//! The best scores: those of the user's own bots in `records.toml`, and those that were published.
//!
//! A board is known by a digest that depends neither on its file format nor, for SameGame, on the
//! names of its colours: `record_id` in the results of a suite. Only a game that would have counted
//! under the official rules sets a record.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::files::{folder_of, link_target, write_whole};
use super::ids::RecordId;
use rules::source::SourceError;

/// The published scores, built into the referee.
const PUBLISHED: &str = include_str!("../../published-bests.toml");

/// The version of the format of `records.toml`.
const FORMAT: u32 = 1;

/// The best score of a bot on a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The digest that identifies the board.
    pub record_id: RecordId,
    /// The name of the board.
    pub board: String,
    /// The game.
    pub game: String,
    /// The bot.
    pub bot: String,
    /// Its score.
    pub score: i64,
    /// The folder of the run that set it, relative to the folder of the records; earlier versions did not
    /// keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<PathBuf>,
}

/// The best score of each bot on each board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records(BTreeMap<RecordId, BTreeMap<String, Record>>);

/// Why records cannot be kept.
#[derive(Debug, thiserror::Error)]
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
        /// Its format.
        format: u32,
    },
    /// The file cannot be read.
    #[error("cannot read the records")]
    Read(#[source] io::Error),
    /// The file cannot be written.
    #[error("cannot write the records")]
    Write(#[source] io::Error),
}

impl RecordsError {
    /// Whether the user can fix it, or only the machine is at fault.
    pub fn is_user_error(&self) -> bool {
        !matches!(self, Self::Write(_))
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
            source => source.map_err(RecordsError::Read)?,
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

    /// Merges the records that are better than those in the file at `path` into it. The file is replaced
    /// whole, or stays as it was; other processes that do the same wait.
    ///
    /// # Errors
    /// When the file is malformed, or cannot be written.
    pub fn save_into(self, path: &Path) -> Result<(), RecordsError> {
        // A link stays one, and the file that it leads to is replaced.
        let path = &link_target(path).map_err(RecordsError::Write)?;
        let folder = folder_of(path);
        let lock = fs::File::open(folder).map_err(RecordsError::Write)?;
        // A lock on the file itself would stay with the old one. It ends with `lock`.
        lock.file().lock().map_err(RecordsError::Write)?;
        let mut all = Self::read(path)?;
        let before = all.clone();
        let folder = std::path::absolute(folder).map_err(RecordsError::Write)?;
        for mut record in self.0.into_values().flat_map(BTreeMap::into_values) {
            record.run = record.run.map(|run| run.strip_prefix(&folder).unwrap_or(&run).to_owned());
            all.add(record);
        }
        if all == before {
            return Ok(());
        }
        let records = all.0.into_values().flat_map(BTreeMap::into_values).collect();
        let text = toml::to_string_pretty(&RecordsFile { format: FORMAT, records });
        let text = text.expect("records can be written as TOML");
        write_whole(path, text.as_bytes()).map_err(RecordsError::Write)
    }

    /// The folders of the runs that hold a record, relative to the folder of the records.
    pub fn runs(&self) -> impl Iterator<Item = &Path> {
        let records = self.0.values().flat_map(BTreeMap::values);
        records.filter_map(|record| record.run.as_deref())
    }

    /// Adds a record, if it is the bot's best on its board so far.
    pub(super) fn add(&mut self, record: Record) {
        let bots = self.0.entry(record.record_id.clone()).or_default();
        match bots.get(&record.bot) {
            Some(known) if known.score >= record.score => {}
            _ => {
                bots.insert(record.bot.clone(), record);
            }
        }
    }

    /// The best record of each board.
    fn leaders(&self) -> impl Iterator<Item = &Record> {
        self.0.values().filter_map(|bots| bots.values().max_by_key(|record| record.score))
    }
}

/// The best known score on a board, and its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best {
    /// The score.
    pub score: i64,
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
    score: i64,
}

impl Bests {
    /// The published scores of a game, overlaid with the user's records.
    pub fn of(game: &str, records: &Records) -> Self {
        let mut bests = Self::default();
        let published: PublishedFile = toml::from_str(PUBLISHED).expect("tested: it is valid");
        let figures = published.best.iter().filter(|_| published.game == game);
        for Published { record_id, score, .. } in figures {
            bests.add(record_id, *score, &published.source);
        }
        for record in records.leaders().filter(|record| record.game == game) {
            bests.add(&record.record_id, record.score, &record.bot);
        }
        bests
    }

    fn add(&mut self, record_id: &RecordId, score: i64, by: &str) {
        if self.best(record_id).is_none_or(|best| score > best) {
            self.0.insert(record_id.clone(), Best { score, by: by.to_owned() });
        }
    }

    /// The best score on a board.
    pub fn best(&self, record_id: &RecordId) -> Option<i64> {
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
            score,
            run: None,
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
        assert_eq!(bests.0.values().map(|best| best.score).sum::<i64>(), 87_858);
        assert_eq!(Bests::of("square-remover", &Records::default()), Bests::default());
    }

    #[test]
    fn only_a_better_score_is_a_record() {
        let records = records(&[("x", "a", 5), ("x", "a", 4), ("x", "b", 7), ("y", "a", 1)]);
        assert_eq!(records.0[&RecordId::named("x")]["a"].score, 5);
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
