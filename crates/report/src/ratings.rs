//! The ratings of bots that play against each other.

use std::io::{self, Write};

use super::document::{Document, Line, Table, Tone};
use super::figures::{in_percent, place};
use super::format::Format;
use super::inert;
use super::rows::{columns, write_rows};
use results::ratings::{League, Rated};
use statistics::MIN_SEEDS;
use terms::text::plural;

/// The headings of the table.
const HEADINGS: [&str; 7] = ["bot", "games", "failed", "place", "rating", "95 %", "place by seat"];

/// The columns for spreadsheets, before the columns of the seats.
const COLUMNS: &str = "bot games failed place group elo margin is_unbounded seeds";

/// Writes the ratings, in a format of figures.
///
/// # Errors
/// When `out` fails, or for another format.
pub fn write(league: &League, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Text => document(league).write_text(out),
        Format::Markdown => document(league).write_markdown(out),
        Format::Json => inert::write_json(league, out),
        Format::Csv => {
            let mut columns = columns(COLUMNS);
            let seats = league.bots.first().map_or(0, |bot| bot.seats.len());
            columns
                .extend((0..seats).map(|seat| (format!("seat_{seat}"), format!("/seats/{seat}"))));
            write_rows(&columns, league.bots.iter().map(Ok), out)
        }
        Format::Jsonl | Format::Junit | Format::Seeds => Err(format.unsupported()),
    }
}

fn document(league: &League) -> Document {
    let mut document = Document::default();
    let games = plural(league.games as u64, "game");
    let seeds = plural(league.seeds as u64, "seed");
    let headline = format!("{games} of {} on {seeds}", league.game);
    document.headline(Line::toned(Tone::Strong, headline, ""));
    add_tables(&mut document, league);
    for sentence in sentences(league) {
        document.sentence(sentence);
    }
    document
}

/// Adds a table for each group of bots with a common scale.
pub(crate) fn add_tables(document: &mut Document, league: &League) {
    let groups = league.bots.chunk_by(|one, other| one.rating.group == other.rating.group);
    for (number, group) in groups.enumerate() {
        let label = if number == 0 {
            "Ratings".to_owned()
        } else {
            format!("Ratings, group {}", number + 1)
        };
        let is_anchor = |bot: &Rated| league.anchor.as_ref() == Some(&bot.bot);
        let rows = group.iter().map(|bot| row(bot, is_anchor(bot)));
        document.table(Table::new(label, &HEADINGS, rows));
        if number > 0 {
            document.sentence("No game connects these bots with those above, so their ratings have a zero of their own.");
        }
    }
}

fn row(bot: &Rated, is_anchor: bool) -> Vec<String> {
    let margin = match bot.rating.margin {
        _ if is_anchor => "anchor".to_owned(),
        Some(margin) => format!("±{margin:.0}"),
        None => "-".to_owned(),
    };
    let in_seat =
        |place: &Option<f64>| place.map_or("-".to_owned(), |it| in_percent(it / 100.0, 0));
    let seats = bot.seats.iter().map(in_seat).collect::<Vec<_>>().join(" / ") + " %";
    vec![
        bot.bot.clone(),
        bot.games.to_string(),
        bot.failed.to_string(),
        place(bot.place),
        // Not -0.
        format!("{:+.0}", bot.rating.elo.round() + 0.0),
        margin,
        seats,
    ]
}

/// A rating with its interval, if it has one.
pub(crate) fn shown(bot: &Rated) -> String {
    let margin = bot.rating.margin.map_or_else(String::new, |margin| format!(" ±{margin:.0}"));
    // Not -0.
    format!("{:+.0}{margin}", bot.rating.elo.round() + 0.0)
}

/// What the figures mean, and what they lack.
pub(crate) fn sentences(league: &League) -> Vec<String> {
    let zero = match &league.anchor {
        Some(anchor) => format!("relative to {anchor}"),
        None => "with a mean of 0".to_owned(),
    };
    let mut sentences = vec![format!(
        "Ratings are on Elo's scale, {zero}. Their intervals count the games of a seed together, since these resemble each other."
    )];
    if league.bots.iter().any(|bot| bot.rating.seeds < MIN_SEEDS) {
        sentences.push(format!("A bot has no interval below {MIN_SEEDS} seeds."));
    }
    let unbounded: Vec<&str> = league
        .bots
        .iter()
        .filter(|bot| bot.rating.is_unbounded)
        .map(|bot| bot.bot.as_str())
        .collect();
    if !unbounded.is_empty() {
        let them = if unbounded.len() == 1 { "it" } else { "them" };
        let has_mean = league.anchor.is_none() && unbounded.len() < league.bots.len();
        let mean =
            if has_mean { format!(" The mean of 0 leaves {them} out.") } else { String::new() };
        sentences.push(format!(
            "No interval for {}: only wins, or only losses, connect {them} with the rest, so that only a quarter of a virtual \
             game between each two bots that have met keeps the rating finite.{mean}",
            unbounded.join(", "),
        ));
    }
    if league.left_out > 0 {
        let games = plural(league.left_out as u64, "game");
        sentences.push(format!(
            "Left out: {games} that the host has disturbed, or that were not played to the end."
        ));
    }
    sentences
}
