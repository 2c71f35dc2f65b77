//! The ratings of bots that play against each other.

use std::io;

use serde::Serialize;

use super::document::{Document, Line, Table, Tone};
use super::figures::{in_percent, place};
use super::format::Report;
use super::rows::Rows;
use results::ratings::{League, Rated};
use results::suite::OutBot;
use statistics::MIN_SEEDS;
use terms::text::plural;

/// The headings of the table.
const HEADINGS: [&str; 7] = ["bot", "games", "failed", "place", "rating", "95 %", "place by seat"];

/// The heading of the last column, if a bot has failed.
const CAUSES: &str = "failures";

/// The columns for spreadsheets, before the columns of the seats.
const COLUMNS: &str = "bot games failed place group elo margin is_unbounded seeds";

impl Report for League {
    fn document(&self) -> Document {
        let mut document = Document::default();
        let games = plural(self.games as u64, "game");
        let seeds = plural(self.seeds as u64, "seed");
        let headline = format!("{games} of {} on {seeds}", self.game);
        document.headline(Line::toned(Tone::Strong, headline, ""));
        add(&mut document, self);
        document
    }

    fn value(&self) -> impl Serialize {
        self
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        let seats = self.bots.first().map_or(0, |bot| bot.seats.len());
        let seats = (0..seats).map(|seat| format!(" seat_{seat}=seats/{seat}"));
        let columns = COLUMNS.to_owned() + &seats.collect::<String>();
        Ok(Some(Rows::new(&columns, self.bots.iter().map(Ok))))
    }
}

/// Adds the ratings, and what they mean.
pub(crate) fn add(document: &mut Document, league: &League) {
    add_tables(document, league);
    add_out(document, &league.out);
    for sentence in sentences(league) {
        document.sentence(sentence);
    }
}

/// Adds a table for each group of bots with a common scale.
fn add_tables(document: &mut Document, league: &League) {
    let groups = league.bots.chunk_by(|one, other| one.rating.group == other.rating.group);
    for (number, group) in groups.enumerate() {
        let label = if number == 0 {
            "Ratings".to_owned()
        } else {
            format!("Ratings, group {}", number + 1)
        };
        let is_anchor = |bot: &Rated| league.anchor.as_ref() == Some(&bot.bot);
        let columns = HEADINGS.len() + usize::from(league.bots.iter().any(|bot| bot.failed > 0));
        let headings = HEADINGS.into_iter().chain([CAUSES]).take(columns).collect::<Vec<_>>();
        let rows =
            group.iter().map(|bot| row(bot, is_anchor(bot)).into_iter().take(columns).collect());
        let out = league.out.iter().filter(|_| number == 0).map(|bot| out_row(bot, columns));
        let table = Table::new(label, &headings, rows.chain(out));
        document.table(Table { words: vec![0, HEADINGS.len()], ..table });
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
        bot.causes
            .iter()
            .map(|(verdict, games)| format!("{games} {verdict}"))
            .collect::<Vec<_>>()
            .join(", "),
    ]
}

/// The row of a bot that could not play.
pub(crate) fn out_row(out: &OutBot, columns: usize) -> Vec<String> {
    let cells = [out.bot.clone(), "out".to_owned()];
    cells.into_iter().chain(std::iter::repeat("-".to_owned())).take(columns).collect()
}

/// Adds why bots could not play.
pub(crate) fn add_out(document: &mut Document, out: &[OutBot]) {
    document.list("out", out.iter().map(|OutBot { bot, why }| format!("{bot}: {why}").into()));
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
