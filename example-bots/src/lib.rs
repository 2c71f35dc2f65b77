//! Example bots: a few strategies, a bot that reads its answers from a file, and one for every
//! fault that a bot can have.
//!
//! They talk to the referee as any bot does, over standard input and output. They share no code with it,
//! and know only the protocol.

mod beam;
mod bits;
#[expect(unreachable_pub, clippy::cast_possible_truncation, reason = "it is a whole program too")]
#[path = "../rust/squares.rs"]
mod greedy_squares;
#[cfg_attr(not(target_os = "linux"), path = "hostile_elsewhere.rs")]
mod hostile;
mod misbehaving;
mod nrpa;
#[cfg_attr(not(unix), path = "process_elsewhere.rs")]
mod process;
mod protocol;
pub mod samples;
mod script;
mod squares;
mod strategies;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _};

/// A bundled bot.
#[derive(Debug)]
pub struct Bot {
    /// Its name, as in `@NAME`.
    pub name: &'static str,
    /// The game that it plays; `None` if it knows no rules.
    pub game: Option<&'static str>,
    /// Runs it on standard input and output.
    pub run: fn(args: &[OsString]) -> io::Result<ExitCode>,
    /// The arguments that it takes.
    arguments: fn() -> Command,
}

impl Bot {
    /// Its arguments, as a command of its name.
    pub fn command(&self) -> Command {
        (self.arguments)().name(self.name)
    }

    /// Checks that it takes these arguments.
    ///
    /// # Errors
    /// What is wrong with them, in a line.
    pub fn check(&self, args: &[OsString]) -> Result<(), String> {
        let Err(error) = (self.arguments)().try_get_matches_from(with_name(self.name, args)) else {
            return Ok(());
        };
        let refused = match error.kind() {
            ErrorKind::DisplayHelp => "it only shows its help".to_owned(),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                "it takes an argument".to_owned()
            }
            _ => error.to_string(),
        };
        // The names and values that it is about have lines of their own, before the usage.
        let about = refused.lines().map(str::trim).take_while(|line| !line.is_empty());
        let about = about.collect::<Vec<_>>().join(" ");
        Err(about.strip_prefix("error: ").unwrap_or(&about).to_owned())
    }
}

const SAMEGAME: Option<&str> = Some("samegame");
const SQUARES: Option<&str> = Some("square-remover");

/// Every bundled bot.
pub const BOTS: &[Bot] = &[
    bot("greedy", SAMEGAME, strategies::greedy, no_arguments),
    bot("first", SAMEGAME, strategies::first, no_arguments),
    bot("random", SAMEGAME, strategies::random, strategies::RandomArgs::command),
    bot("nrpa", SAMEGAME, nrpa::run, nrpa::Args::command),
    bot("echo", SAMEGAME, strategies::echo, no_arguments),
    bot("thinker", SAMEGAME, strategies::thinker, strategies::ThinkerArgs::command),
    bot("squares-greedy", SQUARES, squares::greedy, no_arguments),
    bot("squares-random", SQUARES, squares::random, no_arguments),
    bot("squares-beam", SQUARES, beam::run, beam::Args::command),
    bot("script", None, script::run, script::Args::command),
    bot("misbehaving", None, misbehaving::run, misbehaving::Args::command),
];

const fn bot(
    name: &'static str,
    game: Option<&'static str>,
    run: fn(args: &[OsString]) -> io::Result<ExitCode>,
    arguments: fn() -> Command,
) -> Bot {
    Bot { name, game, run, arguments }
}

/// The list of the bundled bots, for a help page.
pub const HELP: &str = "\
SameGame:
  greedy             takes the largest region
  first              takes the first legal move, column by column from the bottom left
  random [--seed N]  takes any legal move; the same seed makes the same choices
  nrpa [--first SECONDS] [--later MS] [--width N] [--seed N]
                     plans for 19 s, and improves the plan while it plays: hard to beat
  echo               answers each board with 0 0 at once, for measuring a machine
  thinker            takes the first legal move after computing (--spin MS, --compute MS) or
                     sleeping (--sleep MS) each turn, for trying out limits
  script FILE        answers with the strings of a JSON array, one each turn, verbatim, or does its
                     steps (see --help)

Square Remover:
  squares-greedy     completes a square with each swap that can, or else prepares one
  squares-random     swaps by chance; the case's start seed decides
  squares-beam [--total SECONDS]
                     plans all swaps in 28 s: hard to beat

Both:
  misbehaving FAULT  shows one fault, for trying out a referee; `--help` lists them";

/// The bot called `name`.
pub fn find(name: &str) -> Option<&'static Bot> {
    BOTS.iter().find(|bot| bot.name == name)
}

/// clap takes the program's name first.
fn with_name(name: &str, args: &[OsString]) -> impl Iterator<Item = OsString> {
    std::iter::once(name.into()).chain(args.iter().cloned())
}

/// The arguments of a bot that takes none.
fn no_arguments() -> Command {
    Command::new("")
}

/// Ends the program with a message if any arguments were given.
fn take_no_arguments(name: &'static str, args: &[OsString]) {
    no_arguments().name(name).get_matches_from(with_name(name, args));
}
