//! Slurm's programs: submits jobs, lists them, cancels them. The module does not know what jobs play, and does not
//! need Slurm's accounting.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use terms::text::{printable, ranges};

use crate::program::output;

/// The time between reminders that one of these is still running.
const NOTICE: Duration = Duration::from_secs(10);

/// The programs that are called.
const PROGRAMS: [&str; 4] = ["sbatch", "scontrol", "squeue", "scancel"];

/// Variables that give these programs options of the user's, and so would filter the queue, format it otherwise, or
/// have a job of another kind submitted. Others, such as `SBATCH_PARTITION`, are wanted.
const MISLEADING: [&str; 8] = [
    "SQUEUE_",
    "SCANCEL_",
    "SBATCH_ARRAY_INX",
    "SBATCH_OPEN_MODE",
    "SBATCH_OUTPUT",
    "SBATCH_SIGNAL",
    "SBATCH_TEST_ONLY",
    "SBATCH_WAIT",
];

/// The most tasks of an array, if the cluster does not say.
const USUAL_ARRAY_SIZE: u32 = 1001;

/// Why a call of Slurm failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlurmError {
    /// A program is not in PATH.
    #[error("there is no {0} in PATH, so this machine does not belong to a Slurm cluster")]
    Missing(&'static str),
    /// A program failed.
    #[error("{program} failed: {said}")]
    Refused {
        /// The program, such as `sbatch`.
        program: &'static str,
        /// Its standard error.
        said: String,
    },
    /// A program cannot be run.
    #[error("cannot run {0}")]
    Call(&'static str, #[source] io::Error),
}

/// A job, or a task of an array, that waits or runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// The number of the job, or of the array.
    pub job: u64,
    /// The index of the task in the array.
    pub index: Option<u32>,
    /// The id of the user who submitted it.
    pub user: u32,
    /// Its state, such as `RUNNING`.
    pub state: String,
    /// Why it waits, such as `Resources`.
    pub reason: String,
    /// The batch script.
    pub(super) script: PathBuf,
    /// The argument of the script.
    pub(super) argument: String,
}

impl Queued {
    /// The part that a task plays; `None` for a job that merges.
    pub fn part(&self) -> Option<u32> {
        Some(self.argument.parse::<u32>().ok()? + self.index?)
    }
}

/// What is special about a job.
pub(super) struct Job<'a> {
    /// The argument of the script.
    pub(super) argument: &'a str,
    /// The indices of the tasks, if it is an array.
    pub(super) tasks: &'a [u32],
    /// The most of these tasks that run at a time.
    pub(super) max_tasks: Option<NonZeroU32>,
    /// The jobs that must have ended before, even if they failed.
    pub(super) after: &'a [u64],
    /// More options of `sbatch`.
    pub(super) options: &'a [String],
}

impl<'a> Job<'a> {
    /// A job that is one task, and waits for no other.
    pub(super) fn of(argument: &'a str) -> Self {
        Self { argument, tasks: &[], max_tasks: None, after: &[], options: &[] }
    }
}

/// The output of one of Slurm's programs.
fn call(program: &'static str, args: &[impl AsRef<OsStr>]) -> Result<String, SlurmError> {
    call_with(program, args, Stdio::null())
}

fn call_with(
    program: &'static str,
    args: &[impl AsRef<OsStr>],
    stdin: Stdio,
) -> Result<String, SlurmError> {
    let mut command = Command::new(program);
    let misleads = |name: &OsStr| MISLEADING.iter().any(|start| starts_with(name, start));
    for (name, _) in std::env::vars_os().filter(|(name, _)| misleads(name)) {
        command.env_remove(name);
    }
    command.args(args).stdin(stdin);
    let output = output(&mut command, NOTICE, |_| log::warn!("still waiting for `{program}`"));
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SlurmError::Missing(program),
        _ => SlurmError::Call(program, error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(SlurmError::Refused { program, said: one_line(program, &said) })
}

fn starts_with(name: &OsStr, start: &str) -> bool {
    name.as_encoded_bytes().starts_with(start.as_bytes())
}

/// A program's standard error, without its name before each line.
fn one_line(program: &str, said: &str) -> String {
    let own = |line: &str| {
        let line = line.strip_prefix(program).and_then(|line| line.strip_prefix(": "))?;
        Some(line.strip_prefix("error: ").unwrap_or(line).to_owned())
    };
    let lines = said.lines().map(|line| printable(&own(line).unwrap_or_else(|| line.to_owned())));
    lines.collect::<Vec<_>>().join("; ")
}

/// The most tasks of an array, by the cluster's settings. Fails early if there is no cluster here, or one of
/// the programs is missing.
///
/// # Errors
/// When the program is missing, fails, or prints something unexpected.
pub fn array_size() -> Result<u32, SlurmError> {
    for program in PROGRAMS {
        call(program, &["--version"])?;
    }
    let config = call("scontrol", &["show", "config"])?;
    let size = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    });
    Ok(size.unwrap_or(USUAL_ARRAY_SIZE).max(1))
}

