//! `referee completions`: a script for a shell, which asks the referee itself for completions.
//!
//! So flags and values always match the installed program, including the bots, board sets and runs of
//! the user's project.

mod values;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory as _};
use clap_complete::CompleteEnv;
use clap_complete::env::{EnvCompleter, Shells};

pub(super) use self::values::{boards, boards_and_sets, bots, games, runs, sides};
use super::{Cli, Failure, print};
use example_bots::Bot;

/// The variable with which a shell's script asks for completions. `COMPLETE`, clap's default, is too
/// common a word.
const VARIABLE: &str = "REFEREE_COMPLETE";

const SHELLS: Shells<'_> = Shells::builtins();

/// Print a shell's completion script for commands, flags and values
///
/// The values include the bundled bots and boards, and the bots, board sets and run folders of the
/// project. The script calls the `referee` that printed it, by the name that you used. Bash ends words
/// at `@` and `:`, and completes @greedy and RUN:BOT only if its `COMP_WORDBREAKS` has neither.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(SHELLS.names()))]
    shell: String,
}

const EXAMPLES: &str = "\
Examples:
  source <(referee completions bash)         in ~/.bashrc
  COMP_WORDBREAKS=${COMP_WORDBREAKS//[@:]}   in ~/.bashrc, to complete @greedy and RUN:BOT
  source <(referee completions zsh)          in ~/.zshrc, after compinit
  referee completions fish | source          in ~/.config/fish/config.fish";

pub(super) fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let shell = SHELLS.completer(&args.shell).expect("clap has checked it");
    let script = script(shell).context("cannot make the script").map_err(Failure::Referee)?;
    print(|out| out.write_all(&script))
}

fn script(shell: &dyn EnvCompleter) -> io::Result<Vec<u8>> {
    let called = std::env::args_os().next().unwrap_or_else(|| OsString::from("referee"));
    let mut program = PathBuf::from(called);
    // A name without a folder is looked up in PATH, then as now.
    if program.components().count() > 1 {
        program = std::path::absolute(program)?;
    }
    let cli = Cli::command();
    let name = cli.get_name();
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, name, name, &program.to_string_lossy(), &mut script)?;
    Ok(script)
}

/// Answers a shell that asks for completions, and ends the process; otherwise does nothing.
pub(super) fn answer_shell() {
    CompleteEnv::with_factory(completed).var(VARIABLE).complete();
}

/// The command line, with bundled bots as commands, whose own commands and flags complete too.
fn completed() -> Command {
    let bots = Command::new("bot").subcommands(example_bots::BOTS.iter().map(Bot::command));
    Cli::command().mut_subcommand("bot", |_| bots)
}
