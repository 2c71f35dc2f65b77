//! Shows the groups of boards of one bot.

use std::io;

use serde::Serialize;

use super::document::{Document, Line, Table, Tone};
use super::figures::{interval_digits, lost_word};
use super::format::Report;
use super::rows::Rows;
use results::compare::{BotGroup, Contender};
use statistics::Risk;

/// The columns of a group.
const COLUMNS: &str = "group=name boards games lost mean low=interval/0 high=interval/1";

/// A bot's figures on all boards and on each group.
#[derive(Debug, Serialize)]
pub struct BotGroups<'a> {
    #[serde(rename = "bot")]
    name: &'a str,
    groups: Vec<BotGroup>,
    #[serde(skip)]
    bot: &'a Contender,
    #[serde(skip)]
    risk: Risk,
}

impl<'a> BotGroups<'a> {
    /// The figures of a bot.
    pub fn of(bot: &'a Contender, risk: Risk) -> Self {
        Self { name: &bot.name, groups: bot.groups(risk), bot, risk }
    }
}

impl Report for BotGroups<'_> {
    fn document(&self) -> Document {
        let mut document = Document::default();
        document.headline(Line::toned(Tone::Strong, self.name, ""));
        let lost = lost_word(self.bot.is_of_several());
        let headings = ["", "boards", "games", lost, "mean", self.risk.interval_name()];
        let decimals = self.bot.decimals();
        let rows = self.groups.iter().map(|group| row(group, decimals));
        document.table(Table::new(self.name, &headings, rows));
        document
    }

    fn value(&self) -> impl Serialize {
        self
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        Ok(Some(Rows::new(COLUMNS, self.groups.iter().map(Ok))))
    }
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