/// Submits a job of the batch script at this absolute path, and returns the job's number. `sbatch` keeps `lock` open
/// as long as it runs, even if this process is killed.
pub(super) fn submit(script: &Path, job: &Job<'_>, lock: Stdio) -> Result<u64, SlurmError> {
    let mut args: Vec<OsString> = vec!["--parsable".into()];
    if !job.tasks.is_empty() {
        let most = job.max_tasks.map(|most| format!("%{most}")).unwrap_or_default();
        args.push(format!("--array={}{most}", ranges(job.tasks)).into());
    }
    if !job.after.is_empty() {
        let after: Vec<String> = job.after.iter().map(u64::to_string).collect();
        args.push(format!("--dependency=afterany:{}", after.join(":")).into());
    }
    args.extend(job.options.iter().map(OsString::from));
    args.extend([script.into(), job.argument.into()]);
    let said = call_with("sbatch", &args, lock)?;
    // With several clusters, the name of the chosen one follows.
    let number = said.trim().split(';').next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| SlurmError::Refused { program: "sbatch", said: printable(said.trim()) })
}

/// The jobs of these users that wait or run, an entry for each task.
pub(super) fn queue(users: &BTreeSet<u32>) -> Result<Vec<Queued>, SlurmError> {
    let users: Vec<String> = users.iter().map(u32::to_string).collect();
    let users = format!("--user={}", users.join(","));
    let args = [&users, "--array", "--noheader", "--format=%F|%K|%U|%T|%r|%o"];
    Ok(call("squeue", &args)?.lines().filter_map(queued).collect())
}

/// Reads a line of the queue; `None` if it is not one of a batch script with an argument.
pub(super) fn queued(line: &str) -> Option<Queued> {
    let mut fields = line.trim().splitn(6, '|');
    let job = fields.next()?.parse().ok()?;
    let index = fields.next()?.parse().ok();
    let user = fields.next()?.parse().ok()?;
    let (state, reason) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    // A job without an argument is not the referee's.
    let (script, argument) = fields.next()?.rsplit_once(' ')?;
    let (script, argument) = (script.into(), argument.to_owned());
    Some(Queued { job, index, user, state, reason, script, argument })
}

pub(super) fn cancel(jobs: &BTreeSet<u64>) -> Result<(), SlurmError> {
    if jobs.is_empty() {
        return Ok(());
    }
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    call("scancel", &jobs).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_queue_is_a_job_or_a_task() {
        let task = queued("17|4|1000|PENDING|Resources|/a b|c/slurm.sh 12").expect("a task");
        assert_eq!((task.job, task.index, task.user, task.part()), (17, Some(4), 1000, Some(16)));
        assert_eq!((task.state.as_str(), task.reason.as_str()), ("PENDING", "Resources"));
        assert_eq!(task.script, Path::new("/a b|c/slurm.sh"));
        let merging = queued("18|N/A|1000|RUNNING|None|/run/slurm.sh merge").expect("a job");
        assert_eq!((merging.index, merging.part()), (None, None));
        for other in ["slurm_load_jobs error", "19|N/A|1000|RUNNING|None|bash"] {
            assert_eq!(queued(other), None);
        }
    }

    #[test]
    fn the_lines_of_a_refusal_are_one() {
        let said =
            "sbatch: error: invalid partition: none\nsbatch: too bad\nslurm_x error: \u{1b}[31m\n";
        let expected = "invalid partition: none; too bad; slurm_x error: \\u{1b}[31m";
        assert_eq!(one_line("sbatch", said), expected);
    }
}
