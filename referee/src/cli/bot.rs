//! `referee bot`: a bundled example bot on standard input and output.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::{Failure, inputs};

/// Run a bundled example bot on standard input and output
///
/// `referee play --bot @NAME` plays it as a real child process.
#[derive(Debug, Args)]
#[command(after_help = example_bots::HELP)]
pub(super) struct BotArgs {
    /// The bot's name and arguments; `NAME --help` lists them
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "NAME"
    )]
    words: Vec<OsString>,
}

pub(super) fn run(args: &BotArgs) -> Result<ExitCode, Failure> {
    let (name, bot_args) = args.words.split_first().expect("clap requires it");
    let bot = inputs::bundled_bot(&name.to_string_lossy())?;
    match (bot.run)(bot_args) {
        // The reader has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        ended => ended.with_context(|| format!("bot {}", bot.name)).map_err(Failure::User),
    }
}
