//! Shows what a suite came to: one file for each format.

mod csv;
mod json;
mod junit;
mod markdown;
mod text;

use std::io::{self, Write};

use super::format::{Format, Writers};
use crate::compare::{Decision, Than};
use crate::suite::{Loss, RunFolder, Summary, Tally};
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
    let not_played = match summary.games_not_played() {
        0 => String::new(),
        count => format!(", {count} not played"),
    };
    format!("{played} of {}, {lost} lost{not_played}", summary.game)
}

/// What is told of games that were lost or not played: a heading, the games, and how many more there
/// are.
pub(super) fn losses(summary: &Summary) -> impl Iterator<Item = (&'static str, &[Loss], usize)> {
    let told = |losses: &[Loss]| losses.iter().map(|loss| 1 + loss.alike).sum::<usize>();
    let part = |heading, losses, all| (heading, losses, all - told(losses));
    let parts = [
        part("lost games", summary.losses.as_slice(), summary.lost()),
        part("games not played", summary.not_played.as_slice(), summary.games_not_played()),
    ];
    parts.into_iter().filter(|(_, losses, _)| !losses.is_empty())
}

/// How many games ended as this one did, if there are more.
pub(super) fn alike(loss: &Loss) -> String {
    match loss.alike {
        0 => String::new(),
        alike => format!(" (and {} like it)", plural(alike as u64, "more game")),
    }
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
