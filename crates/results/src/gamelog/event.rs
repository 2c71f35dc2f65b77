//! The events of a game. Their fields define version 1 of the log format.

use std::collections::BTreeMap;
use std::env::consts;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::bytes::Bytes;
use crate::is_default;
use crate::metrics::{GameMetrics, Metrics};
use rules::game::judge::JudgeProgram;
use rules::game::{Ask, Drawing, Game, Out, Seat};
use rules::score::{Direction, Score};
use rules::source::json_problem;
use terms::certificate::Certificate;
use terms::limits::{LimitKind, Limits, Resources};
use terms::lines::LineRules;
use terms::millis::Millis;
use terms::verdict::{BotExit, NoReply, Overrun, Verdict};

/// The version of the log format: the one that this referee writes, and the only one that it reads.
pub const FORMAT: u32 = 1;

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a log has one start")]
pub enum Event {
    /// Always the first line.
    Start(Start),
    /// One exchange.
    Turn(Turn),
    /// The last line; without it the log is incomplete.
    End(End),
}

impl<'de> Deserialize<'de> for Event {
    /// Reads an event from JSON, in two passes: serde's own way goes through an intermediate form, in which a score would
    /// lose digits.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Type {
            Start,
            Turn,
            End,
        }
        #[derive(Deserialize)]
        struct Tagged {
            r#type: Type,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let json = raw.get();
        let event = serde_json::from_str(json).and_then(|Tagged { r#type }| match r#type {
            Type::Start => serde_json::from_str(json).map(Self::Start),
            Type::Turn => serde_json::from_str(json).map(Self::Turn),
            Type::End => serde_json::from_str(json).map(Self::End),
        });
        event.map_err(|error| D::Error::custom(json_problem(&error)))
    }
}

/// The game, the bot, and the limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The version of the format, [`FORMAT`] in logs of this version.
    pub format: u32,
    /// The version of the referee that wrote the log.
    pub referee: String,
    /// The name of the game.
    pub game: String,
    /// The program that has the game's rules, if the referee does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeProgram>,
    /// Which scores of the game are better.
    #[serde(default, skip_serializing_if = "Direction::is_higher")]
    pub better: Direction,
    /// The user's name for the test case: a path, or `@NAME` for a bundled one.
    pub board: String,
    /// The test case itself.
    pub test_case: String,
    /// The score that the judge sent with its first question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The lines of the summary that the judge sent with its first question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// The bot; in a game of several players, the bot of the first seat.
    pub bot: Bot,
    /// The bots of the other seats, by seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Bot>,
    /// The name of the profile of the limits.
    pub profile: String,
    /// The time limits.
    pub limits: Limits,
    /// The diagnoses of earlier attempts at this game that the host disturbed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retried: Vec<String>,
    /// The machine on which the game was played.
    pub host: Machine,
    /// When the game started, in UTC.
    pub time: jiff::Timestamp,
}

/// How a bot was started: its command, and what contained it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    /// The user's name for the bot.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its working directory, if different from the referee's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The cores to which it was pinned; `None` if it was not pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<Vec<usize>>,
    /// Environment variables that were set for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The containment method: `namespace`, `seccomp` or `plain`, in older logs also `reaper` or `group`; empty in logs
    /// that do not state it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub containment: String,
    /// Whether it was in a sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sandbox: bool,
    /// The limits on its resources.
    #[serde(default)]
    pub resources: Resources,
    /// How its memory was limited: `enforced` by the kernel, or `watched` by the referee; empty without a limit, and in logs
    /// that do not state it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_limit: String,
}

/// The machine on which a game was played.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The operating system and its release.
    pub os: String,
    /// The processor architecture.
    pub arch: String,
    /// The processors that this process may use.
    pub cpus: usize,
}

impl Machine {
    /// This machine. Probed once: counting processors takes longer than a turn, and after pinning only
    /// one would be counted.
    pub fn here() -> Self {
        static HERE: LazyLock<Machine> = LazyLock::new(|| {
            let kernel = |name: &str| {
                let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
                Some(text.trim().to_owned())
            };
            // Only Linux has these files.
            let system = kernel("ostype").zip(kernel("osrelease"));
            Machine {
                os: system.map_or_else(
                    || consts::OS.to_owned(),
                    |(system, release)| format!("{system} {release}"),
                ),
                arch: consts::ARCH.to_owned(),
                cpus: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            }
        });
        HERE.clone()
    }
}

