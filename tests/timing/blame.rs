//! Bots that are late by no fault of theirs. The table of docs/timing.md is made by `scripts/ordinary.py`.

use tempfile::NamedTempFile;

use crate::turns::Hogs;
use support::prelude::*;

const RULES: [&str; 6] = ["--format", "json", "--first-turn", "60s", "--on-host-delay", "accept"];

/// Boards that are cleared in two and in four moves at the bottom left, by one of their rows.
const TWO_MOVES: &str = "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1\n";
const FOUR_MOVES: &str = "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3\n";

/// Computes for some milliseconds in each turn but the first: in its first thread, in another one, or in a child.
const BOT: &str = "import os, sys, threading, time\n\
    def compute():\n\
    \x20   end = time.thread_time() + float(sys.argv[2]) / 1000\n\
    \x20   while time.thread_time() < end: pass\n\
    def thread():\n\
    \x20   worker = threading.Thread(target=compute)\n\
    \x20   worker.start()\n\
    \x20   worker.join()\n\
    def child():\n\
    \x20   pid = os.fork()\n\
    \x20   if pid == 0:\n\
    \x20       compute()\n\
    \x20       os._exit(0)\n\
    \x20   os.waitpid(pid, 0)\n\
    for turn in range(9):\n\
    \x20   if not all([sys.stdin.readline() for _ in range(15)]): break\n\
    \x20   if turn: {'spin': compute, 'thread': thread, 'child': child}[sys.argv[1]]()\n\
    \x20   print('0 0', flush=True)\n";

/// A file with a board of such rows.
fn board(row: &str) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a file");
    fs::write(file.path(), row.repeat(15)).expect("written");
    file
}

fn bot(python: &str, how: &str, millis: u32) -> String {
    bot_line(&[python, "-c", BOT, how, &millis.to_string()])
}

/// Plays a bot that needs less than half of its time, next to hogs: it is late by the host's fault.
fn is_excused_beside_hogs(python: &str, how: &str) {
    let board = board(FOUR_MOVES);
    let _hogs = Hogs::on_core("0", 6);
    let mut play = Command::new("taskset");
    play.args(["-c", "0", program(), "play", "--turn", "100ms"])
        .args(["--bot", &bot(python, how, 40), "--board"])
        .arg(board.path())
        .args(RULES);
    let result = play.run().json();
    let (bot, host) = overruns(&result);
    // A turn of the bot's own ends the game; with other tests on its core that may happen at last.
    assert!((bot == 0 && host > 0) || host >= 2, "{how}: {result}");
}

#[test]
fn work_beside_hogs_is_excused_wherever_the_bot_does_it() {
    let _alone = crate::alone();
    let Some([python]) = need("work next to hogs", ["python3"]) else { return };
    for how in ["spin", "thread", "child"] {
        is_excused_beside_hogs(python, how);
    }
}

/// Plays a bot that computes for two seconds in its second turn and may take one and a half; its referee is stopped for one.
fn stopped_for_a_second(python: &str) -> Value {
    let (log, board) = (NamedTempFile::new().expect("a file"), board(TWO_MOVES));
    let referee = referee()
        .play(["--bot", &bot(python, "spin", 2000), "--turn", "1500ms", "--log"])
        .arg(log.path())
        .arg("--board")
        .arg(board.path())
        .args(RULES)
        .stdout(Stdio::piped())
        .start();
    let lines = || fs::read_to_string(log.path()).expect("a log").lines().count();
    wait_until("the first turn is over", || lines() >= 2);
    let pid = Pid::from_child(&referee);
    for (signal, pause) in [(Signal::STOP, 1), (Signal::CONT, 0)] {
        // It may have ended on a slow machine.
        let _: Result<(), _> = kill_process(pid, signal);
        sleep(Duration::from_secs(pause));
    }
    referee.wait_with_output().expect("runs").json()
}

#[test]
fn a_machine_that_stands_still_takes_time_from_its_bot() {
    let _alone = crate::alone();
    let Some([python]) = need("a bot that computes", ["python3"]) else { return };
    // To the referee it is the same whether the machine stops or the referee alone.
    let part = |game: &Value, part: &str| {
        game["timing"]["exchanges"][1]["parts"][part].as_f64().unwrap_or_default()
    };
    // No timer of the referee's is late that is stopped between two polls. And what waits for a core of others has none to lose.
    let is_disturbed =
        |game: &Value| part(game, "taken_ms") < 100.0 || part(game, "kept_waiting_ms") > 100.0;
    let game = undisturbed(is_disturbed, || stopped_for_a_second(python));
    assert!(part(&game, "taken_ms") > 800.0, "{game}");
    assert_eq!(overruns(&game), (0, 1), "{game}");
}
