//! Shows the results of a suite: one file for each format.

mod csv;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod text;

use std::io::{self, Write};

pub use self::jsonl::write_game;
use results::compare::{Relation, Standing};
use results::suite::{Loss, NoisyHost, RunFolder, Summary, Tally};
use terms::text::plural;

/// How the results of a suite are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SuiteFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one object on one line
    Json,
    /// For programs that read along: a line for each game as it ends, and a last one with the summary
    Jsonl,
    /// For spreadsheets: a row for each game
    Csv,
    /// For pages such as GitHub's
    Markdown,
    /// For CI: a lost game is a failure
    Junit,
}

/// The content of a report on a run.
pub struct SuiteReport<'a> {
    /// The totals.
    pub summary: Summary,
    /// How the bot stands against its opponent, if it has one.
    pub decision: Option<Standing>,
    /// The machines that were too noisy for the limits.
    pub noisy_hosts: Vec<NoisyHost>,
    /// Where the games are.
    pub folder: &'a RunFolder,
    /// Whether they stay there.
    pub is_kept: bool,
}

impl SuiteReport<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, format: SuiteFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            SuiteFormat::Text => text::write(self, out),
            SuiteFormat::Json => json::write(self, out),
            SuiteFormat::Jsonl => jsonl::write(self, out),
            SuiteFormat::Csv => csv::write(self, out),
            SuiteFormat::Markdown => markdown::write(self, out),
            SuiteFormat::Junit => junit::write(self, out),
        }
    }
}

/// How many games were played, and how many of them lost.
pub fn headline(summary: &Summary) -> String {
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

/// The games lost and not played: a heading, the listed games, and the number of further ones.
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

/// The mean difference and its interval, such as `+12.3 points a board (+2.1 to +22.5)`.
pub fn interval(standing: &Standing) -> String {
    let mean = standing.mean;
    let interval = standing.interval.map(|(low, high)| format!(" ({low:+.1} to {high:+.1})"));
    format!("{mean:+.1} points a board{}", interval.unwrap_or_default())
}

/// The decision in words.
fn decided(report: &SuiteReport<'_>) -> Option<String> {
    let standing = report.decision.as_ref()?;
    let Standing { opponent, bot_is, boards, margin, .. } = standing;
    let boards = plural(*boards as u64, "board");
    let bot = report.summary.bots.first().map_or("", |tally| &tally.bot);
    let found = match bot_is {
        Some(Relation::Better) => format!("{bot} is better than {opponent}"),
        Some(Relation::Worse) => format!("{bot} is worse than {opponent}"),
        Some(Relation::Even) => format!("{bot} and {opponent} are even within {margin:.1} points"),
        None => format!("it is not decided between {bot} and {opponent}"),
    };
    let more = if bot_is.is_none() { how_to_go_on(standing) } else { String::new() };
    Some(format!("{found}: {} on {boards}{more}", interval(standing)))
}

/// What it would take to decide.
fn how_to_go_on(standing: &Standing) -> String {
    let enough = match standing.boards_to_decide {
        Some(boards) => format!("; about {boards} would decide"),
        None => String::new(),
    };
    format!("{enough}. Play both bots on more, such as --seed 1..N, to go on")
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
