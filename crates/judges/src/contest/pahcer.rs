//! What pahcer's settings say of a contest: its name, its scores, its cases, and how its bot is built.

use std::io;
use std::path::{Component, Path, PathBuf};

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
        let build: Vec<_> = steps(&table, "compile_steps").filter_map(compile_step).collect();
        let test_step = || steps(&table, "test_steps").next();
        Ok(Some(Self {
            name: text("problem", "problem_name"),
            better: better.map(|objective| if objective == "Min" { "lower" } else { "higher" }),
            score: text("problem", "score_regex"),
            cases: text("test", "in_dir").or_else(|| cases(test_step()?)),
            build: (!build.is_empty()).then(|| build.join(" && ")),
            bot: test_step().and_then(bot),
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

/// The folder in which a step runs, if it is not the settings' folder.
fn folder(step: &Table) -> Option<&str> {
    step.get("current_dir").and_then(Value::as_str)
}

/// Whether a word names a contest's tester, wherever it is.
fn is_tester(word: &str) -> bool {
    Path::new(word).file_stem().is_some_and(|name| name == "tester")
}

/// A step that builds the bot; `None` of one that handles the tester, which the bot's build must leave where it is.
fn compile_step(step: &Table) -> Option<String> {
    let words = words(step);
    if words.iter().any(|word| is_tester(word)) {
        return None;
    }
    let command = shell(words);
    Some(match folder(step) {
        Some(folder) => format!("(cd {} && {command})", shell_word(folder)),
        None => command,
    })
}

/// The bot that a test step plays: the step itself, or what follows a tester; `None` if it takes words of pahcer's.
fn bot(step: &Table) -> Option<String> {
    let words = words(step);
    let (program, arguments) = run_by_cargo(&words).or_else(|| {
        let (program, arguments) = words.split_first()?;
        Some((*program, arguments))
    })?;
    let words = if is_tester(program) { arguments } else { &words };
    let has_place = words.iter().any(|word| word.contains("{SEED"));
    let from_settings = |word: &&str| from_settings(folder(step), word);
    let words: Vec<String> = words.iter().map(from_settings).collect();
    (!words.is_empty() && !has_place).then(|| shell(words.iter().map(String::as_str)))
}

/// The program that `cargo run` runs, and its arguments; `None` of another command, or if the program is not named.
fn run_by_cargo<'a, 'b>(words: &'a [&'b str]) -> Option<(&'b str, &'a [&'b str])> {
    const WITH_VALUE: [&str; 9] = [
        "--bin",
        "--example",
        "--features",
        "--manifest-path",
        "--package",
        "-p",
        "--profile",
        "--target",
        "--target-dir",
    ];
    let (["cargo", "run"], options) = words.split_at_checked(2)? else { return None };
    let (mut program, mut rest) = (None, options);
    while let [word, after @ ..] = rest
        && word.starts_with('-')
    {
        rest = after;
        match (*word, after) {
            ("--", _) => break,
            (option, [value, after @ ..]) if WITH_VALUE.contains(&option) => {
                program = if option == "--bin" { Some(*value) } else { program };
                rest = after;
            }
            _ => program = word.strip_prefix("--bin=").or(program),
        }
    }
    Some((program?, rest))
}

/// A word of a step that runs in `folder`, as the settings' folder has it: a path in it becomes one from here.
fn from_settings(folder: Option<&str>, word: &str) -> String {
    let (Some(folder), true) = (folder, word.contains('/') && !word.starts_with('/')) else {
        return word.to_owned();
    };
    let mut path = PathBuf::new();
    for part in Path::new(folder).join(word).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path.file_name().is_some() => drop(path.pop()),
            part => path.push(part),
        }
    }
    format!("./{}", path.display())
}

/// The folder from which a test step reads its case.
fn cases(step: &Table) -> Option<String> {
    let stdin = step.get("stdin")?.as_str()?;
    let folder = Path::new(stdin).parent().filter(|folder| !folder.as_os_str().is_empty())?;
    stdin.contains("{SEED").then(|| folder.display().to_string())
}
