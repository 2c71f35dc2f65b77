//! Refuses bot command lines that are likely mistakes, and suggests what to write instead.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Failure, inputs};
use engine::config::{Config, ShellSyntax};
use rules::game::{GameKind, UnknownGame};
use terms::system::{is_executable, is_path, program_file};
use terms::text::shell_word;

/// Flags that others have had, and what is written here.
const ELSEWHERE: [(&str, &str); 11] = [
    ("--case", "--board"),
    ("--cases", "--board"),
    ("--worst", "--sort worst"),
    ("--slowest", "--sort slowest"),
    ("--time", "--turn"),
    ("--timeout", "--turn"),
    ("--no-timeout", "--profile unlimited"),
    ("--no-timeouts", "--profile unlimited"),
    ("--no-limit", "--profile unlimited"),
    ("--no-limits", "--profile unlimited"),
    ("--unlimited", "--profile unlimited"),
];

/// The commands that read runs, or one bot of each.
const WITH_SIDES: [&str; 3] = ["compare", "report", "show"];

/// Commands that others have, and what is written here.
const OTHER_COMMANDS: [(&str, &str); 5] = [
    ("list", "`referee runs` lists the runs"),
    ("ls", "`referee runs` lists the runs"),
    ("run", "`referee play` plays a game, and `referee suite` many"),
    ("view", "`referee replay LOG` shows a game"),
    ("watch", "`referee replay LOG --watch` shows a game move by move"),
];

/// Endings of source files, their languages, and what starts them as they are.
const SOURCES: [(&str, &str, Option<&str>); 13] = [
    ("c", "C", None),
    ("cc", "C++", None),
    ("cpp", "C++", None),
    ("cs", "C#", None),
    ("cxx", "C++", None),
    ("go", "Go", None),
    ("hs", "Haskell", None),
    ("java", "Java", None),
    ("js", "JavaScript", Some("node")),
    ("kt", "Kotlin", None),
    ("py", "Python", Some("python3")),
    ("rb", "Ruby", Some("ruby")),
    ("rs", "Rust", None),
];

/// The number of options up to which an error names them all.
const FEW_OPTIONS: usize = 20;

/// Suggests the flag or command that an unknown one may be meant for, or else names those that there are. Where a command
/// takes a bot's words after `--`, clap only suggests to put it there.
pub(super) fn mend_suggestion(mut error: clap::Error, mut command: clap::Command) -> clap::Error {
    if let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) {
        let meant = OTHER_COMMANDS.iter().find(|(theirs, _)| theirs == unknown);
        if let Some((_, ours)) = meant {
            error.remove(ContextKind::SuggestedSubcommand);
            error.insert(ContextKind::Suggested, tip(ours));
        }
        return error;
    }
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
    if unknown == "--bot" && WITH_SIDES.contains(&inner.get_name()) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            tip("RUN:BOT is one bot of a run, such as latest:./mybot"),
        );
        return error;
    }
    let flags: Vec<String> =
        inner.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    let slips = |flag: &&String| strsim::osa_distance(&unknown, flag);
    let is_here = |ours: &str| flags.iter().any(|flag| ours.split(' ').next() == Some(flag));
    let meant = ELSEWHERE.iter().find(|(theirs, ours)| *theirs == unknown && is_here(ours));
    let meant = meant.map(|(_, ours)| (*ours).to_owned());
    // Two slips make another word of a short name.
    let most_slips = if unknown.trim_start_matches('-').len() < 5 { 1 } else { 2 };
    let near = || flags.iter().min_by_key(slips).filter(|flag| slips(flag) <= most_slips).cloned();
    if let Some(commands) = commands_with(&command, &unknown).filter(|_| meant.is_none()) {
        error.remove(ContextKind::SuggestedArg);
        let similar = near().map_or(String::new(), |near| format!("; similar here: {near}"));
        let elsewhere = format!("{unknown} is an option of {commands}{similar}");
        error.insert(ContextKind::Suggested, tip(&elsewhere));
    } else if let Some(meant) = meant.or_else(near) {
        error.remove(ContextKind::Suggested);
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
    } else if error.get(ContextKind::SuggestedArg).is_some() {
        error.remove(ContextKind::Suggested);
    } else if unknown.starts_with('-') {
        error.insert(ContextKind::Suggested, tip(&options(inner, &unknown)));
    } else if let Some((_, ours)) = OTHER_COMMANDS.iter().find(|(theirs, _)| *theirs == unknown) {
        error.insert(ContextKind::Suggested, tip(ours));
    }
    error
}

