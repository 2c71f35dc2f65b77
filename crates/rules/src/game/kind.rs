//! A row of the table of games.

use std::time::Duration;

use super::rules::Game;
use crate::source::SourceError;
use terms::limits::LimitKind;

/// A row of the table of games.
pub struct GameKind {
    /// The name that `--game` takes.
    pub name: &'static str,
    /// The name to display.
    pub title: &'static str,
    /// Starts a game on the content of a test case file, in any of the game's file formats, told apart
    /// by content.
    pub parse: fn(&str) -> Result<Box<dyn Game>, SourceError>,
    /// Generates the test case of a seed, as text for `parse`; the error says what would be
    /// right.
    pub from_seed: fn(i64, SeedOptions) -> Result<String, String>,
    /// The kinds of time limit that the game uses, with the official limits.
    pub limits: &'static [(LimitKind, Duration)],
    /// The test cases that come with the game, by name; the first one is the default.
    pub bundled: &'static [(&'static str, &'static str)],
    /// The default bot, in the form that `--bot` takes; `None` if the user must name one.
    pub default_bot: Option<&'static str>,
    /// The bytes of standard error that the original reads per turn, leaving the rest in the pipe;
    /// `None` if it reads everything.
    pub stderr_per_turn: Option<u64>,
    /// Whether the original prints its summary. If so, text reports end with the summary too, so that
    /// scripts written for the original keep working.
    pub prints_summary: bool,
}

/// Options for generating a test case from a seed.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeedOptions {
    /// The number of colours, if the game lets the user choose it.
    pub colors: Option<u8>,
}

impl GameKind {
    /// A game with only the required properties. Set the other fields to add seeds, bundled test cases,
    /// time limits or a default bot.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        parse: fn(&str) -> Result<Box<dyn Game>, SourceError>,
    ) -> Self {
        Self {
            name,
            title,
            parse,
            from_seed: |_, _| Err("this game has no test cases by seed".to_owned()),
            limits: &[],
            bundled: &[],
            default_bot: None,
            stderr_per_turn: None,
            prints_summary: false,
        }
    }

    /// The kinds of time limit that the game uses.
    pub fn limit_kinds(&self) -> impl Iterator<Item = LimitKind> {
        self.limits.iter().map(|&(kind, _)| kind)
    }

    /// The official limit of this kind, if the game uses it.
    pub fn official_limit(&self, kind: LimitKind) -> Option<Duration> {
        self.limits.iter().find(|(known, _)| *known == kind).map(|&(_, limit)| limit)
    }
}
