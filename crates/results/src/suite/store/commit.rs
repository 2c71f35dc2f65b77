//! The commit of the user's repository that a run was started from.
//!
//! The repository may be somebody else's, such as a bot that was downloaded. Its settings can name programs for git to run: a
//! monitor of the file system, filters of file contents, hooks, whatever a submodule's own settings name, a remote's transport
//! for missing objects. So all of these are switched off.

use std::collections::BTreeSet;
use std::env;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use terms::bounds::GIT_OUTPUT;
use terms::text::printable;

/// The time for each question to git.
const LIMIT: Duration = Duration::from_secs(5);

/// The pause between two checks whether git has exited.
const PAUSE: Duration = Duration::from_millis(1);

/// The variables of git's that stay: where the user's own settings are, and where to stop looking for a repository. Others could
/// name another repository, or programs.
const KEPT: [&str; 4] =
    ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"];

/// A commit, and whether tracked files differed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name, in full.
    pub commit: String,
    /// Whether tracked files had changes that were not committed.
    #[serde(default)]
    pub dirty: bool,
}

impl Commit {
    /// The commit that is checked out in the working directory; `None` if there is no git, no repository, or no commit yet. Git
    /// runs no program that the repository names. A warning says why it failed, or that it was not done after some seconds.
    ///
    /// Untracked files do not count as changes: the folder of the runs is often untracked. Nor do changes within a submodule.
    /// A file with a filter, such as LFS's, counts as changed once its time has changed.
    pub fn here() -> Option<Self> {
        read().unwrap_or_else(|why| {
            log::warn!("the git commit is not recorded: {why}");
            None
        })
    }

    /// Reads what `git status --porcelain=v2 --branch` prints; `None` if there is no commit.
    fn of_status(text: &str) -> Option<Self> {
        let commit = text.lines().find_map(|line| line.strip_prefix("# branch.oid "))?;
        let is_name = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        let dirty = text.lines().any(|line| !line.starts_with('#'));
        is_name.then(|| Self { commit: commit.to_owned(), dirty })
    }

    /// The beginning of its name, with a `*` after it if there were changes.
    pub fn short(&self) -> String {
        let short: String = self.commit.chars().take(9).collect();
        format!("{short}{}", if self.dirty { "*" } else { "" })
    }
}

fn read() -> Result<Option<Commit>, String> {
    if env::current_dir().is_ok_and(|folder| !may_be_in_repository(&folder)) {
        return Ok(None);
    }
    let mut config = git();
    config.args(["config", "-z", "--name-only", "--get-regexp", r"^filter\."]);
    // It exits with 1 if there is none.
    let Some(keys) = answer(&mut config, &[0, 1])? else { return Ok(None) };
    let mut status = git();
    status.args(["-c", "core.fsmonitor="]);
    for filter in filters(keys)? {
        for setting in ["clean=", "process=", "required=false"] {
            status.arg("-c").arg(format!("{filter}.{setting}"));
        }
    }
    status.args(["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames"]);
    status.args(["--untracked-files=no", "--ignore-submodules=dirty"]);
    let printed = answer(&mut status, &[0])?;
    Ok(printed.and_then(|printed| Commit::of_status(&String::from_utf8_lossy(&printed))))
}

/// Whether git can find a repository from this folder, or that it is in a bare one: its two processes take a third of the time in
/// which a suite of one game is played.
fn may_be_in_repository(folder: &Path) -> bool {
    let is_missing = |path: PathBuf| {
        path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    folder
        .ancestors()
        .any(|folder| !is_missing(folder.join(".git")) || !is_missing(folder.join("HEAD")))
}

/// The filters of these settings, `filter.NAME.clean` and the like, each with a NUL behind it. Of all that git may run here, a filter
/// that is not found would be the only one left.
fn filters(keys: Vec<u8>) -> Result<BTreeSet<String>, String> {
    let problem = "the names of its filters are too long or not UTF-8";
    let is_whole = (keys.len() as u64) < GIT_OUTPUT;
    let keys = String::from_utf8(keys).ok().filter(|_| is_whole).ok_or(problem)?;
    let filters = keys.split_terminator('\0').filter_map(|key| Some(key.rsplit_once('.')?.0));
    // On a command line the name of a setting ends at the first `=`.
    match filters.clone().find(|filter| filter.contains('=')) {
        Some(odd) => Err(format!("git cannot be kept from running `{}`", printable(odd))),
        None => Ok(filters.map(str::to_owned).collect()),
    }
}

/// Git, which writes nothing, fetches nothing and speaks English.
fn git() -> Command {
    let mut git = Command::new("git");
    for (name, _) in env::vars_os() {
        let is_gits = name.as_encoded_bytes().starts_with(b"GIT_");
        if is_gits && !KEPT.iter().any(|kept| name == *kept) {
            git.env_remove(name);
        }
    }
    git.env("GIT_OPTIONAL_LOCKS", "0");
    // Old versions know only the first of these.
    git.env("GIT_ALLOW_PROTOCOL", "none").env("GIT_NO_LAZY_FETCH", "1");
    git.env("LC_ALL", "C");
    git
}

/// What git prints when it exits with one of these codes; `None` if there is no git or no repository.
fn answer(git: &mut Command, expected: &[i32]) -> Result<Option<Vec<u8>>, String> {
    let Some(Answer { code, stdout, stderr }) =
        ask(git, LIMIT).map_err(|error| error.to_string())?
    else {
        return Ok(None);
    };
    if code.is_some_and(|code| expected.contains(&code)) {
        return Ok(Some(stdout));
    }
    let stderr = String::from_utf8_lossy(&stderr);
    if stderr.contains("not a git repository") { Ok(None) } else { Err(explained(&stderr)) }
}

/// What a program printed, up to [`GIT_OUTPUT`], and its exit code; `None` if a signal ended it.
struct Answer {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Runs a program to its end, or to the end of its time; `None` if there is no such program. It prints to files: a program that
/// it leaves behind could keep a pipe open.
fn ask(program: &mut Command, limit: Duration) -> io::Result<Option<Answer>> {
    let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    program.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let mut child = match program.spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        child => child?,
    };
    let until = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            let name = program.get_program().display();
            return Err(io::Error::other(format!("{name} did not finish within {limit:?}")));
        }
        sleep(PAUSE);
    };
    let content = |mut file: File| {
        let mut content = Vec::new();
        file.rewind()?;
        file.take(GIT_OUTPUT).read_to_end(&mut content).map(|_| content)
    };
    let (stdout, stderr) = (content(stdout)?, content(stderr)?);
    Ok(Some(Answer { code: status.code(), stdout, stderr }))
}

