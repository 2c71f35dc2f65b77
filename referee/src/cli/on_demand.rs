//! Defines the arguments of the one command that is called: those of all commands together take longer than a
//! short game's start, and each bundled bot is started as `referee bot`.

use std::cell::RefCell;
use std::ffi::OsString;

use clap::error::Result;
use clap::{ArgMatches, Args, Command, CommandFactory as _, FromArgMatches};

use super::Cli;

thread_local! {
    /// The first argument, while the command line is defined for it alone.
    static FIRST: RefCell<Option<OsString>> = const { RefCell::new(None) };
}

/// Parses the program's arguments, or ends the program as [`clap::Parser::parse`] does.
pub(super) fn parse() -> Cli {
    FIRST.set(std::env::args_os().nth(1));
    let command = Cli::command();
    FIRST.set(None);
    let mut matches = command.get_matches();
    Cli::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut Cli::command()).exit())
}

/// Whether the arguments of the command `name` cannot matter, nor what it says about itself.
fn is_spare(name: &str) -> bool {
    FIRST.with_borrow(|first| {
        let first = first.as_deref().and_then(|first| first.to_str());
        // After a flag, as in `referee -v suite` or `referee --help`, any command may be needed.
        first.is_some_and(|first| !first.starts_with('-') && first != name)
    })
}

/// The arguments of a command, which are left undefined while another one is called.
#[derive(Debug)]
pub(super) struct OnDemand<T>(pub(super) Box<T>);

impl<T: Args> Args for OnDemand<T> {
    fn augment_args(command: Command) -> Command {
        if is_spare(command.get_name()) { command } else { T::augment_args(command) }
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for OnDemand<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self> {
        T::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self> {
        T::from_arg_matches_mut(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        self.0.update_from_arg_matches(matches)
    }
}