/// The commands of the program that have this option, as a list; `None` if there are none, or many.
fn commands_with(program: &clap::Command, option: &str) -> Option<String> {
    let name = option.strip_prefix("--").filter(|name| !name.is_empty())?;
    let has = |command: &&clap::Command| {
        command.get_arguments().any(|arg| arg.get_long() == Some(name) && !arg.is_hide_set())
    };
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<_> =
        shown.filter(has).map(|command| format!("`referee {}`", command.get_name())).collect();
    match names.as_slice() {
        [only] => Some(only.clone()),
        [others @ .., last] if others.len() < 3 => {
            Some(format!("{} and {last}", others.join(", ")))
        }
        _ => None,
    }
}

fn tip(text: &str) -> ContextValue {
    ContextValue::StyledStrs(vec![text.to_owned().into()])
}

/// The options of a command: options of one letter if `unknown` is one, or else all, or the most similar of many.
fn options(command: &clap::Command, unknown: &str) -> String {
    let is_of_all = |arg: &clap::Arg| arg.is_global_set() || arg.get_id() == "help";
    let shown = command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
    let (mut short, mut long) = (Vec::new(), Vec::new());
    for arg in shown {
        short.extend(arg.get_short().map(|letter| format!("-{letter}")));
        long.extend(arg.get_long().filter(|_| !is_of_all(arg)).map(|name| format!("--{name}")));
    }
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let help = format!("; see `{name} --help`");
    if !unknown.starts_with("--") {
        return format!("the options of one letter are {}{help}", short.join(", "));
    }
    if long.len() <= FEW_OPTIONS {
        return format!("the options are {}{help}", long.join(", "));
    }
    let likeness = |option: &String| strsim::jaro_winkler(unknown, option);
    long.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    long.truncate(4);
    format!("similar options are {}{help}", long.join(", "))
}

/// What may be meant by the name of an unknown game, or why it is unknown.
pub(super) fn unknown_game(unknown: &UnknownGame) -> String {
    let name = unknown.name.to_lowercase();
    if let Some(known) = unknown.known.iter().find(|known| known.to_lowercase() == name) {
        return format!("; did you mean `{known}`?");
    }
    match inputs::config_path(None) {
        Some(_) => String::new(),
        None => "; there is no referee.toml here or in a folder above, which would have games of your own".to_owned(),
    }
}

