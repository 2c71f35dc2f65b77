//! Testers that start the bot themselves, unmodified: AtCoder's interactive ones, TopCoder's.
//!
//! A tester is told to start the relay as its bot. The relay hands its standard streams to the referee, which starts
//! the real bot in its own containment and passes the bytes on (module `talk`). Whatever the tester writes to the bot is
//! a question, and when it ends, its output has the score. Testers lie about causes: a bot's crash is "not a path" to
//! them. So how the bot failed is what the referee has seen, and the tester's words stand beside it.

mod connection;
mod relay;
mod talk;

use rules::game::Traits;
use rules::game::judge::{
    Answer, Ask, Case, Drawing, Ending, Judge, JudgeEnd, Judges, Place, Step, Trouble,
};
use serde::{Deserialize, Serialize};
use terms::peer::Peer;
use terms::text::exact_duration;
use terms::verdict::{BotExit, NoReply};

use self::talk::{Heard, Talk, Talking};
use crate::case;
use crate::command::JudgeCommand;
use crate::printed::{Printed, ScorePattern};

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

impl Judges for Tester {
    fn start(&self, case: &Case, place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble> {
        let talk = Talk::start(self, case, place)?;
        let (score, talking) = (self.score.clone(), Talking::new(talk));
        Ok(Box::new(Play { score, talking, failure: None }))
    }

    fn has_total_limit(&self) -> bool {
        self.has_total_limit
    }

    fn needs_bot(&self) -> bool {
        true
    }

    fn traits(&self) -> Option<&Traits> {
        self.traits.as_ref()
    }
}

/// A tester at work.
struct Play {
    score: ScorePattern,
    talking: Talking,
    /// How the bot has failed.
    failure: Option<NoReply>,
}

impl Judge for Play {
    fn next(&mut self) -> Result<Step, Trouble> {
        match self.talking.await_step() {
            Ok(Heard::Question { is_first, starts }) => {
                Ok(Step::Ask(Ask { restarts: is_first && starts > 1, ..Ask::default() }))
            }
            Ok(Heard::End(exit)) => self.conclude(exit).map(Step::End),
            Ok(Heard::TooLate(limit)) if self.failure.is_some() => {
                let limit = exact_duration(limit);
                let words = format!("the tester did not end within {limit} after the bot");
                let printed = self.talking.talk().printed(BotExit::Unknown);
                Ok(Step::End(self.score.end(Ending::Lost, words, &printed)))
            }
            Ok(Heard::TooLate(limit)) => Err(self.talking.talk().too_late(limit)),
            Err(trouble) => Err(trouble),
        }
    }

    fn answer(&mut self, answer: Answer<'_>) -> Result<(), Trouble> {
        if let Answer::NoReply(why) = answer {
            self.failure = Some(why);
            self.talking.talk().end_relay(match why {
                NoReply::Ended(exit) => exit,
                _ => BotExit::Unknown,
            });
        }
        Ok(())
    }

    fn peer(&mut self) -> Option<Box<dyn Peer>> {
        Some(self.talking.peer())
    }

    fn drawings(&mut self) -> Vec<Drawing> {
        self.talking.talk().drawings()
    }
}

impl Play {
    /// The end of the game, after the tester's own.
    fn conclude(&self, exit: BotExit) -> Result<JudgeEnd, Trouble> {
        let mut talk = self.talking.talk();
        let printed = talk.printed(exit);
        if self.failure.is_some() {
            return Ok(self.end_against(Ending::Lost, &printed));
        }
        if talk.starts() == 0 {
            let trouble = talk.trouble(format!("{exit} without starting the bot"));
            let remedy = trouble.remedy.or_else(|| Some(BY_HAND.to_owned()));
            return Err(Trouble { remedy, ..trouble });
        }
        match self.score.judge(&printed) {
            Ok(end) if end.how == Ending::Completed => Ok(end),
            _ if talk.bot_was_early() => Ok(self.end_against(Ending::EarlyExit, &printed)),
            judged => judged.map_err(|problem| talk.trouble(problem)),
        }
    }

    /// The end of a game that the bot has lost by itself, in the tester's words.
    fn end_against(&self, how: Ending, printed: &Printed) -> JudgeEnd {
        let reason = self.score.words(printed);
        let words = if reason.is_empty() { "the tester says nothing".to_owned() } else { reason };
        self.score.end(how, words, printed)
    }
}
