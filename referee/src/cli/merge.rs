//! `referee merge`: makes one run of its shards.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::compare::warn_of_places;
use super::hints::shell_path;
use super::named_run::run_path;
use super::suite::{Games, ReportFlags, create_by_time, report};
use super::{Failure, completions, inputs, refuse};
use results::suite::{RunFolder, merge};

/// Merge shards into one run, and report on it
///
/// The shards stay as they are. If a shard or a game is missing, no run is made, and the error
/// explains what to do. Like `referee suite`, exit with 1 if a bot lost a
/// game.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MergeArgs {
    /// The runs of `referee suite --shard` or `referee submit`, in any order: folders, or `latest`
    #[arg(value_name = "SHARD", required = true, add = completions::runs())]
    shards: Vec<PathBuf>,

    /// A new folder for the run [default: named after the current time, in runs/]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,

    #[command(flatten)]
    report: ReportFlags,
}

const EXAMPLES: &str = "\
Examples:
  referee merge big.shards/*/ --run big
  referee merge here /mnt/there --run both";

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let open = |path: &PathBuf| Ok(RunFolder::open(&run_path(path)?)?);
    let shards = args.shards.iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
    refuse_unfinished(&shards)?;
    let joined = RunFolder::joined(shards)?;
    let [whole] = joined.as_slice() else {
        return refuse("these are shards of different runs");
    };
    let missing: Vec<_> = whole.missing_shards().iter().map(ToString::to_string).collect();
    if !missing.is_empty() {
        let problem = "is missing; play it with `referee suite --shard`, or name its folder";
        return refuse(format!("shard {} {problem}", missing.join(", ")));
    }
    warn_of_places([whole].into_iter())?;
    let config = inputs::settings_of_plan(&whole.run.plan, [inputs::config_file(None)?])?;
    args.report.check(&config)?;
    let folder = match &args.run {
        Some(path) => merge(whole, path)?,
        None => create_by_time(&config.project, &whole.run, |path| merge(whole, path))?,
    };
    report(&args.report, &config, &folder, None, Games::Kept)
}

/// Refuses whole runs, and shards with missing games.
fn refuse_unfinished(shards: &[RunFolder]) -> Result<(), Failure> {
    let mut problems = Vec::new();
    for folder in shards {
        let (path, shell) = (folder.path.display(), shell_path(&folder.path));
        let (played, planned) = folder.progress()?;
        match folder.run.shard {
            None => problems.push(format!("{path} is a whole run, not a shard of one")),
            Some(shard) if played < planned => problems.push(format!(
                "{path}, shard {shard}, lacks {} of {planned} games; `referee resume {shell}` plays them",
                planned - played
            )),
            Some(_) => {}
        }
    }
    if problems.is_empty() { Ok(()) } else { refuse(problems.join("\n")) }
}
