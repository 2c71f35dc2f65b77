//! The guide's page on games of one's own is true: its judge plays with its bot, and its schema takes what is a message.

use std::io::{BufRead as _, BufReader};

use judges::json_lines::{JsonLines, message};
use referee::game::judge::Case;
use referee::game::{Ask, Placement};
use referee::verdict::{NoReply, Verdict};

use super::conversations::{self, Played};
use crate::views::schemas::validator;
use support::prelude::*;

fn guide() -> PathBuf {
    repository().join("docs/guide/src")
}

/// The judge and the bot of the page, in a folder.
fn written() -> TempDir {
    let page = fs::read_to_string(guide().join("own-game.md")).expect("the page");
    let mut programs =
        page.split("```python\n").skip(1).map(|rest| rest.split("```").next().expect("closed"));
    let folder = tempdir().expect("a folder");
    for name in ["guess_judge.py", "guess_bot.py"] {
        let program = programs.next().expect(name);
        assert!(program.lines().count() <= 40, "{name} is short");
        fs::write(folder.path().join(name), program).expect("room");
    }
    folder
}

/// Plays a game on `seed` with what `bot` answers.
fn play(
    python: &str,
    folder: &Path,
    seed: i64,
    mut bot: impl FnMut(&str) -> Option<String>,
) -> Played {
    let command = conversations::command(&[python, "guess_judge.py"], folder);
    let judge = JsonLines { command, ..JsonLines::default() };
    let judge = judge.start(&Case::Seed(seed.into()), &Placement::default());
    let reply = |ask: &Ask| (Duration::ZERO, bot(&ask.input).map(|line| format!("{line}\n")));
    conversations::play(judge, NoReply::Deadline, reply).expect("a good judge")
}

#[test]
fn the_guides_judge_plays_with_the_guides_bot() {
    let folder = written();
    let Some([python]) = need("the guide's judge", ["python3"]) else { return };
    for seed in [1, 2] {
        let mut bot = Command::new(python);
        bot.arg(folder.path().join("guess_bot.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut bot = bot.stderr(Stdio::null()).spawn().expect("Python");
        let (mut input, output) =
            (bot.stdin.take().expect("piped"), bot.stdout.take().expect("piped"));
        let mut answers = BufReader::new(output).lines();
        let Played { asked, verdict, game } = play(python, folder.path(), seed, |hint| {
            input.write_all(hint.as_bytes()).expect("it reads");
            Some(answers.next().expect("a guess").expect("text"))
        });
        drop(input);
        bot.wait().expect("it ends");
        let score = game.score(0).expect("a score").to_string();
        assert_eq!((verdict, score), (Verdict::Completed, asked.len().to_string()), "{seed}");
        assert!(asked.len() <= 10, "{asked:?}");
    }
}

#[test]
fn the_guides_judge_tells_what_is_wrong_with_an_answer() {
    let folder = written();
    let Some([python]) = need("the guide's judge", ["python3"]) else { return };
    for (answer, verdict, official) in [
        (Some("seven"), Verdict::MalformedReply, "'seven' is not a number"),
        (Some("1001"), Verdict::IllegalMove, "1001 is not from 1 to 1000"),
        (None, Verdict::Timeout, "No answer: timeout"),
    ] {
        let played = play(python, folder.path(), 7, |_| answer.map(str::to_owned));
        assert_eq!((played.verdict, played.game.official()), (verdict, official));
    }
}

/// Prints for each line of its input whether it fits the schema.
const VALIDATOR: &str = "\
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
fits = jsonschema.Draft202012Validator({**schema, '$ref': '#/$defs/from-judge'}).is_valid
for line in sys.stdin:
    print(fits(json.loads(line)))
";

#[test]
fn the_schema_takes_the_messages_that_the_referee_takes() {
    let lines = [
        "{\"ask\":\"a\"}",
        "{\"ask\":\"\",\"lines\":null,\"limit_ms\":1.5,\"score\":-2.50,\"summary\":[\"a\"],\"new\":1}",
        "{\"ask\":\"a\",\"end\":\"lost\"}",
        "{\"ask\":\"a\",\"end\":null}",
        "{\"ask\":1}",
        "{\"ask\":\"a\",\"lines\":0}",
        "{\"ask\":\"a\",\"lines\":1048577}",
        "{\"ask\":\"a\",\"limit_ms\":0}",
        "{\"ask\":\"a\",\"score\":\"1\"}",
        "{\"end\":\"completed\",\"score\":1e3,\"official\":\"x\",\"metadata\":{\"a\":1,\"b\":true,\"c\":\"d\"}}",
        "{\"end\":\"lost\",\"metadata\":{\"a\":null}}",
        "{\"end\":\"won\"}",
        "{}",
        "[]",
    ];
    let Some(python) = validator() else { return };
    let mut python = Command::new(python);
    python.args(["-c", VALIDATOR]).arg(guide().join("judge.schema.json"));
    let mut python = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python");
    let text = lines.join("\n") + "\n";
    python.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = python.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    let fits: Vec<bool> = output.out().lines().map(|line| line == "True").collect();
    let taken: Vec<bool> =
        lines.iter().map(|line| message::parse(line.as_bytes()).is_ok()).collect();
    assert_eq!(fits, taken);
}
