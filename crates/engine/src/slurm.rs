//! Submits the shards of a run to Slurm: an array of tasks that play one each, and a job that merges them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::config::ClusterTable;
use crate::program::output;
use crate::suite::Jobs;
use results::suite::Plan;
use terms::limits::LimitKind;
use terms::text::{printable, shell_word};

/// The default length of a shard.
const SHARD_LENGTH: Duration = Duration::from_mins(10);

/// The most shards by default: the usual `MaxArraySize` is 1001, and indices begin at 1.
const MAX_SHARDS: u128 = 1000;

/// The number of later turns in the estimate of a game's time.
const TURNS: u32 = 100;

/// Time of a task beyond its games' time plus a tenth: for its start, its host check, and a slow file system.
const TASK_MARGIN: Duration = Duration::from_mins(5);

/// The memory of the referee itself, in MiB.
const REFEREE_MEMORY: u64 = 256;

/// The time between reminders that `sbatch` is still running.
const NOTICE: Duration = Duration::from_secs(10);

/// Variables `SBATCH_NAME` by which a user's options would replace what the jobs need. Others, such as `SBATCH_PARTITION`, are wanted.
const MISLEADING: [&str; 6] = ["ARRAY_INX", "OPEN_MODE", "OUTPUT", "SIGNAL", "TEST_ONLY", "WAIT"];

/// What the tasks of a run need from the cluster.
#[derive(Debug)]
pub struct Tasks {
    /// The settings of the cluster, which override what is computed from limits.
    pub cluster: ClusterTable,
    /// The number of games that a task plays at a time.
    pub jobs: Jobs,
}

/// Why jobs are not submitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlurmError {
    /// `sbatch` is not in PATH.
    #[error("there is no sbatch in PATH, so this machine does not belong to a Slurm cluster")]
    Missing,
    /// `sbatch` failed, and said this.
    #[error("sbatch failed: {0}")]
    Refused(String),
    /// `sbatch` cannot be run.
    #[error("cannot run sbatch")]
    Call(#[source] io::Error),
    /// An option or path would break the batch script.
    #[error(
        "`{0}` cannot stand in a batch script, which has no double quote, backslash or control character"
    )]
    Directive(String),
}

/// The files and folders of a submission, as absolute paths.
#[derive(Debug)]
pub struct Places {
    /// The program that plays and merges.
    pub referee: PathBuf,
    /// The working directory, from which bots and settings are found.
    pub here: PathBuf,
    /// The folder of the shards, each of which is a run named by its number.
    pub shards: PathBuf,
    /// The run that they are merged into.
    pub run: PathBuf,
}

impl Tasks {
    /// The number of shards so that each takes about the project's `shard-length`, by the limits of its games; `None` without limits.
    pub fn shards(&self, plan: &Plan) -> Option<u32> {
        let length = self.cluster.shard_length.map_or(SHARD_LENGTH, |limit| limit.0);
        let all = longest_game(plan)?.as_nanos() * plan.games() as u128;
        let shards = (all / self.jobs.of_task() as u128).div_ceil(length.as_nanos());
        u32::try_from(shards.clamp(1, MAX_SHARDS)).ok()
    }

    /// The script that plays the shard of the task's index, with these additional arguments of `referee resume`.
    ///
    /// # Errors
    /// When an option or a path does not fit into a script.
    pub fn script(
        &self,
        places: &Places,
        plan: &Plan,
        shards: u32,
        words: &[String],
    ) -> Result<String, SlurmError> {
        let mut options = vec![
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            // On this signal the referee keeps the games played so far, within seconds.
            "--signal=B:TERM@60".to_owned(),
            format!("--cpus-per-task={}", self.jobs.cpus_of_task()),
        ];
        options.extend(self.memory(plan).map(|mebibytes| format!("--mem={mebibytes}M")));
        options.extend(self.minutes(plan, shards).map(|minutes| format!("--time={minutes}")));
        let shard = format!("{}/\"$SLURM_ARRAY_TASK_ID\"", word(&places.shards));
        let words: Vec<String> =
            words.iter().map(|word| format!(" {}", shell_word(word))).collect();
        let command = format!("{} resume {shard}{}", word(&places.referee), words.concat());
        self.with_directives(places, "%a.out", &options, &command)
    }

    /// The script that merges the shards.
    ///
    /// # Errors
    /// When an option or a path does not fit into a script.
    pub fn merge_script(&self, places: &Places) -> Result<String, SlurmError> {
        let options = ["--cpus-per-task=1".to_owned(), format!("--mem={REFEREE_MEMORY}M")];
        let (referee, shards, run) =
            (word(&places.referee), word(&places.shards), word(&places.run));
        let command = format!("{referee} merge {shards}/*/ --run {run}");
        self.with_directives(places, "merge.out", &options, &command)
    }

