//! The commit of a run: what git may do to find it, in a folder that may be somebody else's.

use std::os::unix::fs::symlink;
use std::time::SystemTime;
use support::prelude::*;

/// A suite of one game in this place, into `run`.
fn suite(place: &Place, more: &[&str]) -> Referee {
    place.command(&["suite", "--bot", "@first", "--seed", "1"]).args(PATIENT).args(more)
}

/// Plays the suite, and returns what its plan has as `git`.
#[track_caller]
fn recorded(place: &Place, suite: &mut Command) -> Value {
    assert_code(&suite.args(["--run", "run"]).run(), 0);
    let git = place.run("run").run.git;
    fs::remove_dir_all(place.path("run")).expect("a folder");
    serde_json::to_value(git).expect("JSON")
}

/// A repository with a commit. Its folder `ours`, which is not tracked, has a program `trap` that notes in `ran` that it was run.
fn repository(place: &Place) -> String {
    let folder = place.folder();
    fs::create_dir_all(place.path("ours/hooks")).expect("made");
    place.script("ours/trap", &format!("echo \"$0 $*\" >> '{}'", place.path("ours/ran").display()));
    for hook in ["post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"] {
        symlink("../trap", place.path("ours/hooks").join(hook)).expect("made");
    }
    git(folder, &["init", "--quiet"]);
    for name in ["clean.one", "process.two", "included.three"] {
        fs::write(place.path(name), "text\n").expect("written");
    }
    let attributes = "*.one filter=one\n*.two filter=two\n";
    fs::write(place.path(".gitattributes"), attributes).expect("written");
    fs::write(place.path(".git/info/attributes"), "*.three filter=three\n").expect("written");
    fs::create_dir(place.path("sub")).expect("made");
    git(&place.path("sub"), &["init", "--quiet"]);
    fs::write(place.path("sub/clean.one"), "text\n").expect("written");
    fs::write(place.path("sub/.gitattributes"), "*.one filter=sub\n").expect("written");
    git(&place.path("sub"), &["add", "."]);
    git(&place.path("sub"), &["commit", "--quiet", "-m", "x"]);
    git(folder, &["add", "sub"]);
    git(folder, &["add", "clean.one", "process.two", "included.three", ".gitattributes"]);
    git(folder, &["commit", "--quiet", "-m", "x"]);
    git(folder, &["rev-parse", "HEAD"])
}

/// Has the settings of a repository name the trap wherever they can name a program.
fn set_traps(place: &Place, repository: &Path) {
    let trap = place.path("ours/trap").display().to_string();
    fs::write(place.path("ours/included"), format!("[filter \"three\"]\nclean = {trap}\n"))
        .expect("written");
    for (name, value) in [
        ("filter.one.clean", &*trap),
        ("filter.one.required", "true"),
        ("filter.two.process", &trap),
        ("filter.two.smudge", &trap),
        ("include.path", &place.path("ours/included").display().to_string()),
        ("core.hooksPath", &place.path("ours/hooks").display().to_string()),
        ("core.pager", &trap),
        ("pager.status", &trap),
        ("alias.status", &format!("!{trap}")),
        ("alias.config", &format!("!{trap}")),
        ("diff.external", &trap),
        ("core.sshCommand", &trap),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("core.fsmonitor", &trap),
    ] {
        git(repository, &["config", name, value]);
    }
    // The same content at a later time, which git compares.
    for name in ["clean.one", "process.two", "included.three"].map(|name| repository.join(name)) {
        if name.exists() {
            fs::write(name, "text\n").expect("written");
        }
    }
}

#[test]
fn git_runs_no_program_that_a_repository_names() {
    let place = Place::new();
    let commit = repository(&place);
    set_traps(&place, place.folder());
    set_traps(&place, &place.path("sub"));
    // A filter that the outer repository does not have.
    let trap = place.path("ours/trap").display().to_string();
    git(&place.path("sub"), &["config", "filter.sub.clean", &trap]);
    let found = recorded(&place, &mut suite(&place, &[]));
    let ran = || fs::read_to_string(place.path("ours/ran")).unwrap_or_default();
    assert_eq!(ran(), "");
    assert_eq!(found["commit"], commit);
    // The tree is to come from a remote.
    let tree = git(place.folder(), &["-c", "core.fsmonitor=", "rev-parse", "HEAD^{tree}"]);
    fs::remove_file(place.path(".git/objects").join(&tree[..2]).join(&tree[2..])).expect("loose");
    assert_eq!(recorded(&place, &mut suite(&place, &[])), Value::Null);
    assert_eq!(ran(), "");
    let _ = Command::new("git").arg("status").current_dir(place.folder()).output();
    assert_ne!(ran(), "", "without all this they run");
}

