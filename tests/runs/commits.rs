//! The commit of a run, which git tells.

use support::prelude::*;

/// A suite of one game in this place, into `run`.
fn suite(place: &Place, more: &[&str]) -> Referee {
    place.command(&["suite", "--bot", "@first", "--seed", "1"]).args(PATIENT).args(more)
}

/// Plays the suite, and returns what its plan has as `git`.
#[track_caller]
fn recorded(place: &Place, more: &[&str]) -> Value {
    assert_code(&suite(place, more).args(["--run", "run"]).run(), 0);
    let git = place.run("run").run.git;
    fs::remove_dir_all(place.path("run")).expect("a folder");
    serde_json::to_value(git).expect("JSON")
}

/// A repository whose settings name a program, `trap`, wherever they can, and whose objects are to come from a remote. The program
/// notes in `ran` that it was run.
fn repository(place: &Place) -> String {
    let folder = place.folder();
    place.script("trap", &format!("echo \"$0 $*\" >> '{}'", place.path("ran").display()));
    git(folder, &["init", "--quiet"]);
    fs::write(place.path("tracked"), "text\n").expect("written");
    fs::write(place.path(".gitattributes"), "* filter=one\n").expect("written");
    git(folder, &["add", "tracked", ".gitattributes"]);
    git(folder, &["commit", "--quiet", "-m", "x"]);
    let commit = git(folder, &["rev-parse", "HEAD"]);
    let trap = place.path("trap").display().to_string();
    for (name, value) in [
        ("filter.one.clean", &*trap),
        ("core.pager", &trap),
        ("pager.rev-parse", &trap),
        ("alias.rev-parse", &format!("!{trap}")),
        ("core.alternateRefsCommand", &trap),
        ("core.sshCommand", &trap),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("core.fsmonitor", &trap),
    ] {
        git(folder, &["config", name, value]);
    }
    commit
}

#[test]
fn with_a_sandbox_git_runs_no_program_that_a_repository_names() {
    let place = Place::new();
    let commit = repository(&place);
    let ran = || fs::read_to_string(place.path("ran")).unwrap_or_default();
    fs::write(place.path("tracked"), "changed\n").expect("written");
    let unmarked = json!({ "commit": commit });
    assert_eq!(recorded(&place, &["--sandbox"]), unmarked);
    assert_eq!(ran(), "");
    assert_eq!(recorded(&place, &[])["dirty"], true);
    assert_ne!(ran(), "", "as in the user's shell");
    fs::remove_file(place.path("ran")).expect("it is there");
    // Not even for the commit itself, which is to come from the remote.
    let object = place.path(".git/objects").join(&commit[..2]).join(&commit[2..]);
    fs::remove_file(object).expect("loose");
    assert_eq!(recorded(&place, &["--sandbox"]), unmarked);
    assert_eq!(ran(), "");
}

/// Puts a program in the place of git.
fn in_place_of_git(place: &Place, suite: &mut Command, script: &str) {
    fs::create_dir_all(place.path("bin")).expect("made");
    place.script("bin/git", script);
    let path = std::env::var("PATH").expect("UTF-8");
    suite.env("PATH", format!("{}:{path}", place.path("bin").display()));
}

#[test]
fn git_is_not_asked_without_a_run_folder() {
    for (more, is_asked) in [(&[][..], true), (&["--run", "none"], false)] {
        let place = Place::new();
        let mut suite = suite(&place, more);
        let asked = place.path("asked");
        in_place_of_git(&place, &mut suite, &format!("echo >> '{}'; exit 1", asked.display()));
        assert_code(&suite.run(), 0);
        assert_eq!(asked.exists(), is_asked);
    }
}

#[test]
fn a_commit_that_git_does_not_tell_is_a_warning() {
    let warning = |script: &str| {
        let place = Place::new();
        let mut suite = suite(&place, &["--run", "run"]);
        in_place_of_git(&place, &mut suite, script);
        let stderr = suite.run().exits(0).err();
        let git = serde_json::to_value(place.run("run").run.git).expect("JSON");
        let warning = stderr.lines().find_map(|line| line.strip_prefix("[WARN ] "));
        (git, warning.unwrap_or_default().to_owned())
    };
    let refused = |problem: &str| warning(&format!("echo 'fatal: {problem}' >&2; exit 128"));
    let problem = "the git commit is not recorded: detected dubious ownership";
    assert_eq!(refused("detected dubious ownership"), (Value::Null, problem.to_owned()));
    assert_eq!(refused("not a git repository"), (Value::Null, String::new()));
    assert_eq!(warning("exit 1"), (Value::Null, String::new()), "there is no commit yet");
    let started = Instant::now();
    let late = warning("[ $1 = rev-parse ] && echo 0123 || exec sleep 100000");
    let problem = "uncommitted changes are not recorded: git did not finish within 5s";
    assert_eq!(late, (json!({"commit": "0123"}), problem.to_owned()));
    assert!(started.elapsed() < Duration::from_secs(1000));
}
