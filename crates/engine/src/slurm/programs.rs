//! Slurm's programs: submits jobs, lists them, cancels them. The module does not know what jobs play, and does not
//! need Slurm's accounting.

use std::collections::BTreeSet;
use std::io;
use std::process::Command;

use terms::text::{printable, ranges};

/// The programs that are called.
const PROGRAMS: [&str; 4] = ["sbatch", "scontrol", "squeue", "scancel"];

/// The most tasks of an array, if the cluster does not say.
const USUAL_ARRAY_SIZE: u32 = 1001;

/// Why a call of Slurm failed.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// A program is not in PATH.
    #[error("there is no {0} in PATH, so this machine does not belong to a Slurm cluster")]
    Missing(&'static str),
    /// A program failed.
    #[error("{program} failed: {said}")]
    Refused {
        /// The program.
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
    /// Its state, such as `RUNNING`.
    pub state: String,
    /// Why it waits, such as `Resources`.
    pub reason: String,
}

/// A job to submit.
pub(super) struct Job<'a> {
    /// The batch script.
    pub(super) script: &'a std::path::Path,
    /// The arguments of the script.
    pub(super) argument: &'a str,
    /// The indices of the tasks, if it is an array.
    pub(super) tasks: &'a [u32],
    /// The jobs that must have ended before, even if they failed.
    pub(super) after: &'a [u64],
    /// More options of `sbatch`.
    pub(super) options: &'a [String],
}

/// The output of one of Slurm's programs.
fn call(program: &'static str, args: &[String]) -> Result<String, SlurmError> {
    let output = Command::new(program).args(args).output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SlurmError::Missing(program),
        _ => SlurmError::Call(program, error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(SlurmError::Refused { program, said: one_line(program, &said) })
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
        call(program, &["--version".to_owned()])?;
    }
    let config = call("scontrol", &["show".to_owned(), "config".to_owned()])?;
    let size = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    });
    Ok(size.unwrap_or(USUAL_ARRAY_SIZE).max(1))
}

/// Submits a job, and returns its number.
pub(super) fn submit(job: &Job<'_>) -> Result<u64, SlurmError> {
    let mut args = vec!["--parsable".to_owned()];
    if !job.tasks.is_empty() {
        args.push(format!("--array={}", ranges(job.tasks)));
    }
    if !job.after.is_empty() {
        let after: Vec<String> = job.after.iter().map(u64::to_string).collect();
        args.push(format!("--dependency=afterany:{}", after.join(":")));
    }
    args.extend_from_slice(job.options);
    args.extend([job.script.display().to_string(), job.argument.to_owned()]);
    let said = call("sbatch", &args)?;
    // With several clusters, the name of the chosen one follows.
    let number = said.trim().split(';').next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| SlurmError::Refused { program: "sbatch", said: printable(said.trim()) })
}

/// The user's jobs that wait or run, an entry for each task.
pub(super) fn queue() -> Result<Vec<Queued>, SlurmError> {
    let args = ["--me", "--array", "--noheader", "--format=%F|%K|%T|%r"].map(str::to_owned);
    Ok(call("squeue", &args)?.lines().filter_map(queued).collect())
}

fn queued(line: &str) -> Option<Queued> {
    let mut fields = line.trim().split('|');
    let job = fields.next()?.parse().ok()?;
    let index = fields.next()?.parse().ok();
    let (state, reason) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    Some(Queued { job, index, state, reason })
}

/// Cancels jobs.
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
        let task = queued("17|4|PENDING|Resources").expect("a task");
        assert_eq!((task.job, task.index), (17, Some(4)));
        assert_eq!((task.state.as_str(), task.reason.as_str()), ("PENDING", "Resources"));
        assert_eq!(queued("18|N/A|RUNNING|None").expect("a job").index, None);
        assert_eq!(queued("slurm_load_jobs error"), None);
    }

    #[test]
    fn the_lines_of_a_refusal_are_one() {
        let said =
            "sbatch: error: invalid partition: none\nsbatch: too bad\nslurm_x error: \u{1b}[31m\n";
        let expected = "invalid partition: none; too bad; slurm_x error: \\u{1b}[31m";
        assert_eq!(one_line("sbatch", said), expected);
    }
}
