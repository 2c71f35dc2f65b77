//! Finds the commit of the user's repository that a run is started from.

use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::time::Duration;

use results::suite::Commit;
use terms::text::printable;

use crate::program::output;

/// The time for each question to git.
const LIMIT: Duration = Duration::from_secs(5);

/// The commit that is checked out in the working directory; `None` if there is no git, no repository, or no commit yet. A
/// warning says why git failed otherwise, or that it took too long.
///
/// Git runs no program that the repository's settings name, such as a filter, unless `is_trusted`. Only then is it known whether
/// tracked files have changes. Untracked files do not count: the folder of the runs is often untracked.
pub fn commit_here(is_trusted: bool) -> Option<Commit> {
    let commit = ask("the git commit is", &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    let mut dirty = None;
    if is_trusted {
        let status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"];
        dirty = ask("uncommitted changes are", &status).map(|changes| !changes.is_empty());
    }
    Some(Commit { commit: String::from_utf8_lossy(&commit).trim_end().to_owned(), dirty })
}

/// What git prints if it succeeds. Otherwise a warning says that this is not recorded.
fn ask(what: &str, args: &[&str]) -> Option<Vec<u8>> {
    let mut git = Command::new("git");
    git.args(args).stdin(Stdio::null()).env("LC_ALL", "C");
    let mut is_late = false;
    let answer = output(&mut git, LIMIT, |git| {
        is_late = true;
        let _ = git.kill();
    });
    let problem = match answer {
        Ok(answer) if answer.status.success() => return Some(answer.stdout),
        _ if is_late => format!("git did not finish within {LIMIT:?}"),
        Ok(answer) => {
            let stderr = String::from_utf8_lossy(&answer.stderr);
            let fatal = stderr.lines().find_map(|line| line.strip_prefix("fatal: "));
            // Without a commit it prints nothing.
            printable(fatal.filter(|fatal| !fatal.starts_with("not a git repository"))?)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => error.to_string(),
    };
    log::warn!("{what} not recorded: {problem}");
    None
}
