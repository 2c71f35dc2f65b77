//! The one way to drive a game, whichever program has its rules.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::frames::View;
use crate::score::{Direction, Score};
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::peer::Peer;
use terms::text::quote;
use terms::verdict::{NoReply, Verdict};

/// The place of a bot in a game, from 0.
pub type Seat = usize;

/// The referee of one game: asks for replies, rules on them and ends the game.
///
/// It may be the rules of a game, a process with rules of its own, a saved log or a few lines of a test.
/// [`Game`](super::Game) drives it.
pub trait Referee: Send {
    /// The first step. Called once.
    ///
    /// # Errors
    /// When the referee fails, which is never the bot's fault.
    fn begin(&mut self) -> Result<Step, JudgeFailure>;

    /// Rules on the answer to its last question, which went to this seat, and takes the next step.
    ///
    /// # Errors
    /// When the referee fails, which is never the bot's fault.
    fn answer(&mut self, seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure>;

    /// The board as it is now; without one, views show the text that the bot was sent and what it answered.
    fn view(&self) -> Option<&dyn View> {
        None
    }
}

/// The rules of a game of one player, in this program: a [`Referee`] that never fails.
pub trait SinglePlayer: View + Send {
    /// Rules on the answer to the last question.
    fn rule(&mut self, answer: Answer<'_>) -> Ruling;

    /// The step after this ruling; at the start of the game, after the default.
    fn step(&mut self, ruling: Ruling) -> Step;
}

impl<G: SinglePlayer> Referee for G {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        Ok(self.step(Ruling::default()))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let ruling = self.rule(answer);
        Ok(self.step(ruling))
    }

    fn view(&self) -> Option<&dyn View> {
        Some(self)
    }
}

/// A step of a game: what became of the last answer, and what comes next.
#[derive(Debug)]
pub struct Step {
    /// The ruling on the last answer; at the start of the game, the default.
    pub ruling: Ruling,
    /// The score of each seat now, as the original counts it; empty if there is none, or it is not known to have changed.
    pub scores: Vec<Score>,
    /// The lines that are added to the original's game summary, with colour marks.
    pub summary: Vec<String>,
    /// What comes next.
    pub next: Next,
}

/// What comes next in a game.
#[derive(Debug)]
pub enum Next {
    /// A question to a bot.
    Ask(Ask),
    /// Nothing: the game is over.
    End(End),
}

/// A question to a bot.
#[derive(Debug)]
pub struct Ask {
    /// The seat of the bot.
    pub seat: Seat,
    /// The text to send, terminators included.
    pub input: String,
    /// What makes a reply complete.
    pub lines: LineRules,
    /// Which time limit applies.
    pub limit: LimitKind,
    /// The official limit of this question, where it has one of its own.
    pub official: Option<Duration>,
    /// The other end of the bot's pipes, if another program talks to the bot. It comes with the first question after each start
    /// of the bot.
    pub peer: Option<Box<dyn Peer>>,
    /// The seats that the referee has put out since its last question, although the game goes on. It asks them no more.
    pub out: Vec<Out>,
}

impl Ask {
    /// A question to the only bot.
    pub fn new(input: impl Into<String>, lines: LineRules, limit: LimitKind) -> Self {
        let input = input.into();
        Self { seat: 0, input, lines, limit, official: None, peer: None, out: Vec::new() }
    }

    /// A question for `count` lines of any length; the end of the output also ends a line.
    pub fn lines(input: impl Into<String>, count: usize, limit: LimitKind) -> Self {
        Self::new(input, LineRules::any(count), limit)
    }
}

/// A seat that its referee has put out of a game of several players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Out {
    /// The seat.
    pub seat: Seat,
    /// What its bot did wrong.
    pub verdict: Verdict,
    /// The referee's words for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub official: String,
}

/// The result of one seat of a game of several players.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeatEnd {
    /// Its score; `None` if the referee names places alone.
    pub score: Option<Score>,
    /// Its place, from 1; equal seats share the better one.
    pub place: u32,
    /// What its bot did wrong, if the referee says so; else [`Verdict::Completed`], whatever its place.
    pub verdict: Verdict,
    /// The referee's last words on this seat; empty if it said none.
    pub official: String,
    /// What the bot's author should know of it besides.
    pub remark: Option<String>,
}

impl SeatEnd {
    /// The results of seats that have these scores, of which equal ones share a place.
    pub fn by_scores(scores: &[Score], better: Direction) -> Vec<Self> {
        let place = |score: Score| {
            let ahead = scores.iter().filter(|other| better.is_better(**other, score)).count();
            u32::try_from(ahead + 1).unwrap_or(u32::MAX)
        };
        scores.iter().map(|&score| Self { score: Some(score), ..Self::at(place(score)) }).collect()
    }

