//! `referee cancel`: takes a run out of a cluster's queue.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;

use super::hints::shell_path;
use super::named_run::run_path;
use super::{Failure, completions, print};
use engine::slurm::{ClusterRun, Queued};
use results::suite::RunFolder;
use terms::text::plural;

/// Cancel the tasks of a run on a cluster
///
/// Running tasks keep their finished games; `referee suite --resume RUN --slurm` submits the rest
/// again. Jobs of other users stay in the queue, and the exit code is then 2.
#[derive(Debug, Args)]
pub(super) struct CancelArgs {
    /// The run submitted by `referee suite --slurm`: its folder, or `latest`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,
}

pub(super) fn run(args: &CancelArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    let (run, path) = (ClusterRun::of(&folder), folder.path.display());
    if run.is_new() {
        return Err(Failure::user(anyhow!(
            "{path}: no jobs of this run were submitted to a cluster"
        )));
    }
    // What another process submits at this moment is in the queue afterwards.
    let lock = run.lock().map_err(Failure::user)?;
    let queue = run.queue()?;
    let others = run.cancel(&queue)?;
    drop(lock);
    if others > 0 {
        let jobs = plural(others as u64, "job");
        return Err(Failure::user(anyhow!(
            "{path}: {jobs} of other users stay in the queue, and only they can cancel them"
        )));
    }
    let tasks = queue.iter().filter_map(Queued::part).count();
    let tasks = plural(tasks as u64, "task");
    let again = shell_path(&folder.path);
    print(|out| {
        writeln!(
            out,
            "{tasks} cancelled; `referee suite --resume {again} --slurm` and the flags of the submission submit the missing games of {path}"
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
