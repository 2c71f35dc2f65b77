//! `referee init`: writes an initial project file, or the settings of a game.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use fs_err::{File, OpenOptions};

use super::{Failure, print};
use engine::config::{PROJECT_FILE, TEMPLATE};
use judges::codingame::{Survey, survey};

/// Write a commented project file, referee.toml, into the working directory
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Add the game of this built CodinGame contribution to it
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    codingame: Option<PathBuf>,
}

pub(super) fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    match &args.codingame {
        Some(folder) => add_game(folder),
        None => write_template(),
    }
}

fn write_template() -> Result<ExitCode, Failure> {
    let mut file = File::create_new(PROJECT_FILE).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::file(Path::new(PROJECT_FILE), "exists already"),
        _ => Failure::user(error),
    })?;
    file.write_all(TEMPLATE.as_bytes()).map_err(|error| Failure::Referee(error.into()))?;
    print(|out| writeln!(out, "{PROJECT_FILE} is written; add your bots to it"))?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the settings of a contribution to the project file, and says what it has and lacks.
fn add_game(folder: &Path) -> Result<ExitCode, Failure> {
    let found = survey(folder, Path::new("")).map_err(Failure::user)?;
    let has_file = Path::new(PROJECT_FILE).exists();
    let before = if has_file {
        fs_err::read_to_string(PROJECT_FILE).map_err(Failure::user)?
    } else {
        String::new()
    };
    let table = format!("[game.{}]", found.name);
    if before.lines().any(|line| line.trim() == table) {
        let problem = format!("has the table {table} already; rename it or remove it");
        return Err(Failure::file(Path::new(PROJECT_FILE), problem));
    }
    let gap = if before.is_empty() { "" } else { "\n" };
    let mut file =
        OpenOptions::new().create(true).append(true).open(PROJECT_FILE).map_err(Failure::user)?;
    file.write_all(format!("{gap}{}", found.settings).as_bytes())
        .map_err(|error| Failure::Referee(error.into()))?;
    print(|out| write!(out, "{}", told(&found)))?;
    Ok(ExitCode::SUCCESS)
}

fn told(Survey { name, found, missing, .. }: &Survey) -> String {
    let mut text = format!("{PROJECT_FILE} has the game {name} now.\n\nFound:\n");
    for line in found {
        let _ = writeln!(text, "  {line}");
    }
    if missing.is_empty() {
        let _ = write!(text, "\nNothing is missing. Try it: referee game check {name}\n");
    } else {
        text.push_str("\nMissing:\n");
        for line in missing {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}
