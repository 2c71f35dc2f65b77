//! Why a program never ran that another one was to start: `env`, shells and loaders end with status 126 or 127 then, and
//! programs that build or fetch it with others. And what a program lacked that its sandbox does not show.

use std::env::{split_paths, var_os};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use contain::bot::{BotCommand, Confinement, ContainmentMethod};
use results::gamelog::Turn;
use terms::path::folder_of;
use terms::text::{shell_word, without_byte_order_mark};
use terms::verdict::{BotExit, NoReply, SIGSYS};

/// Why the program of a bot that ended in its first turn never ran, if its exit status says that, or what it may have lacked.
pub(super) fn never_ran(turn: &Turn, is_first: bool, command: &BotCommand) -> Option<String> {
    let Some(NoReply::Ended(exit)) = turn.no_reply else { return None };
    let stderr = &turn.stderr.0;
    match exit {
        BotExit::Signal(SIGSYS) | BotExit::Code(SHELL_SIGSYS) if has_filter(command) => {
            Some(OTHER_CALLS.to_owned())
        }
        _ if !is_first => None,
        BotExit::Code(126 | 127) => carriage_return(command)
            .or_else(|| outside_sandbox(command))
            .or_else(|| unseen(command, stderr)),
        BotExit::Code(0) => None,
        _ => unseen(command, stderr).or_else(|| cannot_write(command, stderr)),
    }
}

/// The status of a shell whose program was killed by SIGSYS.
const SHELL_SIGSYS: i32 = 128 + SIGSYS;

/// The reason for SIGSYS.
const OTHER_CALLS: &str = "it called the kernel as a 32-bit program does, and the filter of `--containment seccomp` and of `--sandbox` \
     knows only the calls of 64 bits: build it for 64 bits, or play with `--containment namespace` and without `--sandbox`";

fn has_filter(command: &BotCommand) -> bool {
    let Confinement { method, sandbox, .. } = &command.confinement;
    sandbox.is_some() || *method == ContainmentMethod::Seccomp
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
    let line = without_byte_order_mark(line);
    line.starts_with("#!").then_some(line)
}

/// The way to let a bot in a sandbox read what its interpreter needs.
fn outside_sandbox(command: &BotCommand) -> Option<String> {
    let sandbox = command.confinement.sandbox.as_ref()?;
    let folder = installation(command).filter(|folder| !sandbox.has(folder))?;
    let folder = shell_word(&folder.to_string_lossy());
    Some(format!(
        "in its sandbox it sees the system, but not all of an installation in a home; `--sandbox={folder}` \
         lets it read that"
    ))
}

/// Names what a bot in a sandbox lacked: a folder of its command that is not shown as a whole, or a file that its last words
/// name.
fn unseen(command: &BotCommand, stderr: &[u8]) -> Option<String> {
    command.confinement.sandbox.as_ref()?;
    if let Some(folder) = command.withheld().first() {
        let folder = from_here(folder);
        return Some(format!(
            "its sandbox does not show {folder} as a whole: cases, a judge, runs, settings or other things of yours may be there; \
             give the bot a folder of its own, or show it all with `--sandbox={folder}`"
        ));
    }
    let text = String::from_utf8_lossy(stderr);
    let mut files = last_words(&text).filter_map(|word| found(command, word));
    let file = from_here(&files.find(|file| !command.sees(file))?);
    Some(format!("its sandbox does not show {file}; add `--sandbox={file}`"))
}

/// The words of a text that may name files: in quotes, or with a dot or a slash.
fn last_words(text: &str) -> impl Iterator<Item = &str> {
    const MAX_WORDS: usize = 1000;
    let quoted = text.lines().flat_map(|line| line.split(['\'', '"', '`']).skip(1).step_by(2));
    let plain = text.split(|it: char| it.is_whitespace() || "'\"`:;,()[]<>".contains(it));
    let plain = plain.map(|word| word.trim_end_matches('.'));
    let plain = plain.filter(|word| word.contains(['.', '/']));
    quoted.chain(plain).filter(|word| !word.is_empty()).take(MAX_WORDS)
}

