//! Writes a manual page for each command into a folder, from the same texts as `--help`: `cargo run --example man -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use clap::CommandFactory as _;
use clap_mangen::Man;
use referee::cli::Cli;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("name the folder")?);
    fs::create_dir_all(&folder)?;
    // `referee help` needs no page: it shows these.
    let mut cli = Cli::command().disable_help_subcommand(true);
    // Gives the commands their full names.
    cli.build();
    let version = format!("referee {}", env!("CARGO_PKG_VERSION"));
    let mut commands = vec![&cli];
    while let Some(command) = commands.pop() {
        let page = Man::new(command.clone()).source(&version).manual("referee");
        let mut text = Vec::new();
        page.render(&mut text)?;
        fs::write(folder.join(page.get_filename()), text)?;
        commands.extend(command.get_subcommands());
    }
    Ok(())
}
