//! `referee man`: manual pages, made from the same texts as `--help`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_mangen::Man;
use fs_err as fs;

use super::output::ForceFlag;
use super::{Cli, Failure, print};
use report::MARK;
use terms::text::printable;

/// Write manual pages into a folder
///
/// Write referee.1, and a page for each command. `man -l DIR/referee.1` shows one.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder, created if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceFlag,
}

pub(super) fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let folder = &args.out;
    let shown = folder.display().to_string();
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot write manual pages into {shown}"))
        .map_err(Failure::User)?;
    write(folder, args.force)?;
    print(|out| writeln!(out, "The manual pages are in {}.", printable(&shown)))?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, force: ForceFlag) -> Result<(), Failure> {
    // `referee help` needs no page: it shows these.
    let mut cli = Cli::command().disable_help_subcommand(true);
    // Gives the commands their full names.
    cli.build();
    let version = format!("referee {}", env!("CARGO_PKG_VERSION"));
    let mut commands = vec![&cli];
    while let Some(command) = commands.pop() {
        let page = Man::new(command.clone()).source(&version).manual("referee");
        let mut text = format!(".\\\" {MARK}\n").into_bytes();
        page.render(&mut text).expect("memory");
        force.write(&folder.join(page.get_filename()), &text)?;
        commands.extend(command.get_subcommands());
    }
    Ok(())
}
