//! The parts of a project file besides ordinary settings: named bots, board sets and suite settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::games::CustomGame;
use super::over::{Layered, over_by_field};
use super::values::SeedsSource;
use results::suite::{Margin, Seats};
use statistics::Risk;
use terms::values::{Limit, words};

/// The name of a project file. The search starts in the working directory and goes upwards.
pub const PROJECT_FILE: &str = "referee.toml";

/// The project file that `referee init` writes.
pub const TEMPLATE: &str = include_str!("../../configs/project.toml");

/// The bots, the board sets and the settings of suites of a project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// The folder from which the relative paths below start.
    pub folder: PathBuf,
    /// The tables `[bots.NAME]`, which `--bot NAME` plays.
    pub bots: BTreeMap<String, BotEntry>,
    /// Games of the user's own, by name.
    pub games: BTreeMap<String, CustomGame>,
    /// The tables `[boards.NAME]`, which `--board NAME` plays.
    pub boards: BTreeMap<String, BoardSet>,
    /// The settings of suites.
    pub suite: SuiteTable,
    /// The settings of suites on a cluster.
    pub cluster: ClusterTable,
}

/// What `[bots.NAME]` says of a bot.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [bots.NAME]")]
pub struct BotEntry {
    /// Its command line, split into words as a shell would.
    pub command: String,
    /// A shell command that runs before its games.
    pub build: Option<String>,
    /// Its working directory, by default the project's folder.
    #[serde(default, deserialize_with = "path")]
    pub cwd: PathBuf,
    /// Environment variables to set for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// A named set of boards.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [boards.NAME]")]
pub struct BoardSet {
    /// Files, patterns, or folders for the boards in them.
    #[serde(default, deserialize_with = "files")]
    pub files: Vec<PathBuf>,
    /// Seeds: a list of them and of ranges, or a file.
    pub seeds: Option<SeedsSource>,
    /// The number of colours of the seeds' boards.
    pub colors: Option<u8>,
}

/// Settings of suites, each of which may be unset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [suite]")]
pub struct SuiteTable {
    /// The number of games at a time.
    pub jobs: Option<u16>,
    /// The number of cores for each bot.
    pub cores_per_bot: Option<u16>,
    /// Whether each game has cores of its own.
    pub pin: Option<Pin>,
    /// In which orders the bots of a game of several players take its seats.
    pub seats: Option<Seats>,
    /// The mean difference that does not matter to a suite against an opponent.
    pub margin: Option<Margin>,
    /// The false-positive rate of a suite against an opponent.
    pub risk: Option<Risk>,
    /// The folder for run folders.
    #[serde(default, deserialize_with = "some_path")]
    pub runs: Option<PathBuf>,
    /// The file of the records.
    #[serde(default, deserialize_with = "some_path")]
    pub records: Option<PathBuf>,
}

over_by_field!(SuiteTable: jobs, cores_per_bot, pin, seats, margin, risk, runs, records);

/// Whether each game has cores of its own, for its bot, its judge and the thread that plays it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pin {
    /// Where there are enough cores; those that other suites have are shared with them if there are no others.
    #[default]
    Auto,
    /// Always, and on cores that no other suite has; otherwise the games cannot be played.
    Always,
    /// Never: the system places them.
    Off,
}

/// Settings of suites on a Slurm cluster, each of which may be unset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [cluster]")]
pub struct ClusterTable {
    /// Options of `sbatch`, which override those computed from limits.
    #[serde(default)]
    pub args: Vec<String>,
    /// The length of a shard, computed from the limits of its games.
    pub shard_length: Option<Limit>,
    /// The largest number of tasks that run at a time.
    pub max_tasks: Option<NonZeroU32>,
}

over_by_field!(ClusterTable: args, shard_length, max_tasks);

/// Reads a path, in which no shell replaces `~`: a folder of this name would be made.
fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => {
            let home = home.join(rest);
            let problem = format!("no shell runs here to replace `~`; write {}", home.display());
            Err(D::Error::custom(problem))
        }
        _ => Ok(path),
    }
}

fn some_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    path(deserializer).map(Some)
}

/// Reads one file, or a list of them.
fn files<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(PathBuf::from).collect())
}

/// The project file of a folder: its own, or the nearest above.
pub fn find_project(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())
}

/// The TOML reader's complaint in a user's words, with the most similar known key.
pub(super) fn with_suggestion(problem: String) -> String {
    let numbers = ["u8", "u16", "u32", "usize", "a nonzero u32"];
    if let Some((problem, expected)) = problem.rsplit_once("expected ")
        && numbers.contains(&expected)
    {
        return format!("{problem}expected a whole number");
    }
    let words: Vec<&str> = problem.split('`').skip(1).step_by(2).collect();
    let [unknown, known @ ..] = words.as_slice() else { return problem };
    if !problem.starts_with("unknown ") {
        return problem;
    }
    let likeness = |known: &&&str| strsim::jaro_winkler(unknown, known);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) > 0.75) {
        Some(nearest) => format!("{problem}; did you mean `{nearest}`?"),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_nearly_right_is_suggested() {
        let problem =
            |key: &str| format!("unknown field `{key}`, expected one of `game`, `profile`");
        let suggested = with_suggestion(problem("profil"));
        assert!(suggested.ends_with("`profile`; did you mean `profile`?"), "{suggested}");
        assert_eq!(with_suggestion(problem("zzz")), problem("zzz"));
        let other = "invalid type: integer `50`, expected a string".to_owned();
        assert_eq!(with_suggestion(other.clone()), other);
        let number = "invalid type: string \"4\", expected u16".to_owned();
        assert!(with_suggestion(number).ends_with(", expected a whole number"));
    }

    #[test]
    fn the_nearest_project_file_holds() {
        let top = tempfile::tempdir().expect("a folder");
        let below = top.path().join("a/b");
        std::fs::create_dir_all(&below).expect("made");
        assert_eq!(find_project(&below), None);
        for folder in [top.path().to_owned(), top.path().join("a")] {
            std::fs::write(folder.join(PROJECT_FILE), "").expect("written");
            assert_eq!(find_project(&below), Some(folder.join(PROJECT_FILE)));
        }
    }
}
