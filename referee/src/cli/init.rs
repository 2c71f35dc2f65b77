//! `referee init`: writes an initial project file.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use fs_err::File;

use super::{Failure, print};
use engine::config::{PROJECT_FILE, TEMPLATE};

/// Write a commented project file, referee.toml, into the working directory
#[derive(Debug, Args)]
pub(super) struct InitArgs {}

pub(super) fn run(_args: &InitArgs) -> Result<ExitCode, Failure> {
    let mut file = File::create_new(PROJECT_FILE).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::file(Path::new(PROJECT_FILE), "exists already"),
        _ => Failure::user(error),
    })?;
    file.write_all(TEMPLATE.as_bytes()).map_err(|error| Failure::Referee(error.into()))?;
    print(|out| writeln!(out, "{PROJECT_FILE} is written; add your bots to it"))?;
    Ok(ExitCode::SUCCESS)
}
