//! `referee report`: a page of one run or several.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod history;

use anyhow::Context as _;
use clap::Args;
use fs_err as fs;

use super::compare::{Side, refuse_different_games, warn_of_places};
use super::output::ForceFlag;
use super::{Failure, completions, inputs, print};
use report::markup::address_of;
use report::runs::{self, RunsPage, ShownRun};
use report::view::film::{Film, TurnTimes};
use report::view::page;
use results::gamelog::Log;
use results::replay::replay;
use results::suite::{Bests, Outcome, kept_log};
use terms::text::{plural, printable};

/// Make a page of a run, or of several runs to compare
///
/// The page is one self-contained file: totals against the best known scores, the lost games first, a
/// bar per board, the distribution of the differences between bots, response times against their limits,
/// and the games. Of more than 1,000 won games or boards it lists those with the highest and lowest scores and the
/// slowest responses, and says so. Its tables can be sorted and filtered. Exits with 0 whatever the results of the games.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportArgs {
    /// Runs that `referee suite` has made: their folders, or `latest` and `latest~1` as in `referee runs`;
    /// RUN:BOT is one bot of a run, RUN:NAME=VALUE those of --param with this value, RUN stands for all. Each bot is compared with the first one
    #[arg(value_name = "RUN", required_unless_present = "history", add = completions::sides())]
    runs: Vec<String>,

    /// Makes a page of the project's runs instead, as `referee runs` lists them: the mean of yours/best (score
    /// divided by the best known) by bot and run. The pages of the runs go into a folder beside FILE
    #[arg(long, conflicts_with_all = ["runs", "games"])]
    history: bool,

    /// With --history: the number of runs, newest first
    #[arg(short = 'n', long, value_name = "N", requires = "history", default_value_t = 50)]
    count: usize,

    /// The page
    #[arg(long, value_name = "FILE")]
    html: PathBuf,

    /// Writes a replay page of each listed game whose log was kept, into a folder beside FILE, and links to it;
    /// `referee suite --logs all` keeps every log
    #[arg(long)]
    games: bool,

    #[command(flatten)]
    force: ForceFlag,

    /// Compares with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  referee report runs/20260920-101500 --html report.html
  referee report runs/old runs/new --html report.html --games
  referee report --history --html history.html
  referee report runs/both:./new --html report.html --records records.toml";

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    args.force.check(&args.html)?;
    if args.history {
        return history::run(args);
    }
    let sides: Result<Vec<_>, _> = args.runs.iter().map(|run| Side::open(run)).collect();
    let sides = sides?;
    refuse_different_games(&sides)?;
    warn_of_places(sides.iter().map(|side| &side.folder))?;
    let several = sides.len() > 1;
    let sources: Vec<ShownRun<'_>> = sides
        .iter()
        .map(|side| ShownRun { folder: &side.folder, bots: side.names(several) })
        .collect();
    let bests =
        Bests::of(&sides[0].folder.run.plan.game, &inputs::records(args.records.as_deref())?);
    let mut pages = GamePages::beside(&args.html, several, args.force)?;
    if args.games {
        pages.make_folder()?;
    }
    let RunsPage { html, headline } = runs::page(&sources, &bests, |run, outcome| {
        // The page has warned of a log that cannot be read.
        let log = || kept_log(&sides[run].folder.path, outcome.game).ok().flatten();
        match args.games.then(log).flatten() {
            Some(log) => pages.write(run, outcome, &log),
            None => Ok(None),
        }
    })?;
    args.force.write(&args.html, html.as_bytes())?;
    print(|out| {
        let file = args.html.display().to_string();
        writeln!(out, "{}\n\n  The page is {}.", printable(&headline), printable(&file))?;
        if args.games { writeln!(out, "  {}", printable(&pages.describe())) } else { Ok(()) }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A folder beside `html` that is named after it, and its relative address in the page.
fn folder_beside(html: &Path, suffix: &str) -> Result<(PathBuf, String), Failure> {
    let stem = html.file_stem().ok_or_else(|| Failure::file(html, "does not name a file"))?;
    let mut name = stem.to_owned();
    name.push(suffix);
    Ok((html.with_file_name(&name), address_of(name.as_encoded_bytes())))
}

/// Makes a folder unless it exists.
fn make_folder(folder: &Path, problem: &'static str) -> Result<(), Failure> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).context(problem).map_err(Failure::User)
        }
        _ => Ok(()),
    }
}

/// Replay pages in a folder beside the page.
struct GamePages {
    folder: PathBuf,
    /// The folder's relative address in the page.
    address: String,
    /// Whether games of several runs may have the same number.
    several: bool,
    force: ForceFlag,
    written: usize,
}

impl GamePages {
    /// The folder beside `html`: `report-games` for `report.html`.
    fn beside(html: &Path, several: bool, force: ForceFlag) -> Result<Self, Failure> {
        let (folder, address) = folder_beside(html, "-games")?;
        Ok(Self { folder, address, several, force, written: 0 })
    }

    fn make_folder(&self) -> Result<(), Failure> {
        make_folder(&self.folder, "cannot make the folder for replay pages")
    }

    /// Writes the page of a game and returns its address. A log that cannot be refereed gets no page,
    /// only a warning.
    fn write(
        &mut self,
        run: usize,
        outcome: &Outcome,
        log: &Log,
    ) -> Result<Option<String>, Failure> {
        let film = replay(log).and_then(|replayed| {
            Film::refereed(
                log.clone(),
                TurnTimes::Measured,
                &replayed,
                replayed.difference.as_ref(),
            )
        });
        let film = match film {
            Ok(film) => film,
            Err(error) => {
                log::warn!("no replay page of game {}: {error}", outcome.game);
                return Ok(None);
            }
        };
        let number = if self.several { format!("{}-", run + 1) } else { String::new() };
        let name = format!("{number}{:06}.html", outcome.game);
        self.force.write(&self.folder.join(&name), page::page(&film).as_bytes())?;
        self.written += 1;
        Ok(Some(format!("{}/{name}", self.address)))
    }

    fn describe(&self) -> String {
        match self.written {
            0 => "No game left a log; `referee suite --logs all` keeps them.".to_owned(),
            1 => format!("1 replay page is in {}.", self.folder.display()),
            many => {
                let pages = plural(many as u64, "replay page");
                format!("{pages} are in {}.", self.folder.display())
            }
        }
    }
}
