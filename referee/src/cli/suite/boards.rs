//! The boards of a suite: files, folders and seeds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::or_keep_going;
use crate::cli::board_files::{self, BoardFile};
use crate::cli::{Failure, completions, inputs, refuse};
use engine::config::{BoardSet, Config, SeedRange, SeedsSource};
use results::suite::{PlannedBoard, Seeds};
use rules::game::{GameKind, SeedOptions};
use terms::seed::Seed;

/// The boards to play.
#[derive(Debug, Args)]
pub(super) struct BoardsFlags {
    /// Boards: files, folders of them, or a board set of the project
    ///
    /// They may also be a quoted pattern such as 'config/test*.json'. If a set and a file
    /// share a name, write ./NAME for the file. A file is as for `referee play`.
    #[arg(long, value_name = "FILE", num_args = 1.., add = completions::boards_and_sets())]
    board: Vec<PathBuf>,

    /// Seeds of random boards, such as 1,5,9..20 [default: 1..20]
    ///
    /// Ranges include both ends. It may be a file of seeds too. By default there are none if boards are
    /// named.
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true)]
    seed: Option<SeedsSource>,
}

/// The boards that a suite plays: listed ones, and then seeds.
pub(super) type Boards = (Vec<PlannedBoard>, Option<Seeds>);

/// The default seeds, from the first to the last.
const SEEDS: SeedRange = SeedRange { first: Seed::of(1), last: Seed::of(20) };

impl BoardsFlags {
    /// Whether any of these flags was given.
    pub(super) fn is_given(&self) -> bool {
        !self.board.is_empty() || self.seed.is_some()
    }

    /// The boards that the flags name.
    pub(super) fn resolve(&self, config: &Config, keep_going: bool) -> Result<Boards, Failure> {
        let kind = &*config.game;
        let mut boards = if self.is_given() { Vec::new() } else { own_cases(kind)? };
        let mut seeds = if boards.is_empty() { self.typed_seeds(kind)? } else { None };
        let (sets, files) = self.sets_and_files(config);
        add(board_files::read(kind, &files, Path::new(""))?, None, &mut boards, keep_going)?;
        for (name, set) in sets {
            let folder = &config.project.folder;
            let files = board_files::read(kind, &set.files, folder)?;
            add(files, Some(name), &mut boards, keep_going)?;
            if let Some(source) = &set.seeds {
                let mut own = read_seeds(kind, source, folder, set.colors)?;
                own.set = Some(name.clone());
                if seeds.replace(own).is_some() {
                    let problem =
                        "there can be only one list of seeds; a set or --seed has another one";
                    return refuse(format!("--board {name}: {problem}"));
                }
            }
        }
        if kind.seeds_choose_cases
            && let Some(chosen) = seeds.take()
        {
            boards.extend(chosen_cases(kind, &chosen)?);
        }
        if boards.is_empty() && seeds.is_none() {
            return refuse("no boards are left to play");
        }
        warn_of_copies(&boards);
        Ok((boards, seeds))
    }

    /// The sets of the project among the names, and the others.
    fn sets_and_files<'c>(
        &self,
        config: &'c Config,
    ) -> (Vec<(&'c String, &'c BoardSet)>, Vec<PathBuf>) {
        let (mut sets, mut files) = (Vec::new(), Vec::new());
        for name in &self.board {
            let set = name.to_str().and_then(|text| config.project.boards.get_key_value(text));
            match set {
                Some(set) => sets.push(set),
                None => files.push(name.clone()),
            }
        }
        (sets, files)
    }

    fn typed_seeds(&self, kind: &GameKind) -> Result<Option<Seeds>, Failure> {
        match &self.seed {
            Some(seed) => read_seeds(kind, seed, Path::new(""), None).map(Some),
            None if self.is_given() => Ok(None),
            None => {
                read_seeds(kind, &SeedsSource::List(vec![SEEDS]), Path::new(""), None).map(Some)
            }
        }
    }
}

