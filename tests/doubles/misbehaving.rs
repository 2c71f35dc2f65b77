//! A judge of three questions with one fault, under the protocol `codingame` or `judge`.
//!
//! A question is a number, which a good bot repeats; the score is the sum. Without a fault it is a good judge. A fault happens
//! after the second reply, unless its name ends in `-at-start`.

use std::io::{self, ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::codingame::block;

/// `misbehaving PROTOCOL [FAULT]`
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> ExitCode {
    let is_sdk = match words.next().as_deref() {
        Some("codingame") => true,
        Some("judge") => false,
        other => panic!("no protocol {other:?}"),
    };
    let judge = Judge { is_sdk, fault: words.next().unwrap_or_default() };
    judge.play().unwrap_or_else(|error| {
        // The host keeps the last lines of standard error, which show the fault.
        if !matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) {
            eprintln!("{error}");
        }
        ExitCode::FAILURE
    })
}

struct Judge {
    is_sdk: bool,
    fault: String,
}

impl Judge {
    fn play(&self) -> io::Result<ExitCode> {
        // The test case; the SDK's is behind a header and the number of players, and GET_GAME_INFO follows.
        for _ in 0..if self.is_sdk { 4 } else { 1 } {
            read_line()?;
        }
        let is_at_start = self.fault.ends_with("-at-start");
        if is_at_start && let Some(code) = self.fail()? {
            return Ok(code);
        }
        let (mut score, mut number, mut summary) = (0, 0, Vec::new());
        while number < 3 || self.fault == "endless" {
            if self.fault == "slow" {
                sleep(Duration::from_secs(1));
            }
            self.ask(number, score, &summary)?;
            let reply = self.reply()?;
            if number == 1
                && !is_at_start
                && let Some(code) = self.fail()?
            {
                return Ok(code);
            }
            match reply {
                None if self.fault == "again" => continue,
                None => return self.end("lost", &score.to_string(), "Timeout!", &[]),
                Some(reply) if reply != number.to_string() => {
                    let how = if self.is_sdk { "lost" } else { "malformed" };
                    return self.end(
                        how,
                        &score.to_string(),
                        &format!("not {number}: {reply}"),
                        &[],
                    );
                }
                Some(_) => {}
            }
            score += number;
            summary = vec![format!("took {number}")];
            number += 1;
        }
        self.end("completed", &score.to_string(), "Done.", &summary)
    }

    /// The lines of a reply, or nothing if there is none.
    fn reply(&self) -> io::Result<Option<String>> {
        let line = read_line()?;
        if !self.is_sdk {
            let message: Value = serde_json::from_str(&line)?;
            let lines = message["reply"].as_array();
            let lines =
                lines.map(|lines| lines.iter().filter_map(Value::as_str).collect::<Vec<_>>());
            return Ok(lines.map(|lines| lines.join("\n")));
        }
        let count = line.trim_end().trim_end_matches(']').rsplit(' ').next();
        let count: usize = count.and_then(|count| count.parse().ok()).expect("a header");
        let lines = (0..count).map(|_| read_line()).collect::<io::Result<Vec<_>>>()?;
        read_line()?; // GET_GAME_INFO
        let reply = lines.concat().trim_end_matches('\n').to_owned();
        Ok((!line.contains("SET_PLAYER_TIMEOUT")).then_some(reply))
    }

    fn ask(&self, number: u32, score: u32, summary: &[String]) -> io::Result<()> {
        let input = number.to_string();
        if self.is_sdk {
            let question =
                [("NEXT_PLAYER_INPUT", &[&input[..]][..]), ("NEXT_PLAYER_INFO", &["0", "1", "50"])];
            return send(&(view() + &infos(summary) + &blocks(&question)));
        }
        let ask =
            json!({ "ask": input + "\n", "limit_ms": 50, "score": score, "summary": summary });
        send(&format!("{ask}\n"))
    }

