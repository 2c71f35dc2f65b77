//! Lists runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::named_run::{Found, Places, newest_first};
use crate::cli::words::format;
use crate::cli::{Failure, inputs, print};
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

    /// Compare with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// The form of the list
    #[arg(long, value_parser = format(Format::OF_TABLE), default_value = "text")]
    format: Format,
}

pub(super) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let records = inputs::records(args.records.as_deref())?;
    let show = |run: RunFolder| {
        let listing = Listing::of(&run)?;
        Ok(Listed { path: run.path, listing, bytes: None, page: None })
    };
    let places = Places::of(&inputs::project()?);
    let Found { runs, broken } = newest_first(&places, show, |run| run.listing.started)?;
    let mut runs: Vec<Listed> = runs.into_iter().map(|(_, run)| run).collect();
    let older = if args.all { 0 } else { runs.len().saturating_sub(args.count) };
    runs.truncate(runs.len() - older);
    compare(&mut runs, &records);
    for run in &mut runs {
        run.bytes = Some(size_of(&run.path));
    }
    let broken = broken.into_iter().map(|(path, error)| Broken {
        run: path.display().to_string(),
        problem: format!("{:#}", anyhow::Error::from(error)),
    });
    let history = History { runs, older, broken: broken.collect(), places: places.words() };
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
