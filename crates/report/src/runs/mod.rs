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
mod crosstable;
mod differences;
mod games;
mod gather;
mod heat;
mod pace;
mod shown;
mod times;
mod totals;
mod tried;

use self::gather::Gathered;
pub use self::pace::Pace;
pub use self::shown::ShownRun;
use super::{compare, overview, suite};
use crate::html;
use crate::markup::{Text, put};
use crate::view::page::GameAddress;
use results::suite::{Bests, FolderError, Outcome, Summary};
use rules::measure::Measure;
use terms::text::plural;

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../html/colors.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("tables.js");

/// What surrounds the runs on their page.
#[derive(Debug, Default)]
pub struct PageContext<'a> {
    /// The address of the list of runs.
    pub list: Option<&'a str>,
    /// The title, if it is not the headline.
    pub title: Option<&'a str>,
    /// How far the last run is, if it is being played.
    pub pace: Option<Pace>,
}

/// The page of some runs of one game, and its headline.
#[derive(Debug)]
pub struct RunsPage {
    /// The page, self-contained.
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
    around: &PageContext<'_>,
    page_of: impl FnMut(usize, &Outcome) -> Result<Option<GameAddress>, E>,
) -> Result<RunsPage, E> {
    let gathered = gather::gather(sources, (bests, measure), page_of)?;
    let headline = headline(&gathered);
    let mut runs = runs(sources)?;
    if let Some(list) = around.list {
        put!(&mut runs, "<p><a href=\"{}\">All runs</a></p>\n", Text(list));
    }
    let pace = around.pace.as_ref().map_or(String::new(), Pace::html);
    if around.title.is_some() {
        runs = format!("<p>{}</p>\n{runs}", Text(&headline));
    }
    let title = Text(around.title.unwrap_or(&headline)).to_string();
    let content = pace + &content(&gathered);
    let parts = [("title", title), ("runs", runs), ("content", content)];
    let html = html::page(HTML, STYLE, SCRIPT, &parts);
    Ok(RunsPage { html, headline })
}

/// The verdict of a comparison of two, otherwise how many games there are and how many were lost.
fn headline(gathered: &Gathered) -> String {
    match (gathered.comparisons.as_slice(), gathered.summaries.as_slice()) {
        ([one], _) => compare::verdict(one),
        (_, [one]) => suite::headline(one),
        (_, several) => {
            let games: usize = several.iter().map(Summary::games).sum();
            let runs = plural(several.len() as u64, "run");
            format!("{runs}: {}, {}", plural(games as u64, "game"), suite::lost(several))
        }
    }
}

fn runs(sources: &[ShownRun<'_>]) -> Result<String, FolderError> {
    let line = |source: &ShownRun<'_>| Ok(format!("<p>{}</p>\n", Text(&source.describe()?)));
    sources.iter().map(line).collect()
}

/// The sections by the beginnings of their ids, and their names in the table of contents.
const SECTIONS: [(&str, &str); 9] = [
    ("ratings", "Ratings"),
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
    let links = links.map(|(id, name)| match *id {
        "lost" => format!("<a href=\"#lost\">{}</a>\n", games::heading(gathered)),
        id => format!("<a href=\"#{id}\">{name}</a>\n"),
    });
    let links: String = links.collect();
    format!("<nav class=\"contents\" aria-label=\"Contents\">\n{links}</nav>\n{sections}")
}

fn sections(gathered: &Gathered) -> String {
    let mut out = String::new();
    left_out(gathered, &mut out);
    crosstable::write(gathered, &mut out);
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

/// A note at the top on the games and boards that the page leaves out.
fn left_out(gathered: &Gathered, out: &mut String) {
    let mut said = Vec::new();
    let Gathered { won, boards, board_count, .. } = gathered;
    if won.count > won.games.len() {
        said.push(format!(
            "Of {} this page lists the {} with the worst scores.",
            plural(won.count as u64, "won game"),
            won.games.len()
        ));
    }
    if *board_count > boards.len() {
        said.push(format!(
            "Of {} it shows the {} on which the first bot has the worst means.",
            plural(*board_count as u64, "board"),
            boards.len()
        ));
    }
    let lost = gathered.lost.not_listed() + gathered.not_played.not_listed();
    if lost > 0 {
        let lost = plural(lost as u64, "lost game");
        said.push(format!("{lost} are counted below, without a link."));
    }
    if !said.is_empty() {
        let said = said.join(" ");
        put!(
            out,
            "<p class=\"card\" id=\"chosen\">{said} Totals, comparisons and response times are of all games; all are \
             in results.jsonl.</p>\n"
        );
    }
}
