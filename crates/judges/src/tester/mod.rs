//! Testers that start the bot themselves, unmodified: AtCoder's interactive ones, TopCoder's.
//!
//! A tester is told to start the relay as its bot. The relay hands its standard input and output to the referee, which starts
//! the real bot in its own containment and passes the bytes on (module `session`). The bot's standard error goes to the referee
//! alone. Whatever the tester writes to the bot is a question, and when it ends, its output has the score. What it prints of
//! the bot's output counts as its own words. Testers lie about causes: a bot's crash is "not a path" to them. So how the bot
//! failed is what the referee has seen, and the tester's words stand next to it.

// A build for another system has no relay and refuses these games.
#[cfg(has_relay)]
mod connection;
#[cfg_attr(not(has_relay), path = "absent.rs")]
mod play;
#[cfg(has_relay)]
mod relay;
#[cfg(has_relay)]
mod session;

use rules::game::judge::Case;
use rules::game::{JudgeFailure, Placement, Referee, Traits};
use rules::score::{Score, in_toml};
use serde::{Deserialize, Serialize};

use crate::case;
use crate::command::JudgeCommand;
use crate::printed::ScorePattern;

/// A game whose tester starts the bot.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tester {
    /// The command of the tester, with `{bot}` and `{case}` or `{seed}`.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// Its standard input: `{case}`, or nothing.
    pub stdin: Option<String>,
    /// How the score is found in what it prints.
    #[serde(default)]
    pub score: ScorePattern,
    /// The score that means a refused answer.
    #[serde(default, deserialize_with = "in_toml::optional")]
    pub refused: Option<Score>,
    /// How properties are read from a case.
    #[serde(default, deserialize_with = "case::traits")]
    pub traits: Option<Traits>,
    /// How often it starts the bot, one after the other, if more than once.
    pub bots: Option<u32>,
    /// Whether one limit holds for all replies together.
    #[serde(skip)]
    pub has_total_limit: bool,
}

impl Tester {
    /// Starts the tester of one game on `case`.
    ///
    /// # Errors
    /// When the tester does not start.
    pub fn start(&self, case: &Case, place: &Placement) -> Result<Box<dyn Referee>, JudgeFailure> {
        play::start(self, case, place)
    }
}
