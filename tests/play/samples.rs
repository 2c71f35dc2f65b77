//! The samples that users start from, played for real, and under every kind of containment: a bot
//! does not notice it.

use support::prelude::*;

/// All methods of containment.
const HELD: [&[&str]; 5] = [
    &[],
    &["--containment", "namespace"],
    &["--containment", "seccomp"],
    &["--containment", "plain"],
    &["--sandbox"],
];

/// Plays a sample of Square Remover, which must score about as the Python one does.
#[track_caller]
fn removes_squares(bot: &Path) {
    let bot = format!("'{}'", bot.display());
    let result = referee()
        .play(["--game", "square-remover", "--seed", "2", "--total", "120s"])
        .args(["--bot", &bot])
        .json();
    assert_eq!(result["verdict"], "completed", "{result}");
    assert!(result["score"].as_u64() > Some(2500), "{result}");
}

fn sample(path: &str) -> PathBuf {
    repository().join("example-bots").join(path)
}

/// The moves of a game that goes as greedy's does on the default board, whichever of equal regions
/// is taken first being the same.
#[track_caller]
fn moves(bot: &str, held: &[&str]) -> Vec<Vec<u8>> {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let result =
        referee().play(["--bot", bot, "--log"]).arg(log.path()).args(PATIENT).args(held).json();
    assert_eq!(result["verdict"], "completed", "{held:?}: {result}");
    assert_eq!(result["score"], 230, "as the bundled @greedy: {held:?}: {result}");
    let log = fs::read(log.path()).expect("a log");
    let log = referee::gamelog::read(&log).expect("a whole log");
    log.turns.into_iter().map(|turn| turn.reply.0).collect()
}

#[track_caller]
fn plays_the_same_wherever_it_is_held(bot: &str) {
    let free = moves(bot, &["--containment", "plain", "--memory", "none"]);
    for held in HELD {
        assert_eq!(moves(bot, held), free, "{held:?}");
    }
}

fn build(compiler: &str, args: &[&str], folder: &Path, source: &str) {
    let mut command = Command::new(compiler);
    let built = command.args(args).arg(folder).arg(sample(source)).status().expect("runs");
    assert!(built.success());
}

#[test]
fn the_python_sample_plays_like_the_bundled_greedy() {
    let Some([python]) = need("the Python sample", ["python3"]) else { return };
    let sample = sample("python/greedy.py");
    plays_the_same_wherever_it_is_held(&format!("{python} '{}'", sample.display()));
}

#[test]
fn the_cpp_sample_plays_like_the_bundled_greedy() {
    let Some([cpp]) = need("the C++ sample", ["c++"]) else { return };
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("greedy");
    build(cpp, &["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-o"], &bot, "cpp/greedy.cpp");
    plays_the_same_wherever_it_is_held(&format!("'{}'", bot.display()));
}

#[test]
fn the_cpp_sample_of_square_remover_plays() {
    let Some([cpp]) = need("the C++ sample of Square Remover", ["c++"]) else { return };
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("squares");
    let args = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-o"];
    build(cpp, &args, &bot, "cpp/squares.cpp");
    removes_squares(&bot);
}

#[test]
fn the_rust_sample_of_square_remover_plays() {
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("squares");
    let args = ["--edition", "2024", "-O", "-D", "warnings", "-o"];
    build("rustc", &args, &bot, "rust/squares.rs");
    removes_squares(&bot);
}

#[test]
fn the_c_sample_plays_like_the_bundled_greedy() {
    let folder = tempdir().expect("a folder");
    let bot = folder.path().join("greedy");
    build("cc", &["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"], &bot, "c/greedy.c");
    plays_the_same_wherever_it_is_held(&format!("'{}'", bot.display()));
}

#[test]
fn the_node_sample_plays_like_the_bundled_greedy() {
    let Some([node]) = need("the Node sample", ["node"]) else { return };
    plays_the_same_wherever_it_is_held(&format!("{node} '{}'", sample("node/greedy.js").display()));
}

#[test]
fn the_java_sample_plays_like_the_bundled_greedy() {
    let Some([java, javac]) = need("the Java sample", ["java", "javac"]) else { return };
    let folder = tempdir().expect("a folder");
    build(javac, &["-Xlint:all", "-Werror", "-d"], folder.path(), "java/Greedy.java");
    plays_the_same_wherever_it_is_held(&format!(
        "{java} -XX:-UsePerfData -XX:+DisplayVMOutputToStderr -cp '{}' Greedy",
        folder.path().display()
    ));
}

/// Fails unless a strong bot that has little time scores more than this under the official limits; a busy machine
/// gives it less than it believes to have, so it gets more where that was too little.
#[track_caller]
fn beats(bot: impl Fn(&str) -> String, game: &[&str], score: u64) {
    let mut last = Value::Null;
    let beats = ["0.5", "2", "8"].into_iter().any(|seconds| {
        let mut play = referee();
        // Delays by the host must not make the bot lose.
        play = play.args(["play", "--format", "json", "--on-host-delay", "accept"]);
        last = play.args(game).args(["--bot", &bot(seconds)]).run().json();
        last["verdict"] == "completed" && last["score"].as_u64() > Some(score)
    });
    assert!(beats, "more than {score}: {last}");
}

#[test]
fn the_strong_bots_beat_the_others_by_far_even_in_little_time() {
    // Where greedy has 230 and 6201.
    beats(|seconds| format!("@nrpa --first {seconds} --later 2"), &[], 1500);
    let remover = ["--game", "square-remover", "--seed", "1"];
    beats(|seconds| format!("@squares-beam --total {seconds}"), &remover, 10_000);
}
