//! Which processes may answer for a bot of SameGame: its first process, and others as long as that one lives.

use support::prelude::*;

/// Reads a board; a shell gives what it leaves in the background another input than its own.
const READ_BOARD: &str = "exec 3<&0
board() { for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do read -r line <&3 || exit 0; done; }
play_on() { while board; do echo '0 0'; done; }
board
";

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

#[test]
fn a_child_is_not_heard_once_the_end_of_the_bot_was_noticed() {
    let expected = (2, "[ERROR] Timeout!".to_owned());
    for more in [&[][..], &["--containment", "plain"]] {
        assert_eq!(turns_of("echo '0 0'; { sleep 2; play_on; } &", more), expected, "{more:?}");
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
