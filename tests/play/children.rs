//! Which processes may answer for a bot of SameGame: its first process, and others as long as that one lives.

use support::prelude::*;

/// Reads a board; a shell gives what it leaves in the background another input than its own.
const READ_BOARD: &str = "exec 3<&0
board() { for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do read -r line <&3 || exit 0; done; }
play_on() { while board; do echo '0 0'; done; }
board
";

/// Bots whose first process ends while a child plays on, and how many turns they last.
const LEFT: [(&str, u64); 10] = [
    ("echo '0 0'; play_on &", 2),
    ("echo '0 0'; sleep 0.002; play_on &", 2),
    ("echo '0 0'; sleep 0.005; play_on &", 2),
    ("play_on & echo '0 0'", 2),
    ("play_on & sleep 0.002; echo '0 0'", 2),
    ("play_on & sleep 0.005; echo '0 0'", 2),
    ("echo '0 0'; { board; echo '0 0'; } &", 2),
    ("{ echo '0 0'; play_on; } &", 1),
    ("{ sleep 0.002; echo '0 0'; play_on; } &", 1),
    ("{ echo '0 0'; } &", 1),
];

/// How many turns a bot of this script lasts on a board of stripes, where `0 0` is always legal, and its end.
fn turns_of(script: &str, more: &[&str]) -> (u64, String) {
    let folder = tempdir().expect("a folder");
    let board = folder.path().join("board.txt");
    let rows = (0..15).map(|row| format!("{} ", row % 2).repeat(15) + "\n");
    fs::write(&board, rows.collect::<String>()).expect("written");
    let result = referee()
        .play(["--format", "json", "--board"])
        .arg(&board)
        .args(PATIENT)
        .args(more)
        .args(["--", "sh", "-c", &format!("{READ_BOARD}{script}")])
        .run()
        .json();
    let official = result["official"].as_str().expect("text").to_owned();
    (result["turns"].as_u64().expect("a number"), official)
}

/// Plays a bot of [`LEFT`] again and again.
fn is_not_heard((script, turns): (&str, u64), more: &[&str], games: usize) {
    for _ in 0..games {
        let expected = (turns, "[ERROR] Timeout!".to_owned());
        assert_eq!(turns_of(script, more), expected, "{script} {more:?}");
    }
}

/// Whether the kernel shows this user what an exited process has written; otherwise prints what is left out.
fn writers_are_known() -> bool {
    let mut child = Command::new("true").start();
    let file = |name: &str| format!("/proc/{}/{name}", child.id());
    let is_zombie = || fs::read_to_string(file("stat")).expect("/proc").contains(") Z ");
    wait_until("it has exited", is_zombie);
    let is_shown = fs::read(file("io")).is_ok();
    child.wait().expect("a child");
    if !is_shown {
        let why = "the kernel shows only root what an exited process has written";
        leave_out("children that play on when the bot has exited", why);
    }
    is_shown
}

#[test]
fn a_child_that_plays_on_when_the_bot_has_ended_is_not_heard() {
    if !writers_are_known() {
        return;
    }
    for bot in LEFT {
        for more in [&[][..], &["--pin"], &["--containment", "plain"]] {
            is_not_heard(bot, more, 2);
        }
    }
}

#[test]
fn a_child_is_heard_as_long_as_the_bot_waits_for_it() {
    let endgame = (15, "Endgame. Obtained a score of 3535.".to_owned());
    for script in [
        "echo '0 0'; play_on",
        "echo '0 0'; play_on & wait",
        "{ echo '0 0'; play_on; } & wait",
        "(echo '0 0'); (play_on); :",
        "sleep 3600 & echo '0 0'; play_on",
        "echo '0 0'; play_on & while :; do :; done",
    ] {
        for more in [&[][..], &["--containment", "plain"]] {
            assert_eq!(turns_of(script, more), endgame, "{script} {more:?}");
        }
    }
}

/// A child that plays on is heard in no game, whatever else the machine does.
mod heavy {
    use super::{LEFT, is_not_heard, writers_are_known};
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_child_that_plays_on_is_never_heard() {
        if !writers_are_known() {
            return;
        }
        for hogs in [0, 2] {
            let _hogs: Vec<Hog> = (0..hogs).map(|_| Hog::start()).collect();
            let plain = &["--containment", "plain"];
            for more in [&[][..], &["--pin"], &["--sandbox"], &["--pin", "--sandbox"], plain] {
                for bot in LEFT {
                    is_not_heard(bot, more, 12);
                }
            }
        }
    }
}
