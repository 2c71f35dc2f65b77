//! A page of the runs so far: for each bot, the mean of yours/best in each run, or of its scores where no best score is known, with
//! its interval.
//!
//! Its policy allows its one style and its one script by their hashes. The script shows the verdict on two bots that the reader
//! ticks; without it the page lacks that alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::entry::{Entry, Mean, Unit};
use super::{Listed, lines, one_line, ratings};
use crate::compare;
use crate::figures::{difference_digits, in_percent, span};
use crate::html;
use crate::inert::page_json;
use crate::markup::{LONGEST_NAME, Text};
use crate::runs::bars::{self, percent};
use results::compare::Comparison;
use results::ratings::League;
use results::suite::{Bests, Commit};
use rules::score::Direction;
use terms::text::{abridged, plural};

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(
    include_str!("../html/colors.css"),
    include_str!("../runs/page.css"),
    include_str!("page.css")
);

const SCRIPT: &str = include_str!("page.js");

/// A bot of a list of runs: the index of its run, and its own in the run.
pub type BotIndex = (usize, usize);

/// Two bots of a list of runs, compared on the boards that both have played.
#[derive(Debug, Serialize)]
pub struct ComparedPair {
    /// Where they are in the list.
    #[serde(skip)]
    pub bots: [BotIndex; 2],
    /// The verdict, with its figures.
    pub told: String,
    /// The command that compares them.
    pub command: String,
}

impl ComparedPair {
    /// The pair of a comparison; `None` if they share no boards.
    pub fn of(bots: [BotIndex; 2], comparison: &Comparison, command: String) -> Option<Self> {
        let (paired, digits) = (&comparison.paired, difference_digits(comparison));
        let interval = paired.all.guarded_interval;
        let interval = interval.map(|interval| format!(" ({})", span(interval, digits)));
        let told = format!(
            "{}: {:+.digits$} {}{} on {}",
            compare::verdict(comparison),
            paired.all.mean,
            comparison.measure.unit(comparison.better),
            interval.unwrap_or_default(),
            plural(paired.pairs as u64, "board")
        );
        (paired.pairs > 0).then_some(Self { bots, told, command })
    }
}

/// A bot's name for the script.
fn entry((run, bot): BotIndex) -> String {
    format!("{run}.{bot}")
}

/// The pairs for the script, by the names of the two in their order as text.
fn in_page(pairs: &[ComparedPair]) -> String {
    let mut by_names: BTreeMap<String, &ComparedPair> = BTreeMap::new();
    for pair in pairs {
        let mut names = pair.bots.map(entry);
        names.sort();
        by_names.insert(names.join(" "), pair);
    }
    page_json(&by_names)
}

/// Makes the page of `runs`, newest first; `bests` has the best scores of each of their games, `leagues` the ratings in each that
/// has several players, and `pairs` what is known of two of their bots. A page that is kept up to date is loaded again `every` so often, unless the reader has ticked a bot.
pub fn page(
    runs: &[Listed],
    bests: &BTreeMap<String, Bests>,
    leagues: &BTreeMap<String, League>,
    pairs: &[ComparedPair],
    every: Option<Duration>,
) -> String {
    let mut games: BTreeMap<&str, BTreeMap<&str, Vec<Entry<'_>>>> = BTreeMap::new();
    let mut units: BTreeMap<&str, Unit> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        let (game, summary) = (run.listing.game.as_str(), &run.listing.summary);
        let unit = *units.entry(game).or_insert_with(|| unit(game, runs));
        for (index, bot) in summary.bots.iter().enumerate() {
            let mean = Mean::of(summary, index, unit, &bests[game]);
            let entry = Entry { run, bot, mean, place: (place, index) };
            games.entry(game).or_default().entry(&bot.bot).or_default().push(entry);
        }
    }
    let title = match games.keys().collect::<Vec<_>>().as_slice() {
        [game] => format!("{} of {game}", plural(runs.len() as u64, "run")),
        _ => plural(runs.len() as u64, "run"),
    };
    let mut content = String::new();
    for (game, bots) in &games {
        let scale =
            MeanAxis::of(units[game], bots.values().flatten().filter_map(|entry| entry.mean));
        if let Some(league) = leagues.get(*game) {
            ratings::write(league, &mut content);
        }
        lines::write(bots, units[game], &mut content);
        for (index, (bot, entries)) in bots.iter().enumerate() {
            let bot = abridged(bot, LONGEST_NAME);
            let heading = if games.len() > 1 { format!("{bot} in {game}") } else { bot.into() };
            section(&heading, entries, &scale, &bars::color(index), &mut content);
        }
    }
    let every = every.map_or(String::new(), |every| every.as_secs().to_string());
    let title = Text(&title).to_string();
    let parts =
        [("pairs", in_page(pairs)), ("every", every), ("title", title), ("content", content)];
    html::page(HTML, STYLE, SCRIPT, &parts)
}

