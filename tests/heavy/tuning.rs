//! The example that tunes a bot with Optuna: a few trials of it, with the real Optuna.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::{PATIENT, leave_out, repository};

/// A Python with the example's requirements. It is made once, and kept for the next time.
fn python() -> Option<PathBuf> {
    // The tests of this binary run at the same time.
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(install).clone()
}

fn install() -> Option<PathBuf> {
    let requirements = repository().join("example-bots/tuning/requirements.txt");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("optuna");
    let (python, done) = (folder.join("bin/python"), folder.join("requirements.txt"));
    let wanted = fs::read(&requirements).expect("requirements");
    if fs::read(&done).is_ok_and(|installed| installed == wanted) {
        return Some(python);
    }
    let is_done = |command: &mut Command| {
        let output = command.output();
        output.is_ok_and(|output| output.status.success())
    };
    let mut venv = Command::new("python3");
    let has_venv = is_done(venv.args(["-m", "venv", "--clear"]).arg(&folder));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    if !has_venv || !is_done(pip.arg(&requirements)) {
        leave_out("tuning with Optuna", "pip cannot install it here");
        return None;
    }
    fs::write(done, wanted).expect("written");
    Some(python)
}

#[track_caller]
fn tune(python: &Path, folder: &Path, args: &[&str]) -> String {
    let mut tune = Command::new(python);
    tune.arg(repository().join("example-bots/tuning/tune.py"));
    tune.args(["--referee", env!("CARGO_BIN_EXE_referee")]).args(args).arg("--").args(PATIENT);
    let output: Output = tune.current_dir(folder).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The number before a word.
#[track_caller]
fn number(text: &str, word: &str) -> i64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|other| other.trim_end_matches(',') == word);
    let at = at.unwrap_or_else(|| panic!("{word}: {text}"));
    words[at - 1].parse().expect("a number")
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_tuner_finds_what_is_better_stops_what_is_worse_and_goes_on_later() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    // One that loses every game unless it is wide enough.
    let program = env!("CARGO_BIN_EXE_referee");
    let bot = format!("sh -c 'test {{width}} -ge 40 || exit 1; exec {program} bot first'");
    let args = ["--bot", &bot, "--seeds", "1..20"];
    let first = tune(&python, folder.path(), &[&args[..], &["--trials", "6"]].concat());
    assert_eq!(number(&first, "trials"), 6, "{first}");
    let more = tune(&python, folder.path(), &[&args[..], &["--trials", "4"]].concat());
    assert_eq!(number(&more, "trials"), 10, "the study goes on: {more}");
    let width: i64 = more
        .split(['\n', ','])
        .find_map(|part| part.strip_prefix("best width: ")?.parse().ok())
        .expect("a width");
    assert!(width >= 40, "{more}");
    let (played, saved) = (number(&more, "games"), number(&more, "saved"));
    assert_eq!(played + saved, 200, "{more}");
    assert!(saved > 0 && number(&more, "of") > 0, "{more}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_tuner_tunes_a_bundled_bot() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let bot = "@nrpa --first 0.03 --later 0 --width {width}";
    let args = ["--bot", bot, "--seeds", "1..4", "--trials", "3"];
    let text = tune(&python, folder.path(), &args);
    assert!(text.starts_with("best width: ") && text.contains("\n3 trials, "), "{text}");
    assert!(folder.path().join("tuning.db").exists());
}
