//! The example that tunes a bot with Optuna: a few trials of it, with the real Optuna.

use std::sync::OnceLock;
use support::prelude::*;

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
    let [python3] = need("tuning with Optuna", ["python3"])?;
    let mut venv = Command::new(python3);
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

fn run(python: &Path, folder: &Path, program: &str, args: &[&str]) -> Output {
    let mut tune = Command::new(python);
    tune.arg(repository().join("example-bots/tuning/tune.py"));
    tune.args(["--referee", program]).args(args).arg("--").args(PATIENT);
    tune.current_dir(folder).run()
}

#[track_caller]
fn tune(python: &Path, folder: &Path, args: &[&str]) -> String {
    let output = run(python, folder, program(), args);
    let said = output.err();
    assert!(output.status.success(), "{said}");
    output.out()
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
    let folder = tempdir().expect("a folder");
    // One that loses every game unless it is wide enough.
    let program = program();
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
    let folder = tempdir().expect("a folder");
    let bot = "@nrpa --first 0.03 --later 0 --width {width}";
    let args = ["--bot", bot, "--seeds", "1..4", "--trials", "3", "--runs", "tries"];
    let text = tune(&python, folder.path(), &args);
    assert!(text.contains("\nbest width: ") && text.contains("\n3 trials, "), "{text}");
    assert!(folder.path().join("tuning.db").exists());
    let report = ["report", "tries/0000", "tries/0001", "tries/0002", "--html", "tries.html"];
    assert_code(&Command::new(program()).args(report).current_dir(&folder).run(), 0);
    let page = fs::read_to_string(folder.path().join("tries.html")).expect("a page");
    let points = page.matches("<circle class=\"s0\"").count();
    assert_eq!(points, 3, "one for each trial");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_tuner_that_cannot_play_says_why_in_a_line() {
    let Some(python) = python() else { return };
    let folder = tempdir().expect("a folder");
    let said = |program: &str, bot: &str| {
        let output = run(&python, folder.path(), program, &["--bot", bot, "--trials", "1"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        output.err()
    };
    let program = program();
    let missing = said("no-such-referee", "@first");
    assert_eq!(
        missing,
        "tune.py: cannot find the program no-such-referee; name it with --referee\n"
    );
    fs::write(folder.path().join("bot"), "#!/no/such/interpreter\n").expect("a bot");
    let mut chmod = Command::new("chmod");
    chmod.args(["+x", "bot"]).current_dir(&folder).status().expect("runs");
    let broken = said(program, "./bot {width}");
    assert!(broken.contains("tune.py: the suite ended early: "), "{broken}");
    assert!(broken.contains("needs an interpreter") && !broken.contains("Traceback"), "{broken}");
}
