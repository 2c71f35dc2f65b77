//! `referee status`: how far a run is, and what of it a cluster has in its queue.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::hints::shell_path;
use super::named_run::run_path;
use super::suite::{states, still_missing};
use super::{Failure, completions, exit, print};
use engine::slurm::{ClusterRun, Queued};
use results::compare::{Decider, has_needed_games};
use results::suite::RunFolder;
use terms::text::plural;

/// Show the progress of a run
///
/// `referee runs` finds runs, `show` has the results of one, and `report` makes a page of it.
///
/// For a run on a cluster, show also the waiting and running tasks. Nothing is changed. Exit with 0
/// if the run has all its games, and with 1 if games are missing.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// The run: its folder, or `latest` as in `referee runs`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,
}

pub(super) fn run(args: &StatusArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    let is_complete = has_needed_games(&folder, Decider::of(&folder)?.as_ref())?;
    let run = ClusterRun::of(&folder);
    let queue = if folder.parts() > 0 { run.queue()? } else { Vec::new() };
    let (path, (played, planned)) = (folder.path.display(), folder.progress()?);
    let next = next(&folder, is_complete, &queue)?;
    print(|out| {
        writeln!(out, "{path}: {played} of {planned} games are played")?;
        next.iter().try_for_each(|next| writeln!(out, "{next}"))
    })?;
    Ok(exit::code(is_complete))
}

/// What is being done about the run, or can be.
fn next(
    folder: &RunFolder,
    is_complete: bool,
    queue: &[Queued],
) -> Result<Option<String>, Failure> {
    let run = shell_path(&folder.path);
    Ok(match (is_complete, folder.parts()) {
        _ if !queue.is_empty() => Some(queued(queue)),
        (true, 0) => None,
        (true, _) => Some(format!("`referee merge {run}` joins its parts")),
        (false, 0) if folder.in_use().is_some() => Some("it is being played".to_owned()),
        (false, 0) => Some(format!("`referee suite --resume {run}` plays the rest")),
        (false, _) => Some(still_missing(folder)?),
    })
}

/// The tasks in the queue by their states, and the jobs that merge.
fn queued(queue: &[Queued]) -> String {
    let (tasks, merging): (Vec<Queued>, Vec<Queued>) =
        queue.iter().cloned().partition(|job| job.part().is_some());
    let merging = match merging.len() {
        0 => String::new(),
        jobs => format!(", and {} to merge", plural(jobs as u64, "job")),
    };
    format!("in the queue: {}{merging}", states(&tasks))
}
