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
            .or_else(|| kept_from(command, stderr)),
        BotExit::Code(0) => None,
        _ => kept_from(command, stderr),
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

/// Names what a sandbox keeps from a bot: a folder of its command that is not shown as a whole, or what its last words point to.
fn kept_from(command: &BotCommand, stderr: &[u8]) -> Option<String> {
    const WORDS: [&str; 7] = [
        "No such file",
        "No module named",
        "ot found",
        "annot find",
        "annot open",
        "ermission denied",
        "Read-only",
    ];
    command.confinement.sandbox.as_ref()?;
    if let Some(folder) = command.withheld().first() {
        let here = std::env::current_dir().unwrap_or_default();
        let folder =
            folder.strip_prefix(here).ok().filter(|it| *it != Path::new("")).unwrap_or(folder);
        let folder = shell_word(&folder.to_string_lossy());
        return Some(format!(
            "its sandbox does not show {folder} as a whole: cases, a judge, runs, settings or other things of yours may be there; \
             give the bot a folder of its own, or show it all with `--sandbox={folder}`"
        ));
    }
    let text = String::from_utf8_lossy(stderr);
    WORDS.iter().any(|words| text.contains(words)).then(|| {
        "its sandbox shows only the system and what its command names, and lets it write only to TMPDIR"
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
    fn what_a_sandbox_keeps_from_a_bot_is_named() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().canonicalize().expect("it is there");
        std::fs::write(folder.join("bot.py"), "").expect("room");
        let said = |command: &BotCommand, stderr: &str| {
            let no_reply = Some(NoReply::Ended(BotExit::Code(1)));
            let stderr = Bytes(stderr.into());
            never_ran(&Turn { turn: 1, no_reply, stderr, ..made::turn() }, true, command)
        };
        let mut command = made::command("python3");
        (command.cwd, command.args) = (Some(folder.clone()), vec!["bot.py".into()]);
        assert_eq!(said(&command, "Read-only file system (os error 30)"), None, "no sandbox");
        let sandbox = Sandbox::new(&[] as &[PathBuf]).expect("a sandbox");
        command.confinement.sandbox = Some(sandbox.withhold([folder]));
        for (words, is_explained) in [
            ("ModuleNotFoundError: No module named 'helper'\n", true),
            ("Error: Cannot find module './helper'\n", true),
            ("cannot open weights.bin.\n", true),
            ("open in/1.txt: Permission denied\n", true),
            ("Caused by:\n  Read-only file system (os error 30)\n", true),
            ("bot.py: error in line 3\n", false),
            ("OSError: [Errno 101] Network is unreachable", false),
        ] {
            let advice = said(&command, words);
            assert_eq!(
                advice.is_some_and(|it| it.contains("its sandbox shows only")),
                is_explained,
                "{words}"
            );
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
