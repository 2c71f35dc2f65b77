//! Bots that want their lateness to be the host's fault, and bots that really are wronged. The tables of
//! docs/timing.md are made by `scripts/blame.py`; here each trick is played a few times, on a machine that other tests
//! keep busy.

use tempfile::NamedTempFile;

use crate::turns::Hogs;
use support::prelude::*;

/// A turn after the first takes 150 ms and may take 100.
const RULES: [&str; 8] =
    ["--format", "json", "--first-turn", "60s", "--turn", "100ms", "--on-host-delay", "accept"];

/// Boards that are cleared in two, in four and in eight moves at the bottom left, by one of their rows.
const TWO_MOVES: &str = "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1\n";
const FOUR_MOVES: &str = "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3\n";
const EIGHT_MOVES: &str = "0 0 1 1 2 2 3 3 4 4 0 0 1 1 2\n";

/// A file with a board of such rows, which every user may read.
fn board(row: &str) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a file");
    fs::write(file.path(), row.repeat(15)).expect("written");
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("its owner");
    file
}

/// A trick, and the method of containment under which it is tried here.
const TRICKS: [(&str, &str); 23] = [
    ("spin", "namespace"),
    ("sleep", "seccomp"),
    ("decoys", "seccomp"),
    ("decoys", "namespace"),
    ("children", "seccomp"),
    ("children", "namespace"),
    ("forgotten", "seccomp"),
    ("orphans", "namespace"),
    ("vfork", "seccomp"),
    ("nice", "seccomp"),
    ("policy", "namespace"),
    ("affinity", "plain"),
    ("helpers", "plain"),
    ("slow_referee", "seccomp"),
    ("late_hogs", "namespace"),
    ("meddle", "seccomp"),
    ("stop", "plain"),
    ("alarm", "namespace"),
    ("timeout", "namespace"),
    ("heir", "seccomp"),
    ("dozing_decoys", "seccomp"),
    ("brief_threads", "namespace"),
    ("late_helper", "seccomp"),
];

fn bot(python: &str, trick: &str, millis: u32) -> String {
    // Passed as an argument, since not every user may read the source tree.
    let source = include_str!("../../example-bots/python/excuses.py");
    bot_line(&[python, "-c", source, trick, &millis.to_string()])
}

fn play(python: &str, user: User, placement: &[&str], method: &str, trick: &str) -> Value {
    let board = board(TWO_MOVES);
    referee_of(user)
        .play(["--containment", method, "--bot", &bot(python, trick, 150)])
        .args(placement)
        .arg("--board")
        .arg(board.path())
        .args(RULES)
        .run()
        .json()
}

/// Whether others want the cores: threads that fill them wait for a tenth of their time.
fn is_busy() -> bool {
    const TIME: Duration = Duration::from_millis(100);
    let waited = || {
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").expect("/proc");
        let nanos = schedstat.split(' ').nth(1).and_then(|nanos| nanos.parse().ok());
        Duration::from_nanos(nanos.expect("a time"))
    };
    let fill = move || {
        let (start, before) = (Instant::now(), waited());
        while start.elapsed() < TIME {}
        waited().saturating_sub(before)
    };
    let cores = std::thread::available_parallelism().expect("known").get();
    let threads: Vec<_> = (0..cores).map(|_| std::thread::spawn(fill)).collect();
    threads.into_iter().any(|thread| thread.join().expect("no panic") > TIME / 10)
}

/// A bot that chooses among all cores, and one that shares a core with the referee, as in a suite.
const PLACEMENTS: [&[&str]; 2] = [&[], &["--pin"]];

/// Plays a trick, which must not work.
fn is_no_excuse(python: &str, user: User, placement: &[&str], method: &str, trick: &str) {
    let is_caught = |game: &Value| game["verdict"] == "timeout" && overruns(game) == (1, 0);
    // Next to programs that want the cores an excuse may be true. And a bot whose helper was given a core at once was not late.
    let is_disturbed = |game: &Value| !is_caught(game) && (overruns(game) == (0, 0) || is_busy());
    let game = undisturbed(is_disturbed, || play(python, user, placement, method, trick));
    assert!(
        is_caught(&game) || is_busy(),
        "{trick} under {method} by {user:?}, {placement:?}: {game}"
    );
}

/// Every second trick, by one user and in one placement each; `heavy` has all tricks by all users.
#[test]
fn no_trick_puts_the_blame_on_the_host() {
    let _alone = crate::alone();
    let Some([python]) = need("tricks to be excused", ["python3"]) else { return };
    let users = [User::Mine, User::Nobody].into_iter().zip(PLACEMENTS).cycle();
    for ((trick, method), (user, placement)) in TRICKS.into_iter().step_by(2).zip(users) {
        is_no_excuse(python, user, placement, method, trick);
    }
}

