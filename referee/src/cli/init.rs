//! `referee init`: writes an initial project file, or the settings of a game.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::output::{append, write_new};
use super::{Failure, inputs, print};
use engine::config::{PROJECT_FILE, TEMPLATE};
use judges::codingame::{Survey, survey};
use judges::contest::{survey_ahc, survey_jar};

/// What a new project file for a contest begins with.
const CONTEST: &str =
    "[suite]\nrecords = \"records.toml\"   # the best score of each bot on each board\n";

/// Write a commented project file, referee.toml, into the working directory, or add a game to it
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").args(["codingame", "ahc", "tester"]))]
pub(super) struct InitArgs {
    /// Add the game of this built CodinGame contribution
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    codingame: Option<PathBuf>,

    /// Add the game of this folder of an AtCoder heuristic contest
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    ahc: Option<PathBuf>,

    /// Add the game of this tester of a TopCoder marathon match
    #[arg(long, value_name = "JAR", value_hint = clap::ValueHint::FilePath)]
    tester: Option<PathBuf>,

    /// The name of the game that is added [default: its title, or the name of its folder or file]
    #[arg(long, value_name = "NAME", value_parser = name, requires = "source")]
    name: Option<String>,
}

fn name(text: &str) -> Result<String, String> {
    let is_name = text.contains(|letter: char| letter.is_ascii_alphanumeric());
    is_name.then(|| text.to_owned()).ok_or_else(|| "a name has letters or digits".to_owned())
}

pub(super) fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let InitArgs { codingame, ahc, tester, name } = args;
    let name = name.as_deref();
    let (found, first) = match (codingame, ahc, tester) {
        (Some(folder), _, _) => (survey(folder, Path::new(""), name).map_err(Failure::user)?, ""),
        (_, Some(folder), _) => (survey_ahc(folder, name).map_err(Failure::user)?, CONTEST),
        (_, _, Some(jar)) => (survey_jar(jar, name).map_err(Failure::user)?, CONTEST),
        (None, None, None) => return write_template(),
    };
    add_game(&found, first)
}

fn write_template() -> Result<ExitCode, Failure> {
    write_new(Path::new(PROJECT_FILE), TEMPLATE.as_bytes(), "exists already")?;
    print(|out| writeln!(out, "{PROJECT_FILE} is written; add your bots to it"))
}

/// Adds the settings of a game to the project file, which begins with `first` if it is new, and says what is missing.
fn add_game(found: &Survey, first: &str) -> Result<ExitCode, Failure> {
    let file = Path::new(PROJECT_FILE);
    let has_file = file.exists();
    let before = if has_file { inputs::read_text(file)? } else { String::new() };
    // Nothing is added to settings that cannot be read.
    inputs::parse_layer(file, &before)?;
    let mut tables = found.settings.lines().filter(|line| line.starts_with('['));
    let is_there = |table: &&str| before.lines().any(|line| line.trim() == *table);
    if let Some(table) = tables.find(is_there) {
        let problem =
            format!("has the table {table} already; choose another name with --name, or remove it");
        return Err(Failure::file(file, problem));
    }
    let games = games(&before);
    if let Some(game) = games.as_ref().and_then(toml::Value::as_str) {
        let problem = format!(
            "has no room for a game besides `game = \"{game}\"`; write the table [game] with `default = \"{game}\"` at its end instead"
        );
        return Err(Failure::file(Path::new(PROJECT_FILE), problem));
    }
    let first = if has_file { "" } else { first };
    let gap = if before.is_empty() && first.is_empty() { "" } else { "\n" };
    let default = if games.is_some() { String::new() } else { default_game(&found.name) };
    append(file, &format!("{first}{gap}{default}{}", found.settings))?;
    print(|out| write!(out, "{}", told(found, !default.is_empty())))
}

/// What settings have under `game`: a name, or a table of games.
fn games(settings: &str) -> Option<toml::Value> {
    settings.parse::<toml::Table>().ok()?.remove("game")
}

/// The settings that make a project's only game its default.
fn default_game(name: &str) -> String {
    let name = toml::Value::from(name);
    format!("[game]\ndefault = {name}   # without --game\n\n")
}

fn told(Survey { name, missing, .. }: &Survey, is_default: bool) -> String {
    let default = if is_default { ", and plays it without --game" } else { "" };
    let mut text = format!("{PROJECT_FILE} has the game {name} now{default}.\n");
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