#[test]
fn a_file_with_a_filter_is_changed_once_its_time_has_changed() {
    let place = Place::new();
    repository(&place);
    git(place.folder(), &["config", "filter.one.clean", "tr a-z A-Z"]);
    let write = |time: SystemTime| {
        fs::write(place.path("clean.one"), "text\n").expect("written");
        let file = fs::File::options().write(true).open(place.path("clean.one"));
        file.and_then(|file| file.set_modified(time)).expect("its owner");
    };
    let hour = Duration::from_hours(1);
    write(SystemTime::now() - 2 * hour);
    git(place.folder(), &["commit", "--quiet", "--all", "-m", "y"]);
    assert_eq!(git(place.folder(), &["show", "HEAD:clean.one"]), "TEXT", "git has a filter");
    assert_eq!(recorded(&place, &mut suite(&place, &[]))["dirty"], false);
    write(SystemTime::now() - hour);
    assert_eq!(recorded(&place, &mut suite(&place, &[]))["dirty"], true);
}

/// Puts a program in the place of git, which notes in `asked` that it was started, and does this, where there may be a repository.
fn in_place_of_git(place: &Place, suite: &mut Command, script: &str) {
    fs::create_dir_all(place.path("bin")).expect("made");
    fs::create_dir(place.path(".git")).expect("made");
    let asked = place.path("asked").display().to_string();
    place.script("bin/git", &format!("echo \"$*\" >> '{asked}'\n{script}"));
    let path = std::env::var("PATH").expect("UTF-8");
    suite.env("PATH", format!("{}:{path}", place.path("bin").display()));
}

#[test]
fn git_is_not_asked_in_a_sandbox_or_without_a_run_folder() {
    let is_asked = |more: &[&str]| {
        let place = Place::new();
        let mut suite = suite(&place, more);
        in_place_of_git(&place, &mut suite, "exit 1");
        assert_code(&suite.run(), 0);
        place.path("asked").exists()
    };
    assert!(is_asked(&[]));
    assert!(!is_asked(&["--sandbox"]));
    assert!(!is_asked(&["--no-run"]));
    assert!(!is_asked(&["--sandbox", "--no-run"]));
}

#[test]
fn the_repository_of_the_working_directory_counts_whatever_the_environment_names() {
    let (place, foreign) = (Place::new(), Place::new());
    let commit = repository(&place);
    git(foreign.folder(), &["init", "--quiet"]);
    git(foreign.folder(), &["commit", "--quiet", "--allow-empty", "-m", "y"]);
    set_traps(&place, foreign.folder());
    let mut suite = suite(&place, &[])
        .env("GIT_DIR", foreign.path(".git"))
        .env("GIT_WORK_TREE", foreign.folder())
        .env("GIT_INDEX_FILE", foreign.path(".git/index"))
        .env("GIT_CONFIG", "/dev/null");
    for (number, key) in ["core.fsmonitor", "filter.one.clean"].iter().enumerate() {
        suite = suite.env(format!("GIT_CONFIG_KEY_{number}"), key);
        suite = suite.env(format!("GIT_CONFIG_VALUE_{number}"), place.path("ours/trap"));
    }
    suite = suite.env("GIT_CONFIG_COUNT", "2");
    assert_eq!(recorded(&place, &mut suite)["commit"], commit);
    assert!(!place.path("ours/ran").exists());
}

#[test]
fn a_commit_that_git_does_not_tell_is_a_warning_with_the_remedy() {
    let warning = |script: &str| {
        let place = Place::new();
        let mut suite = suite(&place, &["--run", "run"]);
        in_place_of_git(&place, &mut suite, script);
        let output = suite.run().exits(0);
        assert_eq!(place.run("run").run.git, None);
        let stderr = output.err();
        let warning = stderr.lines().find_map(|line| line.strip_prefix("[WARN ] the git commit "));
        warning.unwrap_or_default().to_owned()
    };
    let dubious = "echo \"fatal: detected dubious ownership in repository at '/a'\" >&2
        printf 'To add an exception:\\n\\n\\tgit config --global --add safe.directory /a\\n' >&2; exit 128";
    assert_eq!(
        warning(dubious),
        "is not recorded: detected dubious ownership in repository at '/a'; \
         `git config --global --add safe.directory /a` records it"
    );
    let started = Instant::now();
    let late = warning("exec sleep 100000");
    assert_eq!(late, "is not recorded: git did not finish within 5s");
    assert!(started.elapsed() < Duration::from_secs(1000));
    assert_eq!(warning("echo 'fatal: not a git repository' >&2; exit 128"), "");
}