#[test]
fn hogs_of_an_earlier_game_are_no_excuse() {
    let _alone = crate::alone();
    let Some([python]) = need("hogs of an earlier game", ["python3"]) else { return };
    let (bot, board, mark) = (bot(python, "daemons", 150), board(EIGHT_MOVES), Mark::new());
    let play = || {
        let report = referee()
            .args(["timing", "--containment", "plain", "--games", "2", "--env", mark.env()])
            .args(["--bot", &bot, "--board"])
            .arg(board.path())
            .args(&RULES[..6])
            .run()
            .json();
        // The method of containment leaves them, for 20 s: next to them the next test would be late.
        for &hog in mark.processes().keys() {
            let hog = Pid::from_raw(hog.try_into().expect("a process")).expect("a process");
            let _ = kill_process(hog, Signal::KILL);
        }
        mark.assert_gone();
        report
    };
    // If the hogs were an excuse, all turns of the second game would be the host's fault; a turn of a machine that stands
    // still is one of many.
    let is_the_bots = |report: &Value| {
        let [bot, host] = ["bot_overruns", "host_overruns"]
            .map(|culprit| report["turns"][1][culprit].as_i64().expect("a count"));
        bot > 4 * host
    };
    let report = undisturbed(|report| !is_the_bots(report) && is_busy(), play);
    assert!(is_the_bots(&report), "{report}");
}

#[test]
fn what_is_not_known_of_a_thread_that_has_ended_is_not_called_sleep() {
    let _alone = crate::alone();
    let Some([python]) = need("a thread that has ended", ["python3"]) else { return };
    let board = board(TWO_MOVES);
    for (trick, has_ended) in [("brief_threads", true), ("sleep", false)] {
        // The threads end after 0.82 s, well before the limit.
        let play = || {
            referee()
                .play(["--bot", &bot(python, trick, 1200), "--board"])
                .arg(board.path())
                .args(RULES)
                .args(["--turn", "1s"])
                .run()
                .json()
        };
        let is_known =
            |game: &Value| (game["timing"]["exchanges"][1]["parts"]["ended"] == true) == has_ended;
        // On a machine that is busy they may end later.
        let game = undisturbed(|game| !is_known(game) && is_busy(), play);
        assert!(is_known(&game), "{trick}: {game}");
    }
}

/// Plays a bot that needs less than half of its time, next to hogs: it is late by the host's fault.
fn is_excused_beside_hogs(python: &str, trick: &str) {
    let board = board(FOUR_MOVES);
    let _hogs = Hogs::on_core("0", 6);
    let mut play = Command::new("taskset");
    play.args(["-c", "0", program(), "play"])
        .args(["--bot", &bot(python, trick, 40), "--board"])
        .arg(board.path())
        .args(RULES);
    let result = play.run().json();
    let (bot, host) = overruns(&result);
    // A turn of the bot's own ends the game; with other tests on its core that may happen at last.
    assert!((bot == 0 && host > 0) || host >= 2, "{trick}: {result}");
}

#[test]
fn work_beside_hogs_is_excused_wherever_the_bot_does_it() {
    let _alone = crate::alone();
    let Some([python]) = need("work next to hogs", ["python3"]) else { return };
    for trick in ["spin", "thread", "child"] {
        is_excused_beside_hogs(python, trick);
    }
}

#[test]
fn a_bot_that_makes_its_session_nice_waits_by_its_own_fault() {
    let _alone = crate::alone();
    let Some([python]) = need("a nice session", ["python3"]) else { return };
    if !Path::new("/proc/self/autogroup").exists() {
        return leave_out("a nice session", "the kernel does not divide cores among sessions");
    }
    let (board, _hogs) = (board(FOUR_MOVES), Hogs::on_core("0", 6));
    let mut play = Command::new("taskset");
    play.args(["-c", "0", program(), "play"])
        .args(["--bot", &bot(python, "session", 40), "--board"])
        .arg(board.path())
        .args(RULES);
    let is_own = |game: &Value| game["timing"]["exchanges"][1]["parts"]["own_scheduling"] == true;
    let result = undisturbed(has_host_part, || play.run().json());
    assert!(overruns(&result) == (1, 0) && is_own(&result), "{result}");
}

