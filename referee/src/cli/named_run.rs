//! The names of runs: folders, and `latest` or `latest~N` for the project's.
//!
//! A project's runs are in its folder of runs and, since `--run NAME` puts them there, in the working directory and next to
//! `referee.toml`.

use std::path::{Path, PathBuf};

use super::{Failure, inputs, refuse};
use engine::config::Project;
use results::suite::{FolderError, Plan, PlannedBot, RunFolder, list_runs, packed_log};
use terms::limits::Profile;
use terms::path::folder_of;
use terms::text::shell_word;

/// The most games whose logs are named.
const NAMED_LOGS: usize = 20;

/// The folder of the runs by default.
const RUNS: &str = "runs";

/// The folder for the run folders of suites.
pub(super) fn runs_folder(project: &Project) -> PathBuf {
    let runs = match &project.suite.runs {
        Some(runs) => project.folder.join(runs),
        // Next to the project's file, also if `--config` names another one.
        None => inputs::config_path(None)
            .map_or_else(|| RUNS.into(), |file| folder_of(&file).join(RUNS)),
    };
    seen_from_here(runs)
}

/// The path without the working directory, if it is below it.
pub(super) fn seen_from_here(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(here).or_else(|_| path.strip_prefix(".")) {
        Ok(below) if below.as_os_str().is_empty() => ".".into(),
        Ok(below) => below.to_owned(),
        Err(_) => path,
    }
}

/// The runs in a folder, each with the value from `show`, and the folders without a valid run.
pub(super) struct Found<T> {
    /// The runs, newest first, by `started`.
    pub(super) runs: Vec<(PathBuf, T)>,
    /// The folders without a readable run, by name.
    pub(super) broken: Vec<(PathBuf, FolderError)>,
}

/// The folders with runs of a project: the one that is for them, and others that have other things too.
pub(super) struct Places {
    pub(super) runs: PathBuf,
    others: Vec<PathBuf>,
}

impl Places {
    pub(super) fn of(project: &Project) -> Self {
        let real = |path: &Path| path.canonicalize().ok();
        let runs = runs_folder(project);
        let mut known = vec![real(&runs)];
        // A suite in a subfolder made `runs` there before it had a project.
        let mut others = vec![PathBuf::from("."), PathBuf::from(RUNS)];
        others.extend((!project.folder.as_os_str().is_empty()).then(|| project.folder.clone()));
        others.retain(|other| {
            let place = real(other);
            let is_new = place.is_some() && !known.contains(&place);
            known.push(place);
            is_new
        });
        Self { runs, others }
    }

    /// The folder of runs, and the others.
    pub(super) fn all(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.runs).chain(&self.others).map(PathBuf::as_path)
    }

    /// Their names, such as `runs or the working directory`.
    pub(super) fn words(&self) -> String {
        let name = |place: &Path| match place.to_str() {
            Some(".") => "the working directory".to_owned(),
            _ => place.display().to_string(),
        };
        let names: Vec<String> = self.all().map(name).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }

    /// Whether the run in this folder is in one of them.
    pub(super) fn have(&self, run: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let folder = real(folder_of(run));
        self.all().any(|place| real(place) == folder)
    }
}

