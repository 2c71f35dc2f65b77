//! Bots that hold up the referee in the kernel, where not even SIGKILL reaches it: while a write to a pipe waits for a
//! page of the writer's, a read of that pipe waits for the write.

use crate::contain::attacks::{play, play_until_said};
use support::prelude::*;
use support::yardstick::beside_a_yardstick;

/// The time for a game of seconds. These bots would hold it up for minutes, most of them; some for ever.
const SOON: Duration = Duration::from_mins(2);

/// How much later than its limit a verdict may come, unless the host is busy: then it is played again.
const LATE: Duration = Duration::from_millis(1500);

/// A limit for a bot's start.
const START: [&str; 2] = ["--first-turn", "60s"];

/// Pages that are punched out of a file in memory, which any bot can do. How long it holds depends on luck.
pub(crate) const PUNCHED: &str = include_str!("../data/punching-a-page.py");

/// A page of the bot's own file system, which never comes; only a bot in a namespace can mount one.
pub(crate) const SERVED: &str = "served";

/// The Python of these bots, where they are possible.
pub(crate) fn python() -> Option<&'static str> {
    let test = "bots that hold up the referee in the kernel";
    let [python] = need(test, ["python3"])?;
    stalling_file_system(test).map(|_| python)
}

/// A bot that writes to its standard output or standard error, 1 or 2, from such a page.
fn bot(python: &str, program: &str, output: &str) -> String {
    let served =
        (program == SERVED).then(|| stalling_file_system("file systems of bots")).flatten();
    let program = served.as_deref().unwrap_or(program);
    shlex::try_join([python, "-c", program, output]).expect("no NUL")
}

/// Plays bots that hold up readers of their output, in their second turn.
pub(crate) fn holding_a_pipe_holds_up_no_verdict(
    python: &str,
    user: User,
    method: &str,
    more: &[&str],
    program: &str,
) {
    for output in ["1", "2"] {
        let bot = bot(python, program, output);
        let more = [&START, more].concat();
        let play = || {
            let mark = Mark::new();
            let played = play_until_said(user, method, &mark, &bot, "armed", &more);
            mark.wait_for(0);
            played
        };
        let is_disturbed =
            |((result, _), is_busy): &(_, bool)| *is_busy && lateness(result) >= LATE;
        let ((result, took), _) = undisturbed(is_disturbed, || beside_a_yardstick(play));
        let what = format!("{method} {user:?} {more:?} {output}: {took:?} {result}");
        assert!(result["stderr_tail"].to_string().contains("armed"), "{what}");
        // What comes of a page before it goes is a line of zeroes.
        let verdict = result["verdict"].as_str().expect("a verdict");
        assert!(matches!(verdict, "timeout" | "line_too_long"), "{what}");
        assert!(lateness(&result) < bound(LATE), "{what}");
        assert!(took < bound(SOON), "{what}");
    }
}

/// How much later than its limit the second turn's verdict came.
fn lateness(result: &Value) -> Duration {
    let turn = &result["timing"]["exchanges"][1];
    let time = |time| turn[time].as_f64().unwrap_or_else(|| panic!("no second turn: {result}"));
    Duration::from_secs_f64((time("wall_ms") - time("limit_ms")).max(0.0) / 1e3)
}

#[test]
fn a_bot_that_holds_its_pipe_in_the_kernel_holds_up_no_verdict() {
    let Some(python) = python() else { return };
    for user in USERS {
        holding_a_pipe_holds_up_no_verdict(python, user, "namespace", &[], SERVED);
    }
}

/// Plays a bot that serves a file system of its own where Landlock, or a sandbox's filter, forbids every mount.
pub(crate) fn no_file_system_is_mounted(python: &str, user: User, method: &str, more: &[&str]) {
    let more = [&PATIENT, more].concat();
    let result = play(user, method, &Mark::new(), &bot(python, SERVED, "1"), &more);
    let what = format!("{method} {user:?} {more:?}: {result}");
    assert_eq!(result["verdict"], "crash", "{what}");
    let said = result["stderr_tail"].to_string();
    assert!(said.contains("] mount") || said.contains("] unshare"), "{what}");
}
