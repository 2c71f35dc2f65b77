//! What is common to the judges of games whose rules are in another program.
//!
//! A judge is a [`Referee`] that speaks some protocol: it may be a process or a saved log. This module starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::referee::{Ask, End, JudgeFailure, Next, Out, Placement, Referee, Ruling, Seat, Step};
use super::test_case::TestCase;
use super::traits::Traits;
use crate::score::Score;
use terms::bounds::JUDGE_LINE;
use terms::limits::LimitKind;
use terms::lines::LineRules;
use terms::peer::Peer;
use terms::seed::Seed;
use terms::text::cut;
use terms::verdict::Verdict;

/// Starts the judge of one game.
pub type StartJudge =
    Arc<dyn Fn(&Case, &Placement) -> Result<Box<dyn Referee>, JudgeFailure> + Send + Sync>;

/// How a judge's original reads a bot's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The longest readable reply in bytes: all its lines, each with a terminator of one byte; `None` for no bound.
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

    /// Whether it can name the limits of its questions. The protocol of cg-brutaltester has none.
    pub fn can_name_limits(&self) -> bool {
        !self.is_of_contest() && self.kind != "brutaltester"
    }

    /// The number of bots in its games.
    pub fn players(&self) -> usize {
        self.settings.get("players").and_then(|players| players.parse().ok()).unwrap_or(1)
    }

    /// Whether both judge the same games, or neither is one.
    pub fn are_alike(one: Option<&Self>, other: Option<&Self>) -> bool {
        one.map(Self::deciding) == other.map(Self::deciding)
    }

    /// What decides its games: all but the setting `traits`, which only names properties of the cases, and how it reads replies
    /// where that is a setting.
    #[must_use]
    pub fn deciding(&self) -> Self {
        let mut judge = self.clone();
        judge.settings.remove("traits");
        if judge.kind != "codingame" {
            judge.reading = Reading::default();
        }
        judge
    }
}

/// A test case of a game with a judge. As JSON it is `{"seed":7}` or `{"case":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Case {
    /// The judge makes it from this seed.
    Seed(Seed),
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

/// A question, as a protocol has it.
#[derive(Debug, Default)]
pub struct Question {
    /// The seat of the bot.
    pub seat: Seat,
    /// The text to send, terminators included.
    pub input: String,
    /// The number of lines of a reply, at least 1; `None` if it lasts until the end of the bot's output.
    pub lines: Option<u32>,
    /// The official time for the reply, if the judge names one.
    pub limit: Option<Duration>,
    /// The score after the previous turn, if the judge says it.
    pub score: Option<Score>,
    /// The lines that the previous turn adds to the summary.
    pub summary: Vec<String>,
    /// The other end of the bot's pipes, if the judge itself talks to the bot, which is started for this question.
    pub peer: Option<Box<dyn Peer>>,
    /// The seats that the judge has put out since its last question.
    pub out: Vec<Out>,
}

/// How a game ended, as a protocol has it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeEnd {
    /// Whether the bot lost it, and by what.
    pub verdict: Verdict,
    /// The final score, if the judge says it.
    pub score: Option<Score>,
    /// The lines that the last turn adds to the summary.
    pub summary: Vec<String>,
    /// Its words, metadata and pictures.
    pub end: End,
}

/// Turns the messages of a judge into the steps of its game.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    reading: Reading,
    has_total_limit: bool,
    /// The seats that have been asked.
    asked: BTreeSet<Seat>,
    /// Whether the last question was for all output.
    awaits_end: bool,
}

impl Steps {
    /// The steps of a game whose replies are read like this, each within its own limit or all within one.
    pub fn new(reading: Reading, has_total_limit: bool) -> Self {
        Self { reading, has_total_limit, ..Self::default() }
    }

    /// Asks the bot what the judge asks, under the judge's limit or else the settings'.
    pub fn ask(&mut self, question: Question) -> Step {
        let Question { seat, input, lines, limit: official, score, summary, peer, out } = question;
        let Reading { max_bytes, eof_ends_line } = self.reading;
        self.awaits_end = lines.is_none();
        let lines = LineRules {
            max_bytes: max_bytes.filter(|_| lines.is_some()),
            eof_ends_line: eof_ends_line || self.awaits_end,
            ..LineRules::any(lines.map_or(LineRules::UNTIL_END, |lines| lines as usize))
        };
        let limit = match self.asked.insert(seat) {
            _ if self.has_total_limit => LimitKind::Total,
            true => LimitKind::FirstTurn,
            false => LimitKind::Turn,
        };
        let next = Next::Ask(Ask { seat, official, peer, out, ..Ask::new(input, lines, limit) });
        Step { ruling: Ruling::default(), scores: score.into_iter().collect(), summary, next }
    }

    /// Ends the game as the judge does, with its words.
    pub fn end(&self, JudgeEnd { verdict, score, summary, end }: JudgeEnd) -> Step {
        let official = cut(&end.official, JUDGE_LINE);
        let remark = match verdict {
            Verdict::Lost if self.awaits_end => {
                Some(format!("the judge does not accept the answer: {official}"))
            }
            Verdict::EarlyExit => Some(format!("the bot ended before the game did: {official}")),
            _ => end.remark.clone(),
        };
        let ruling = match verdict {
            Verdict::Completed => Ruling::default(),
            verdict if remark.is_some() => Ruling { verdict, remark, ..Ruling::default() },
            verdict => Ruling::by_judge(verdict, &official),
        };
        Step { ruling, scores: score.into_iter().collect(), summary, next: Next::End(end) }
    }
}

impl TestCase {
    /// A test case of the game called `name` with an outside judge.
    pub fn judged(name: &str, case: Case, traits: Option<&Traits>, start: StartJudge) -> Self {
        let text = case.to_string();
        let groups = match (&case, traits) {
            (Case::Text(text), Some(traits)) => traits.of(text),
            _ => BTreeMap::new(),
        };
        let mut case = Self::elsewhere(text, move |place| start(&case, place));
        // Judges of different games may take the same text.
        case.record_key = format!("{name} {}", case.text);
        case.groups = groups;
        case
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_protocols_with_limits_name_them() {
        let can_name_limits = |kind: &str| {
            JudgeProgram { kind: kind.to_owned(), ..JudgeProgram::default() }.can_name_limits()
        };
        assert!(["judge", "codingame"].into_iter().all(can_name_limits));
        assert!(!["brutaltester", "scored", "tester"].into_iter().any(can_name_limits));
    }
}
