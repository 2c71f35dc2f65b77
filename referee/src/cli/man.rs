//! `referee man`: manual pages, made from the same texts as `--help`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_mangen::Man;
use fs_err as fs;

use super::{Cli, Failure, print};
use terms::text::printable;

/// Write manual pages into a folder
///
/// Writes referee.1, and a page for each command. `man -l DIR/referee.1` shows one.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let folder = &args.out;
    let shown = folder.display().to_string();
    write(folder)
        .with_context(|| format!("cannot write manual pages into {shown}"))
        .map_err(Failure::User)?;
    print(|out| writeln!(out, "The manual pages are in {}.", printable(&shown)))?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut cli = Cli::command();
    // Gives the commands their full names.
    cli.build();
    let version = format!("referee {}", env!("CARGO_PKG_VERSION"));
    let mut commands = vec![&cli];
    while let Some(command) = commands.pop() {
        Man::new(command.clone()).source(&version).manual("referee").generate_to(folder)?;
        commands.extend(command.get_subcommands());
    }
    Ok(())
}
