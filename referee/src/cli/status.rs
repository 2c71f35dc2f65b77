//! `referee status`: how far runs are.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::hints::shell_path;
use super::named_run::run_path;
use super::{Failure, completions, exit, print};
use results::compare::has_needed_games;
use results::suite::RunFolder;

/// Show the progress of runs, or of a run's shards
///
/// `referee runs` finds runs, `show` has the results of one, and `report` makes a page of it. Nothing
/// is changed. Exit with 0 if they have all their games, and with 1 if games are missing.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Runs: their folders, or `latest` as in `referee runs`
    #[arg(value_name = "RUN", required = true, add = completions::runs())]
    runs: Vec<PathBuf>,
}

pub(super) fn run(args: &StatusArgs) -> Result<ExitCode, Failure> {
    let mut are_complete = true;
    for run in &args.runs {
        let folder = RunFolder::open(&run_path(run)?)?;
        let is_complete = has_needed_games(&folder)?;
        are_complete &= is_complete;
        let (path, (played, planned)) = (folder.path.display(), folder.progress()?);
        let next = match is_complete {
            true => String::new(),
            false if folder.is_in_use() => "; it is being played".to_owned(),
            false => format!("; `referee resume {}` plays the rest", shell_path(&folder.path)),
        };
        print(|out| writeln!(out, "{path}: {played} of {planned} games are played{next}"))?;
    }
    Ok(exit::code(are_complete))
}