/// Refuses a word without a flag.
pub(super) fn refuse_stray(word: Option<&OsStr>) -> Result<(), Failure> {
    let Some(word) = word.map(OsStr::to_string_lossy) else { return Ok(()) };
    let is_bare_program = !is_path(&*word) && is_program(Path::new(word.as_ref()));
    let path = if is_bare_program { format!("./{word}") } else { word.to_string() };
    let quoted = shell_word(&path);
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
        syntax
            .or_else(|| blank_in_path(line, program, cwd))
            .or_else(|| source(config, &words, cwd))
            .or_else(|| here(config, line, program, cwd))
            .or_else(|| misspelt(config, &words))
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
    if !is_path(program) || found(program) {
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

/// A source file that no project bot is built from, and that cannot run as it is.
fn source(config: &Config, words: &[&str], cwd: Option<&Path>) -> Option<String> {
    let &[program] = words else { return None };
    let (path, file) = (Path::new(program), at(program, cwd));
    let ending = path.extension()?.to_str()?;
    let (_, language, interpreter) = SOURCES.iter().find(|(known, ..)| *known == ending)?;
    let is_of_project = path.file_stem().and_then(OsStr::to_str);
    if is_of_project.is_some_and(|stem| config.project.bots.contains_key(stem))
        || !file.is_file()
        || is_program(&file)
    {
        return None;
    }
    Some(match interpreter {
        Some(interpreter) if begins_with_interpreter(&file) => {
            let path = shell_word(program);
            format!(
                "`{program}` is not executable; `chmod +x {path}`, or write --bot '{interpreter} {path}'"
            )
        }
        Some(interpreter) => {
            let line = shell_word(&format!("{interpreter} {}", shell_word(program)));
            format!("`{program}` is {language} source; write --bot {line}")
        }
        None => format!(
            "`{program}` is {language} source: compile it and name the program; `referee new` begins a bot that is compiled \
             before its games"
        ),
    })
}

/// Whether a file begins with `#!`.
fn begins_with_interpreter(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|text| text.starts_with(b"#!"))
}

/// A program in the working directory without `./` before it, which is looked up in `PATH` alone.
fn here(config: &Config, line: &str, program: &str, cwd: Option<&Path>) -> Option<String> {
    let is_here = !is_path(program)
        && !program.starts_with('@')
        && !config.project.bots.contains_key(program)
        && !is_in_path(program)
        && is_program(&at(program, cwd));
    let line = line.trim_start();
    (is_here && line.starts_with(program)).then(|| {
        let meant = shell_word(&format!("./{line}"));
        format!("no program `{program}` in PATH; for the one in this folder write --bot {meant}")
    })
}

/// A single word that does not name a program, in a project with bots.
fn misspelt(config: &Config, words: &[&str]) -> Option<String> {
    let &[name] = words else { return None };
    let bots: Vec<&str> = config.project.bots.keys().map(String::as_str).collect();
    let is_folder = matches!(name, "." | "..");
    if bots.is_empty() || is_folder || is_path(name) || name.starts_with('@') || is_in_path(name) {
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
    is_executable(&program_file(path))
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

/// The name in a word such as `{DEPTH}` of a bot's command, where a value of `--param` belongs. Only names in capital letters count:
/// a bot may take braces of its own.
pub(super) fn open_param<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let is_name = |name: &&str| {
        let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.starts_with(|first: char| first.is_ascii_uppercase()) && name.bytes().all(is_part)
    };
    let in_braces = |word: &'a str| {
        word.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).find(is_name)
    };
    words.find_map(in_braces)
}

/// The variable with which Python flushes each line.
pub(super) const UNBUFFERED: &str = "PYTHONUNBUFFERED";

/// Says once that the environment hides a Python bot that does not flush, unless the user gives it to the bot.
pub(super) fn warn_of_unbuffered(kind: &GameKind, words: &[OsString], is_given: bool) {
    static ONCE: Once = Once::new();
    // A bot that exits after its one answer has flushed it.
    if kind.judge.as_ref().is_some_and(|judge| judge.kind == "scored") {
        return;
    }
    let is_set = std::env::var_os(UNBUFFERED).is_some_and(|value| !value.is_empty());
    if is_set && !is_given && is_python(words) {
        ONCE.call_once(|| {
            log::warn!(
                "{UNBUFFERED} is set here: a Python bot that does not flush plays well, and fails where it is not set, as on contest \
                 sites; `env -u {UNBUFFERED} referee …` tries that"
            );
        });
    }
}

/// Whether a command starts Python, by the names of its words or the first line of its program.
fn is_python(words: &[OsString]) -> bool {
    let Some(program) = words.first().map(Path::new) else { return false };
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let is_script = |word: &OsString| Path::new(word).extension().is_some_and(|it| it == "py");
    let mut start = [0; 64];
    let length = File::open(program).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    let line = String::from_utf8_lossy(&start[..length]);
    let is_run_by_python = line.starts_with("#!")
        && line.lines().next().is_some_and(|line| line.contains("python") || line.contains("pypy"));
    name.starts_with("python")
        || name.starts_with("pypy")
        || words.iter().any(is_script)
        || is_run_by_python
}

#[test]
fn a_name_in_braces_waits_for_a_value() {
    for (word, name) in [
        ("--depth={DEPTH}", Some("DEPTH")),
        ("{A}{B_2}", Some("A")),
        ("{x} {Y", None),
        ("{}", None),
        ("{\"A\": {\"B\": 1}}", None),
        ("{ {W2}", Some("W2")),
    ] {
        assert_eq!(open_param(["./bot", word].into_iter()), name, "{word}");
    }
}
