//! `referee bot`: a bundled example bot on standard input and output.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::{Failure, inputs};

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
    let bot = inputs::bundled_bot(&args.name)?;
    match (bot.run)(&args.args) {
        // Whoever listened to the bot has gone away.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        ended => ended.with_context(|| format!("bot {}", bot.name)).map_err(Failure::User),
    }
}
