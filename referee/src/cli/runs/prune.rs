//! Removes old runs, or only lists them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use fs_err as fs;

use super::FolderFlag;
use crate::cli::named_run::{Places, newest_first};
use crate::cli::{Failure, inputs, print};
use results::suite::{FolderError, Listing, RunFolder, link_target, remove_remains};
use terms::path::folder_of;
use terms::text::{plural, printable, size};

/// Remove old runs
///
/// Show what would be removed, and remove it with --yes. Keep the newest runs, runs with a record,
/// opponents (`--against`) of kept runs, runs that another process is playing, and runs with
/// unmerged parts. Files in a run's folder that are not the run's stay there, and other folders are
/// left alone.
#[derive(Debug, Args)]
pub(super) struct PruneArgs {
    /// The number of newest runs to keep
    #[arg(long, value_name = "N")]
    keep: usize,

    /// Remove the other runs, instead of only listing them
    #[arg(long)]
    yes: bool,

    /// Keep the runs with a record in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    #[command(flatten)]
    folder: FolderFlag,
}

/// A run and whether it stays.
struct Candidate {
    path: PathBuf,
    started: jiff::Timestamp,
    bots: Vec<String>,
    against: Option<PathBuf>,
    parts: u32,
    /// The reason to keep it, if any.
    stays: Option<String>,
}

/// A run that goes.
struct Goer<'a> {
    run: &'a Candidate,
    folder: RunFolder,
    /// The size of its files, in bytes.
    size: u64,
    /// What is in its folder and not the run's, which stays.
    foreign: Vec<PathBuf>,
}

impl<'a> Goer<'a> {
    fn new(run: &'a Candidate) -> Result<Self, FolderError> {
        let folder = RunFolder::open(&run.path)?;
        let contents = folder.contents();
        Ok(Self { run, folder, size: contents.size, foreign: contents.foreign })
    }

    /// What stays of it, as a clause; empty if nothing does.
    fn rest(&self) -> String {
        let names: Vec<String> =
            self.foreign.iter().map(|name| name.display().to_string()).collect();
        match names.as_slice() {
            [] => String::new(),
            names => format!("; these are not the run's and stay: {}", names.join(", ")),
        }
    }
}

impl Candidate {
    fn new(path: &Path, listing: Listing) -> Self {
        let bots = listing.summary.bots.into_iter().map(|bot| bot.bot).collect();
        let Listing { started, against, parts, .. } = listing;
        Self { path: path.to_owned(), started, bots, against, parts, stays: None }
    }

    /// The reason to keep this run, whatever the others are.
    fn own_reason(&self) -> Option<String> {
        if self.path.is_symlink() {
            return Some("it is a link to another folder".to_owned());
        }
        if self.parts > 0 {
            return Some("its parts are not merged".to_owned());
        }
        match RunFolder::open(&self.path) {
            Ok(folder) => folder.in_use().map(|why| match why {
                FolderError::InUse(_) => "another process is playing it".to_owned(),
                why => why.to_string(),
            }),
            Err(error) => Some(error.to_string()),
        }
    }
}

