//! `referee new`: a bot to begin with, built and named by the project.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use fs_err::{File, OpenOptions};

use super::{Failure, completions, inputs, print};
use engine::config::PROJECT_FILE;
use example_bots::samples::{SAMPLES, Sample};
use terms::text::shell_word;

/// Write a bot that plays, in a language of your choice, and name it in the project
///
/// Writes the sample of the language into the project's folder, or the working directory without a project, and adds a table
/// [bots.NAME] with its command and the command that builds it to referee.toml. `--bot NAME` then plays it, built anew.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct NewArgs {
    /// The bot's name, which is also that of its file
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,

    /// Its language
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(languages()))]
    lang: String,

    #[arg(long, value_name = "NAME", add = completions::games(), help = inputs::game_help("The game that it plays"))]
    game: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  referee new mybot --lang cpp
  referee new squares --lang python --game square-remover";

fn languages() -> Vec<&'static str> {
    let mut languages: Vec<_> = SAMPLES.iter().map(|sample| sample.language).collect();
    languages.sort_unstable();
    languages.dedup();
    languages
}

/// Parses a name that is one word for a shell, a file and a key of TOML.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_plain);
    let problem = "it is a letter, and then letters, digits, `-` and `_`";
    if is_name { Ok(text.to_owned()) } else { Err(problem.to_owned()) }
}

pub(super) fn run(args: &NewArgs) -> Result<ExitCode, Failure> {
    let name = &args.name;
    let game = args.game.as_deref().map(inputs::game_layer).transpose()?.unwrap_or_default();
    let config = inputs::settings([game, inputs::config_file(None)?])?;
    let sample = sample(&args.lang, &config.game.name)?;
    let project = inputs::config_path(None).unwrap_or_else(|| PathBuf::from(PROJECT_FILE));
    if config.project.bots.contains_key(name) {
        let problem = format!("has a bot `{name}` already; choose another name");
        return Err(Failure::file(&project, problem));
    }
    let folder = project.parent().unwrap_or(Path::new(""));
    let source = folder.join(format!("{name}.{}", sample.extension));
    let mut file = File::create_new(&source).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::file(&source, "exists already; choose another name"),
        _ => Failure::user(error),
    })?;
    file.write_all(sample.text.as_bytes()).map_err(|error| Failure::Referee(error.into()))?;
    let has_text = fs_err::metadata(&project).is_ok_and(|data| data.len() > 0);
    let gap = if has_text { "\n" } else { "" };
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(&project)
        .and_then(|mut file| file.write_all(format!("{gap}{}", table(name, sample)).as_bytes()))
        .map_err(Failure::user)?;
    let of_game = args.game.as_ref().map(|game| format!("--game {} ", shell_word(game)));
    let of_game = of_game.unwrap_or_default();
    print(|out| {
        let (source, project) = (source.display(), project.display());
        writeln!(out, "{source} is written, and {project} has the bot {name}. Try it:\n")?;
        writeln!(out, "  referee play {of_game}--bot {name}")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn sample(language: &str, game: &str) -> Result<&'static Sample, Failure> {
    let of_game = || SAMPLES.iter().filter(|sample| sample.game == game);
    of_game().find(|sample| sample.language == language).ok_or_else(|| {
        let known: Vec<_> = of_game().map(|sample| sample.language).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Failure::user(anyhow!("there is no sample of {game} in {language}; there are: {known}"))
    })
}

/// The bot's table in a project file.
fn table(name: &str, sample: &Sample) -> String {
    let named = |command: &str| command.replace("{name}", name);
    let build = sample.build.map(|build| format!("build = \"{}\"\n", named(build)));
    let build = build.unwrap_or_default();
    format!("[bots.{name}]\n{build}command = \"{}\"\n", named(sample.command))
}
