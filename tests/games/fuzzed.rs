//! Games found by fuzzing the originals, each replayed through the program with a bot that follows the
//! same script. What is deliberately different is one table here, and one in the guide (`faithful.md`).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use crate::measured::packed_lines;
use support::prelude::*;

/// A game as the original played it. Fields that the original did not give are absent.
#[derive(Deserialize)]
struct Case {
    game: String,
    #[serde(default)]
    name: String,
    /// Why it once differed from the referee's.
    #[serde(default)]
    why: String,
    #[serde(default)]
    board: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    script: String,
    /// What `W` in the script writes, in base64.
    #[serde(default)]
    reply: String,
    official: Option<String>,
    summary: Option<Vec<String>>,
    won: Option<bool>,
    score: Option<i64>,
    turns: Option<usize>,
    /// For each turn the message as shown, or an error.
    messages: Option<Vec<Option<String>>>,
    /// The last characters of what the original printed.
    output_tail: Option<String>,
    crash: Option<String>,
}

/// What is deliberately different from the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Different {
    /// The original died; here the game goes on, and the diagnosis says so.
    Survives,
    /// A bot that the original would have kept waiting at its standard error plays on; the diagnosis says so.
    ReadsStderr,
    /// A board file that the original reads is refused.
    RefusesBoard,
    /// The original loses part of what the bot says on standard error, at random.
    KeepsStderr,
}

impl Case {
    fn different(&self) -> Option<Different> {
        match self.name.as_str() {
            "stderr 65537" => Some(Different::ReadsStderr),
            "16 rows" => Some(Different::RefusesBoard),
            _ if self.crash.is_some() => Some(Different::Survives),
            _ if self.why.contains("standard error lost") => Some(Different::KeepsStderr),
            _ => None,
        }
    }

    /// The script as the bundled bot `script` takes it.
    fn steps(&self) -> Value {
        let reply = BASE64_STANDARD.decode(&self.reply).expect("base64");
        let answer = "W".to_owned();
        let lines: Vec<&str> =
            if self.script.is_empty() { vec![&answer] } else { self.script.lines().collect() };
        lines.into_iter().map(|line| step(line, &reply)).collect()
    }

    /// Whether the bot may say nothing any more until it is late.
    fn is_about_time(&self) -> bool {
        self.official.as_deref() == Some("[ERROR] Timeout!")
            || self.different() == Some(Different::Survives)
    }
}

fn step(line: &str, reply: &[u8]) -> Value {
    let (name, operand) = line.split_once(' ').unwrap_or((line, ""));
    let number = || operand.parse::<u64>().expect("a number");
    match name {
        "r" => json!(["read", number()]),
        "w" => json!(["write", bytes(operand)]),
        "W" => json!(["write", reply]),
        "e" => json!(["stderr", bytes(operand)]),
        "f" => json!(["stderr", chatter(number())]),
        // What was too long for the measured limits, of 100 ms a turn, is too long for any.
        "s" if number() > 100 => json!(["sleep_ms", 1000 * number()]),
        "s" => json!(["sleep_ms", number()]),
        "p" => json!(["sleep_ms", 3_600_000]),
        "x" => json!(["exit", number()]),
        "k" => json!(["signal", number()]),
        "c" => json!(["close_stdout", 0]),
        "i" => json!(["close_stdin", 0]),
        name => panic!("unknown step {name}"),
    }
}

