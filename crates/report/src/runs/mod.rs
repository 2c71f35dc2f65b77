//! A page of one run or several: totals against records, what was lost, comparisons, boards, times,
//! and every game with its replay page.
//!
//! The page is `page.html` and `page.css` with pictures in SVG, made by the small templates in this
//! folder. It is complete without a script; the one it has, `tables.js`, sorts and filters what stands
//! there. Its policy allows that script and the one style, by their hashes, and nothing else. Names and
//! diagnoses reach it through `markup::Text` only. Lengths are percentages of the available width, so that
//! words keep their size on a phone.

pub(super) mod bars;
mod boards;
mod chosen;
mod comparison;
mod differences;
mod games;
mod gather;
mod heat;
mod looks;
mod pace;
mod times;
mod totals;
mod tried;

use std::collections::BTreeSet;

use self::gather::{BotTimes, Gathered, ShownBot};
pub use self::pace::Pace;
use super::{compare, overview, suite};
use crate::html;
use crate::markup::{Text, put};
use crate::view::page::GameAddress;
use results::suite::{Bests, FolderError, Outcome, RunFolder, Session, Summary, Tally};
use rules::measure::Measure;
use terms::text::{abridged, duration, plural};

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../html/colors.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("tables.js");

/// The most characters of a bot's name on a page. A command line may be a screen of text.
pub(super) const LONGEST_NAME: usize = 160;

/// A run, and which of its bots are shown.
#[derive(Debug)]
pub struct ShownRun<'a> {
    /// The run.
    pub folder: &'a RunFolder,
    /// The bots, each with its name on the page.
    pub bots: Vec<(&'a str, String)>,
}

impl ShownRun<'_> {
    /// The bots before any of their games is read.
    fn entrants(&self, run: usize) -> impl Iterator<Item = ShownBot> {
        let limits = self.folder.run.plan.rules.limits;
        self.bots.iter().map(move |(bot, name)| ShownBot {
            run,
            name: abridged(name, LONGEST_NAME).into_owned(),
            tally: Tally { bot: (*bot).to_owned(), ..Tally::default() },
            value: None,
            limits,
            times: BotTimes::default(),
        })
    }

    /// What was played and how, in a line.
    fn describe(&self) -> Result<String, FolderError> {
        let run = &self.folder.run;
        let rules = &run.plan.rules;
        let limit = |kind: terms::limits::LimitKind| {
            Some(format!("{} {}", kind.name(), duration(rules.limits.of(kind)?)))
        };
        let game = run.plan.kind();
        let kinds = game.iter().flat_map(|game| game.limit_kinds());
        let limits: Vec<String> = kinds.filter_map(limit).collect();
        let limits = if limits.is_empty() { "no limits".to_owned() } else { limits.join(", ") };
        let place = |session: Session| format!("{} ({})", session.host, session.cpu);
        let places: BTreeSet<String> = self.folder.sessions()?.into_iter().map(place).collect();
        let on = if places.is_empty() { "" } else { ", on " };
        let places = places.into_iter().collect::<Vec<_>>().join(", ");
        Ok(format!(
            "{}, started {}, profile {} ({limits}), referee {}{on}{places}",
            self.folder.path.display(),
            run.started.strftime("%Y-%m-%d %H:%M UTC"),
            rules.profile.name(),
            run.referee,
        ))
    }
}

/// What surrounds the runs on their page.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// The address of the list of runs.
    pub list: Option<&'a str>,
    /// How far the last run is, if it is being played.
    pub pace: Option<Pace>,
}

/// The page of some runs of one game, and its headline.
#[derive(Debug)]
pub struct RunsPage {
    /// The page.
    pub html: String,
    /// Its content in one line.
    pub headline: String,
}

/// Makes the page of `sources`, with the best scores known and bots compared in a measure. `page_of` is asked for the address of each
/// game that is listed: with the index of its source, and its outcome.
///
/// # Errors
/// When the results cannot be read, or `page_of` fails.
pub fn page<E: From<FolderError>>(
    sources: &[ShownRun<'_>],
    (bests, measure): (&Bests, Measure),
    around: &Around<'_>,
    page_of: impl FnMut(usize, &Outcome) -> Result<Option<GameAddress>, E>,
) -> Result<RunsPage, E> {
    let gathered = gather::gather(sources, (bests, measure), page_of)?;
    let headline = headline(&gathered);
    let mut runs = runs(sources)?;
    if let Some(list) = around.list {
        put!(&mut runs, "<p><a href=\"{}\">All runs</a></p>\n", Text(list));
    }
    let html = html::fill(HTML, |name| match name {
        "style" => STYLE.to_owned(),
        "style-hash" => html::source_of(STYLE),
        "script" => SCRIPT.to_owned(),
        "script-hash" => html::source_of(SCRIPT),
        "title" => Text(&headline).to_string(),
        "runs" => std::mem::take(&mut runs),
        "content" => around.pace.as_ref().map_or(String::new(), Pace::html) + &content(&gathered),
        other => unreachable!("page.html wants `{other}`"),
    });
    Ok(RunsPage { html, headline })
}

/// The verdict of a comparison of two, otherwise how many games there are and how many were lost.
fn headline(gathered: &Gathered) -> String {
    match (gathered.comparisons.as_slice(), gathered.summaries.as_slice()) {
        ([one], _) => compare::verdict(one),
        (_, [one]) => suite::headline(one),
        (_, several) => {
            let games: usize = several.iter().map(Summary::games).sum();
            let lost: usize = several.iter().map(Summary::lost).sum();
            let runs = plural(several.len() as u64, "run");
            format!("{runs}: {}, {lost} lost", plural(games as u64, "game"))
        }
    }
}

fn runs(sources: &[ShownRun<'_>]) -> Result<String, FolderError> {
    let line = |source: &ShownRun<'_>| Ok(format!("<p>{}</p>\n", Text(&source.describe()?)));
    sources.iter().map(line).collect()
}

/// The sections by the beginnings of their ids, and their names in the table of contents.
const SECTIONS: [(&str, &str); 8] = [
    ("totals", "Totals"),
    ("tried", "Values tried"),
    ("lost", "Lost games"),
    ("not-played", "Games not played"),
    ("comparison-1", "Comparison"),
    ("boards", "Boards"),
    ("times", "Response times"),
    ("games", "Games"),
];

/// The sections, after a table of contents.
fn content(gathered: &Gathered) -> String {
    let sections = sections(gathered);
    let is_there = |id: &str| sections.contains(&format!(" id=\"{id}\">"));
    let links = SECTIONS.iter().filter(|(id, _)| is_there(id));
    let links = links.map(|(id, name)| format!("<a href=\"#{id}\">{name}</a>\n"));
    let links: String = links.collect();
    format!("<nav class=\"contents\" aria-label=\"Contents\">\n{links}</nav>\n{sections}")
}

fn sections(gathered: &Gathered) -> String {
    let mut out = String::new();
    chosen::write(gathered, &mut out);
    totals::write(gathered, &mut out);
    tried::write(gathered, &mut out);
    games::write_lost(gathered, &mut out);
    if let Some(all) = overview::document(&gathered.comparisons) {
        put!(&mut out, "<section class=\"card\">\n{}</section>\n", all.html());
    }
    for entrant in 1..=gathered.comparisons.len() {
        comparison::write(gathered, entrant, &mut out);
    }
    boards::write(gathered, &mut out);
    times::write(gathered, &mut out);
    games::write_won(gathered, &mut out);
    out
}
