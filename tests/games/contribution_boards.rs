//! The contribution's own 50 test files, on machines that have them.

use support::prelude::*;

#[test]
fn greedy_plays_the_50_codingame_boards_to_a_natural_end_and_their_replays_agree() {
    let Some(shared) = shared_data("the 50 CodinGame boards") else {
        return;
    };
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    for number in 1..=50 {
        let board = shared.join(format!("samegame/codingame/test{number}.json"));
        let output = referee()
            .play(["--format", "json", "--bot", "@greedy", "--board"])
            .arg(&board)
            .arg("--log")
            .arg(&log)
            .patient()
            .run();
        let played = output.json();
        assert_eq!(played["verdict"], "completed", "{}: {played}", board.display());
        assert_eq!(output.status.code(), Some(0));

        let output = referee().args(["replay", "--format", "json"]).arg(&log).run();
        let replayed = output.json();
        assert_eq!(replayed["agrees"], true, "{}: {replayed}", board.display());
        assert_eq!(replayed["score"], played["score"]);
        assert_eq!(replayed["summary"], played["summary"]);
        assert_eq!(output.status.code(), Some(0));
    }
}