    fn with_directives(
        &self,
        places: &Places,
        output: &str,
        options: &[String],
        command: &str,
    ) -> Result<String, SlurmError> {
        let name = places.run.file_name().unwrap_or_default().to_string_lossy();
        let shards = places.shards.display().to_string().replace('%', "%%");
        let mut directives = vec![
            format!("--job-name={name}"),
            format!("--chdir={}", places.here.display()),
            format!("--output={shards}/{output}"),
            "--ntasks=1".to_owned(),
        ];
        directives.extend(options.iter().chain(&self.cluster.args).cloned());
        if let Some(bad) = directives.iter().find(|option| !is_directive(option)) {
            return Err(SlurmError::Directive(bad.clone()));
        }
        let lines = directives.iter().map(|option| format!("#SBATCH {}\n", directive(option)));
        Ok(format!("#!/bin/sh\n{}exec {command}\n", lines.collect::<Vec<_>>().concat()))
    }

    /// The memory of a task in MiB, by the limits of its bots, which are as many in a game as it has players.
    fn memory(&self, plan: &Plan) -> Option<u64> {
        let bot = plan.rules.resources.memory?.div_ceil(1 << 20);
        let bots = self.jobs.of_task() * plan.players();
        Some(bot * bots as u64 + REFEREE_MEMORY)
    }

    /// The time of a task in minutes, by the limits of its games.
    fn minutes(&self, plan: &Plan, shards: u32) -> Option<u64> {
        let games = plan.games().div_ceil(shards as usize * self.jobs.of_task());
        let longest = longest_game(plan)?.saturating_mul(u32::try_from(games).unwrap_or(u32::MAX));
        let longest = longest.saturating_add(longest / 10).saturating_add(TASK_MARGIN);
        Some(longest.as_secs().div_ceil(60))
    }
}

fn word(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// The longest time of a game by its limits; `None` if time is not limited.
fn longest_game(plan: &Plan) -> Option<Duration> {
    let limits = &plan.rules.limits;
    let limit = |kind| limits.of(kind).unwrap_or_default();
    let later = limit(LimitKind::Turn) * TURNS;
    plan.is_timed().then(|| limit(LimitKind::FirstTurn) + limit(LimitKind::Total) + later)
}

/// Whether a text can stand in a batch script as an option of `sbatch`, which has no escapes there, and takes a path with a
/// backslash for one without placeholders.
pub fn is_directive(text: &str) -> bool {
    text.starts_with('-') && !text.contains(|c: char| c.is_control() || c == '"' || c == '\\')
}

/// An option as the script's comments hold it: a value with blanks, quotes or `#` in double quotes.
fn directive(option: &str) -> String {
    match option.split_once('=') {
        Some((name, value)) if value.contains([' ', '\'', '#']) => format!("{name}=\"{value}\""),
        _ => option.to_owned(),
    }
}

/// Checks that there is a cluster here.
///
/// # Errors
/// When `sbatch` is missing or fails.
pub fn check_cluster() -> Result<(), SlurmError> {
    sbatch(&["--version"]).map(drop)
}

/// Submits a script with these options of `sbatch`, and returns the job's number.
///
/// # Errors
/// When `sbatch` is missing or refuses.
pub fn submit(script: &Path, options: &[String]) -> Result<u64, SlurmError> {
    let words = options.iter().map(OsStr::new).chain([script.as_os_str()]);
    let said = sbatch(&[OsStr::new("--parsable")].into_iter().chain(words).collect::<Vec<_>>())?;
    // With several clusters, the name of the chosen one follows.
    let number = said.trim().split(';').next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| SlurmError::Refused(printable(said.trim())))
}

fn sbatch(args: &[impl AsRef<OsStr>]) -> Result<String, SlurmError> {
    let mut command = Command::new("sbatch");
    for name in MISLEADING {
        command.env_remove(format!("SBATCH_{name}"));
    }
    let output = output(command.args(args), NOTICE, |_| log::warn!("still waiting for `sbatch`"));
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SlurmError::Missing,
        _ => SlurmError::Call(error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = said.lines().map(printable).collect();
    Err(SlurmError::Refused(lines.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        let config = crate::config::Config::resolve([]).expect("the defaults");
        let plan = crate::suite::plan(&config, Vec::new());
        let path = |path: &str| PathBuf::from(path);
        let places = Places {
            referee: path("/bin/referee"),
            here: path("/a b"),
            shards: path("/a b/$run.shards"),
            run: path("/a b/$run"),
        };
        let args = ["--comment=it's#1".to_owned()].to_vec();
        let cluster = ClusterTable { args, ..ClusterTable::default() };
        let tasks = Tasks { cluster, jobs: Jobs::of(&config.project.suite) };
        let words = ["--logs".to_owned(), "it's".to_owned()];
        let text = tasks.script(&places, &plan, 2, &words).expect("a script");
        for line in [
            "#SBATCH --chdir=\"/a b\"",
            "#SBATCH --comment=\"it's#1\"",
            "exec /bin/referee resume '/a b/$run.shards'/\"$SLURM_ARRAY_TASK_ID\" --logs \"it's\"",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let text = tasks.merge_script(&places).expect("a script");
        let merge = "exec /bin/referee merge '/a b/$run.shards'/*/ --run '/a b/$run'\n";
        assert!(text.ends_with(merge), "{text}");
    }

    #[test]
    fn what_would_break_the_script_is_no_option() {
        assert!(is_directive("--constraint=a&b") && is_directive("-pshort"));
        for text in ["", "short", "--a=\"b\"", "--a=b\\c", "--a\nrm -rf /", "--a\u{1b}"] {
            assert!(!is_directive(text), "{text:?}");
        }
    }
}
