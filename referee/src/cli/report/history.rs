//! `referee report --all`: a page of the runs so far, which links to the pages of the runs, and compares two of their bots.
//! With `--live` it follows them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;
use fs_err as fs;

use super::{INTERVAL, ReportArgs, SHARE, name_beside, write_page};
use crate::cli::named_run::{Found, Places, newest_first};
use crate::cli::signals::signal;
use crate::cli::{Failure, inputs, interrupt, print, refuse};
use contain::cancel::Canceller;
use report::history::{self, BotIndex, ComparedPair, Listed, compare};
use report::markup::address_of;
use report::runs::{PageContext, ShownRun};
use results::compare::{Comparison, Contender};
use results::ratings::League;
use results::suite::{Bests, Listing, PlannedBot, RunFolder};
use rules::game::judge::JudgeProgram;
use rules::measure::Measure;
use rules::score::Direction;
use statistics::Risk;
use terms::text::{plural, printable, shell_word};

/// The number of runs by default.
const COUNT: usize = 50;

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let places = Places::of(&inputs::project()?);
    // What changes while the page is written makes it out of date again.
    let seen = files(&places);
    // Before the page exists: a script that waits for it may send a signal at once.
    let caught = args.live.then(interrupt).transpose()?;
    let (count, pages) = write(args, &places, args.live.then_some(INTERVAL))?;
    print(|out| {
        let count = plural(count as u64, "run");
        let (file, pages) = (args.html.display().to_string(), pages.display().to_string());
        writeln!(out, "{count}\n\n  The page is {}.", printable(&file))?;
        writeln!(out, "  The pages of the runs are in {}.", printable(&pages))?;
        if args.live { writeln!(out, "  It is kept up to date until Ctrl-C.") } else { Ok(()) }
    })?;
    match caught {
        Some(caught) => Err(follow(args, &places, seen, &caught)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Writes the page whenever runs have changed, until a signal; then once more, as a page that does not renew itself.
fn follow(args: &ReportArgs, places: &Places, mut seen: Files, caught: &Canceller) -> Failure {
    let mut pause = INTERVAL;
    loop {
        if let Some(by) = caught.wait(pause) {
            return match write(args, places, None) {
                Ok(_) => Failure::Interrupted { signal: signal(by), kept: String::new() },
                Err(failure) => failure,
            };
        }
        let now = files(places);
        if now == seen {
            continue;
        }
        seen = now;
        let since = Instant::now();
        // A run may be removed at this moment, or its disk be full for a while.
        if let Err(failure) = write(args, places, Some(INTERVAL)) {
            log::warn!("the page is not up to date: {failure:#}");
            seen.clear();
        }
        pause = INTERVAL.max(since.elapsed() * SHARE);
    }
}

/// The size of each file of the runs, and when it was last changed.
type Files = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

/// Looks at the files of all runs. What cannot be read is left out.
fn files(places: &Places) -> Files {
    let below = |folder: &Path| {
        fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path())
    };
    let runs = places.all().flat_map(below).filter(|run| run.join("run.toml").exists());
    let files = runs.flat_map(|run| below(&run));
    let sized = |file: PathBuf| {
        let data = fs::metadata(&file).ok().filter(std::fs::Metadata::is_file)?;
        Some((file, (data.len(), data.modified().ok())))
    };
    files.filter_map(sized).collect()
}

/// Writes the page, and a page of each run. Returns the number of runs, and the folder of their pages.
fn write(
    args: &ReportArgs,
    places: &Places,
    every: Option<Duration>,
) -> Result<(usize, PathBuf), Failure> {
    let show = |run: RunFolder| {
        Ok(Listed { listing: Listing::of(&run)?, path: run.path, bytes: None, page: None })
    };
    let Found { runs, broken } = newest_first(places, show, |run| run.listing.started)?;
    for (path, error) in broken {
        log::warn!("left out: {}: {:#}", path.display(), anyhow::Error::from(error));
    }
    let mut runs: Vec<Listed> = runs
        .into_iter()
        .map(|(_, run)| run)
        .take(args.count.map_or(COUNT, NonZeroUsize::get))
        .collect();
    if runs.is_empty() {
        return refuse(format!("there are no runs in {}", places.words()));
    }
    let records = inputs::records(args.records.as_deref())?;
    let bests = compare(&mut runs, &records);
    let folders =
        runs.iter().map(|run| RunFolder::open(&run.path)).collect::<Result<Vec<_>, _>>()?;
    let pages = write_pages(args, &mut runs, &folders, &bests)?;
    let html = history::page(&runs, &bests, &leagues(&folders)?, &compared(&folders)?, every);
    args.force.write(&args.html, html.as_bytes())?;
    Ok((runs.len(), pages))
}

/// Writes the page of each run, into a folder next to the page of all; returns this folder.
fn write_pages(
    args: &ReportArgs,
    runs: &mut [Listed],
    folders: &[RunFolder],
    bests: &BTreeMap<String, Bests>,
) -> Result<PathBuf, Failure> {
    let name = name_beside(&args.html, "-runs")?;
    let (folder, address) = (args.html.with_file_name(&name), address_of(name.as_encoded_bytes()));
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            let problem = "cannot make the folder for the pages of runs";
            return Err(error).context(problem).map_err(Failure::User);
        }
        _ => {}
    }
    let list = args.html.file_name().unwrap_or_default().as_encoded_bytes();
    let list = format!("../{}", address_of(list));
    let mut taken = BTreeSet::new();
    for (Listed { page, .. }, folder_of_run) in runs.iter_mut().zip(folders) {
        let plan = &folder_of_run.run.plan;
        let bots = plan.bots.iter().map(|bot| (bot.name.as_str(), bot.name.clone()));
        let sources = [ShownRun { folder: folder_of_run, bots: bots.collect() }];
        let compared = (&bests[&plan.game], plan.measure());
        let name = page_name(&folder_of_run.path, &mut taken);
        let around = PageContext { list: Some(&list), ..PageContext::default() };
        write_page(args, &folder.join(&name), &sources, compared, &around)?;
        *page = Some(format!("{address}/{}", address_of(name.as_encoded_bytes())));
    }
    Ok(folder)
}

