//! The programs that tests start: each is asked for by `programs::need`.

use support::prelude::*;
use support::programs::{PROGRAMS, is_installed, tell};

/// Programs that no test starts. A test that did would need them in the table.
const OTHERS: [&str; 10] =
    ["chromium", "clang", "clang++", "g++", "gcc", "munged", "npm", "perl", "python", "ruby"];

/// What a program's name follows where it is started: it begins a text, or a command within one.
const BEFORE: [&str; 10] = ["\"", "/bin/", "'", "`", "exec ", "& ", "| ", "; ", "$(", "\\n"];

/// Programs whose names as whole texts also mean a language or a shell. With arguments they are found, or as commands.
const AMBIGUOUS: [&str; 4] = ["java", "perl", "python", "zsh"];

/// A source without its comments, and without what `need` is asked for.
fn code(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut parts = code.split("need(");
    let first = parts.next().unwrap_or_default();
    let others = parts.map(|part| part.split_once(']').map_or("", |(_, rest)| rest));
    std::iter::once(first).chain(others).collect()
}

/// Whether a line of code starts a program.
fn starts(line: &str, program: &str) -> bool {
    line.match_indices(program).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + program.len()..]);
        let is_whole = after.starts_with('"');
        let is_command = before.ends_with("Command::new(\"") || !AMBIGUOUS.contains(&program);
        // What a test expects of it.
        let is_message = before.ends_with("expect(\"");
        BEFORE.iter().any(|it| before.ends_with(it))
            && !is_message
            && (after.starts_with(' ') || is_whole && is_command)
    })
}

/// The lines of a source that start a program of the table, or another that is not in it.
fn unasked(source: &str) -> Vec<String> {
    let programs: Vec<&str> = PROGRAMS.iter().map(|(program, _)| *program).chain(OTHERS).collect();
    let starts_one = |line: &&str| programs.iter().any(|program| starts(line, program));
    code(source).lines().filter(starts_one).map(|line| line.trim().to_owned()).collect()
}

/// The Rust sources in a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_program_that_is_started_without_being_asked_for_is_found() {
    for started in [
        r#"Command::new("python3").arg("-c");"#,
        r#"let words = ["python3", "judge.py"];"#,
        r#"command = "python3 judge.py""#,
        r"command = 'node judge.js'",
        r#""cd x && exec java -jar judge.jar""#,
        r#"Command::new("zsh")"#,
        r#"Command::new("/usr/sbin/slurmctld")"#,
        r#"build("g++", &["-O2"])"#,
        r#"if let Some([python]) = need("a test", ["python3"]) { Command::new("node") }"#,
    ] {
        assert_eq!(unasked(started).len(), 1, "{started}");
    }
    for source in [
        r#"let Some([python]) = need("a test", ["python3"]) else { return };"#,
        "need(\n    \"a test of many\",\n    [\"c++\", \"node\"],\n)",
        r#"["new", "x", "--lang", "java"]"#,
        r#"output.expect("the node of a cluster")"#,
        "// \"python3 judge.py\" is one.",
        r#"Command::new("sh").args(["-c", "cat"])"#,
    ] {
        assert_eq!(unasked(source), [""; 0], "{source}");
    }
}

#[test]
fn each_program_that_a_test_starts_is_asked_for() {
    let is_in = |path: &Path, folder: &str| path.iter().any(|part| part == folder);
    let is_exempt = |path: &Path| {
        let itself = ["tests/cli/needed_programs.rs", "tests/src/programs.rs"];
        let is_named = itself.into_iter().any(|it| path.ends_with(it));
        is_named || is_in(path, "examples")
    };
    let mut unasked_for = Vec::new();
    for folder in ["crates", "example-bots", "referee", "tests"] {
        for path in sources(&repository().join(folder)) {
            let source = fs::read_to_string(&path).expect("a source");
            let path = path.strip_prefix(repository()).expect("a path in it");
            if is_exempt(path) {
                continue;
            }
            // Texts in the other sources are for users, and start nothing.
            let is_test = is_in(path, "tests");
            let lines = unasked(&source);
            let lines = lines.into_iter().filter(|line| is_test || line.contains("Command::new("));
            unasked_for.extend(lines.map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert!(unasked_for.is_empty(), "see tests/src/programs.rs:\n{}", unasked_for.join("\n"));
    let missing = PROGRAMS.iter().filter(|(program, _)| !is_installed(program));
    let packages: BTreeSet<&str> = missing.map(|(_, package)| *package).collect();
    if !packages.is_empty() {
        let packages = packages.into_iter().collect::<Vec<_>>().join(" ");
        tell(&format!("To run the tests that are left out: apt-get install {packages}"));
    }
}
