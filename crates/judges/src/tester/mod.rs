//! Testers that start the bot themselves, unmodified: AtCoder's interactive ones, TopCoder's.
//!
//! A tester is told to start the relay as its bot. The relay hands its standard streams to the referee, which starts
//! the real bot in its own containment and passes the bytes on (module `talk`). Whatever the tester writes to the bot is
//! a question, and when it ends, its output has the score. Testers lie about causes: a bot's crash is "not a path" to
//! them. So how the bot failed is what the referee has seen, and the tester's words stand beside it.

mod connection;
mod relay;
mod talk;

use rules::game::judge::{Case, Question, Reading, Steps};
use rules::game::{Answer, JudgeFailure, Place, Referee, Seat, Step, Traits};
use serde::{Deserialize, Serialize};
use terms::text::exact_duration;
use terms::verdict::{BotExit, NoReply, Verdict};

use self::talk::{Talk, Talking, TesterEvent};
use crate::case;
use crate::command::JudgeCommand;
use crate::printed::{Judged, ScorePattern};

/// What helps with a tester that did not start a bot, if nothing else is known.
const BY_HAND: &str = "see how it is started by hand: some testers read the case from their standard input (`stdin = \"{case}\"`), others \
    take its file as an argument (`{case}` in the command)";

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
    pub fn start(&self, case: &Case, place: &Place) -> Result<Box<dyn Referee>, JudgeFailure> {
        let talk = Talk::start(self, case, place)?;
        let (score, talking) = (self.score.clone(), Talking::new(talk));
        let steps = Steps::new(Reading::default(), self.has_total_limit);
        Ok(Box::new(Play { score, talking, failure: None, steps }))
    }
}

/// A tester at work.
struct Play {
    score: ScorePattern,
    talking: Talking,
    /// How the bot has failed.
    failure: Option<NoReply>,
    steps: Steps,
}

impl Referee for Play {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        let end = match self.talking.await_step()? {
            TesterEvent::Question { is_first } => {
                let peer = is_first.then(|| self.talking.peer());
                return Ok(self.steps.ask(Question { peer, ..Question::default() }));
            }
            TesterEvent::End(exit) => self.conclude(exit)?,
            TesterEvent::TooLate(limit) if self.failure.is_some() => {
                let limit = exact_duration(limit);
                let words = format!("the tester did not end within {limit} after the bot");
                let printed = self.talking.talk().printed(BotExit::Unknown);
                self.score.lost(words, &printed)
            }
            TesterEvent::TooLate(limit) => return Err(self.talking.talk().too_late(limit)),
        };
        let drawings = self.talking.talk().drawings();
        Ok(end.step(&self.steps, drawings))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        if let Answer::NoReply { why, .. } = answer {
            self.failure = Some(why);
            self.talking.talk().end_relay(match why {
                NoReply::Ended(exit) => exit,
                _ => BotExit::Unknown,
            });
        }
        self.begin()
    }
}

impl Play {
    /// The end of the game, after the tester's own.
    fn conclude(&self, exit: BotExit) -> Result<Judged, JudgeFailure> {
        let mut talk = self.talking.talk();
        let printed = talk.printed(exit);
        if self.failure.is_some() {
            return Ok(self.score.end_against(Verdict::Lost, &printed));
        }
        if talk.starts() == 0 {
            let trouble = talk.trouble(format!("{exit} without starting the bot"));
            let remedy = trouble.remedy.or_else(|| Some(BY_HAND.to_owned()));
            return Err(JudgeFailure { remedy, ..trouble });
        }
        match self.score.judge(&printed) {
            Ok(judged) if judged.end.verdict == Verdict::Completed || judged.is_garbled => {
                Ok(judged)
            }
            _ if talk.bot_was_early() => Ok(self.score.end_against(Verdict::EarlyExit, &printed)),
            judged => judged.map_err(|problem| talk.trouble(problem)),
        }
    }
}
