//! Refuses bot command lines that are likely mistakes, and suggests what to write instead.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::named_run::is_run;
use super::{Failure, inputs, refuse};
use engine::config::{Config, ShellSyntax};
use rules::game::{GameKind, UnknownGame};
use terms::system::{is_executable, is_path, program_file};
use terms::text::shell_word;

/// Words that people type here, as they do with other tools or did in older versions, and what to write instead.
const INSTEAD: [(&str, &str); 66] = [
    ("bench", TIMING),
    ("benchmark", TIMING),
    ("cancel", "`scancel JOB` cancels a job that `referee submit` printed"),
    ("clean", "`rm -r RUN` removes the folder of a run; `referee runs` lists the runs"),
    ("export", "`referee show RUN --format csv` prints a run's games"),
    ("html", PAGE),
    ("league", RIVALS),
    ("list", "`referee runs` lists the runs"),
    ("ls", "`referee runs` lists the runs"),
    ("man", "`referee help COMMAND` shows the text; packages install it as manual pages"),
    ("match", RIVALS),
    ("open", PAGE),
    ("prune", "`rm -r RUN` removes the folder of a run; `referee runs` lists the runs"),
    ("run", "`referee play` plays a game, and `referee suite` many"),
    ("score", "`referee show RUN` prints the results of a run"),
    ("stats", "`referee show RUN` prints the results of a run"),
    ("test", "`referee play` plays a game, and `referee suite` many"),
    ("tournament", RIVALS),
    ("view", "`referee replay LOG` shows a game"),
    ("watch", "`referee replay LOG --watch` shows a game move by move"),
    ("--again", "`referee resume RUN --again VERDICT` plays these games again"),
    ("--ascii", "--html FILE makes a page; --watch draws boards with ASCII anyway"),
    ("--boards", "--board SET"),
    ("--bot", "RUN:BOT is one bot of a run, such as latest:./mybot; `play` and `suite` start bots"),
    ("--case", "--board BOARD"),
    ("--cases", "--board FOLDER"),
    ("--colors", "a board set with `colors` in referee.toml, or `referee generate --colors N`"),
    ("--compress", "--logs all.gz"),
    ("--containment", "--config containment=METHOD"),
    ("--cores-per-bot", "--config suite.cores-per-bot=N"),
    ("--fail-below", "--fail-on below=RATIO"),
    ("--fail-on-timeout", "--fail-on timeout"),
    ("--folder", "`cd DIR && referee runs` lists the runs in a folder"),
    ("--host", "`referee doctor` shows what this machine adds to times"),
    ("--jobs", "`referee suite --jobs N` plays N games at a time"),
    ("--live", "`referee report RUN --html FILE --live` follows a run"),
    ("--margin", "--config suite.margin=0.5%"),
    ("--no-limit", UNLIMITED),
    ("--no-limits", UNLIMITED),
    ("--no-run", "--run none"),
    ("--no-timeout", UNLIMITED),
    ("--no-timeouts", UNLIMITED),
    ("--parallel", "`referee suite --jobs N` plays N games at a time"),
    ("--part", SHARDS),
    ("--part-length", SHARDS),
    ("--parts", SHARDS),
    ("--pin", "--config suite.pin=always"),
    ("--rerun", "`referee play --again LOG` plays the game of a log again"),
    ("--resume", "`referee resume RUN` plays the missing games of a run"),
    ("--risk", "--config suite.risk=5%"),
    ("--rounds", "`referee suite --repeat N` plays each game N times"),
    ("--sandbox-read", "--sandbox=FILE"),
    ("--seats", "--config suite.seats=ORDERS"),
    ("--slowest", "--sort slowest"),
    ("--slurm", "`referee submit` submits the games of a suite to Slurm"),
    ("--slurm-max-tasks", "`max-tasks` in [cluster] of referee.toml"),
    (
        "--stderr",
        "-v shows what a bot that succeeds writes to standard error; --outputs, --log and --html keep it",
    ),
    ("--stdin", "--export input > FILE"),
    ("--time", TIMES),
    ("--time-limit", TIMES),
    ("--timeout", TIMES),
    ("--turn-input", "--export input:TURN"),
    ("--unlimited", UNLIMITED),
    ("--until-decided", "--against BOT, the second of two bots"),
    ("--wait", "`squeue` shows the jobs that `referee submit` printed"),
    ("--worst", "--sort worst"),
];
const PAGE: &str = "`referee report RUN --html FILE` makes a page of a run, and `replay LOG --html FILE` of a game";
const RIVALS: &str =
    "`referee suite` plays bots against each other, and `referee ratings` ranks them";