/// The file or folder of this name, with or without its ending, where the bot may look for it: in its working directory, or
/// next to a file that its command names.
fn found(command: &BotCommand, word: &str) -> Option<PathBuf> {
    let cwd = command.cwd.clone().or_else(|| std::env::current_dir().ok())?;
    let words = [&command.program].into_iter().chain(&command.args).map(|word| cwd.join(word));
    let files: Vec<_> = words.filter(|path| path.is_file()).collect();
    let mut folders = files.iter().filter_map(|file| file.parent()).chain([&*cwd]);
    folders.find_map(|folder| {
        let wanted = folder.join(word);
        let is_wanted = |entry: &PathBuf| {
            let name = wanted.file_name();
            name.is_some() && (entry.file_name() == name || entry.file_stem() == name)
        };
        let entries = wanted.parent()?.read_dir().ok()?;
        let is_below = |entry: &PathBuf| !cwd.starts_with(entry);
        entries.flatten().map(|entry| entry.path()).find(|it| is_wanted(it) && is_below(it))
    })
}

/// A path as a word of a shell, relative to the working folder if it is there.
fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path =
        path.strip_prefix(here).ok().filter(|path| path.file_name().is_some()).unwrap_or(path);
    shell_word(&path.to_string_lossy())
}

/// Names the sandbox of a bot whose last words are that its file system is read-only, such as `cargo run`, which writes into its cache.
/// That something is not permitted says less: it may be about reading.
fn cannot_write(command: &BotCommand, stderr: &[u8]) -> Option<String> {
    const WORDS: [&str; 2] = ["Read-only file system", "(os error 30)"];
    command.confinement.sandbox.as_ref()?;
    let text = String::from_utf8_lossy(stderr);
    WORDS.iter().any(|words| text.contains(words)).then(|| {
        "in its sandbox it can write only to its scratch folder (TMPDIR); if it is built when it starts, as by `cargo run`, name \
         the built program instead (`build` in the settings builds it)"
            .to_owned()
    })
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
    Some(if is_programs { folder_of(&programs).to_owned() } else { programs })
}

