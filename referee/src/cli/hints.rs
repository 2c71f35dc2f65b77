//! Refuses bot command lines that are likely mistakes, and suggests what to write instead.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Failure;
use engine::config::{Config, ShellSyntax};
use terms::text::shell_word;

/// Flags that others have had, and what is written here.
const ELSEWHERE: [(&str, &str); 5] = [
    ("--no-timeout", "--profile unlimited"),
    ("--no-timeouts", "--profile unlimited"),
    ("--no-limit", "--profile unlimited"),
    ("--no-limits", "--profile unlimited"),
    ("--unlimited", "--profile unlimited"),
];

/// Suggests the flag that an unknown one may be meant for. Where a command takes a bot's words after `--`, clap only
/// suggests to put it there.
pub(super) fn mend_suggestion(mut error: clap::Error, mut command: clap::Command) -> clap::Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => {
            unknown.clone()
        }
        _ => return error,
    };
    command.build();
    let mut inner = &command;
    while let Some(next) = std::env::args().find_map(|word| inner.find_subcommand(&word)) {
        inner = next;
    }
    let flags: Vec<String> =
        inner.get_opts().filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    let slips = |flag: &&String| strsim::osa_distance(&unknown, flag);
    let meant =
        ELSEWHERE.iter().find(|(theirs, ours)| *theirs == unknown && ours.starts_with("--"));
    let meant = meant.map(|(_, ours)| (*ours).to_owned());
    let near = || flags.iter().min_by_key(slips).filter(|flag| slips(flag) <= 2).cloned();
    if let Some(meant) = meant.or_else(near) {
        error.remove(ContextKind::Suggested);
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
    }
    error
}

/// Refuses a word without a flag.
pub(super) fn refuse_stray(word: Option<&OsStr>) -> Result<(), Failure> {
    let Some(word) = word.map(OsStr::to_string_lossy) else { return Ok(()) };
    let quoted = shell_word(&word);
    let flag = if is_program(Path::new(word.as_ref())) {
        format!("name the bot with --bot {quoted}")
    } else {
        format!("name a bot with --bot {quoted}, or a board with --board {quoted}")
    };
    Err(Failure::user(anyhow!("unexpected argument `{word}`; {flag}")))
}

/// Refuses a `--bot` line that needs a shell, or that looks like a misspelt name of one of the project's
/// bots. `words` is the line after splitting.
pub(super) fn refuse_mistakes(
    config: &Config,
    line: &str,
    words: &[OsString],
    cwd: Option<&Path>,
) -> Result<(), Failure> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let hint = words.and_then(|words| {
        let program = *words.first()?;
        let syntax = ShellSyntax::find(line, &words).map(|found| on_command_line(&found, line));
        syntax.or_else(|| blank_in_path(line, program, cwd)).or_else(|| misspelt(config, &words))
    });
    hint.map_or(Ok(()), |hint| Err(Failure::user(anyhow!("--bot: {hint}"))))
}

/// What is wrong with a line that needs a shell, and what to type.
fn on_command_line(found: &ShellSyntax, line: &str) -> String {
    let instead = match found {
        ShellSyntax::Home { line } => format!("--bot {}", shell_word(line)),
        ShellSyntax::Variable(_) => {
            format!("--bot \"{line}\" in double quotes, in which your shell does")
        }
        ShellSyntax::Assignment { name, value, rest } => {
            let variable = shell_word(&format!("{name}={value}"));
            format!("--env {variable} --bot {}", shell_word(rest))
        }
        _ => format!("--bot {}", in_shell(line)),
    };
    format!("{}; write {instead}", found.problem())
}

/// A file whose path was split at its blanks.
fn blank_in_path(line: &str, program: &str, cwd: Option<&Path>) -> Option<String> {
    let found = |path: &str| at(path, cwd).is_file();
    if !program.contains('/') || found(program) {
        return None;
    }
    let line = line.trim();
    let blanks: Vec<usize> = line.match_indices(' ').map(|(at, _)| at).collect();
    let ends = blanks.into_iter().chain([line.len()]);
    let path =
        ends.map(|end| &line[..end]).filter(|path| path.contains(' ')).find(|path| found(path))?;
    let whole = format!("{}{}", shell_word(path), &line[path.len()..]);
    Some(format!("the line is split at blanks; write --bot {}", shell_word(&whole)))
}

/// A single word that does not name a program, in a project with bots.
fn misspelt(config: &Config, words: &[&str]) -> Option<String> {
    let &[name] = words else { return None };
    let bots: Vec<&str> = config.project.bots.keys().map(String::as_str).collect();
    let is_folder = matches!(name, "." | "..");
    if bots.is_empty()
        || is_folder
        || name.contains('/')
        || name.starts_with('@')
        || is_in_path(name)
    {
        return None;
    }
    let slips = |bot: &&&str| strsim::osa_distance(name, bot);
    // Its source, such as `mybot.cpp`.
    let is_of = |bot: &&&str| Path::new(name).file_stem().is_some_and(|stem| stem == **bot);
    let near = || bots.iter().min_by_key(slips).filter(|bot| slips(bot) <= 2);
    let nearest = bots.iter().find(is_of).or_else(near);
    let meant = nearest.map(|bot| format!("; did you mean `{bot}`?")).unwrap_or_default();
    let bots = bots.join(", ");
    Some(format!("`{name}` is neither a program in PATH nor a bot of the project ({bots}){meant}"))
}

fn is_in_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

fn at(path: &str, cwd: Option<&Path>) -> PathBuf {
    cwd.map_or_else(|| path.into(), |cwd| cwd.join(path))
}

fn in_shell(line: &str) -> String {
    shell_word(&format!("sh -c {}", shell_word(line)))
}

/// A path as one word of a command to paste.
pub(super) fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_write_survives_a_shell() {
        for line in ["./a | b", "cd x && ./a 'b c'", "echo \"$X\"; ./a"] {
            let shown = in_shell(line);
            let typed = shlex::split(&shown).expect("one word");
            let words = shlex::split(&typed[0]).expect("words");
            assert_eq!(words, ["sh", "-c", line], "{shown}");
        }
    }
}
