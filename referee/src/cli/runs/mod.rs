//! `referee runs`: lists the project's runs, comments on them, and removes old ones.

mod list;
mod prune;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::list::ListArgs;
use self::prune::PruneArgs;
use super::named_run::{Places, run_path};
use super::{Failure, completions, inputs, print};
use results::suite::RunFolder;
use terms::text::printable;

/// List the runs of the project, newest first
///
/// `referee status` shows the progress of one, `show` its results in the terminal, and `report`
/// makes a page of it.
///
/// Yours/best is a score divided by the best score known today, and best/yours the reverse, where
/// lower scores are better. Every command for a run accepts its folder, or `latest`, `latest~1` and
/// so on, which count the runs of this list: those in the folder of runs, in the working directory
/// and next to referee.toml. A run that `suite --run` put elsewhere has only its folder as a name;
/// `--folder` lists it.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(super) struct RunsArgs {
    #[command(subcommand)]
    command: Option<RunsCommand>,

    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    Note(NoteArgs),
    Prune(PruneArgs),
}

const EXAMPLES: &str = "\
Examples:
  referee runs
  referee runs --all --bot mybot --boards smoke --format csv
  referee runs note latest \"wider beam\"
  referee runs prune --keep 20";

/// Set the comment on a run
#[derive(Debug, Args)]
struct NoteArgs {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,

    /// The comment, which replaces an earlier one; an empty comment removes it
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
}

/// The flag for the folder of the runs.
#[derive(Debug, Args)]
struct FolderFlag {
    /// The folder of the run folders [default: the project's, or `runs` next to referee.toml, and to list runs also those here and next to referee.toml]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl FolderFlag {
    fn resolve(&self) -> Result<Places, Failure> {
        match &self.folder {
            Some(folder) if !folder.is_dir() => Err(Failure::file(folder, "no such folder")),
            Some(folder) => Ok(Places::only(folder.clone())),
            None => Ok(Places::of(&inputs::project()?)),
        }
    }
}

pub(super) fn run(args: &RunsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => list::run(&args.list),
        Some(RunsCommand::Note(args)) => note(args),
        Some(RunsCommand::Prune(args)) => prune::run(args),
    }
}

fn note(args: &NoteArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    folder.set_comment(&args.text)?;
    print(|out| {
        let path = printable(&folder.path.display().to_string());
        match folder.comment() {
            Some(comment) => writeln!(out, "{path}: {}", printable(&comment)),
            None => writeln!(out, "{path} has no comment now."),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
