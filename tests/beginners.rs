//! Beginners' mistakes, made by real bots in the languages that beginners use: each is named.
//!
//! With `BEGINNERS_TABLE` set the test prints the diagnoses as a table.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{data, for_each_in_parallel, has_program, json, leave_out, referee};

/// Mistake, verdict, and a part of the diagnosis.
const MISTAKES: [(&str, &str, &str); 7] = [
    ("top", "illegal_move", "y counted from the top it would be `"),
    ("throw", "crash", "the bot "),
    ("all", "timeout", "it read all 15 lines and waited for more"),
    (
        "more",
        "timeout",
        "it read all 15 lines and waited for more; the bot reads more lines than it",
    ),
    ("unflushed", "timeout", "not flush"),
    ("debug", "malformed_reply", "debug output belongs on standard error"),
    // Whose fault it is depends on the load of the machine.
    ("spin", "timeout", " fault: in "),
];

/// Language, command line, and a part of its report of an exception.
fn languages(folder: &Path) -> Vec<(&'static str, String, &'static str)> {
    let source = |name: &str| data("beginners").join(name).display().to_string();
    let built = |name: &str| format!("'{}'", folder.join(name).display());
    let compile = |program: &str, args: &[&str], name: &str| {
        let done = Command::new(program).args(args).arg(source(name)).output().expect("runs");
        assert!(done.status.success(), "{done:?}");
    };
    let out = |name: &str| folder.join(name).display().to_string();
    compile("cc", &["-O1", "-o", &out("c")], "bot.c");
    compile("c++", &["-O1", "-std=c++17", "-o", &out("cpp")], "bot.cpp");
    compile("javac", &["-d", &out("")], "Bot.java");
    vec![
        ("Python", format!("python3 '{}'", source("bot.py")), "IndexError"),
        ("C", built("c"), "no such row"),
        ("C++", built("cpp"), "std::out_of_range"),
        ("JavaScript", format!("node '{}'", source("bot.js")), "TypeError"),
        // Whatever the JVM itself has to say would be a reply on standard output.
        (
            "Java",
            format!("java -XX:-UsePerfData -XX:+DisplayVMOutputToStderr -cp {} Bot", built("")),
            "ArrayIndexOutOfBoundsException",
        ),
        ("bash", format!("bash '{}'", source("bot.sh")), "unbound variable"),
    ]
}

/// Bash does not buffer, and Node writes to a pipe at once.
fn is_possible(mistake: &str, language: &str) -> bool {
    mistake != "unflushed" || !["bash", "JavaScript"].contains(&language)
}

/// Plays a bot under a limit for each turn, and with this grace after the game.
fn play(bot: &str, mistake: &str, [limit, grace]: [&str; 2]) -> Value {
    let limits = ["--first-turn", limit, "--turn", limit];
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), format!("[bot]\ngrace = '{grace}'")).expect("written");
    let bot = format!("{bot} {mistake}");
    // An empty one is as good as none.
    let buffered = ["--env", "PYTHONUNBUFFERED="];
    json(
        &referee()
            .args(["play", "--format", "json", "--bot", &bot])
            .args(limits)
            .args(buffered)
            .arg("--config")
            .arg(config.path())
            .output()
            .expect("runs"),
    )
}

#[test]
fn each_mistake_in_each_language_is_named() {
    for program in ["python3", "cc", "c++", "node", "javac", "bash"] {
        if !has_program(program) {
            return leave_out("beginners' mistakes", &format!("there is no {program}"));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let languages = languages(folder.path());
    let mut games = Vec::new();
    for mistake in MISTAKES {
        let possible = languages.iter().filter(|(language, ..)| is_possible(mistake.0, language));
        games.extend(possible.map(|language| (mistake, language)));
    }
    for_each_in_parallel(&games, |((mistake, verdict, says), (language, bot, error))| {
        let is_named = |result: &Value| {
            let diagnosis = result["diagnosis"].as_str().unwrap_or_default();
            result["verdict"] == *verdict && diagnosis.contains(says)
        };
        // Java takes a while to start and to end, on a busy machine longer than a short limit; then it gets more time.
        let mut result = Value::Null;
        for times in [["3s", "200ms"], ["12s", "2s"], ["48s", "30s"]] {
            result = play(bot, mistake, times);
            if is_named(&result) {
                break;
            }
        }
        let diagnosis = result["diagnosis"].as_str().unwrap_or_default();
        if std::env::var_os("BEGINNERS_TABLE").is_some() {
            eprintln!("| {mistake} | {language} | {diagnosis} | {} |", result["stderr_tail"]);
        }
        assert_eq!(result["verdict"], *verdict, "{mistake} in {language}: {result}");
        assert!(diagnosis.contains(says), "{mistake} in {language}: {diagnosis}");
        let before = result["stderr_tail"].to_string();
        if *mistake == "throw" {
            assert!(before.contains(error), "{language}: {before}");
        } else {
            assert!(
                !before.contains("Error"),
                "what comes of the end of the game: {language}: {before}"
            );
        }
    });
}
