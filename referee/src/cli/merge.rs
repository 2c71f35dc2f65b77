//! `referee merge`: joins the shards of a suite.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::compare::warn_of_places;
use super::{Failure, print};
use crate::suite::{MergeError, RunFolder, merge};
use crate::text::plural;

/// Join the shards of a suite into one run
///
/// The folders must be of the same plan, and no game may be in two of them.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The run folders that `referee suite --shard` has made
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,

    /// The folder for the joined run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Joins them even if games of the plan are missing; `referee suite --resume` plays these
    #[arg(long)]
    partial: bool,
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        if error.is_user_error() { Self::User(error.into()) } else { Self::Referee(error.into()) }
    }
}

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let shards: Result<Vec<_>, _> = args.shards.iter().map(|path| RunFolder::open(path)).collect();
    let shards = shards?;
    warn_of_places(shards.iter())?;
    let merged = merge(&shards, &args.out, args.partial)?;
    let games = plural(merged.games as u64, "game");
    let missing = match merged.planned - merged.games {
        0 => String::new(),
        missing => format!("; {missing} are missing"),
    };
    print(|out| writeln!(out, "{games} in {}{missing}", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}
