//! Runs other programs of this machine, such as git, builds and Slurm's, which may take long or never exit.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::process::{Child, Command, ExitStatus, Output};
use std::time::Duration;

use contain::cancel::prepare_signals;
use tempfile::tempfile;
use wait_timeout::ChildExt as _;

/// Runs a program until it exits. Calls `when_late` each time that this takes another `limit`. Nobody drains its pipes.
pub(crate) fn run(
    command: &mut Command,
    limit: Duration,
    mut when_late: impl FnMut(&mut Child),
) -> io::Result<ExitStatus> {
    // The first wait has a handler for SIGCHLD installed, which calls the one before it, and would crash if the signal was ignored.
    prepare_signals();
    let mut child = command.spawn()?;
    loop {
        match child.wait_timeout(limit)? {
            Some(status) => return Ok(status),
            None => when_late(&mut child),
        }
    }
}

/// The same with its output, which goes to files: a program that it leaves behind could keep a pipe open. An error of the kind
/// `NotFound` means that there is no such program.
pub(crate) fn output(
    command: &mut Command,
    limit: Duration,
    when_late: impl FnMut(&mut Child),
) -> io::Result<Output> {
    let stdout = tempfile().map_err(io::Error::other)?;
    let stderr = tempfile().map_err(io::Error::other)?;
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let status = run(command, limit, when_late)?;
    Ok(Output { status, stdout: content(stdout)?, stderr: content(stderr)? })
}

/// Reads a file that another process has written.
pub(crate) fn content(mut file: File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_mins(5);

    fn sh(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_program_that_does_not_exit_can_be_killed() {
        let (started, mut count) = (Instant::now(), 0);
        let status = run(&mut sh("exec sleep 1000"), Duration::from_millis(20), |child| {
            count += 1;
            if count == 3 {
                child.kill().expect("a child");
            }
        });
        assert_eq!(status.expect("a status").code(), None);
        assert!(count >= 3 && started.elapsed() < LONG);
    }

    #[test]
    fn a_program_that_leaves_another_one_behind_is_not_waited_for_longer() {
        let output = output(&mut sh("sleep 1000 & echo $!; echo why >&2; exit 3"), LONG, |_| {
            panic!("it exits at once");
        });
        let output = output.expect("a shell");
        let left = String::from_utf8(output.stdout).expect("a number");
        assert!(sh(&format!("kill {left}")).status().expect("runs").success());
        assert_eq!((output.status.code(), output.stderr), (Some(3), b"why\n".to_vec()));
    }

    #[test]
    fn a_program_that_prints_more_than_a_pipe_holds_exits() {
        let printed =
            output(&mut sh("yes | head -c 300000; yes | head -c 300001 >&2"), LONG, |_| {
                panic!("it exits at once");
            });
        let printed = printed.expect("a shell");
        assert_eq!((printed.stdout.len(), printed.stderr.len()), (300_000, 300_001));
    }

    #[test]
    fn a_program_that_is_missing_is_not_found() {
        let missing = output(&mut Command::new("/none/git"), LONG, |_| ());
        assert_eq!(missing.expect_err("missing").kind(), io::ErrorKind::NotFound);
    }
}
