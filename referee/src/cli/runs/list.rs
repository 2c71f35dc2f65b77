//! Lists runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::FolderFlag;
use crate::cli::named_run::{Found, newest_first};
use crate::cli::{Failure, completions, inputs, print};
use report::history::{Broken, History, ListFormat, RunRow};
use results::suite::{Bests, Listing};
use rules::game::games;

/// Which runs are listed, and how.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// How many runs to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,

    /// Shows all runs
    #[arg(long, conflicts_with = "count")]
    all: bool,

    /// Only runs with a bot whose name contains this
    #[arg(short, long, value_name = "TEXT")]
    bot: Option<String>,

    /// Only runs on boards of this set of the project, or on exactly these seeds, such as 1..100
    #[arg(long, value_name = "SET", add = completions::board_sets())]
    boards: Option<String>,

    /// Compares with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    #[command(flatten)]
    folder: FolderFlag,

    /// How to show the list
    #[arg(long, value_enum, default_value_t)]
    format: ListFormat,
}

impl ListArgs {
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
    let bests = |name| (name, Bests::of(name, &records));
    let bests: BTreeMap<&str, Bests> = games().iter().map(|game| bests(game.name)).collect();
    let unknown = Bests::default();
    let show = |path: &Path, listing: Listing| {
        let bests = bests.get(listing.game.as_str()).unwrap_or(&unknown);
        args.is_wanted(&listing).then(|| RunRow::new(path, &listing, bests))
    };
    let started = |row: &Option<RunRow>| row.as_ref().map(|row| row.started).unwrap_or_default();
    let Found { runs, broken } = newest_first(&args.folder.resolve()?, show, started)?;
    let mut runs: Vec<RunRow> = runs.into_iter().filter_map(|(_, row)| row).collect();
    let older = if args.all { 0 } else { runs.len().saturating_sub(args.count) };
    runs.truncate(runs.len() - older);
    let broken = broken.into_iter().filter(|_| !args.is_filtered());
    let broken = broken.map(|(path, error)| Broken {
        run: path.display().to_string(),
        problem: format!("{:#}", anyhow::Error::from(error)),
    });
    let history = History { runs, older, broken: broken.collect() };
    print(|out| history.write(args.format, out))?;
    Ok(ExitCode::SUCCESS)
}