/// Lines of 79 characters.
fn chatter(bytes: u64) -> Vec<u8> {
    let line = ["e".repeat(79), "\n".to_owned()].concat();
    line.bytes().cycle().take(usize::try_from(bytes).expect("a few kB")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |pair: &[u8]| {
        let pair = str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(pair, 16).expect("hexadecimal")
    };
    hex.as_bytes().chunks(2).map(digits).collect()
}

fn cases(game: &str) -> Vec<(usize, Case)> {
    let cases: Vec<Case> = packed_lines("fuzz-cases.jsonl.gz");
    assert_eq!(cases.len(), 138);
    cases.into_iter().enumerate().filter(|(_, case)| case.game == game).collect()
}

#[test]
fn fuzzed_games_of_samegame_agree_with_the_original() {
    let folder = tempdir().expect("a folder");
    let mut cases = cases("samegame");
    assert_eq!(cases.len(), 102);
    // Waiting takes longest, so it begins first.
    cases.sort_by_key(|(_, case)| !case.is_about_time());
    for_each_in_parallel(&cases, |(number, case)| {
        check_samegame(case, &folder.path().join(number.to_string()));
    });
}

fn check_samegame(case: &Case, folder: &Path) {
    fs::create_dir(folder).expect("a folder");
    let output = play(case, folder);
    let of = format!("{}: {} {}", folder.display(), case.name, case.why);
    if case.different() == Some(Different::RefusesBoard) {
        assert_eq!(output.status.code(), Some(2), "{of}");
        return;
    }
    let result = output.json();
    let diagnosis = result["diagnosis"].as_str().unwrap_or_default();
    match case.different() {
        Some(Different::Survives) => {
            let says = ["the original's game dies of ", "the original takes U+"];
            let is_format_error = result["verdict"] == "malformed_reply";
            assert!(
                is_format_error || says.iter().any(|says| diagnosis.contains(says)),
                "{of}: {diagnosis}"
            );
        }
        Some(Different::ReadsStderr) => {
            assert!(diagnosis.contains("this bot would have been late there"), "{of}: {diagnosis}");
            assert_eq!(result["turns"], 2, "{of}: the answer counts");
        }
        _ => check_result(case, &result, &of),
    }
    if let Some(messages) = &case.messages {
        check_messages(messages, folder, &of);
    }
}

fn play(case: &Case, folder: &Path) -> Output {
    let (board, script) = (folder.join("board.txt"), folder.join("script.json"));
    fs::write(&board, case.board.join("\n")).expect("written");
    fs::write(&script, case.steps().to_string()).expect("written");
    let limit = if case.is_about_time() { "2s" } else { "60s" };
    referee()
        .play(["--format", "json", "--first-turn", limit, "--turn", limit, "--bot"])
        .arg(bot_line(&["@script".as_ref(), script.as_os_str()]))
        .args(["--board".as_ref(), board.as_os_str()])
        .args(["--log".as_ref(), folder.join("log").as_os_str()])
        .run()
}

fn check_result(case: &Case, result: &Value, of: &str) {
    assert_eq!(result["official"].as_str(), case.official.as_deref(), "{of}: {result}");
    assert_eq!(result["score"].as_i64(), case.score, "{of}");
    assert_eq!(result["turns"].as_u64(), case.turns.map(|turns| turns as u64), "{of}: {result}");
    if let Some(won) = case.won {
        assert_eq!(result["won"], won, "{of}");
    }
    if let Some(summary) = &case.summary {
        assert_eq!(result["summary"], json!(summary), "{of}");
    }
}

/// The messages of moves, as they are shown.
fn check_messages(expected: &[Option<String>], folder: &Path, of: &str) {
    let log = fs::read(folder.join("log")).expect("a log");
    let log = referee::gamelog::read(&log).expect("a good log");
    for (turn, expected) in log.turns.iter().zip(expected) {
        let Some(expected) = expected.as_ref().filter(|message| !message.starts_with('!')) else {
            continue;
        };
        let action = turn.action.as_ref().expect("a move");
        let line = |index: usize| action["message"][index].as_str().unwrap_or_default();
        let shown = [line(0), line(1)].join("\n");
        assert_eq!(
            shown.trim_end_matches('\n'),
            expected.trim_end_matches('\n'),
            "{of}, turn {}",
            turn.turn
        );
    }
}

#[test]
fn fuzzed_runs_of_square_remover_agree_with_the_original() {
    let folder = tempdir().expect("a folder");
    let cases = cases("square-remover");
    assert_eq!(cases.len(), 36);
    for_each_in_parallel(&cases, |(number, case)| {
        check_square_remover(case, &folder.path().join(number.to_string()));
    });
}

fn check_square_remover(case: &Case, folder: &Path) {
    fs::create_dir(folder).expect("a folder");
    let output = run_tester(case, folder);
    let printed = output.out();
    let of = format!("{}: {:?} {}", folder.display(), case.args, case.why);
    let code = i32::from(!case.args.iter().any(|arg| arg == "-exec"));
    assert_eq!(output.status.code(), Some(code), "{of}");
    if case.different() == Some(Different::KeepsStderr) {
        assert!(printed.lines().last().expect("lines").starts_with("Score  = "), "{of}");
        return;
    }
    let official = case.official.as_deref().expect("what it printed");
    assert!(printed.ends_with(&format!("{official}\n")), "{of}: {printed}");
    // Where there is much of it, the original mixes standard error with its own lines.
    if let Some(tail) = case.output_tail.as_ref().filter(|_| !case.script.contains("f ")) {
        assert!(printed.ends_with(tail), "{of}: {printed}");
    }
}

/// The words of a command line are split at blanks, so bots are files without blanks in their names.
fn run_tester(case: &Case, folder: &Path) -> Output {
    let (bot, script) = (folder.join("bot.sh"), folder.join("script.json"));
    fs::write(&script, case.steps().to_string()).expect("written");
    let itself = program();
    // `tail` holds what has no end of line.
    let play = format!("exec '{itself}' bot script '{}'\n", script.display());
    let memory = "head -c \"${2}000000\" /dev/zero | tail -n 1 >/dev/null\n";
    fs::write(&bot, format!("[ \"$1\" = mem ] && {memory}{play}")).expect("written");
    let line = format!("sh {}", bot.display());
    let args = case.args.iter().map(|arg| match arg.as_str() {
        "mem 1200" => format!("{line} {arg}"),
        _ => arg.replace("BOT", &line).replace("SCRIPT", &script.display().to_string()),
    });
    referee().arg("tester").args(args).run()
}