fn is_env(word: &str) -> bool {
    word.ends_with("/env") || word.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;
    use contain::bot::Sandbox;
    use results::gamelog::Bytes;

    /// Says why a bot of this status never ran.
    fn said(command: &BotCommand, number: u32, status: i32) -> Option<String> {
        let no_reply = Some(NoReply::Ended(BotExit::Code(status)));
        never_ran(&Turn { turn: number, no_reply, ..made::turn() }, number == 1, command)
    }

    #[test]
    fn a_script_with_carriage_returns_is_named_where_one_cannot_have_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let command = |text: &str| {
            std::fs::write(folder.path().join("bot"), text).expect("room");
            BotCommand { cwd: Some(folder.path().to_owned()), ..made::command("./bot") }
        };
        let wrong = command("#!/bin/sh\r\necho 0 0\r\n");
        let expected = "the first line of ./bot ends in CR LF, and the CR counts as part of the interpreter's name; \
                        `sed -i 's/\\r$//' ./bot` makes the line ends LF";
        for status in [126, 127] {
            assert_eq!(said(&wrong, 1, status).as_deref(), Some(expected));
        }
        assert_eq!((said(&wrong, 2, 127), said(&wrong, 1, 1)), (None, None), "it has run");
        let by_shell = BotCommand { args: vec!["./bot".into()], program: "sh".into(), ..wrong };
        assert_eq!(said(&by_shell, 1, 127).as_deref(), Some(expected));
        for right in ["#!/bin/sh\necho 0 0\r\n", "echo 0 0\r\n", "#!/bin/sh\r"] {
            assert_eq!(said(&command(right), 1, 127), None, "{right:?}");
        }
    }

    #[test]
    fn a_bot_that_may_not_write_in_its_sandbox_is_told_so() {
        let words = "error: failed to open: /x/.cargo-lock\n\nCaused by:\n  Read-only file system (os error 30)\n";
        let said = |command: &BotCommand, stderr: &str| {
            let no_reply = Some(NoReply::Ended(BotExit::Code(101)));
            let stderr = Bytes(stderr.into());
            never_ran(&Turn { turn: 1, no_reply, stderr, ..made::turn() }, true, command)
        };
        let mut command = made::command("cargo");
        assert_eq!(said(&command, words), None, "it has no sandbox");
        command.confinement.sandbox = Some(Sandbox::new(&[] as &[PathBuf]).expect("a sandbox"));
        let advice = said(&command, words).expect("advice");
        assert!(advice.starts_with("in its sandbox it can write"), "{advice}");
        for unknown in [
            "error: no such command",
            "PermissionError: [Errno 13] Permission denied: '/etc/shadow'",
            "OSError: [Errno 101] Network is unreachable",
        ] {
            assert_eq!(said(&command, unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_file_that_a_sandbox_does_not_show_is_named() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(folder.join("in")).expect("room");
        for name in ["bot.py", "helper.py", "weights.bin", "in/1.txt"] {
            std::fs::write(folder.join(name), "").expect("room");
        }
        let mut command = made::command("python3");
        (command.cwd, command.args) = (Some(folder.clone()), vec!["bot.py".into()]);
        let sandbox = Sandbox::new(&[] as &[PathBuf]).expect("a sandbox");
        command.confinement.sandbox = Some(sandbox.withhold([folder.clone()]));
        let said = |command: &BotCommand, stderr: &str| {
            let no_reply = Some(NoReply::Ended(BotExit::Code(1)));
            let stderr = Bytes(stderr.into());
            never_ran(&Turn { turn: 1, no_reply, stderr, ..made::turn() }, true, command)
        };
        let shown = |name: &str| shell_word(&folder.join(name).to_string_lossy());
        for (words, file) in [
            ("ModuleNotFoundError: No module named 'helper'\n", "helper.py"),
            ("Error: Cannot find module './helper'\n", "helper.py"),
            ("cannot open weights.bin.\n", "weights.bin"),
            ("open in/1.txt: Permission denied\n", "in/1.txt"),
        ] {
            let advice = said(&command, words).expect("advice");
            assert!(advice.ends_with(&format!("; add `--sandbox={}`", shown(file))), "{advice}");
        }
        for words in ["bot.py: error in line 3\n", "helper\n", ""] {
            assert_eq!(said(&command, words), None, "{words}");
        }
        command.args.push(".".into());
        let advice = said(&command, "").expect("advice");
        assert!(advice.starts_with("its sandbox does not show "), "{advice}");
    }

    #[test]
    fn an_installation_that_a_sandbox_hides_is_named() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path();
        for folder in ["of/bin", "plain"] {
            std::fs::create_dir_all(home.join(folder)).expect("room");
            std::fs::write(home.join(folder).join("python9"), "").expect("room");
        }
        std::fs::write(home.join("bot"), "#!/usr/bin/env -S python9 -u\n").expect("room");
        let advice = |path: &str, readable: &[PathBuf]| {
            let mut command = made::command("./bot");
            command.cwd = Some(home.to_owned());
            command.env.insert("PATH".into(), home.join(path).into());
            assert_eq!(said(&command, 1, 127), None, "it has no sandbox");
            command.confinement.sandbox = Some(Sandbox::new(readable).expect("folders"));
            let said = said(&command, 1, 127)?;
            let (_, advice) = said.split_once("`--sandbox=").expect("the flag");
            advice.strip_suffix("` lets it read that").map(str::to_owned)
        };
        let shown = |folder: &str| shell_word(&home.join(folder).to_string_lossy());
        assert_eq!(
            advice("of/bin", &[]),
            Some(shown("of")),
            "the installation has its programs in bin"
        );
        assert_eq!(advice("plain", &[]), Some(shown("plain")));
        assert_eq!(advice("none", &[]), None, "it is not found");
        assert_eq!(advice("of/bin", &[home.join("of")]), None, "the bot sees it");
    }
}