/// One exchange: the reply and its effect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The number of the exchange, from 1.
    pub turn: u32,
    /// The seat of the bot, from 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seat: Seat,
    /// Which time limit applied.
    pub limit: LimitKind,
    /// What the bot was asked, if the referee does not have the game's rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// The reply as the bot wrote it, terminators included; if it is incomplete, the part that arrived.
    pub reply: Bytes,
    /// Why no complete reply came; `None` if one did.
    #[serde(default, rename = "unanswered", skip_serializing_if = "Option::is_none")]
    pub no_reply: Option<NoReply>,
    /// The move in the game's own terms, if one could be read.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    /// The points for the reply; `None` if the game does not tell.
    #[serde(deserialize_with = "Option::deserialize")]
    pub gain: Option<Score>,
    /// The score after the reply; `None` if there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub score: Option<Score>,
    /// The time from just before the first byte of the input was written until the read that completed the reply,
    /// or until the exchange ended without one; in the first exchange plus what the bot had computed before.
    #[serde(rename = "wall_ms")]
    pub wall: Millis,
    /// What the exchange cost the bot, and its waits.
    #[serde(default)]
    pub certificate: Certificate,
    /// Whose fault a late reply is, and the decision on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
    /// Whether the reply came before the bot had read any of the input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early: bool,
    /// Bytes of input that the bot had not read by the end of the exchange.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unread_input: u64,
    /// Whether the bot had closed its standard input, so that the input was lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stdin_closed: bool,
    /// Whether a signal had stopped the bot when its time ran out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The time that the bot ran on for after its reply, until it was stopped because others were asked, from 1 ms on. It counts in
    /// no turn.
    #[serde(default, rename = "ran_on_ms", skip_serializing_if = "Option::is_none")]
    pub ran_on: Option<Millis>,
    /// What the bot wrote to its standard error, up to a cap.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub stderr: Bytes,
    /// Bytes of standard error beyond the cap.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stderr_dropped: u64,
    /// What the bot said about itself: the last value of each name.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub said: Metrics,
}

/// What a judge asked, and what it said to the reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The text that the bot was sent.
    pub input: String,
    /// The number of lines that were awaited; `None` if they last until the end of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// The limit that applied.
    #[serde(default, rename = "limit_ms", skip_serializing_if = "Option::is_none")]
    pub limit: Option<Millis>,
    /// The judge's own limit, if it named one.
    #[serde(default, rename = "official_limit_ms", skip_serializing_if = "Option::is_none")]
    pub official: Option<Millis>,
    /// The lines that the reply added to the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// The seats that the judge has put out after the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out: Vec<Out>,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// How the game really ended.
    pub verdict: Verdict,
    /// The original's wording for the end, without colour marks.
    pub official: String,
    /// Whether the original counts the game as won.
    pub won: bool,
    /// The final score; `None` if there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub score: Option<Score>,
    /// The original's game summary, with colour marks.
    pub summary: Vec<String>,
    /// The original's metadata.
    pub metadata: BTreeMap<String, String>,
    /// The number of exchanges.
    pub turns: u32,
    /// How the bot's process ended; in a game of several players only the time of the whole game.
    #[serde(flatten)]
    pub process: ProcessEnd,
    /// The result of each seat of a game of several players, by seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<SeatEnd>,
    /// The pictures that the judge has drawn. They are files next to the log, and none of its text.
    #[serde(skip)]
    pub drawings: Vec<Drawing>,
}

/// How a game of several players ended for one seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeatEnd {
    /// Its place, from 1; equal seats share the better one.
    pub place: u32,
    /// Its final score; `None` if there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub score: Option<Score>,
    /// What its bot did wrong, if the referee or the judge can say; else [`Verdict::Completed`], whatever its place.
    pub verdict: Verdict,
    /// The judge's last words on this seat.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub official: String,
    /// The number of its exchanges.
    pub turns: u32,
    /// How its process ended; empty if it never started.
    #[serde(flatten)]
    pub process: ProcessEnd,
    /// The processor time that it took while other seats were asked, where it was left running.
    #[serde(default, rename = "ponder_cpu_ms", skip_serializing_if = "Option::is_none")]
    pub ponder_cpu: Option<Millis>,
}