/// Lists the runs in these places; `started` gives the start time of a value from `show`.
pub(super) fn newest_first<T: Send>(
    places: &Places,
    show: impl Fn(RunFolder) -> Result<T, FolderError> + Sync,
    started: impl Fn(&T) -> jiff::Timestamp,
) -> Result<Found<T>, Failure> {
    let mut found = Found { runs: Vec::new(), broken: Vec::new() };
    let mut listed = list_runs(&places.runs, &show).map_err(Failure::user)?;
    for other in &places.others {
        // Other folders there are no broken runs, and a place that cannot be read has none.
        let show = |mut run: RunFolder| {
            run.path = seen_from_here(run.path);
            show(run)
        };
        let runs = list_runs(other, show).unwrap_or_default().into_iter();
        let runs = runs.filter(|(path, _)| path.join("run.toml").exists());
        listed.extend(runs.map(|(path, shown)| (seen_from_here(path), shown)));
    }
    for (path, shown) in listed {
        match shown {
            Ok(shown) => found.runs.push((path, shown)),
            Err(error) => found.broken.push((path, error)),
        }
    }
    found.runs.sort_by(|(a, run), (b, other)| (started(other), b).cmp(&(started(run), a)));
    found.broken.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

/// Whether `name` names a run: its folder, or `latest` and the like.
pub(super) fn is_run(name: &str) -> bool {
    Path::new(name).join("run.toml").exists() || age(Path::new(name)).is_some()
}

/// The folder of the run of this name. A folder with this exact name takes precedence; otherwise `latest` is the
/// newest run of the project, and `latest~1` the one before it.
pub(super) fn run_path(name: &Path) -> Result<PathBuf, Failure> {
    let Some(age) = age(name).filter(|_| !name.exists()) else {
        // Without a slash at the end, which a shell's pattern of folders leaves.
        return if name.exists() { Ok(name.components().collect()) } else { in_runs_folder(name) };
    };
    let places = Places::of(&inputs::project()?);
    let mut runs = newest_first(&places, |run| Ok(run.run.started), |started| *started)?.runs;
    if age < runs.len() {
        return Ok(runs.swap_remove(age).0);
    }
    let name = name.display();
    let there = match runs.len() {
        0 => format!("there are no runs in {}", places.words()),
        1 => "there is 1 run".to_owned(),
        count => format!("there are {count} runs"),
    };
    refuse(format!("{name}: {there}"))
}

/// Which board the game of this number, and with this first result, is on, if another board has the number in its name, as `0012` has 12.
fn like_board(plan: &Plan, run: &str, number: usize, first: usize) -> Option<String> {
    let mine = plan.board_name(plan.assignment(first).board);
    let names = (0..plan.boards()).map(|board| plan.board_name(board));
    let mut like = names.filter(|name| *name != mine && name.parse() == Ok(number));
    let other = like.next()?;
    Some(format!(
        "game {number} is on the board {mine}; {run}:{other} is a game on the board {other}"
    ))
}

/// The log that this names: a file, the folder of a failed game, or RUN:GAME, a game of a run by its number or its board. A run
/// alone stands for its only log.
pub(super) fn log_of(name: &Path) -> Result<PathBuf, Failure> {
    let bundled = name.join("game.jsonl");
    if name.is_file() || bundled.is_file() {
        return Ok(if name.is_file() { name.to_owned() } else { bundled });
    }
    let Some(text) = name.to_str() else { return Ok(name.to_owned()) };
    let splits = text.match_indices(':').map(|(at, _)| (&text[..at], Some(&text[at + 1..])));
    let Some((run, game)) = splits.rev().chain([(text, None)]).find(|(run, _)| is_run(run)) else {
        return Ok(name.to_owned());
    };
    let folder = RunFolder::open(&run_path(Path::new(run))?)?;
    let plan = &folder.run.plan;
    let players = plan.players();
    let board = |first: &usize| plan.board_name(plan.assignment(*first).board);
    // Each game by its first seat's result.
    let all = (1..=plan.games()).step_by(players);
    let number_of = |first: usize| (first - 1) / players + 1;
    let mut like = None;
    let chosen: Vec<usize> = match game {
        None => all.collect(),
        Some(game) => {
            let mut chosen: Vec<usize> = all.clone().filter(|first| board(first) == game).collect();
            if chosen.is_empty()
                && let Ok(number) = game.parse::<usize>()
                && let Some(first) = number.checked_sub(1).and_then(|at| all.clone().nth(at))
            {
                like = like_board(plan, run, number, first);
                chosen.push(first);
            }
            chosen
        }
    };
    if chosen.is_empty() {
        let problem = "is neither the number of a game nor the name of a board";
        return refuse(format!("{run}: `{}` {problem}", game.unwrap_or_default()));
    }
    let log = |first: &usize| {
        let unpacked = folder.log_path(*first);
        [packed_log(&unpacked), unpacked].into_iter().find(|log| log.is_file())
    };
    let logs: Vec<(usize, PathBuf)> =
        chosen.iter().filter_map(|first| Some((*first, log(first)?))).collect();
    match logs.as_slice() {
        [(_, log)] => {
            if let Some(like) = like {
                log::warn!("{like}");
            }
            Ok(log.clone())
        }
        [] => {
            let like = like.map(|like| format!("; {like}")).unwrap_or_default();
            refuse(format!("{text}: {}{like}", no_log(run, game, chosen[0], plan)))
        }
        [(first, _), ..] => {
            let shown = |(first, _): &(usize, _)| {
                let (number, table) = (number_of(*first), plan.table(*first));
                let bots: Vec<_> = table.iter().map(|bot| plan.bots[*bot].name.as_str()).collect();
                // Of a board's games each is another bot's, or a repetition.
                let is_told = game.is_some() && plan.bots.len() > 1;
                if is_told { format!("{number} ({})", bots.join(", ")) } else { number.to_string() }
            };
            let numbers: Vec<_> = logs.iter().take(NAMED_LOGS).map(shown).collect();
            let more = if logs.len() > NAMED_LOGS { ", …" } else { "" };
            let numbers = numbers.join(", ");
            refuse(format!(
                "{text}: these games have logs: {numbers}{more}; name one, such as {run}:{}",
                number_of(*first)
            ))
        }
    }
}

/// How to get a log of a game that has none.
fn no_log(run: &str, game: Option<&str>, number: usize, plan: &Plan) -> String {
    const KEEP: &str = "`referee suite --logs all` keeps the logs of all games";
    if game.is_none() && plan.games() > plan.players() {
        let words = shell_word(&format!("{run}:{number}"));
        return format!(
            "this run has no logs; {KEEP}, and `referee replay {words}` says how to play one again"
        );
    }
    let board = plan.assignment(number).board;
    let name = shell_word(&plan.board_name(board));
    let board = match plan.seed_to_type(board) {
        Some(seed) => format!("--seed {seed}"),
        None => format!("--board {name}"),
    };
    let table = plan.table(number);
    let flag = |name: &str, value: &str| format!("--{name} {} ", shell_word(value));
    let bot = |bot: &usize| {
        let words: Vec<_> = plan.bots[*bot].command.iter().map(|word| shell_word(word)).collect();
        flag("bot", &words.join(" "))
    };
    let bots: String = table.iter().map(bot).collect();
    let PlannedBot { env, cwd, .. } = &plan.bots[table[0]];
    let env = env.iter().map(|(name, value)| flag("env", &format!("{name}={value}")));
    let cwd = cwd.iter().map(|cwd| flag("cwd", cwd));
    let profile = plan.rules.profile;
    let profile = (profile != Profile::Official).then(|| flag("profile", profile.name()));
    let settings: String = env.chain(cwd).chain(profile).collect();
    let game = shell_word(&plan.game);
    format!(
        "no log of this was kept; `referee play --game {game} {bots}{settings}{board} --log game.jsonl` plays it again with one, and {KEEP}"
    )
}

/// The path as it is, unless a run of this name is among the project's.
fn in_runs_folder(name: &Path) -> Result<PathBuf, Failure> {
    let Ok(project) = inputs::project() else { return Ok(name.to_owned()) };
    let meant = runs_folder(&project).join(name);
    if !meant.join("run.toml").exists() {
        return Ok(name.to_owned());
    }
    let (name, meant) = (name.display(), meant.display());
    refuse(format!("{name}: there is no such folder; did you mean {meant}?"))
}

/// The number of newer runs than the one of this name, if it is `latest` or `latest~N`.
fn age(name: &Path) -> Option<usize> {
    match name.to_str()?.strip_prefix("latest")? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_count_from_the_newest() {
        let ages =
            ["latest", "latest~0", "latest~12", "latest~", "latest~x", "later", "runs/latest"];
        let ages = ages.map(|name| age(Path::new(name)));
        assert_eq!(ages, [Some(0), Some(0), Some(12), None, None, None, None]);
    }
}