/// The name of a run's page: the run's, with a number if a run in another folder has taken it.
fn page_name(run: &Path, taken: &mut BTreeSet<OsString>) -> OsString {
    let run = run.file_name().unwrap_or_default();
    let (mut number, mut ending) = (1, ".html".to_owned());
    loop {
        let mut name = run.to_owned();
        name.push(&ending);
        // Some file systems take `Run` and `run` for one name.
        if taken.insert(name.to_ascii_lowercase()) {
            return name;
        }
        number += 1;
        ending = format!("-{number}.html");
    }
}

/// The ratings in each game of several players.
fn leagues(folders: &[RunFolder]) -> Result<BTreeMap<String, League>, Failure> {
    let mut by_game: BTreeMap<&str, Vec<&RunFolder>> = BTreeMap::new();
    for run in folders {
        let (plan, runs) = (&run.run.plan, by_game.entry(&run.run.plan.game).or_default());
        // Places in games of another judge, or among more bots, do not compare with the newest run's.
        let is_like = |newest: &&RunFolder| {
            let newest = &newest.run.plan;
            newest.players() == plan.players()
                && JudgeProgram::are_alike(newest.judge.as_ref(), plan.judge.as_ref())
        };
        if plan.players() > 1 && runs.first().is_none_or(is_like) {
            runs.push(run);
        }
    }
    let mut leagues = BTreeMap::new();
    for (game, runs) in by_game {
        if let Some(league) = League::of_runs(runs.into_iter())? {
            leagues.insert(game.to_owned(), league);
        }
    }
    Ok(leagues)
}

/// The most bots of a game that are compared with each other, the newest ones.
const COMPARED: usize = 40;

/// A bot that may be compared with others.
struct Entrant {
    place: BotIndex,
    /// What the command line calls it.
    side: String,
    measure: Measure,
    better: Direction,
    judge: Option<JudgeProgram>,
    games: Contender,
}

impl Entrant {
    /// Whether the scores of two bots of a game mean the same.
    fn is_like(&self, other: &Self) -> bool {
        self.better == other.better
            && JudgeProgram::are_alike(self.judge.as_ref(), other.judge.as_ref())
    }
}

/// Each pair of bots that the page may be asked for, the older one first.
fn compared(folders: &[RunFolder]) -> Result<Vec<ComparedPair>, Failure> {
    let mut by_game: BTreeMap<&str, Vec<Entrant>> = BTreeMap::new();
    for (index, folder) in folders.iter().enumerate() {
        let all = by_game.entry(&folder.run.plan.game).or_default();
        if all.len() < COMPARED {
            let measure = all.first().map(|newest| newest.measure);
            all.extend(entrants(index, folder, measure)?);
        }
    }
    let mut pairs = Vec::new();
    for mut all in by_game.into_values() {
        all.truncate(COMPARED);
        for (at, newer) in all.iter().enumerate() {
            for older in all[at + 1..].iter().filter(|older| newer.is_like(older)) {
                let comparison = Comparison::of(&older.games, &newer.games, Risk::default());
                let command = format!("referee compare {} {}", older.side, newer.side);
                pairs.extend(ComparedPair::of([newer.place, older.place], &comparison, command));
            }
        }
    }
    Ok(pairs)
}

/// The bots of a run, to be compared in this measure, or else in its own. A bot whose scores have no value in it is left out.
fn entrants(
    index: usize,
    folder: &RunFolder,
    measure: Option<Measure>,
) -> Result<Vec<Entrant>, Failure> {
    let (path, plan) = (&folder.path, &folder.run.plan);
    let measure = measure.unwrap_or_else(|| plan.measure());
    let run = path.file_name().unwrap_or_default().to_string_lossy();
    let name = |bot: &PlannedBot| format!("{} ({run})", bot.name);
    let bots: Vec<_> = plan.bots.iter().map(|bot| (bot.name.as_str(), name(bot))).collect();
    let games = Contender::read(folder, &bots)?.into_iter().enumerate();
    let games = games.map(|(bot, games)| (bot, games.measured_in(measure)));
    let entrant = |(bot, games): (usize, Contender)| {
        let side = format!("{}:{}", path.display(), plan.bots[bot].name);
        let (side, better, judge) = (shell_word(&side), plan.better, plan.judge.clone());
        Entrant { place: (index, bot), side, measure, better, judge, games }
    };
    Ok(games.filter(|(_, games)| games.check_scores().is_ok()).map(entrant).collect())
}