    /// The result of a seat at this place, without a score.
    pub fn at(place: u32) -> Self {
        Self { place, ..Self::default() }
    }
}

/// The end of a game.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct End {
    /// What the original reports at the end of the game, without colour marks.
    pub official: String,
    /// The metadata that the original reports besides the score.
    pub metadata: BTreeMap<String, String>,
    /// The pictures of the game that its judge has drawn.
    pub drawings: Vec<Drawing>,
    /// The result of each seat of a game of several players, by seat; empty in a game of one.
    pub seats: Vec<SeatEnd>,
    /// What the bot's author should know of the end of a game of one player.
    pub remark: Option<String>,
}

impl End {
    /// An end in these words.
    pub fn new(official: impl Into<String>) -> Self {
        Self { official: official.into(), ..Self::default() }
    }
}

/// What a bot answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer<'a> {
    /// A complete reply.
    Reply {
        /// The reply as the bot wrote it.
        lines: &'a Lines,
        /// The time that it took, if that counts: zero where another limit than the official one applied.
        elapsed: Duration,
    },
    /// No complete reply came. The bot has lost, and is not asked again; in a game of several players the others play on.
    NoReply {
        /// The part that came.
        received: &'a Lines,
        /// The reason.
        why: NoReply,
    },
}

impl<'a> Answer<'a> {
    /// These lines, complete unless there is a reason why they are not, in no time.
    pub fn new(lines: &'a Lines, no_reply: Option<NoReply>) -> Self {
        match no_reply {
            None => Self::Reply { lines, elapsed: Duration::ZERO },
            Some(why) => Self::NoReply { received: lines, why },
        }
    }

    /// The same answer, in this time.
    #[must_use]
    pub fn after(self, elapsed: Duration) -> Self {
        match self {
            Self::Reply { lines, .. } => Self::Reply { lines, elapsed },
            silence @ Self::NoReply { .. } => silence,
        }
    }
}

/// The ruling on a complete reply. The default: it counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ruling {
    /// The verdict; [`Verdict::Completed`] for a reply that counts.
    pub verdict: Verdict,
    /// The move in the game's own terms, if one could be read, for the log.
    pub action: Option<Value>,
    /// The first line of the reply that was wrong, from 0.
    pub wrong_line: Option<usize>,
    /// Advice for the bot's author: what is wrong in plain words, or could be better although the reply counts.
    pub remark: Option<String>,
}

impl Ruling {
    /// The ruling on a reply that counts, with its move.
    pub fn counts(action: Value) -> Self {
        Self { action: Some(action).filter(|action| !action.is_null()), ..Self::default() }
    }

    /// The ruling of a judge that does not say what is wrong with the reply, beyond these words.
    pub fn by_judge(verdict: Verdict, official: &str) -> Self {
        let says_more = !official.is_empty() && official != verdict.to_string();
        let remark = says_more.then(|| format!("the judge says {}", quote(official.as_bytes())));
        Self { verdict, remark, ..Self::default() }
    }

    /// The ruling on a reply that loses the game, whose first line is wrong.
    pub fn against(verdict: Verdict) -> Self {
        Self { verdict, wrong_line: Some(0), ..Self::default() }
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

/// Where a referee that is a program is started.
#[derive(Debug, Clone, Default)]
pub struct Placement {
    /// The referee's core, if cores are assigned; the program shares it.
    pub core: Option<usize>,
    /// What becomes readable to end a step early.
    pub alarm: Option<Arc<File>>,
    /// Whether it is an ordinary child, as the bots are, and not contained.
    pub is_plain: bool,
}

/// Why a judge could not referee; never the bot's fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgeFailure {
    /// What went wrong, in one line.
    pub what: String,
    /// The last lines that the judge wrote to its standard error.
    pub stderr: Option<String>,
    /// What the user can do about it, where that is known.
    pub remedy: Option<String>,
    /// Whether the host lacked what its start takes, so that nothing is known of the judge.
    pub is_hosts: bool,
}

impl JudgeFailure {
    /// A failure with neither standard error nor a known remedy.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::default() }
    }
}

impl fmt::Display for JudgeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the judge: {}", self.what)?;
        if let Some(remedy) = &self.remedy {
            write!(f, "; {remedy}")?;
        }
        // What a judge has written may be all that is known.
        if let Some(stderr) = self.stderr.as_ref().filter(|text| text.trim() != self.what.trim()) {
            write!(f, "\nits standard error ends with:\n{}", stderr.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for JudgeFailure {}