/// All cases of a game that plays them unless others are named.
fn own_cases(kind: &GameKind) -> Result<Vec<PlannedBoard>, Failure> {
    let planned = |(name, text): &(String, String)| {
        let test_case = (kind.parse)(text).map_err(|error| Failure::place(name, error))?.text;
        Ok(PlannedBoard { name: name.clone(), set: None, test_case })
    };
    let cases = kind.bundled.iter().filter(|_| kind.judge.is_some());
    cases.map(planned).collect()
}

/// The cases that seeds choose.
fn chosen_cases(kind: &GameKind, seeds: &Seeds) -> Result<Vec<PlannedBoard>, Failure> {
    let case = |seed| {
        let test_case = inputs::seeded_case(kind, seed, SeedOptions::default())?;
        let known = kind.bundled.iter().find(|(_, text)| *text == test_case);
        let name = known.map_or_else(|| format!("seed {seed}"), |(name, _)| name.clone());
        Ok(PlannedBoard { name, set: seeds.set.clone(), test_case })
    };
    (0..seeds.count()).filter_map(|index| seeds.get(index)).map(case).collect()
}

/// The seeds in a list or a file, if the game takes them. A relative file is in `folder`.
fn read_seeds(
    kind: &GameKind,
    source: &SeedsSource,
    folder: &Path,
    colors: Option<u8>,
) -> Result<Seeds, Failure> {
    let (ranges, name) = match source {
        SeedsSource::List(ranges) => (ranges.clone(), "seeds".to_owned()),
        SeedsSource::File(file) => {
            let file = folder.join(file);
            if inputs::is_missing(&file) {
                let problem = "no such file; seeds are numbers and ranges such as 1,5,9..20, or a file of them";
                return Err(Failure::file(&file, problem));
            }
            let ranges = SeedsSource::parse_file(&inputs::read_text(&file)?);
            (ranges.map_err(|error| Failure::place(&file, error))?, file.display().to_string())
        }
    };
    let seeds = Seeds::new(ranges.iter().map(|range| (range.first, range.last)));
    let mut seeds = seeds.map_err(|error| Failure::user(anyhow!("{name}: {error}")))?;
    // Only the ends of a range, and 0 in Square Remover, can be invalid.
    let (first, last) = seeds.bounds();
    for seed in [first, last, Seed::of(0)] {
        if seeds.has(seed) {
            inputs::seeded_case(kind, seed, SeedOptions { colors })?;
        }
    }
    seeds.colors = colors;
    Ok(seeds)
}

/// Adds the boards in these files.
fn add(
    files: Vec<BoardFile>,
    set: Option<&String>,
    boards: &mut Vec<PlannedBoard>,
    keep_going: bool,
) -> Result<(), Failure> {
    let is_only = files.len() == 1;
    for file in files {
        match planned(file, set, boards) {
            Ok(board) => boards.push(board),
            Err(failure) if keep_going => log::warn!("left out: {failure}"),
            Err(failure) if is_only => return Err(failure),
            Err(failure) => return Err(or_keep_going(failure)),
        }
    }
    Ok(())
}

/// Plans a board, unless one of that name is among the others.
fn planned(
    file: BoardFile,
    set: Option<&String>,
    others: &[PlannedBoard],
) -> Result<PlannedBoard, Failure> {
    let name = file.path.display().to_string();
    if others.iter().any(|other| other.name == name) {
        return Err(Failure::file(file.path, "this board is listed twice"));
    }
    Ok(PlannedBoard { name, set: set.cloned(), test_case: file.test_case? })
}

/// Warns of boards with two names: both are played, but comparisons count them as one.
fn warn_of_copies(boards: &[PlannedBoard]) {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for PlannedBoard { name, test_case, .. } in boards {
        let first = names.entry(test_case).or_insert(name);
        if first != name {
            log::warn!("{name} is the same board as {first}");
        }
    }
}
