//! `referee report`: a page of one run or several.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod history;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::compare::{Side, measure, refuse_different_games, warn_of_places};
use super::output::ForceFlag;
use super::signals::signal;
use super::words::word;
use super::{Failure, completions, inputs, interrupt, print, refuse};
use contain::cancel::Canceller;
use report::runs::{self, Pace, PageContext, ShownRun};
use report::view::film::Film;
use report::view::page::{GameAddress, GamesPage};
use results::compare::has_needed_games;
use results::replay::replay;
use results::suite::{Bests, Outcome};
use rules::measure::Measure;
use terms::text::{plural, printable};

/// How often a live page is compared with the files of the runs.
const INTERVAL: Duration = Duration::from_secs(2);

/// Writing a live page may take one part in this many of the time.
const SHARE: u32 = 10;

/// Make a page that shows a run or compares several
///
/// For a browser. `referee runs` finds runs, `status` shows the progress of one, and `show` its
/// results in the terminal.
///
/// The page is one self-contained file: totals against the best known scores, the lost games first,
/// a bar per board, the distribution of the differences between bots, response times against their
/// limits, and the games. Above 1,000 won games or boards it lists those with the worst scores. Its
/// tables can be sorted and filtered. Exit with 0 whatever the results of the games.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportArgs {
    /// Runs made by `referee suite`: folders, or `latest` and `latest~1`; shards count as one run
    ///
    /// RUN:BOT is one bot of a run, RUN:NAME=VALUE the bots of --param with this value, and RUN all
    /// bots. Each bot is compared with the first one.
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new(), default_value = "latest", add = completions::sides())]
    runs: Vec<String>,

    /// Make a page of all the project's runs over time instead
    ///
    /// It shows the mean of yours/best (score divided by the best known; without one, of the score)
    /// by bot and run, for the runs that `referee runs` lists, and compares two that you tick. The
    /// pages of the runs go into a folder next to FILE.
    #[arg(long, visible_alias = "all", conflicts_with = "runs")]
    history: bool,

    /// With --history: the number of runs, newest first [default: 50]
    #[arg(short = 'n', long, value_name = "N")]
    count: Option<NonZeroUsize>,

    /// Keep the page up to date while the run is played; an open browser refreshes it
    ///
    /// It ends with the run, and with --history at Ctrl-C. While a bot is ticked there, the browser
    /// leaves the page as it is.
    #[arg(long)]
    live: bool,

    /// The page
    #[arg(long, value_name = "FILE")]
    html: PathBuf,

    /// Write the listed games whose logs were kept to a second page next to FILE
    ///
    /// The page links to them: a game alone, and both games of a board side by side. `referee suite
    /// --logs all` keeps every log.
    #[arg(long)]
    games: bool,

    /// The title of the page [default: what it shows]
    #[arg(long, value_name = "TEXT", conflicts_with = "history")]
    title: Option<String>,

    #[command(flatten)]
    force: ForceFlag,

    /// How to compare the scores [default: the first run's choice]
    ///
    /// A run's choice is by default what the game's leaderboard adds up: points, or ratio for
    /// Square Remover.
    #[arg(long, value_name = "MEASURE", conflicts_with = "history", value_parser = word::<Measure>())]
    score: Option<Measure>,

    /// Compare with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  referee report runs/20260920-101500 --html report.html
  referee report runs/old runs/new --html report.html --games
  referee report --all --html all.html
  referee report --all --html all.html --live
  referee report runs/both:./new --html report.html --records records.toml";

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    args.force.check(&args.html)?;
    if args.history {
        return history::run(args);
    }
    if args.count.is_some() {
        return refuse("--count is for the page of all runs: add --history");
    }
    let sides = Side::open_all(&args.runs)?;
    refuse_different_games(&sides)?;
    warn_of_places(sides.iter().map(|side| &side.folder))?;
    let sources: Vec<ShownRun<'_>> =
        sides.iter().map(|side| ShownRun { folder: &side.folder, bots: side.names() }).collect();
    let bests =
        Bests::of(&sides[0].folder.run.plan.game, &inputs::records(args.records.as_deref())?);
    let compared = (&bests, measure(args.score, &sides));
    if compared.1 == Measure::Log {
        for side in &sides {
            for bot in side.contenders(&[])? {
                bot.measured_in(Measure::Log).check_scores()?;
            }
        }
    }
    let caught = args.live.then(interrupt).transpose()?;
    if let Some(caught) = &caught {
        follow(args, &sources, compared, caught)?;
    }
    let (headline, games) = write_page(args, &args.html, &sources, compared, &args.around())?;
    if let Some(by) = caught.and_then(|caught| caught.cancelled()) {
        return Err(Failure::Interrupted { signal: signal(by), kept: String::new() });
    }
    print(|out| {
        let file = args.html.display().to_string();
        writeln!(out, "{}\n\n  The page is {}.", printable(&headline), printable(&file))?;
        games.map_or(Ok(()), |games| writeln!(out, "  {}", printable(&games)))
    })
}

