//! A game of four turns on engine 4.7, whose limits of 50 ms are sent with 50 ms of grace. The third late reply loses the game,
//! and so does the reply `bad`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::codingame::{block, exit_code};

pub(crate) fn run() -> ExitCode {
    exit_code(play())
}

fn play() -> io::Result<()> {
    let mut lines = io::stdin().lines();
    let mut reply_to = |command: &str| -> io::Result<Vec<String>> {
        let missing = || io::Error::other("the host has ended");
        let header = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(command)));
        let header = header.ok_or_else(missing)??;
        let count =
            header.trim_end_matches(']').rsplit(' ').next().and_then(|count| count.parse().ok());
        lines.by_ref().take(count.ok_or_else(missing)?).collect()
    };
    let mut late = 0;
    for _ in 0..4 {
        reply_to("GET_GAME_INFO")?;
        let info = block("NEXT_PLAYER_INFO", &["0", "1", "100"]);
        send(&(block("MONITORING", &[]) + &block("NEXT_PLAYER_INPUT", &["go"]) + &info))?;
        let output = reply_to("SET_PLAYER_OUTPUT")?;
        late += u32::from(output[0].parse().is_ok_and(|elapsed: u32| elapsed > 50));
        if late > 2 {
            return end("0 0", "You dawdle.");
        }
        if output[1] == "bad" {
            return end("0 0", "What a move.");
        }
    }
    end("0 1", "Done.")
}

fn end(score: &str, words: &str) -> io::Result<()> {
    let metadata = block("METADATA", &[r#"{"Points":"7"}"#]);
    send(&(block("INFOS", &[words]) + &metadata + &block("SCORES", &[score])))
}

fn send(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())?;
    io::stdout().flush()
}
