//! Shows the groups of boards of one bot.

use std::io::{self, Write};

use serde::Serialize;

use super::document::{Document, Line, Table, Tone};
use super::figures::{interval_digits, lost_word};
use super::format::Format;
use super::inert::write_json;
use super::rows::write_rows;
use results::compare::{BotGroup, Contender};
use statistics::Risk;

/// The CSV columns of a group.
const COLUMNS: [(&str, &str); 7] = [
    ("group", "/name"),
    ("boards", "/boards"),
    ("games", "/games"),
    ("lost", "/lost"),
    ("mean", "/mean"),
    ("low", "/interval/0"),
    ("high", "/interval/1"),
];

/// The groups of a bot in JSON.
#[derive(Serialize)]
struct InJson<'a> {
    bot: &'a str,
    groups: &'a [BotGroup],
}

/// Writes a bot's figures on all boards and on each group as text, Markdown, JSON or CSV.
///
/// # Errors
/// When `out` fails, or for another format.
pub fn write(bot: &Contender, risk: Risk, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let groups = bot.groups(risk);
    match format {
        Format::Markdown => document(bot, &groups, risk).write_markdown(out),
        Format::Json => write_json(&InJson { bot: &bot.name, groups: &groups }, out),
        Format::Csv => {
            let columns = COLUMNS.map(|(heading, place)| (heading.to_owned(), place.to_owned()));
            write_rows(&columns, groups.iter().map(Ok), out)
        }
        Format::Text => document(bot, &groups, risk).write_text(out),
        _ => Err(format.unsupported()),
    }
}

fn document(bot: &Contender, groups: &[BotGroup], risk: Risk) -> Document {
    let mut document = Document::default();
    document.headline(Line::toned(Tone::Strong, &bot.name, ""));
    let headings =
        ["", "boards", "games", lost_word(bot.is_of_several()), "mean", risk.interval_name()];
    let decimals = bot.decimals();
    document.table(Table::new(
        &bot.name,
        &headings,
        groups.iter().map(|group| row(group, decimals)),
    ));
    document
}

/// The name, the boards, the games, the lost ones, the mean and its interval.
pub(crate) fn row(group: &BotGroup, decimals: usize) -> Vec<String> {
    let digits = interval_digits(decimals, group.interval);
    let none = || "-".to_owned();
    let interval = group.interval.map(|(low, high)| format!("{low:.digits$} to {high:.digits$}"));
    vec![
        group.name.clone(),
        group.boards.to_string(),
        group.games.to_string(),
        group.lost.to_string(),
        group.mean.map_or_else(none, |mean| format!("{mean:.digits$}")),
        interval.unwrap_or_else(none),
    ]
}