pub(super) fn run(args: &PruneArgs) -> Result<ExitCode, Failure> {
    // Runs elsewhere have a name from the user.
    let Places { runs: folder, .. } = args.folder.resolve()?;
    let found = newest_first(&Places::only(folder.clone()), Candidate::new, |run| run.started)?;
    let mut kept = record_holders(args)?;
    kept.extend(opponents_elsewhere(&folder)?);
    kept.extend(found.broken.iter().filter_map(|(path, _)| opponent_of(path)));
    let mut runs: Vec<Candidate> = found.runs.into_iter().map(|(_, run)| run).collect();
    let count = runs.len();
    mark(&mut runs, args.keep, kept);
    let old = &runs[args.keep.min(runs.len())..];
    let (stay, go): (Vec<&Candidate>, Vec<&Candidate>) =
        old.iter().partition(|run| run.stays.is_some());
    let go = go.into_iter().map(Goer::new).collect::<Result<Vec<_>, _>>()?;
    print(|out| show(&stay, &go, out))?;
    let (runs, bytes) =
        (plural(go.len() as u64, "run"), size(go.iter().map(|goer| goer.size).sum()));
    let is_empty = go.is_empty();
    if args.yes {
        if folder.is_dir() {
            remove_remains(&folder).map_err(Failure::user)?;
        }
        go.into_iter().try_for_each(|goer| goer.folder.remove())?;
    }
    print(|out| match (is_empty, args.yes) {
        (true, _) => {
            let (folder, there) = (folder.display().to_string(), plural(count as u64, "run"));
            let folder = printable(&folder);
            writeln!(
                out,
                "There is nothing to remove in {folder}, which has {there}; runs elsewhere stay."
            )
        }
        (false, true) => writeln!(out, "\nRemoved {runs}, {bytes}."),
        (false, false) => writeln!(out, "\n--yes removes {runs}, {bytes}."),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The folder of a run, and the reason to keep it.
type Kept = (PathBuf, String);

/// The folders of the runs with a record.
fn record_holders(args: &PruneArgs) -> Result<Vec<Kept>, Failure> {
    let records = inputs::records(args.records.as_deref())?;
    let project = inputs::project()?;
    let file = args.records.clone().or_else(|| inputs::record_file(&project));
    // What the records say of runs is seen from the folder of the file, where links to it end.
    let file = file.map(|file| link_target(&file)).transpose().map_err(Failure::user)?;
    let folder = file.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let holder = |run| (folder.join(run), "it holds a record".to_owned());
    Ok(records.runs().map(holder).collect())
}

/// The opponents of the project's runs outside `folder`, which all stay.
fn opponents_elsewhere(folder: &Path) -> Result<Vec<Kept>, Failure> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let places = Places::of(&inputs::project()?);
    let found = newest_first(&places, |_, listing| listing.started, |started| *started)?;
    let paths = found.runs.iter().map(|(path, _)| path);
    let paths = paths.chain(found.broken.iter().map(|(path, _)| path));
    let elsewhere = paths.filter(|path| real(folder_of(path)) != real(folder));
    Ok(elsewhere.filter_map(|path| opponent_of(path)).collect())
}

/// The opponent of a run that stays, even one whose results are damaged.
fn opponent_of(run: &Path) -> Option<Kept> {
    let opponent = RunFolder::open(run).ok()?.run.against?.run;
    Some((opponent, format!("it is the opponent of {}", run.display())))
}

/// Marks the runs to keep, with the reason. An opponent stays if the run that names it does, so this
/// repeats until nothing changes.
fn mark(runs: &mut [Candidate], keep: usize, kept: Vec<Kept>) {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let index = runs.iter().enumerate().filter_map(|(index, run)| Some((real(&run.path)?, index)));
    let index: BTreeMap<PathBuf, usize> = index.collect();
    let place = |path: &Path| index.get(&real(path)?).copied();
    for run in runs.iter_mut().take(keep) {
        run.stays = Some("it is one of the newest".to_owned());
    }
    for run in runs.iter_mut().skip(keep) {
        run.stays = run.own_reason();
    }
    for (path, reason) in kept {
        if let Some(run) = place(&path) {
            runs[run].stays.get_or_insert(reason);
        }
    }
    let mut open: Vec<usize> = (0..runs.len()).filter(|run| runs[*run].stays.is_some()).collect();
    while let Some(run) = open.pop() {
        let opponent = runs[run].against.as_deref().and_then(place);
        if let Some(opponent) = opponent.filter(|opponent| runs[*opponent].stays.is_none()) {
            let of = runs[run].path.display();
            runs[opponent].stays = Some(format!("it is the opponent of {of}"));
            open.push(opponent);
        }
    }
}

/// Shows the runs that go, and older ones that stay.
fn show(stay: &[&Candidate], go: &[Goer<'_>], out: &mut dyn Write) -> io::Result<()> {
    for goer in go {
        let run = goer.run;
        let (path, bots) = (run.path.display().to_string(), run.bots.join(", "));
        let started = run.started.strftime("%Y-%m-%d %H:%M UTC");
        let (path, bots, rest) = (printable(&path), printable(&bots), printable(&goer.rest()));
        writeln!(out, "  {path}  {started}  {bots}  {}{rest}", size(goer.size))?;
    }
    for run in stay {
        let path = printable(&run.path.display().to_string());
        let why = printable(run.stays.as_deref().unwrap_or_default());
        writeln!(out, "  {path} stays: {why}")?;
    }
    Ok(())
}