const SHARDS: &str =
    "--shard K/N plays a machine's share, and `referee merge` makes one run of all";
const TIMES: &str = "--turn limits a turn, and --total a whole game";
const TIMING: &str = "`referee timing` measures how long a bot takes";
const UNLIMITED: &str = "--profile unlimited";

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

/// Adds what to write instead of an unknown command or flag that is in the table. Of others clap names the most similar.
pub(super) fn add_hint(mut error: clap::Error) -> clap::Error {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return error,
    };
    let known = INSTEAD.iter().find(|(word, _)| {
        matches!(error.get(kind), Some(ContextValue::String(unknown)) if unknown == word)
    });
    if let Some((_, instead)) = known {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*instead).into()]));
    }
    error
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
    } else if is_run(&word) {
        format!(
            "it is a run: `referee show {quoted}` shows its games and their times, and --bot CMD plays a bot"
        )
    } else if inputs::game(Some(&word)).is_ok() {
        format!("name the game with --game {quoted}")
    } else {
        format!("name a bot with --bot {quoted}, or a board with --board {quoted}")
    };
    refuse(format!("unexpected argument `{word}`; {flag}"))
}

/// Refuses a line after this `flag` that needs a shell, or that looks like a misspelt name of one of the project's
/// bots. `words` is the line after splitting.
pub(super) fn refuse_mistakes(
    flag: &str,
    config: &Config,
    line: &str,
    words: &[OsString],
    cwd: Option<&Path>,
) -> Result<(), Failure> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let hint = words.and_then(|words| {
        let program = *words.first()?;
        let syntax = ShellSyntax::find(line, &words)
            .map(|found| format!("{}; write {flag} {}", found.problem, shell_word(&found.instead)));
        syntax
            .or_else(|| blank_in_path(flag, line, program, cwd))
            .or_else(|| source(flag, config, &words, cwd))
            .or_else(|| here(flag, config, line, program, cwd))
            .or_else(|| misspelt(config, &words))
    });
    hint.map_or(Ok(()), |hint| refuse(format!("{flag}: {hint}")))
}

/// A file whose path was split at its blanks.
fn blank_in_path(flag: &str, line: &str, program: &str, cwd: Option<&Path>) -> Option<String> {
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
    Some(format!("the line is split at blanks; write {flag} {}", shell_word(&whole)))
}

/// A source file that no project bot is built from, and that cannot run as it is.
fn source(flag: &str, config: &Config, words: &[&str], cwd: Option<&Path>) -> Option<String> {
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
                "`{program}` is not executable; `chmod +x {path}`, or write {flag} '{interpreter} {path}'"
            )
        }
        Some(interpreter) => {
            let line = shell_word(&format!("{interpreter} {}", shell_word(program)));
            format!("`{program}` is {language} source; write {flag} {line}")
        }
        None => format!(
            "`{program}` is {language} source: compile it and name the program; `referee new` begins a bot that is compiled \
             before its games"
        ),
    })
}

/// What starts a source file that cannot run as it is.
pub(super) fn interpreter(words: &[OsString], cwd: Option<&Path>) -> Option<OsString> {
    let [program] = words else { return None };
    let file = at(program.to_str()?, cwd);
    let ending = file.extension()?.to_str()?;
    let (.., interpreter) = SOURCES.iter().find(|(known, ..)| *known == ending)?;
    interpreter.filter(|_| file.is_file() && !is_program(&file)).map(OsString::from)
}

/// Whether a file begins with `#!`.
fn begins_with_interpreter(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|text| text.starts_with(b"#!"))
}

/// A program in the working directory without `./` before it, which is looked up in `PATH` alone.
fn here(
    flag: &str,
    config: &Config,
    line: &str,
    program: &str,
    cwd: Option<&Path>,
) -> Option<String> {
    let is_here = !is_path(program)
        && !program.starts_with('@')
        && !config.project.bots.contains_key(program)
        && !is_in_path(program)
        && is_program(&at(program, cwd));
    let line = line.trim_start();
    (is_here && line.starts_with(program)).then(|| {
        let meant = shell_word(&format!("./{line}"));
        format!("no program `{program}` in PATH; for the one in this folder write {flag} {meant}")
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

/// A path as seen from a bot's folder.
pub(super) fn at(path: &str, cwd: Option<&Path>) -> PathBuf {
    cwd.map_or_else(|| path.into(), |cwd| cwd.join(path))
}

/// A path as one word of a command to paste.
pub(super) fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
