//! The completions of values: bots, boards, board sets and run folders.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap_complete::engine::{PathCompleter, ValueCompleter};
use clap_complete::{ArgValueCompleter, CompletionCandidate};

use crate::cli::inputs;
use crate::cli::named_run::{Places, newest_first, run_path};
use engine::config::Project;
use results::suite::RunFolder;

/// Values of `--bot`: bundled bots, the project's, and paths, also within a command line in quotes.
pub(in crate::cli) fn bots() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        if let Some((before, last)) = typed.to_str().and_then(|typed| typed.rsplit_once(' ')) {
            let paths = PathCompleter::any().complete(last.as_ref()).into_iter();
            return paths.map(|path| path.add_prefix(format!("{before} "))).collect();
        }
        let bundled = example_bots::BOTS.iter().map(|bot| format!("@{}", bot.name));
        named_or_path(project().bots.into_keys().chain(bundled), typed)
    })
}

/// Values of `--game`: built-in games, the project's, and settings files.
pub(in crate::cli) fn games() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let built_in = rules::game::games().into_iter().map(|kind| kind.name.clone());
        let names = built_in.chain(project().games.into_keys());
        // Folders are offered once a path is begun, so that names alone come first.
        if typed.is_empty() {
            return names.map(CompletionCandidate::new).collect();
        }
        named_or_path(names, typed)
    })
}

/// Values of `--board`: cases of all games, and paths.
pub(in crate::cli) fn boards() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let built_in = rules::game::games();
        let bundled = built_in.iter().flat_map(|kind| &kind.bundled);
        let bundled = bundled.map(|(name, _)| format!("@{name}"));
        let own = project().games;
        let own = own.values().filter_map(|game| Some(game.game().ok()?.bundled));
        named_or_path(bundled.chain(own.flatten().map(|(name, _)| name)), typed)
    })
}

/// Values of `--board` of a suite: bundled boards, the project's sets and cases, or any path.
pub(in crate::cli) fn boards_and_sets() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let fits = |set: &String| set.starts_with(typed.to_str().unwrap_or("-"));
        let sets = project().boards.into_keys().filter(fits).map(CompletionCandidate::new);
        sets.chain(boards().complete(typed)).collect()
    })
}

/// Runs: `latest`, the project's with the newest first, and any other folder of a run.
pub(in crate::cli) fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let paths = PathCompleter::any().filter(is_run).complete(typed);
        let latest = "latest".starts_with(typed.to_str().unwrap_or("-"));
        let latest = latest.then(|| CompletionCandidate::new("latest"));
        let kept = if typed.is_empty() { kept_runs() } else { Vec::new() };
        latest
            .into_iter()
            .chain(kept.into_iter().map(CompletionCandidate::new))
            .chain(paths)
            .collect()
    })
}

/// Runs as in [`runs`]; after a colon, the bots of a run.
pub(in crate::cli) fn sides() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let of_run = typed.to_str().and_then(bots_of_run);
        of_run.unwrap_or_else(|| runs().complete(typed))
    })
}

/// `RUN:BOT` for each bot of a run that begins as typed.
fn bots_of_run(typed: &str) -> Option<Vec<CompletionCandidate>> {
    let (folder, _) = typed.split_once(':')?;
    let run = RunFolder::open(&run_path(Path::new(folder)).ok()?).ok()?.run;
    let sides = run.plan.bots.into_iter().map(|bot| format!("{folder}:{}", bot.name));
    Some(sides.filter(|side| side.starts_with(typed)).map(CompletionCandidate::new).collect())
}

fn is_run(folder: &Path) -> bool {
    folder.join("run.toml").is_file()
}

/// The runs of the project, the newest first.
fn kept_runs() -> Vec<PathBuf> {
    let places = Places::of(&project());
    let listed = newest_first(&places, |run| Ok(run.run.started), |started| *started);
    let runs = listed.map(|found| found.runs).unwrap_or_default();
    runs.into_iter().map(|(path, _)| path).collect()
}

/// The project of the working directory; an empty one if there is none, or its file is malformed.
fn project() -> Project {
    inputs::project().unwrap_or_default()
}

/// The `names` that begin as typed, and then paths.
fn named_or_path(names: impl Iterator<Item = String>, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed_text = typed.to_string_lossy();
    let fitting = names.filter(|name| name.starts_with(typed_text.as_ref()));
    fitting.map(CompletionCandidate::new).chain(PathCompleter::any().complete(typed)).collect()
}
