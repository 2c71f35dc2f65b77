//! Shows what a suite came to: one file for each format.

mod csv;
mod json;
mod junit;
mod markdown;
mod text;

use std::io::{self, Write};

use super::format::{Format, Writers};
use crate::compare::{Decision, Than};
use crate::suite::{RunFolder, Summary, Tally};
use crate::text::plural;

/// All that is told of a run.
pub struct SuiteReport<'a> {
    /// What it comes to.
    pub summary: Summary,
    /// What is known of the bot and its opponent, if it has one.
    pub decision: Option<Decision>,
    /// Where the games are.
    pub folder: &'a RunFolder,
}

impl SuiteReport<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        Writers {
            text: text::write,
            json: json::write,
            csv: csv::write,
            markdown: markdown::write,
            junit: junit::write,
        }
        .write(format, self, out)
    }
}

/// How many games were played, and how many of them lost.
pub(super) fn headline(summary: &Summary) -> String {
    let (games, lost) = (summary.games(), summary.lost());
    let played = match summary.planned - games {
        0 => plural(games as u64, "game"),
        _ => format!("{games} of {}", plural(summary.planned as u64, "game")),
    };
    format!("{played} of {}, {lost} lost", summary.game)
}

/// The decision in words.
fn decided(report: &SuiteReport<'_>) -> Option<String> {
    let Decision { opponent, bot_is, boards, p } = report.decision.as_ref()?;
    let boards = plural(*boards as u64, "board");
    let bot = report.summary.bots.first().map_or("", |tally| &tally.bot);
    let found = match bot_is {
        Some(Than::Better) => "is better than",
        Some(Than::Worse) => "is worse than",
        None => "has not been shown to be better or worse than",
    };
    Some(format!("{bot} {found} {opponent}: {boards}, p at most {p:.4} however often one looks"))
}

/// The headings of the table of bots.
pub(super) const HEADINGS: [&str; 7] =
    ["bot", "games", "won", "lost", "sum", "mean", "best = 1,000,000"];

pub(super) fn row(tally: &Tally) -> Vec<String> {
    let rounded = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    vec![
        tally.bot.clone(),
        tally.games.to_string(),
        tally.won.to_string(),
        tally.lost.to_string(),
        tally.sum.to_string(),
        tally.mean().map_or("-".to_owned(), |mean| format!("{mean:.1}")),
        rounded(tally.marathon()),
    ]
}