    fn end(
        &self,
        how: &str,
        score: &str,
        official: &str,
        summary: &[String],
    ) -> io::Result<ExitCode> {
        if self.is_sdk {
            let has_won = how == "completed";
            let colour = if has_won { "GREEN" } else { "RED" };
            let summary = [summary, &[format!("¤{colour}¤{official}§{colour}§")]].concat();
            let metadata = json!({ "Points": score }).to_string();
            let end = [
                ("METADATA", &[&metadata[..]][..]),
                ("SCORES", if has_won { &["0 1"] } else { &["0 0"] }),
            ];
            send(&(view() + &infos(&summary) + &blocks(&end)))?;
        } else {
            // `NaN` is not a number of JSON.
            let end = json!({ "end": how, "official": official, "summary": summary }).to_string();
            send(&format!("{{\"score\":{score},{}\n", &end[1..]))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Shows the fault. Without an exit code the game goes on.
    fn fail(&self) -> io::Result<Option<ExitCode>> {
        writeln!(io::stderr(), "about to do: {}", self.fault)?;
        match &self.fault[..] {
            "hang" | "hang-at-start" => hang(),
            "crash" | "crash-at-start" => return Ok(Some(ExitCode::FAILURE)),
            "exit" => return Ok(Some(ExitCode::SUCCESS)),
            "die" => std::process::abort(),
            "garbage" | "garbage-at-start" => send("thinking about it...\n")?,
            "unfinished" => {
                send(if self.is_sdk { "[[VIE" } else { "{\"ask\"" })?;
                hang();
            }
            "count" if self.is_sdk => send("[[VIEW] 99999999999]\n")?,
            "count" => send("{\"ask\":\"\",\"lines\":99999999}\n")?,
            "flood" => loop {
                send(&"x".repeat(100_000))?;
            },
            "stderr" => {
                for number in 0..200_000 {
                    writeln!(io::stderr(), "log line {number}")?;
                }
            }
            "fail" => {
                let trace = [
                    "java.lang.RuntimeException: Total game duration too long (>30000ms)",
                    "\tat x",
                ];
                send(&block("FAIL", &trace).repeat(2))?;
                return Ok(Some(ExitCode::FAILURE));
            }
            // The program that replaces this one does not have its pipe.
            "closed" => return Err(Command::new("sleep").arg("3600").stdout(Stdio::null()).exec()),
            "memory" => {
                let wasted = vec![1_u8; 1 << 30];
                std::hint::black_box(&wasted);
                hang();
            }
            "nan" => return self.end("completed", "NaN", "Done.", &[]).map(Some),
            "unknown" => send(if self.is_sdk { "[[NOVELTY] 0]\n" } else { "{\"end\":\"won\"}\n" })?,
            "eager" => {
                send("{\"ask\":\"8\\n\"}\n{\"end\":\"completed\",\"score\":8}\n")?;
                hang();
            }
            "frames" => loop {
                send(
                    &(view()
                        + &blocks(&[
                            ("NEXT_PLAYER_INPUT", &[]),
                            ("NEXT_PLAYER_INFO", &["0", "0", "50"]),
                        ])),
                )?;
                self.reply()?;
            },
            "child" => {
                // A process that would outlive this one.
                Command::new("setsid").args(["sleep", "3600"]).spawn()?;
                return Ok(Some(ExitCode::from(3)));
            }
            _ => {}
        }
        Ok(None)
    }
}

fn view() -> String {
    blocks(&[("VIEW", &["KEY_FRAME 0", "{}"]), ("INFOS", &[])])
}

fn infos(summary: &[String]) -> String {
    block("INFOS", &summary.iter().map(String::as_str).collect::<Vec<_>>())
}

fn blocks(blocks: &[(&str, &[&str])]) -> String {
    blocks.iter().map(|(name, lines)| block(name, lines)).collect()
}

/// A line with its terminator.
fn read_line() -> io::Result<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(line),
    }
}

fn send(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())?;
    io::stdout().flush()
}

fn hang() -> ! {
    loop {
        sleep(Duration::from_hours(1));
    }
}