/// What only a bot's process shows: how it ended, and what it wrote then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessEnd {
    /// The real cause, if the verdict does not say everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<String>,
    /// How its process ended; absent if it never started, or could not be reaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_exit: Option<BotExit>,
    /// Whether the referee had to kill the bot.
    #[serde(default)]
    pub killed: bool,
    /// Standard output beyond the awaited replies, up to a cap.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub late_output: Bytes,
    /// Bytes of standard output beyond that cap.
    #[serde(default, skip_serializing_if = "is_default")]
    pub late_output_dropped: u64,
    /// Standard error after its last exchange, up to a cap.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub stderr: Bytes,
    /// Bytes of standard error beyond that cap.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stderr_dropped: u64,
    /// What the bot said about itself in the whole game, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, GameMetrics>,
    /// The time from the start of the bot until it was reaped; absent if it never started.
    #[serde(default, rename = "wall_ms", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Millis>,
}

impl SeatEnd {
    /// A seat as its judge decides it, without its process.
    pub fn by_rules(seat: rules::game::SeatEnd, turns: u32) -> Self {
        let rules::game::SeatEnd { score, place, verdict, official, .. } = seat;
        let process = ProcessEnd::default();
        Self { place, score, verdict, official, turns, process, ponder_cpu: None }
    }

    /// The same, with what only a process can show from a log.
    #[must_use]
    pub(crate) fn with_process_of(self, logged: Option<Self>) -> Self {
        let Some(logged) = logged else { return self };
        let Self { place, score, verdict, official, turns, .. } = self;
        Self { place, score, verdict, official, turns, ..logged }
    }

    /// What the judge must have said of it. What the referee saw itself counts before that.
    pub(crate) fn of_judge(&self) -> rules::game::SeatEnd {
        let Self { score, place, verdict, official, .. } = self;
        let (score, verdict, official) = (*score, *verdict, official.clone());
        rules::game::SeatEnd { score, verdict, official, ..rules::game::SeatEnd::at(*place) }
    }
}

impl Asked {
    /// A question under this limit, before its answer.
    pub fn new(ask: &Ask, limit: Option<Duration>) -> Self {
        let count = ask.lines.count;
        let lines = (count != LineRules::UNTIL_END).then_some(count);
        Self {
            input: ask.input.clone(),
            lines: lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX)),
            limit: limit.map(Millis),
            official: ask.official.map(Millis),
            summary: Vec::new(),
            out: Vec::new(),
        }
    }
}

impl Start {
    /// The bots by seat.
    pub fn bots(&self) -> impl Iterator<Item = &Bot> {
        std::iter::once(&self.bot).chain(&self.others)
    }

    /// The names of the bots by seat, which a judge writes as `$0`, `$1` and so on; none in a game of one player.
    pub fn names(&self) -> Vec<&str> {
        let bots = self.bots().filter(|_| self.is_of_several());
        bots.map(|bot| bot.name.as_str()).collect()
    }

    /// Whether this is a game of several players.
    pub fn is_of_several(&self) -> bool {
        !self.others.is_empty()
    }

    /// The limit that applied to a turn.
    pub fn limit(&self, turn: &Turn) -> Option<Duration> {
        turn.limit_under(&self.limits)
    }
}

impl Turn {
    /// The limit that applied to it in a game with these limits: the one in its question, if the game has a judge.
    pub fn limit_under(&self, limits: &Limits) -> Option<Duration> {
        match &self.asked {
            Some(asked) => asked.limit.map(|limit| limit.0),
            None => limits.of(self.limit),
        }
    }

    /// A turn with only its reply: nothing measured, nothing scored.
    pub fn with_reply(turn: u32, limit: LimitKind, reply: Bytes) -> Self {
        Self { turn, limit, reply, ..Self::default() }
    }
}

impl End {
    /// The end as the rules decide it, without the processes of the bots. The last reply's `verdict` decides only a game of one
    /// player.
    pub fn by_rules(game: &Game, verdict: Verdict, turns: u32) -> Self {
        let rules::game::End { official, metadata, drawings, seats, .. } =
            game.end().cloned().unwrap_or_default();
        let verdict = if seats.is_empty() { verdict } else { Verdict::Completed };
        let by_rules = |(seat, end)| SeatEnd::by_rules(end, game.turns(seat));
        let seats: Vec<SeatEnd> = seats.into_iter().enumerate().map(by_rules).collect();
        Self {
            verdict,
            official,
            won: verdict == Verdict::Completed,
            score: if seats.is_empty() { game.score(0) } else { None },
            summary: game.summary().to_vec(),
            metadata,
            turns,
            process: ProcessEnd::default(),
            seats,
            drawings,
        }
    }
}