/// The unit of the means of a game.
fn unit(game: &str, runs: &[Listed]) -> Unit {
    let summaries =
        runs.iter().filter(|run| run.listing.game == game).map(|run| &run.listing.summary);
    Unit::of(summaries.flat_map(|summary| (0..summary.bots.len()).map(move |bot| (summary, bot))))
}

/// The range of means that the tables' pictures have.
struct MeanAxis {
    unit: Unit,
    low: f64,
    high: f64,
}

impl MeanAxis {
    /// A scale for these means. The differences between runs are small compared with the means.
    fn of(unit: Unit, means: impl Iterator<Item = Mean>) -> Self {
        let all = means.map(|mean| mean.interval);
        let ends = all.reduce(|(low, high), (other, another)| (low.min(other), high.max(another)));
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        match unit {
            Unit::Share => {
                let low = (low.min(1.0) * 10.0).floor().clamp(0.0, 9.0) / 10.0;
                Self { unit, low, high: 1.0 }
            }
            Unit::Score => Self { unit, low, high: if high > low { high } else { low + 1.0 } },
        }
    }

    /// Where a mean is, in percent.
    fn place(&self, mean: f64) -> f64 {
        percent(mean - self.low, self.high - self.low)
    }

    /// The heading of the pictures.
    fn heading(&self) -> String {
        match self.unit {
            Unit::Share => format!("{:.0} % to 100 %", 100.0 * self.low),
            Unit::Score => {
                format!("{} to {}", self.unit.shown(self.low), self.unit.shown(self.high))
            }
        }
    }
}

fn section(heading: &str, entries: &[Entry<'_>], scale: &MeanAxis, color: &str, out: &mut String) {
    let heading = Text(heading);
    let better = entries.first().map_or_else(Direction::default, |entry| entry.bot.better);
    writeln!(
        out,
        "<section class=\"card history\">\n<h2>{heading}</h2>\n<div class=\"wide tall\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{heading}\"><table class=\"pictured\"><thead><tr><th scope=\"col\">run</th>\
         <th scope=\"col\" class=\"picture\">{}</th><th scope=\"col\">{}</th>\
         <th scope=\"col\">95 % interval</th><th scope=\"col\">games</th><th scope=\"col\">lost</th></tr></thead><tbody>",
        scale.heading(),
        if scale.unit == Unit::Share { better.share_name() } else { "mean" }
    )
    .expect("memory");
    for entry in entries {
        row(entry, scale, color, out);
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}

fn row(
    Entry { run, bot, mean, place }: &Entry<'_>,
    scale: &MeanAxis,
    color: &str,
    out: &mut String,
) {
    let name = run.path.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{} of {name}", abridged(&bot.bot, LONGEST_NAME));
    write!(
        out,
        "<tr data-entry=\"{}\" data-name=\"{}\"><th scope=\"row\">{}</th><td>",
        entry(*place),
        Text(&name),
        describe(run)
    )
    .expect("memory");
    bars::open(out, 1);
    if let Some(Mean { mean, interval: (low, high) }) = *mean {
        bars::bar(out, 0, "well", 0.0, 100.0);
        bars::bar(out, 0, color, scale.place(low), scale.place(high));
        bars::line(out, "best", scale.place(mean), bars::ROW);
    }
    let interval =
        mean.map_or("-".to_owned(), |Mean { interval: (low, high), .. }| match scale.unit {
            Unit::Share => format!("{} to {}", in_percent(low, 2), in_percent(high, 2)),
            Unit::Score => format!("{} to {}", scale.unit.shown(low), scale.unit.shown(high)),
        });
    let mean = mean.map_or("-".to_owned(), |Mean { mean, .. }| scale.unit.shown(mean));
    let (games, lost) = (bot.games, bot.lost);
    writeln!(
        out,
        "</svg></td><td data-name=\"mean\">{mean}</td><td data-name=\"95 %\">{interval}</td>\
         <td data-name=\"games\">{games}</td><td data-name=\"lost\">{lost}</td></tr>"
    )
    .expect("memory");
}

/// What a run is called, as a link to its page, with its boards, its time, its commit and its comment.
fn describe(run: &Listed) -> String {
    let listing = &run.listing;
    let name = run.path.file_name().unwrap_or_default().to_string_lossy();
    let link = match &run.page {
        Some(page) => format!("<a href=\"{}\">{}</a>", Text(page), Text(&name)),
        None => Text(&name).to_string(),
    };
    let started = listing.started.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let commit = listing.git.as_ref().map(Commit::short);
    let is_counted = listing.seeds.is_none() && listing.sets.is_empty();
    let boards =
        if is_counted { plural(listing.boards as u64, "board") } else { listing.board_names() };
    let facts: Vec<String> = [started, boards].into_iter().chain(commit).collect();
    let lines = [facts.join(", "), one_line(listing.comment.as_deref().unwrap_or_default())];
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines = lines.map(|line| format!("<span class=\"line soft\">{}</span>", Text(line)));
    format!("{link}{}", lines.collect::<String>())
}
