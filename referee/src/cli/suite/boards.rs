//! The boards of a suite: files, folders and seeds.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use fs_err as fs;

use crate::cli::{Failure, completions, inputs};
use engine::config::{BoardSet, Config, SeedRange};
use results::suite::{PlannedBoard, Seeds};
use rules::game::{GameKind, SeedOptions};

/// The boards to play.
#[derive(Debug, Args)]
pub(super) struct BoardsFlags {
    /// Boards, as for `referee play`; a folder stands for all files in it (repeatable)
    #[arg(long, value_name = "FILE", num_args = 1.., add = completions::boards())]
    board: Vec<PathBuf>,

    /// A board set of the project (repeatable)
    #[arg(long, value_name = "SET", add = completions::board_sets())]
    boards: Vec<String>,

    /// Random boards: a seed, or a range A..B with both ends included [default without boards: 1..20]
    #[arg(long, value_name = "N|A..B", allow_hyphen_values = true)]
    seed: Option<SeedRange>,

    /// The number of colours of random boards, where the game leaves it open
    #[arg(long, value_name = "N", requires = "seed")]
    colors: Option<u8>,

    /// Leaves out boards that cannot be read or are named twice, instead of stopping at them
    #[arg(long)]
    keep_going: bool,
}

/// The boards that a suite plays: listed ones, and then seeds.
pub(super) type Boards = (Vec<PlannedBoard>, Option<Seeds>);

/// The seeds whose boards are played when none are named.
const SEEDS: Seeds = Seeds { first: 1, last: 20, colors: None, set: None };

impl BoardsFlags {
    /// Whether any of these flags was given.
    pub(super) fn is_given(&self) -> bool {
        !(self.board.is_empty() && self.boards.is_empty()) || self.seed.is_some()
    }

    /// The boards that were named.
    pub(super) fn resolve(&self, config: &Config) -> Result<Boards, Failure> {
        let kind = config.game;
        let mut seeds = self.typed_seeds(kind)?;
        let mut boards = Vec::new();
        self.add(kind, &self.board, None, &mut boards)?;
        for name in &self.boards {
            let set = board_set(config, name)?;
            let files: Vec<_> =
                set.files.iter().map(|file| config.project.folder.join(file)).collect();
            self.add(kind, &files, Some(name), &mut boards)?;
            if let Some(range) = set.seeds {
                let own = ranged(kind, range, set.colors, Some(name))?;
                if seeds.replace(own).is_some() {
                    let problem = "one range of seeds is enough; a set or --seed has another one";
                    return Err(Failure::user(anyhow!("--boards {name}: {problem}")));
                }
            }
        }
        if boards.is_empty() && seeds.is_none() {
            return Err(Failure::user(anyhow!("no board is left to be played")));
        }
        tell_copies(&boards);
        Ok((boards, seeds))
    }

    /// Adds the boards in these files and folders.
    fn add(
        &self,
        kind: &GameKind,
        files: &[PathBuf],
        set: Option<&String>,
        boards: &mut Vec<PlannedBoard>,
    ) -> Result<(), Failure> {
        for path in opened(files)? {
            match planned(kind, &path, set, boards) {
                Ok(board) => boards.push(board),
                Err(failure) if self.keep_going => log::warn!("left out: {failure}"),
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn typed_seeds(&self, kind: &GameKind) -> Result<Option<Seeds>, Failure> {
        match self.seed {
            Some(seed) => ranged(kind, seed, self.colors, None).map(Some),
            None => Ok((!self.is_given()).then_some(SEEDS)),
        }
    }
}

/// A range of seeds that the game takes.
fn ranged(
    kind: &GameKind,
    SeedRange { first, last }: SeedRange,
    colors: Option<u8>,
    set: Option<&String>,
) -> Result<Seeds, Failure> {
    // Only the ends of a range, and 0 in Square Remover, can be invalid.
    for seed in [first, last, 0] {
        if (first..=last).contains(&seed) {
            inputs::seeded_case(kind, seed, SeedOptions { colors })?;
        }
    }
    Ok(Seeds { first, last, colors, set: set.cloned() })
}

fn board_set<'c>(config: &'c Config, name: &str) -> Result<&'c BoardSet, Failure> {
    let sets = &config.project.boards;
    sets.get(name).ok_or_else(|| {
        let known: Vec<_> = sets.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Failure::user(anyhow!(
            "--boards: there is no board set `{name}` in the project; there are: {known}"
        ))
    })
}

/// All files, those in folders included.
fn opened(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { files.extend(in_folder(path)?) } else { files.push(path.clone()) }
    }
    Ok(files)
}

/// Reads a board, unless one of that name is among the others.
fn planned(
    kind: &GameKind,
    path: &Path,
    set: Option<&String>,
    others: &[PlannedBoard],
) -> Result<PlannedBoard, Failure> {
    let name = path.display().to_string();
    if others.iter().any(|other| other.name == name) {
        return Err(Failure::file(path, "this board is there twice"));
    }
    let test_case = inputs::load_board(kind, path)?.test_case().to_owned();
    Ok(PlannedBoard { name, set: set.cloned(), test_case })
}

/// Warns of boards with two names: both are played, but comparisons count them as one.
fn tell_copies(boards: &[PlannedBoard]) {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for PlannedBoard { name, test_case, .. } in boards {
        let first = names.entry(test_case).or_insert(name);
        if first != name {
            log::warn!("{name} is the same board as {first}");
        }
    }
}

/// The files of a folder, `test2` before `test10`.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::user)? {
        let path = entry.map_err(Failure::user)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
    if files.is_empty() {
        return Err(Failure::file(folder, "there is no file in this folder"));
    }
    Ok(files)
}

/// Compares names with their numbers as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let key = |text: &str| {
        let runs = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
        let part = |run: &[u8]| {
            let word = String::from_utf8_lossy(run).into_owned();
            (word.parse::<u128>().ok(), word)
        };
        runs.map(part).collect::<Vec<_>>()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["b/test10.json", "b/test2.json", "a/test30.json", "b/test1.json"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a/test30.json", "b/test1.json", "b/test2.json", "b/test10.json"]);
    }
}
