//! The tasks of a run: their demands on the cluster, and their arguments.

use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::script::{Script, is_allowed, is_directive};
use crate::config::ClusterTable;
use crate::suite::Jobs;
use results::suite::{Plan, RunFolder, write_whole};
use terms::limits::LimitKind;

/// The batch script in a run folder.
pub(super) const SCRIPT: &str = "slurm.sh";

/// The default length of a part.
const PART_LENGTH: Duration = Duration::from_mins(10);

/// The default maximum number of parts.
const MAX_PARTS: u32 = 1000;

/// The number of later turns in the estimate of a game's time.
const TURNS: u32 = 100;

/// Time of a task beyond its games' time plus a tenth: for its start, its host check, and a slow file system.
const TASK_MARGIN: Duration = Duration::from_mins(5);

/// The memory of the referee itself, in MiB.
const REFEREE_MEMORY: u64 = 256;

/// The demands and the arguments of the tasks that play the parts of a run.
#[derive(Debug)]
pub struct Tasks {
    /// The settings of the cluster, which override the demands computed from limits.
    pub cluster: ClusterTable,
    /// The number of games that a task plays at a time.
    pub jobs: Jobs,
    /// Arguments of the referee, besides the run and the part.
    pub words: Vec<String>,
    /// Arguments of `referee merge`, besides the run.
    pub merge_words: Vec<String>,
}

/// Why there is no batch script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// An option of `sbatch` would break the script.
    #[error("`{0}` cannot stand in a batch script")]
    Directive(String),
    /// The run folder cannot be named to Slurm.
    #[error(
        "{}: Slurm cannot name files in a folder with a double quote, a backslash or a control character; choose \
         another folder",
        .0.display()
    )]
    Path(PathBuf),
    /// The script cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl Tasks {
    /// The number of parts so that each takes about `part_length`, by the limits of its games; `None` without limits.
    pub fn parts(&self, plan: &Plan) -> Option<NonZeroU32> {
        let length = self.cluster.part_length.map_or(PART_LENGTH, |limit| limit.0);
        let most = self.cluster.max_parts.map_or(MAX_PARTS, NonZeroU32::get);
        let all = longest_game(plan)?.as_nanos() * plan.games() as u128;
        let parts = (all / self.jobs.of_task() as u128).div_ceil(length.as_nanos());
        NonZeroU32::new(u32::try_from(parts).unwrap_or(u32::MAX).clamp(1, most))
    }

    /// Writes the batch script of a run, which is the same for all tasks.
    ///
    /// # Errors
    /// When an option does not fit into the script, or the script cannot be written.
    pub fn write_script(&self, folder: &RunFolder) -> Result<(), ScriptError> {
        let run = std::path::absolute(&folder.path)?;
        let script = Script {
            run: &run,
            directives: &self.directives(&folder.run.plan, &run)?,
            task: &self.words,
            merge: &self.merge_words,
        };
        // A kill must not leave half a script, which would be submitted later.
        Ok(write_whole(&folder.path.join(SCRIPT), script.text().as_bytes())?)
    }

    /// The options of `sbatch`: the demands of tasks, then the settings.
    fn directives(&self, plan: &Plan, run: &Path) -> Result<Vec<String>, ScriptError> {
        can_be_named(run)?;
        let path = run.display().to_string();
        let name = run.file_name().unwrap_or_default().to_string_lossy();
        let mut options = vec![
            format!("--job-name={name}"),
            format!("--chdir={path}"),
            format!("--output={}/parts/%A_%a.out", path.replace('%', "%%")),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            // On this signal the referee keeps the games played so far, within seconds.
            "--signal=B:TERM@60".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={}", self.jobs.cpus_of_task()),
        ];
        options.extend(self.memory(plan).map(|mebibytes| format!("--mem={mebibytes}M")));
        options.extend(self.minutes(plan).map(|minutes| format!("--time={minutes}")));
        options.extend(settings(&self.cluster));
        match options.iter().find(|option| !is_directive(option)) {
            Some(bad) => Err(ScriptError::Directive(bad.clone())),
            None => Ok(options),
        }
    }

    /// The memory of a task in MiB, by the limits of its bots, which are as many in a game as it has players.
    fn memory(&self, plan: &Plan) -> Option<u64> {
        let bot = plan.rules.resources.memory?.div_ceil(1 << 20);
        let bots = self.jobs.of_task() * plan.players();
        Some(bot * bots as u64 + REFEREE_MEMORY)
    }

    /// The time of a task in minutes, by the limits of its games.
    fn minutes(&self, plan: &Plan) -> Option<u64> {
        let parts = plan.parts.map_or(1, NonZeroU32::get) as usize;
        let games = plan.games().div_ceil(parts * self.jobs.of_task());
        let longest = longest_game(plan)?.saturating_mul(u32::try_from(games).unwrap_or(u32::MAX));
        let longest = longest.saturating_add(longest / 10).saturating_add(TASK_MARGIN);
        Some(longest.as_secs().div_ceil(60))
    }
}

/// Checks that a batch script can name this run folder, an absolute path.
///
/// # Errors
/// When it has a double quote, a backslash or a control character.
pub fn can_be_named(run: &Path) -> Result<(), ScriptError> {
    let is_fine = run.to_str().is_some_and(|path| path.chars().all(is_allowed));
    if is_fine { Ok(()) } else { Err(ScriptError::Path(run.to_owned())) }
}

/// The options of the merging job, which needs less than a task that plays, and writes elsewhere.
pub(super) fn merge_options(run: &Path) -> [String; 3] {
    let output = format!("--output={}/merge.out", run.display().to_string().replace('%', "%%"));
    ["--cpus-per-task=1".to_owned(), format!("--mem={REFEREE_MEMORY}M"), output]
}

/// The longest time of a game by its limits; `None` if time is not limited.
fn longest_game(plan: &Plan) -> Option<Duration> {
    let limits = &plan.rules.limits;
    let limit = |kind| limits.of(kind).unwrap_or_default();
    let later = limit(LimitKind::Turn) * TURNS;
    plan.is_timed().then(|| limit(LimitKind::FirstTurn) + limit(LimitKind::Total) + later)
}

fn settings(cluster: &ClusterTable) -> impl Iterator<Item = String> {
    let options = [
        ("partition", &cluster.partition),
        ("account", &cluster.account),
        ("qos", &cluster.qos),
        ("time", &cluster.time),
        ("mem", &cluster.memory),
        ("constraint", &cluster.constraint),
    ];
    let set = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    set.map(|(name, value)| format!("--{name}={value}")).chain(cluster.args.iter().cloned())
}
