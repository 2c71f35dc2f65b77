//! Time limits, and the profiles that they come from: words that settings, match loop and log share.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::millis::Millis;

/// The kinds of time limit that official referees know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// For the first reply, which includes starting up.
    FirstTurn,
    /// For each later reply.
    Turn,
    /// For the only reply of a game.
    Total,
}

impl LimitKind {
    /// The name of its setting and, behind two dashes, of its flag.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstTurn => "first-turn",
            Self::Turn => "turn",
            Self::Total => "total",
        }
    }
}

/// Which limits hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The limits of the original referee
    Official,
    /// The official limits, but an answer is awaited 50 ms longer and two late ones are forgiven in a
    /// game, as in CodinGame's engine since 4.7.7
    SdkSoft,
    /// The official limits times a factor, 4 unless configured
    Relaxed,
    /// No limits, for a bot in a debugger
    Unlimited,
}

impl Profile {
    /// The name that `--profile` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::SdkSoft => "sdk-soft",
            Self::Relaxed => "relaxed",
            Self::Unlimited => "unlimited",
        }
    }
}

/// The time limits of a game; what is absent has no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// For the first reply of several, which includes starting up.
    #[serde(default, rename = "first_turn_ms", skip_serializing_if = "Option::is_none")]
    first_turn: Option<Millis>,
    /// For each later reply.
    #[serde(default, rename = "turn_ms", skip_serializing_if = "Option::is_none")]
    turn: Option<Millis>,
    /// For the only reply of a game.
    #[serde(default, rename = "total_ms", skip_serializing_if = "Option::is_none")]
    total: Option<Millis>,
}

impl Limits {
    /// Asks `limit` for the limit of each kind.
    pub fn from_kinds(limit: impl Fn(LimitKind) -> Option<Duration>) -> Self {
        let millis = |kind| limit(kind).map(Millis);
        Self {
            first_turn: millis(LimitKind::FirstTurn),
            turn: millis(LimitKind::Turn),
            total: millis(LimitKind::Total),
        }
    }

    /// The limit for an exchange of this kind.
    pub fn of(&self, kind: LimitKind) -> Option<Duration> {
        let limit = match kind {
            LimitKind::FirstTurn => self.first_turn,
            LimitKind::Turn => self.turn,
            LimitKind::Total => self.total,
        };
        limit.map(|limit| limit.0)
    }
}

/// What to do when the host made a bot late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum OnHostDelay {
    /// It is a timeout, as in the original
    #[default]
    Fail,
    /// The late answer counts
    Accept,
    /// The game is played again, twice at most
    Retry,
}

/// Late replies that count, up to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftLimit {
    /// How long after its limit a reply is awaited.
    pub extra: Duration,
    /// How many late replies are forgiven in a game.
    pub forgiven: u32,
}

impl OverrunRules {
    /// How often a game that the host has spoilt is played again.
    const RETRIES: usize = 2;

    /// Whether a game that the host has spoilt is played again, when it has been `retried` before.
    pub fn retries(&self, retried: usize) -> bool {
        self.on_host_delay == OnHostDelay::Retry && retried < Self::RETRIES
    }
}

/// What is done about late replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OverrunRules {
    /// When it is the host's fault.
    pub on_host_delay: OnHostDelay,
    /// When the profile forgives some.
    pub soft: Option<SoftLimit>,
    /// When times are to be measured: how long after its limit a reply is awaited.
    pub patience: Option<Duration>,
}
