//! What the table of games says of each.

use std::time::Duration;

use super::rules::Game;
use crate::limits::LimitKind;
use crate::source::SourceError;

/// A row of the table of games.
pub struct GameKind {
    /// The name that `--game` takes.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Starts a game on a test case from a file: every format that the game knows, told apart by
    /// content.
    pub parse: fn(&str) -> Result<Box<dyn Game>, SourceError>,
    /// The test case that a seed stands for, in a form that `parse` reads; the error says what would
    /// be right.
    pub from_seed: fn(i64, SeedOptions) -> Result<String, String>,
    /// The kinds of time limit that its exchanges have, with the official limits.
    pub limits: &'static [(LimitKind, Duration)],
    /// The test cases that come with the game, by name; the first one is the default.
    pub bundled: &'static [(&'static str, &'static str)],
    /// The bot that plays when none is named, as `--bot` takes it; `None` if one must be named.
    pub default_bot: Option<&'static str>,
    /// How many bytes of a bot's standard error the original reads in each turn, if it leaves the rest
    /// in the pipe.
    pub stderr_per_turn: Option<u64>,
    /// Whether the original prints its summary. Then a text report ends with it, so that scripts
    /// written for the original keep working.
    pub prints_summary: bool,
}

/// What may be asked of a random test case.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeedOptions {
    /// The number of colours, where the game leaves it open.
    pub colors: Option<u8>,
}

impl GameKind {
    /// A game with nothing but what it must have; the rest is in the fields: test cases by seed or by
    /// name, time limits, a bot.
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

    /// The kinds of time limit that its exchanges have.
    pub fn limit_kinds(&self) -> impl Iterator<Item = LimitKind> {
        self.limits.iter().map(|&(kind, _)| kind)
    }

    /// The official limit of this kind, if its exchanges have one.
    pub fn official_limit(&self, kind: LimitKind) -> Option<Duration> {
        self.limits.iter().find(|(known, _)| *known == kind).map(|&(_, limit)| limit)
    }
}
