//! `referee bot`: a bundled example bot on standard input and output.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::Failure;

/// Run a bundled example bot on standard input and output
///
/// `referee play --bot @NAME` runs it as a real child process.
#[derive(Debug, Args)]
#[command(after_help = example_bots::HELP)]
pub(super) struct BotArgs {
    /// The bot's name
    name: String,

    /// The bot's own arguments; `--help` tells them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

pub(super) fn run(args: &BotArgs) -> Result<ExitCode, Failure> {
    let name = &args.name;
    let bot = example_bots::find(name).ok_or_else(|| {
        let names: Vec<_> = example_bots::BOTS.iter().map(|bot| bot.name).collect();
        let names = names.join(", ");
        Failure::user(anyhow!("there is no bundled bot `{name}`; there are: {names}"))
    })?;
    let ended = (bot.run)(&args.args).with_context(|| format!("bot {name}"));
    ended.map_err(Failure::Referee)
}
