//! Why a program never ran that another one was to start: `env`, shells and loaders end with status 126 or 127 then.

use std::env::{split_paths, var_os};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use contain::bot::BotCommand;
use results::gamelog::Turn;
use terms::text::shell_word;
use terms::verdict::{BotExit, NoReply};

/// Why the program of a bot that ended in its first turn never ran, if its exit status says that.
pub(super) fn never_ran(turn: &Turn, command: &BotCommand) -> Option<String> {
    match turn.no_reply {
        Some(NoReply::Ended(BotExit::Code(126 | 127))) if turn.turn == 1 => {
            carriage_return(command).or_else(|| outside_sandbox(command))
        }
        _ => None,
    }
}

/// Names a script whose first line ends in CR LF: the CR becomes a part of the interpreter's name.
fn carriage_return(command: &BotCommand) -> Option<String> {
    let is_wrong =
        |path: &&Path| first_line(command, path).is_some_and(|line| line.ends_with('\r'));
    let path = [&command.program].into_iter().chain(&command.args).map(Path::new).find(is_wrong)?;
    let file = shell_word(&path.to_string_lossy());
    Some(format!(
        "the first line of {file} ends in CR LF, and the CR counts as part of the interpreter's name; \
         `sed -i 's/\\r$//' {file}` makes the line ends LF"
    ))
}

/// The `#!` line of a script.
fn first_line(command: &BotCommand, path: &Path) -> Option<String> {
    const MAX_LINE_BYTES: u64 = 256;
    let path = command.cwd.as_ref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path));
    let file = path.is_file().then(|| File::open(path).ok())??;
    let mut line = Vec::new();
    BufReader::new(file.take(MAX_LINE_BYTES)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(line.strip_suffix(b"\n")?).into_owned();
    line.starts_with("#!").then_some(line)
}

/// The way to let a bot in a sandbox read what its program needs.
fn outside_sandbox(command: &BotCommand) -> Option<String> {
    let sandbox = command.confinement.sandbox.as_ref()?;
    let folder = installation(command).filter(|folder| !sandbox.has(folder));
    let folder =
        folder.map_or_else(|| "DIR".to_owned(), |path| shell_word(&path.to_string_lossy()));
    Some(format!(
        "in its sandbox it sees the system, but not all of an installation in a home; `--sandbox-read {folder}` \
         lets it read that"
    ))
}

/// The installation of the interpreter that a script's first line has `env` look up in `PATH`: the folder around its
/// folder of programs.
fn installation(command: &BotCommand) -> Option<PathBuf> {
    let line = first_line(command, Path::new(&command.program))?;
    let name = line.strip_prefix("#!")?.split_whitespace().find(|word| !is_env(word))?.to_owned();
    let own = command.env.get(OsStr::new("PATH")).cloned();
    let folders = own.or_else(|| var_os("PATH"))?;
    let programs = split_paths(&folders).find(|folder| folder.join(&name).is_file())?;
    let is_programs = ["bin", "shims"].iter().any(|name| programs.ends_with(name));
    if is_programs { programs.parent().map(Path::to_owned) } else { Some(programs) }
}

fn is_env(word: &str) -> bool {
    word.ends_with("/env") || word.starts_with('-')
}
