//! What pahcer's settings say of a contest: its name, its scores, its cases, and how its bot is built.

use std::io;
use std::path::Path;

use toml::{Table, Value};

use super::read_if_there;
use terms::text::shell_word;

/// The file of pahcer's settings.
pub(super) const FILE: &str = "pahcer_config.toml";

#[derive(Debug, Default)]
pub(super) struct Pahcer {
    pub(super) name: Option<String>,
    pub(super) better: Option<&'static str>,
    pub(super) score: Option<String>,
    pub(super) cases: Option<String>,
    /// A shell command that builds the bot.
    pub(super) build: Option<String>,
    /// The command of the bot.
    pub(super) bot: Option<String>,
}

impl Pahcer {
    /// Reads them, if there are any.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        let Some(text) = read_if_there(&folder.join(FILE))? else { return Ok(None) };
        let table: Table = text.parse().map_err(io::Error::other)?;
        let text =
            |section: &str, key: &str| Some(table.get(section)?.get(key)?.as_str()?.to_owned());
        let better = text("problem", "objective");
        let build: Vec<_> = steps(&table, "compile_steps").map(compile_step).collect();
        Ok(Some(Self {
            name: text("problem", "problem_name"),
            better: better.map(|objective| if objective == "Min" { "lower" } else { "higher" }),
            score: text("problem", "score_regex"),
            cases: text("test", "in_dir"),
            build: (!build.is_empty()).then(|| build.join(" && ")),
            bot: steps(&table, "test_steps").next().and_then(bot),
        }))
    }
}

fn steps<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    let steps = table.get("test").and_then(|test| test.get(name)).and_then(Value::as_array);
    steps.into_iter().flatten().filter_map(Value::as_table)
}

/// A step's program and its arguments.
fn words(step: &Table) -> Vec<&str> {
    let args = step.get("args").and_then(Value::as_array).into_iter().flatten();
    step.get("program").into_iter().chain(args).filter_map(Value::as_str).collect()
}

fn shell<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

fn compile_step(step: &Table) -> String {
    let command = shell(words(step));
    match step.get("current_dir").and_then(Value::as_str) {
        Some(folder) => format!("(cd {} && {command})", shell_word(folder)),
        None => command,
    }
}

/// The bot that a test step plays: the step itself, or what follows a tester; `None` if it takes words of pahcer's.
fn bot(step: &Table) -> Option<String> {
    let words = words(step);
    let is_tester = words.first().is_some_and(|program| Path::new(program).ends_with("tester"));
    let words = &words[usize::from(is_tester)..];
    let has_place = words.iter().any(|word| word.contains("{SEED"));
    (!words.is_empty() && !has_place).then(|| shell(words.iter().copied()))
}
