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
mod times;
mod totals;

use std::collections::BTreeSet;

use self::gather::{BotTimes, Gathered, ShownBot};
use super::{compare, suite};
use crate::html;
use crate::markup::Text;
use results::suite::{Bests, FolderError, Outcome, RunFolder, Session, Summary, Tally};
use terms::text::{duration, plural};

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../html/colors.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("tables.js");

/// A run, and which of its bots are shown.
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
            name: name.clone(),
            tally: Tally { bot: (*bot).to_owned(), ..Tally::default() },
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

/// The page of some runs of one game, and its headline.
pub struct RunsPage {
    /// The page.
    pub html: String,
    /// Its content in one line.
    pub headline: String,
}

/// Makes the page of `sources`, with the best scores known. `page_of` is asked for the address of a
/// replay page of each game that is listed: with the index of its source, and its outcome.
///
/// # Errors
/// When the results cannot be read, or `page_of` fails.
pub fn page<E: From<FolderError>>(
    sources: &[ShownRun<'_>],
    bests: &Bests,
    page_of: impl FnMut(usize, &Outcome) -> Result<Option<String>, E>,
) -> Result<RunsPage, E> {
    let gathered = gather::gather(sources, bests, page_of)?;
    let headline = headline(&gathered);
    let mut runs = runs(sources)?;
    let html = html::fill(HTML, |name| match name {
        "style" => STYLE.to_owned(),
        "style-hash" => html::source_of(STYLE),
        "script" => SCRIPT.to_owned(),
        "script-hash" => html::source_of(SCRIPT),
        "title" => Text(&headline).to_string(),
        "runs" => std::mem::take(&mut runs),
        "content" => content(&gathered),
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

fn content(gathered: &Gathered) -> String {
    let mut out = String::new();
    chosen::write(gathered, &mut out);
    totals::write(gathered, &mut out);
    games::write_lost(gathered, &mut out);
    for comparison in &gathered.comparisons {
        comparison::write(comparison, gathered.comparisons.len(), &mut out);
    }
    boards::write(gathered, &mut out);
    times::write(gathered, &mut out);
    games::write_won(gathered, &mut out);
    out
}
