//! Beginners' mistakes, made by real bots in the languages that beginners use: each is named.
//!
//! With `BEGINNERS_TABLE` set the test prints the diagnoses as a table.

use support::prelude::*;

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
pub(crate) type Language = (&'static str, String, &'static str);

fn source(name: &str) -> String {
    data("beginners").join(name).display().to_string()
}

/// Languages that need no compiler and start at once.
fn scripts(python: &str) -> Vec<Language> {
    vec![
        ("Python", format!("{python} '{}'", source("bot.py")), "IndexError"),
        ("bash", format!("bash '{}'", source("bot.sh")), "unbound variable"),
    ]
}

/// The other languages; those that are compiled are built in `folder`.
fn others(folder: &Path, [cpp, node, java, javac]: [&str; 4]) -> Vec<Language> {
    let built = |name: &str| format!("'{}'", folder.join(name).display());
    let compile = |program: &str, args: &[&str], name: &str| {
        assert_code(&Command::new(program).args(args).arg(source(name)).run(), 0);
    };
    let out = |name: &str| folder.join(name).display().to_string();
    compile("cc", &["-O1", "-o", &out("c")], "bot.c");
    compile(cpp, &["-O1", "-std=c++17", "-o", &out("cpp")], "bot.cpp");
    compile(javac, &["-d", &out("")], "Bot.java");
    vec![
        ("C", built("c"), "no such row"),
        ("C++", built("cpp"), "std::out_of_range"),
        ("JavaScript", format!("{node} '{}'", source("bot.js")), "TypeError"),
        // Whatever the JVM itself has to say would be a reply on standard output.
        (
            "Java",
            format!("{java} -XX:-UsePerfData -XX:+DisplayVMOutputToStderr -cp {} Bot", built("")),
            "ArrayIndexOutOfBoundsException",
        ),
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
    referee()
        .play(["--bot", &bot])
        .args(limits)
        .args(buffered)
        .arg("--config")
        .arg(config.path())
        .json()
}

/// Whether others delayed a bot or the referee in the first turn. The diagnosis names a wait for input only if samples show it
/// without a gap, and no thread of the bot waits for a core.
fn was_disturbed(result: &Value) -> bool {
    let parts = &result["timing"]["first_turn"]["parts"];
    ["kept_waiting_ms", "taken_ms", "referee_ms"]
        .iter()
        .any(|part| parts[part].as_f64() > Some(0.0))
}

/// One language that buffers its output and one that does not; `heavy` has the others.
#[test]
fn each_mistake_in_python_and_bash_is_named() {
    let Some([python]) = need("beginners' mistakes", ["python3"]) else { return };
    each_mistake_is_named(&scripts(python), ["3s", "1s"]);
}

/// Plays each mistake in these languages, with a limit for each turn and a grace after the game.
fn each_mistake_is_named(languages: &[Language], times: [&str; 2]) {
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
        let is_disturbed =
            |result: &Value| !is_named(result) && (has_host_part(result) || was_disturbed(result));
        // One that computes does so until its limit, and keeps others from their core.
        let [limit, grace] = times;
        let limit = if *mistake == "spin" { "1s" } else { limit };
        let result = undisturbed(is_disturbed, || play(bot, mistake, [limit, grace]));
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

/// Beginners' mistakes in languages that take long to compile or to start.
mod heavy {
    use super::{each_mistake_is_named, others};
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn each_mistake_in_each_other_language_is_named() {
        // Java takes a while to start and to end, on a busy machine longer than a short limit.
        let programs = need("beginners' mistakes", ["c++", "node", "java", "javac"]);
        let Some(programs) = programs else { return };
        let folder = tempdir().expect("a folder");
        each_mistake_is_named(&others(folder.path(), programs), ["12s", "5s"]);
    }
}
