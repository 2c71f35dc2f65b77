//! Why a program never ran that another one was to start: `env`, shells and loaders end with status 126 or 127 then, and
//! programs that build or fetch it with others. And what a program may have lacked in its sandbox.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use contain::bot::{BotCommand, Confinement, ContainmentMethod};
use results::gamelog::Turn;
use terms::text::{shell_word, without_byte_order_mark};
use terms::verdict::{BotExit, NoReply, SIGSYS};

/// Why the program of a bot that ended in its first turn never ran, if its exit status says that, or what it may have lacked.
pub(super) fn never_ran(turn: &Turn, is_first: bool, command: &BotCommand) -> Option<String> {
    let NoReply::Ended(exit) = turn.no_reply? else { return None };
    match exit {
        BotExit::Signal(SIGSYS) | BotExit::Code(SHELL_SIGSYS) if has_filter(command) => {
            Some(OTHER_CALLS.to_owned())
        }
        BotExit::Code(status) if is_first && status != 0 => {
            let script = if let 126 | 127 = status { carriage_return(command) } else { None };
            script.or_else(|| command.confinement.sandbox.as_ref().map(|_| IN_SANDBOX.to_owned()))
        }
        _ => None,
    }
}

/// What a bot in a sandbox may have lacked.
const IN_SANDBOX: &str = "its sandbox shows only the system and what its command names, and lets it write only to TMPDIR; \
     `--sandbox=PATH` shows more";

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

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;
    use contain::bot::Sandbox;
    use std::path::PathBuf;

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
    fn a_bot_that_fails_at_once_learns_what_its_sandbox_shows() {
        let mut command = made::command("python3");
        assert_eq!(said(&command, 1, 1), None, "no sandbox");
        command.confinement.sandbox = Some(Sandbox::new(&[] as &[PathBuf]).expect("a sandbox"));
        for status in [1, 101, 126, 127] {
            assert_eq!(said(&command, 1, status).as_deref(), Some(IN_SANDBOX));
        }
        assert_eq!((said(&command, 1, 0), said(&command, 2, 1)), (None, None), "it has run");
    }
}
