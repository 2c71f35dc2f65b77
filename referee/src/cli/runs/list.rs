//! Lists runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::named_run::{Found, Places, newest_first};
use crate::cli::words::format;
use crate::cli::{Failure, completions, inputs, print};
use report::history::{Broken, History, Listed, compare};
use report::{Format, Report as _};
use results::suite::{Listing, RunFolder};

/// The selection and form of the list.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The number of runs to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,

    /// Show all runs
    #[arg(long, conflicts_with = "count")]
    all: bool,

    /// Show only runs with a bot whose name contains this text
    #[arg(short, long, value_name = "TEXT")]
    bot: Option<String>,

    /// Show only runs on this board set of the project, or on exactly these seeds, such as 1..100
    #[arg(long, value_name = "SET", add = completions::board_sets())]
    boards: Option<String>,

    /// Compare with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// The folder of the run folders [default: the project's, or `runs` next to referee.toml, and also those here and next to referee.toml]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// The form of the list
    #[arg(long, value_parser = format(Format::OF_TABLE), default_value = "text")]
    format: Format,
}

impl ListArgs {
    fn places(&self) -> Result<Places, Failure> {
        match &self.folder {
            Some(folder) if !folder.is_dir() => Err(Failure::file(folder, "no such folder")),
            Some(folder) => Ok(Places::only(folder.clone())),
            None => Ok(Places::of(&inputs::project()?)),
        }
    }

    fn is_filtered(&self) -> bool {
        self.bot.is_some() || self.boards.is_some()
    }

    fn is_wanted(&self, listing: &Listing) -> bool {
        self.bot.as_deref().is_none_or(|bot| listing.has_bot(bot))
            && self.boards.as_deref().is_none_or(|set| listing.has_boards(set))
    }
}

pub(super) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let records = inputs::records(args.records.as_deref())?;
    let show = |run: RunFolder| {
        let listing = Listing::of(&run)?;
        let is_wanted = args.is_wanted(&listing);
        Ok(is_wanted.then_some(Listed { path: run.path, listing, bytes: None, page: None }))
    };
    let started =
        |run: &Option<Listed>| run.as_ref().map(|run| run.listing.started).unwrap_or_default();
    let places = args.places()?;
    let Found { runs, broken } = newest_first(&places, show, started)?;
    let is_filtered = args.is_filtered() && !runs.is_empty();
    let mut runs: Vec<Listed> = runs.into_iter().filter_map(|(_, run)| run).collect();
    let older = if args.all { 0 } else { runs.len().saturating_sub(args.count) };
    runs.truncate(runs.len() - older);
    compare(&mut runs, &records);
    for run in &mut runs {
        run.bytes = Some(size_of(&run.path));
    }
    let broken = broken.into_iter().filter(|_| !args.is_filtered());
    let broken = broken.map(|(path, error)| Broken {
        run: path.display().to_string(),
        problem: format!("{:#}", anyhow::Error::from(error)),
    });
    let history =
        History { runs, older, broken: broken.collect(), is_filtered, places: places.words() };
    print(|out| history.write(args.format, out))
}

/// The size of all files in a folder, in bytes. What cannot be read counts as nothing.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size_of(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