/// Git's error as a fragment, with the command that helps if git names one.
fn explained(stderr: &str) -> String {
    let problem = stderr.lines().find_map(|line| line.strip_prefix("fatal: "));
    let problem = printable(problem.unwrap_or(stderr.trim_end()));
    let problem = if problem.is_empty() { "git failed".to_owned() } else { problem };
    let remedy = stderr.lines().map(str::trim).find(|line| line.contains("safe.directory"));
    let remedy = remedy.map(|line| format!("; `{}` records it", printable(line)));
    problem + &remedy.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_a_commit_and_a_mark() {
        let commit = |text: &str| Commit::of_status(text).map(|commit| commit.short());
        let head = "# branch.oid 0123456789abcdef\n# branch.head main\n";
        assert_eq!(commit(head).as_deref(), Some("012345678"));
        let changed = format!("{head}1 .M N... 100644 100644 100644 0 0 main.rs\n");
        assert_eq!(commit(&changed).as_deref(), Some("012345678*"));
        assert_eq!(commit("# branch.oid (initial)\n# branch.head main\n"), None);
        assert_eq!(commit(""), None);
    }

    #[test]
    fn git_is_not_asked_where_no_folder_around_has_a_repository() {
        let top = tempfile::tempdir().expect("a folder");
        let inner = top.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("made");
        // The temporary folder may itself be in one.
        let is_outside = !may_be_in_repository(top.path());
        assert_eq!(may_be_in_repository(&inner), !is_outside);
        for (name, content) in [(".git", "gitdir: elsewhere"), ("HEAD", "ref: refs/heads/main")] {
            let file = top.path().join(name);
            std::fs::write(&file, content).expect("written");
            assert!(may_be_in_repository(&inner), "{name}");
            std::fs::remove_file(file).expect("it is there");
            assert_eq!(may_be_in_repository(&inner), !is_outside);
        }
    }

    #[test]
    fn all_filters_are_found_or_git_is_not_asked() {
        let found = |keys: &[u8]| {
            filters(keys.to_owned()).map(|all| all.into_iter().collect::<Vec<_>>().join(" "))
        };
        let keys = b"filter.lfs.clean\0filter.lfs.process\0filter.a b.c.clean\0filter.clean\0";
        assert_eq!(found(keys).as_deref(), Ok("filter filter.a b.c filter.lfs"));
        assert_eq!(found(b"").as_deref(), Ok(""));
        assert!(found(b"filter.a=b.clean\0").is_err());
        assert!(found(b"filter.\xff.clean\0").is_err());
        assert!(found(&b"filter.a.clean\0".repeat(1 << 17)[..1 << 20]).is_err(), "cut");
    }

    #[test]
    fn a_program_that_does_not_finish_is_killed_and_one_that_is_missing_is_none() {
        let limit = Duration::from_millis(50);
        let started = Instant::now();
        let late = ask(Command::new("sleep").arg("1000"), limit).err().map(|it| it.to_string());
        assert_eq!(late.as_deref(), Some("sleep did not finish within 50ms"));
        assert!(started.elapsed() < Duration::from_secs(100));
        assert!(ask(&mut Command::new("/none/git"), limit).expect("not started").is_none());
    }

    #[test]
    fn a_program_that_leaves_another_one_behind_is_not_waited_for_longer() {
        let mut leaving = Command::new("sh");
        leaving.args(["-c", "sleep 1000 & echo $!; echo why >&2; exit 3"]);
        let answer = ask(&mut leaving, Duration::from_mins(5)).expect("in time").expect("a shell");
        let left = String::from_utf8(answer.stdout).expect("a number");
        let kill = format!("kill {left}");
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("runs").success());
        assert_eq!((answer.code, answer.stderr), (Some(3), b"why\n".to_vec()));
    }

    #[test]
    fn errors_of_git_are_fragments_with_their_remedy() {
        let dubious = "fatal: detected dubious ownership in repository at '/a b'\n\
                       To add an exception for this directory, call:\n\n\
                       \tgit config --global --add safe.directory '/a b'\n";
        assert_eq!(
            explained(dubious),
            "detected dubious ownership in repository at '/a b'; \
             `git config --global --add safe.directory '/a b'` records it"
        );
        assert_eq!(explained("warning: x\nfatal: bad \x1b index\n"), "bad \\u{1b} index");
        assert_eq!([explained("killed\n"), explained("")], ["killed", "git failed"]);
    }
}
