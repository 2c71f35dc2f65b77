//! `referee runs`: lists the project's runs, and comments on them.

mod list;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::list::ListArgs;
use super::named_run::run_path;
use super::{Failure, completions, print};
use results::suite::RunFolder;
use terms::text::printable;

/// List the runs of the project, newest first
///
/// A run is its folder: `rm -r runs/NAME` removes it.
///
/// `referee status` shows the progress of one, `show` its results in the terminal, and `report`
/// makes a page of it.
///
/// Yours/best is a score divided by the best score known today, and best/yours the reverse, where
/// lower scores are better. Every command for a run accepts its folder, or `latest`, `latest~1` and
/// so on, which count the runs of this list: those in the folder of runs, in the working directory
/// and next to referee.toml. A run that `suite --run` put elsewhere has only its folder as a name.
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
}

const EXAMPLES: &str = "\
Examples:
  referee runs
  referee runs --all --format csv
  referee runs note latest \"wider beam\"";

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

pub(super) fn run(args: &RunsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => list::run(&args.list),
        Some(RunsCommand::Note(args)) => note(args),
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
    })
}