impl ReportArgs {
    fn around(&self) -> PageContext<'_> {
        PageContext { title: self.title.as_deref(), ..PageContext::default() }
    }
}

/// Writes the page while the last run is played, until it has all its games or a signal comes.
fn follow(
    args: &ReportArgs,
    sources: &[ShownRun<'_>],
    compared: (&Bests, Measure),
    caught: &Canceller,
) -> Result<(), Failure> {
    let run = sources.last().expect("there is a run").folder;
    let (started, (before, planned)) = (Instant::now(), run.progress()?);
    while !has_needed_games(run)? && caught.cancelled().is_none() {
        let (since, played) = (Instant::now(), run.progress()?.0);
        let pace = Pace { played, before, planned, elapsed: started.elapsed(), every: INTERVAL };
        let around = PageContext { pace: Some(pace), ..args.around() };
        write_page(args, &args.html, sources, compared, &around)?;
        caught.wait(INTERVAL.max(since.elapsed() * SHARE));
    }
    Ok(())
}

/// Writes the page of `sources`, with what is around them, and with `--games` their games next to it. Returns the
/// headline, and what was written of games.
fn write_page(
    args: &ReportArgs,
    html: &Path,
    sources: &[ShownRun<'_>],
    compared: (&Bests, Measure),
    around: &PageContext<'_>,
) -> Result<(String, Option<String>), Failure> {
    let mut games = if args.games { Some(Games::beside(html, sources)?) } else { None };
    let page = runs::page(sources, compared, around, |run, outcome| {
        Ok::<_, Failure>(games.as_mut().and_then(|games| games.add(run, outcome)))
    })?;
    args.force.write(html, page.html.as_bytes())?;
    Ok((page.headline, games.map(|games| games.write(args.force)).transpose()?))
}

/// A name for what stands next to `html`: its own without the extension, and a suffix.
fn name_beside(html: &Path, suffix: &str) -> Result<OsString, Failure> {
    let stem = html.file_stem().ok_or_else(|| Failure::file(html, "does not name a file"))?;
    let mut name = stem.to_owned();
    name.push(suffix);
    Ok(name)
}

/// The games of a report, on a page next to it.
struct Games<'a> {
    sources: &'a [ShownRun<'a>],
    html: &'a Path,
    file: PathBuf,
    page: GamesPage,
    /// The games of several players that have a page, by their run and number: all their seats lead to it.
    of_several: BTreeMap<(usize, usize), Option<GameAddress>>,
}

impl<'a> Games<'a> {
    /// `report-games.html` for `report.html`.
    fn beside(html: &'a Path, sources: &'a [ShownRun<'a>]) -> Result<Self, Failure> {
        let name = name_beside(html, "-games.html")?;
        let report = html.file_name().unwrap_or_default();
        let page = GamesPage::new(report.as_encoded_bytes(), name.as_encoded_bytes());
        let file = html.with_file_name(name);
        Ok(Self { sources, html, file, page, of_several: BTreeMap::new() })
    }

    /// Adds a game whose log was kept. One that cannot be refereed is left out, with a warning.
    fn add(&mut self, run: usize, outcome: &Outcome) -> Option<GameAddress> {
        let Some(seat) = &outcome.seat else { return self.add_new(run, outcome, &outcome.bot) };
        let key = (run, outcome.table());
        if let Some(added) = self.of_several.get(&key) {
            return added.clone();
        }
        let added = self.add_new(run, outcome, &seat.bots.join(", "));
        self.of_several.insert(key, added.clone());
        added
    }

    fn add_new(&mut self, run: usize, outcome: &Outcome, bots: &str) -> Option<GameAddress> {
        let source = &self.sources[run];
        // The page of runs has warned of a log that cannot be read.
        let log = source.folder.kept_log(outcome.game).ok().flatten()?;
        let film = replay(&log)
            .and_then(|replayed| Film::refereed(log, &replayed, replayed.difference.as_ref()));
        let film = film
            .inspect_err(|error| log::warn!("no replay of game {}: {error}", outcome.number()))
            .ok()?
            .linked(&source.folder.log_path(outcome.game), self.html);
        let number = if self.sources.len() > 1 { format!("{}-", run + 1) } else { String::new() };
        let shown = source.bots.iter().find(|(bot, _)| *bot == outcome.bot);
        let bot = shown.filter(|_| outcome.seat.is_none()).map_or(bots, |(_, shown)| shown);
        let id = format!("{number}{}", outcome.number());
        Some(self.page.add(id, bot.to_owned(), outcome, &film))
    }

    /// Writes the page, and says where it is.
    fn write(&self, force: ForceFlag) -> Result<String, Failure> {
        let Some(page) = self.page.html() else {
            return Ok("No game left a log; `referee suite --logs all` keeps them.".to_owned());
        };
        force.write(&self.file, page.as_bytes())?;
        let count = self.page.count();
        let are = if count == 1 { "is" } else { "are" };
        Ok(format!("{} {are} in {}.", plural(count as u64, "game"), self.file.display()))
    }
}
