//! `referee merge`: puts the parts of a suite together.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::compare::warn_of_places;
use super::named_run::run_path;
use super::suite::{Games, ReportFlags, merged};
use super::{Failure, completions, inputs};
use results::suite::RunFolder;

/// Merge the parts of a suite, and report on it
///
/// Afterwards the run folder is like any other. If games are missing, or another process is still
/// playing a part, it stays in parts, and the error explains what to do. Exit with 1 as `referee
/// suite` does, if a bot lost a game.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The run planned by `referee suite --parts`: its folder, or `latest`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,

    #[command(flatten)]
    report: ReportFlags,
}

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    warn_of_places([&folder].into_iter())?;
    let config = inputs::settings_of_plan(&folder.run.plan, [inputs::config_file(None)?])?;
    merged(&args.report, &config, &folder, Games::Kept)
}