/// Plays a bot that may take a second and a half for its second turn and takes `millis`. Once that turn has begun,
/// `in the meantime` gets the numbers of the referee and of the bot.
fn play_long_turn(
    python: &str,
    trick: &str,
    millis: u32,
    meanwhile: impl Fn(Pid, &[Pid]),
) -> Value {
    let (log, board) = (NamedTempFile::new().expect("a file"), board(TWO_MOVES));
    let referee = referee()
        .play(["--bot", &bot(python, trick, millis), "--turn", "1500ms", "--log"])
        .arg(log.path())
        .arg("--board")
        .arg(board.path())
        .args(&RULES[..4])
        .args(&RULES[6..])
        .stdout(Stdio::piped())
        .start();
    let bots = || {
        let keeper = keepers(referee.id()).first().copied();
        keeper.map(|keeper| children(keeper.as_raw_pid().cast_unsigned())).unwrap_or_default()
    };
    let lines = || fs::read_to_string(log.path()).expect("a log").lines().count();
    wait_until("the first turn is over", || lines() >= 2);
    meanwhile(Pid::from_child(&referee), &bots());
    referee.wait_with_output().expect("runs").json()
}

/// Stops processes for a while.
fn stop(processes: &[Pid], time: Duration) {
    for (signal, pause) in [(Signal::STOP, time), (Signal::CONT, Duration::ZERO)] {
        for &process in processes {
            // The process may have ended on a slow machine.
            let _: Result<(), _> = kill_process(process, signal);
        }
        sleep(pause);
    }
}

#[test]
fn a_bot_that_somebody_else_stops_is_excused() {
    let _alone = crate::alone();
    let Some([python]) = need("a bot that is stopped", ["python3"]) else { return };
    // Beyond the limit, for less than the second that the referee then waits for a bot that is kept waiting.
    let time = Duration::from_millis(1800);
    let second = |result: &Value| result["timing"]["exchanges"][1].clone();
    // It may have answered before it was stopped.
    let in_time = |result: &Value| second(result)["wall_ms"].as_f64() < Some(1500.0);
    let result =
        undisturbed(in_time, || play_long_turn(python, "spin", 300, |_, bot| stop(bot, time)));
    assert_eq!(overruns(&result).0, 0, "{result}");
    assert!(second(&result)["parts"]["taken_ms"].as_f64() > Some(500.0), "{result}");
}

#[test]
fn a_machine_that_stands_still_takes_time_from_a_bot_that_computes_and_from_no_other() {
    let _alone = crate::alone();
    let Some([python]) = need("a bot that sleeps", ["python3"]) else { return };
    // To the referee it is the same whether the machine stops or the referee alone.
    let stop_referee = |referee, _: &[Pid]| stop(&[referee], Duration::from_secs(1));
    std::thread::scope(|scope| {
        // It takes no time from the other.
        scope.spawn(|| sleep_is_no_excuse(python, stop_referee));
        computing_is_an_excuse(python, stop_referee);
    });
}

fn sleep_is_no_excuse(python: &str, meanwhile: impl Fn(Pid, &[Pid])) {
    let slept = undisturbed(has_host_part, || play_long_turn(python, "sleep", 2000, &meanwhile));
    assert_eq!(overruns(&slept), (1, 0), "{slept}");
    let late = &slept["timing"]["exchanges"][1];
    assert!(late["parts"]["asleep_ms"].as_f64() > Some(1250.0), "{slept}");
}

fn computing_is_an_excuse(python: &str, meanwhile: impl Fn(Pid, &[Pid])) {
    let parts = |game: &Value| game["timing"]["exchanges"][1]["parts"].clone();
    // What waits for a core of others in the meantime has none that could be taken.
    let has_waited = |game: &Value| parts(game)["kept_waiting_ms"].as_f64() > Some(100.0);
    // No timer of the referee's is late that is stopped between two polls.
    let is_unseen = |game: &Value| parts(game)["taken_ms"].as_f64() < Some(100.0);
    let is_disturbed =
        |game: &Value| has_waited(game) || is_unseen(game) || overruns(game).0 > 0 && is_busy();
    let computed = undisturbed(is_disturbed, || play_long_turn(python, "spin", 2000, &meanwhile));
    assert!(parts(&computed)["taken_ms"].as_f64() > Some(800.0), "it computed: {computed}");
    assert!(overruns(&computed).0 == 0 || is_busy(), "{computed}");
}

/// Tricks of every user, in the binary of the tests of times; the first set plays each trick by one user.
mod heavy {
    use super::{PLACEMENTS, TRICKS, is_no_excuse};
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn no_trick_of_any_user_puts_the_blame_on_the_host() {
        let _alone = crate::alone();
        let Some([python]) = need("tricks to be excused", ["python3"]) else { return };
        for (trick, method) in TRICKS {
            for (user, placement) in USERS.into_iter().zip(PLACEMENTS.into_iter().rev().cycle()) {
                is_no_excuse(python, user, placement, method, trick);
            }
        }
    }
}
