//! Games whose rules are in another program: the interface to that program's judge.
//!
//! A [`Judge`] referees one game: it says what the bot is to be asked, hears the reply, and says how the game
//! ends. It may be a process, a saved log or a few lines of a test. This module starts nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::traits::Traits;
use terms::lines::Lines;
use terms::peer::Peer;
use terms::verdict::NoReply;

/// A judge of one game: asks for replies and says how the game ends.
pub trait Judge: Send {
    /// What the judge wants next: called once at the start and once after each answer.
    ///
    /// # Errors
    /// When the judge fails, which is never the bot's fault.
    fn next(&mut self) -> Result<Step, Trouble>;

    /// Passes on the bot's reply, or that none came.
    ///
    /// # Errors
    /// When the judge fails, which is never the bot's fault.
    fn answer(&mut self, answer: Answer<'_>) -> Result<(), Trouble>;

    /// Where a judge talks to the bot itself, the other end of the bot's pipes.
    fn peer(&mut self) -> Option<Box<dyn Peer>> {
        None
    }

    /// The pictures of the game that the judge has drawn, once the game is over.
    fn drawings(&mut self) -> Vec<Drawing> {
        Vec::new()
    }
}

/// A picture of a game, as its judge has drawn it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The name of its file, such as `out.svg`.
    pub name: String,
    /// The content of its file.
    pub content: Vec<u8>,
}

impl Drawing {
    /// Whether a file is a picture by the ending of its name.
    pub fn has_ending(file: &Path) -> bool {
        let ending = file.extension();
        ending.is_some_and(|ending| ["html", "svg", "png"].iter().any(|known| ending == *known))
    }
}

/// Starts the judges of a game, one for each time it is played.
pub trait Judges: Send + Sync {
    /// Starts the judge of one game on `case`.
    ///
    /// # Errors
    /// When the judge does not start.
    fn start(&self, case: &Case, place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble>;

    /// Whether a bot must run beside the judge, so that it cannot be given replies from a log.
    fn needs_bot(&self) -> bool {
        false
    }

    /// Whether one limit holds for all replies of a game together.
    fn has_total_limit(&self) -> bool {
        false
    }

    /// How the properties of a case are read by which a comparison may group; `None` if cases have none.
    fn traits(&self) -> Option<&Traits> {
        None
    }

    /// How replies are read.
    fn reading(&self) -> Reading {
        Reading::default()
    }
}

/// How a judge's original reads a bot's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The longest readable line in bytes, its terminator included; `None` for no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// Whether the end of the output also ends a last line that has no terminator.
    pub eof_ends_line: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { max_bytes: None, eof_ends_line: true }
    }
}

/// A judge's program. Games and runs of different programs cannot be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeProgram {
    /// The protocol that it speaks: the `kind` of its settings.
    pub kind: String,
    /// The command that starts it, word by word.
    pub command: Vec<String>,
    /// What else decides its games, such as its league, by the name of the setting.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The digests of the files that the command names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// How it reads replies.
    pub reading: Reading,
}

impl JudgeProgram {
    /// Whether it starts the bot itself, and only its score is known.
    pub fn starts_bot(&self) -> bool {
        self.kind == "tester"
    }

    /// Whether it scores answers as in a contest, and names no limits.
    pub fn is_of_contest(&self) -> bool {
        self.kind == "scored" || self.starts_bot()
    }

    /// Whether both judge the same games, or neither is one. Which properties of the cases are named changes no game.
    pub fn are_alike(one: Option<&Self>, other: Option<&Self>) -> bool {
        let deciding = |judge: &Self| {
            let mut judge = judge.clone();
            judge.settings.remove("traits");
            judge
        };
        one.map(deciding) == other.map(deciding)
    }
}

/// A test case of a game with a judge. As JSON it is `{"seed":7}` or `{"case":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Case {
    /// The judge makes it from this seed.
    Seed(i64),
    /// Text that the judge understands.
    #[serde(rename = "case")]
    Text(String),
}

impl Case {
    /// Reads a test case as [`Display`](fmt::Display) writes it; any other text is the case itself.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::Text(text.to_owned()))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).expect("plain data"))
    }
}

/// Where a judge is started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place<'a> {
    /// The referee's core, if cores are assigned; the judge shares it.
    pub core: Option<usize>,
    /// What becomes readable to end a judge's step early.
    pub alarm: Option<&'a Arc<File>>,
}

/// A step of a game, as its judge decides it.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The bot is to be asked.
    Ask(Ask),
    /// The game is over.
    End(JudgeEnd),
}

/// What a bot is to be asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The text to send, terminators included.
    pub input: String,
    /// The number of lines of a reply, at least 1; `None` if it lasts until the end of the bot's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// The official time for the reply, if the judge names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Duration>,
    /// The score after the previous turn, a decimal number, if the judge says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The lines that the previous turn adds to the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// Whether the bot is started anew for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarts: bool,
}

/// What a judge is told of a bot's reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer<'a> {
    /// A complete reply.
    Reply {
        /// The reply as the bot wrote it.
        lines: &'a Lines,
        /// The time that it took, as far as it counts: zero where the judge's own limits do not apply.
        elapsed: Duration,
    },
    /// No complete reply came.
    NoReply(NoReply),
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeEnd {
    /// Whether the bot lost it, and by what.
    pub how: Ending,
    /// The final score, a decimal number, if the judge says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The judge's words for the end, without colour marks.
    pub official: String,
    /// The lines that the last turn adds to the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// What the judge says beside the score.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// A judge's view of the last reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// The bot played to the end.
    Completed,
    /// The bot lost, and the judge does not say whether by a malformed reply or an illegal move.
    Lost,
    /// The bot's replies were late too often for the judge's own count, although none passed its deadline.
    Timeout,
    /// The reply could not be understood.
    Malformed,
    /// The rules forbid the reply.
    Illegal,
    /// The bot ended by itself before the game did.
    EarlyExit,
}

/// Why a judge could not referee; never the bot's fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong, in one line.
    pub what: String,
    /// The last lines that the judge wrote to its standard error.
    pub stderr: Option<String>,
    /// What the user can do about it, where that is known.
    pub remedy: Option<String>,
}

impl Trouble {
    /// Trouble with neither standard error nor a known remedy.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::default() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the judge: {}", self.what)?;
        if let Some(remedy) = &self.remedy {
            write!(f, "; {remedy}")?;
        }
        if let Some(stderr) = &self.stderr {
            write!(f, "\nits standard error ends with:\n{}", stderr.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}
