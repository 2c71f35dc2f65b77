//! A game in other forms: as text, and as the bytes sent to its bot.

use referee::gamelog;
use support::prelude::*;

#[test]
fn a_transcript_has_all_that_was_sent_and_answered() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let script = "for turn in 1 2; do for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do read -r line; done; \
                  echo \"seen $turn\" >&2; echo \"0 0 turn $turn\"; done; exit 3";
    let bot = ["--board", "@clearable", "--", "sh", "-c", script];
    referee().play(PATIENT).arg("--log").arg(&log).args(bot).run();
    let text = referee().args(["replay", "--export", "transcript"]).arg(&log).run().exits(0).out();
    insta::with_settings!({filters => vec![(r"[0-9.]+ (µs|ms|s)\b", "[time]")]}, {
        insta::assert_snapshot!("transcript", text);
    });
}

#[test]
fn a_bot_that_is_fed_what_the_other_was_sent_says_the_same() {
    for (game, bot) in [("samegame", "greedy"), ("square-remover", "squares-greedy")] {
        let folder = tempdir().expect("a folder");
        let (log, stdin) = (folder.path().join("game.jsonl"), folder.path().join("stdin.txt"));
        referee().play(["--profile", "unlimited", "--game", game, "--log"]).arg(&log).run();
        let sent = fs::File::create(&stdin).expect("made");
        assert_code(&referee().replay(&log).args(["--export", "input"]).stdout(sent).run(), 0);
        let fed = fs::File::open(&stdin).expect("written");
        let output = referee().args(["bot", bot]).stdin(Stdio::from(fed)).run();
        let log = gamelog::read(&fs::read(log).expect("a log")).expect("a good log");
        let replies: Vec<u8> = log.turns.iter().flat_map(|turn| turn.reply.0.clone()).collect();
        assert_eq!(output.stdout, replies, "{game}");
    }
}
