//! The referee on a failing machine: no descriptors, no processes, no space, no rights.

use support::prelude::*;

/// The referee under one of the limits that `prlimit` sets.
fn limited(limit: &str, user: User, args: &[&str]) -> Output {
    let referee = referee_of(user);
    let mut command = Command::new("prlimit");
    command.arg(limit).arg("--").arg(referee.get_program()).args(args).env("NO_COLOR", "1");
    if user == User::Nobody && rustix::process::getuid().is_root() {
        as_nobody(&mut command);
    }
    command.output().expect("prlimit, from util-linux")
}

#[test]
fn without_descriptors_there_is_no_game_and_a_clear_error() {
    let mut refused = 0;
    for files in 4..24 {
        let mark = Mark::new();
        let args = ["play", "--env", mark.env(), "--first-turn", "60s", "--turn", "60s"];
        let output = limited(&format!("--nofile={files}"), User::Mine, &args);
        let stderr = output.err();
        match output.status.code() {
            Some(0) => {}
            Some(3) => {
                assert!(
                    stderr.lines().any(|line| line.starts_with("error: ")),
                    "{files}: {stderr}"
                );
                assert!(stderr.contains("Too many open files"), "{files}: {stderr}");
                refused += 1;
            }
            code => panic!("{files}: {code:?}: {stderr}"),
        }
        mark.assert_gone();
    }
    assert!(refused > 3, "{refused}");
}

#[test]
fn without_processes_there_is_no_game_and_a_clear_error() {
    if !rustix::process::getuid().is_root() {
        // The user of the tests has other processes, so a limit on their number would not be exact.
        return leave_out("a host without processes", "it needs a user of its own");
    }
    for means in ["auto", "seccomp", "plain"] {
        let args = ["play", "--containment", means, "--first-turn", "60s", "--turn", "60s"];
        let output = limited("--nproc=1", User::Nobody, &args);
        let stderr = output.err();
        assert_eq!(output.status.code(), Some(3), "{means}: {stderr}");
        assert!(stderr.contains("temporarily unavailable"), "{means}: {stderr}");
    }
}

#[test]
fn a_log_in_a_folder_that_is_not_ours_is_refused() {
    let folder = tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).expect("its owner");
    let log = folder.path().join("game.jsonl");
    let stderr = referee_of(User::Nobody).arg("play").arg("--log").arg(&log).run().exits(2).err();
    assert!(stderr.contains("cannot write the log") && stderr.contains("denied"), "{stderr}");
}

/// Copies it in another process: one that a test next to this one starts in the meantime would hold a file open that this process
/// writes, and no such file can be started.
fn copy_referee(to: &Path) {
    let copied = Command::new("cp").arg(program()).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "no copy at {}", to.display());
}

#[test]
fn a_bot_whose_program_is_deleted_plays_on_and_cannot_start_again() {
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("bot");
    copy_referee(&bot);
    let bot = bot.to_str().expect("UTF-8");
    let play = || {
        let words = ["play", "--format", "json", "--first-turn", "60s", "--turn", "60s", "--"];
        let fault = [bot, "bot", "misbehaving", "shell", &format!("rm {bot}"), "--on-turn", "2"];
        referee().args(words).args(fault).run()
    };
    let output = play();
    assert_eq!(output.json()["verdict"], "completed", "{output:?}");
    let output = play();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.err().contains(&format!("no such file: {bot}")), "{output:?}");
}

#[test]
fn a_bot_whose_program_is_replaced_while_it_runs_plays_on() {
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("bot");
    let other = folder.path().join("other");
    copy_referee(&bot);
    write_program(&other, "#!/bin/sh\nexit 7\n");
    let log = folder.path().join("game.jsonl");
    let game = referee()
        .play(["--format", "json", "--log"])
        .arg(&log)
        .args(PATIENT)
        .arg("--")
        .arg(&bot)
        .args(["bot", "thinker", "--sleep", "20"])
        .stdout(Stdio::piped())
        .start();
    let lines = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    wait_until("a turn is over", || lines() >= 2);
    fs::rename(other, bot).expect("replaced");
    let output = finished(game);
    assert_eq!(output.json()["verdict"], "completed", "{output:?}");
}

#[test]
fn on_an_older_kernel_a_bot_gets_no_descriptor_of_the_referees_either() {
    let bin = program();
    let bot = "test -e /proc/self/fd/7 && exit 9; exit 8";
    let play = format!("exec 7</dev/null; exec '{bin}' play --format json -- sh -c '{bot}'");
    let mut shell = Command::new("sh");
    shell.args(["-c", &play]).stdout(Stdio::piped());
    // Linux before 5.9 does not have it.
    let missing = rustix::io::Errno::NOSYS.raw_os_error().cast_unsigned();
    let child = start_without(libc::SYS_close_range, Vec::new(), missing, shell);
    let output = finished(child);
    let diagnosis = output.json()["diagnosis"].to_string();
    assert!(diagnosis.contains("exited with status 8"), "{output:?}");
}
