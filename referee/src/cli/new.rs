//! `referee new`: a bot to begin with, built and named by the project.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::named_run::seen_from_here;
use super::output::{append, write_new};
use super::{Failure, completions, inputs, print};
use engine::config::PROJECT_FILE;
use example_bots::samples::{SAMPLES, Sample};
use terms::system::program_name;
use terms::text::shell_word;

/// Write a sample bot in a language of your choice, and add it to the project
///
/// Write the sample into the project's folder, or without a project into the working directory, and
/// add a table [bots.NAME] with its command and build command to referee.toml. `--bot NAME` then
/// builds and plays it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct NewArgs {
    /// The name of the bot and its file
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,

    /// Its language
    #[arg(long, value_name = "LANGUAGE", value_parser = language())]
    lang: String,

    #[arg(long, value_name = "NAME", add = completions::games(), help = inputs::game_help("The game that it plays"))]
    game: Option<String>,
}

/// Other names of languages.
const OTHER_NAMES: [(&str, &str); 4] =
    [("c++", "cpp"), ("js", "javascript"), ("py", "python"), ("rs", "rust")];

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

/// Parses a language, by its name here or another one.
fn language() -> impl TypedValueParser<Value = String> {
    let known = languages().into_iter().map(|name| {
        let others = OTHER_NAMES.iter().filter(|(_, here)| *here == name);
        PossibleValue::new(name).aliases(others.map(|(other, _)| *other))
    });
    PossibleValuesParser::new(known).map(|name| {
        let here = OTHER_NAMES.iter().find(|(other, _)| *other == name);
        here.map_or(name, |(_, here)| (*here).to_owned())
    })
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
    let source = project.with_file_name(format!("{name}.{}", sample.extension));
    let program = project.with_file_name(name);
    if sample.build.is_some() && program.exists() {
        let problem = "exists already, and building the bot would replace it; choose another name";
        return Err(Failure::file(seen_from_here(program), problem));
    }
    let of_game = args.game.as_ref().map(|game| format!("--game {} ", shell_word(game)));
    let play = format!("referee play {}--bot {name}", of_game.unwrap_or_default());
    let text = own_text(sample.text, &play);
    write_new(&source, text.as_bytes(), "exists already; choose another name")?;
    let has_text = fs_err::metadata(&project).is_ok_and(|data| data.len() > 0);
    let gap = if has_text { "\n" } else { "" };
    append(&project, &format!("{gap}{}", table(name, sample))).inspect_err(|_| {
        // Otherwise the name is taken when the command is run again.
        let _ = fs_err::remove_file(&source);
    })?;
    let [source, project] = [source, project].map(seen_from_here);
    print(|out| {
        let (source, project) = (source.display(), project.display());
        writeln!(out, "{source} is written, and {project} has the bot {name}. Try it:\n")?;
        writeln!(out, "  {play}")
    })
}

fn sample(language: &str, game: &str) -> Result<&'static Sample, Failure> {
    let of_game = || SAMPLES.iter().filter(|sample| sample.game == game);
    of_game().find(|sample| sample.language == language).ok_or_else(|| {
        let known: Vec<_> = of_game().map(|sample| sample.language).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Failure::user(anyhow!("there is no sample of {game} in {language}; there are: {known}"))
    })
}

/// The text of a sample with `play` instead of the commands that its first comment shows.
fn own_text(sample: &str, play: &str) -> String {
    let told = sample.find("Try it with").expect("each sample says how to try it");
    // An empty line of the comment, then indented commands.
    let start = sample[told..].match_indices('\n').nth(1).expect("commands").0 + told + 1;
    let commands = sample[start..].split_inclusive('\n').take_while(|line| line.contains("    "));
    let length: usize = commands.map(str::len).sum();
    let indent = sample[start..].find(char::is_alphabetic).expect("a command");
    let (head, rest) = (&sample[..start + indent], &sample[start + length..]);
    format!("{head}{play}\n{rest}")
}

/// The bot's table in a project file.
fn table(name: &str, sample: &Sample) -> String {
    let named = |command: &str| {
        let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
        let command = [program_name(program), rest].join(" ");
        command.trim_end().replace("{name}", name)
    };
    let build = sample.build.map(|build| format!("build = \"{}\"\n", named(build)));
    let build = build.unwrap_or_default();
    format!("[bots.{name}]\n{build}command = \"{}\"\n", named(sample.command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_shows_how_its_copy_is_played_instead_of_how_it_is_built() {
        for sample in SAMPLES {
            let own = own_text(sample.text, "referee play --bot mine");
            let told: Vec<&str> = own.lines().take(9).collect();
            assert_eq!(
                told.iter().filter(|line| line.ends_with("referee play --bot mine")).count(),
                1,
                "{told:?}"
            );
            let built = ["g++ ", "cc ", "javac ", "rustc ", "python3 ", "node "];
            assert!(
                !told[1..].iter().any(|line| built.iter().any(|word| line.contains(word))),
                "{told:?}"
            );
            let after = |text: &str| text.split_once("import").map(|(_, rest)| rest.to_owned());
            assert_eq!(after(&own), after(sample.text));
        }
    }
}
