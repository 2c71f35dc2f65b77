//! A game with a tester that starts the bot.

use rules::game::judge::{Case, JudgeEnd, Question, Reading, Steps};
use rules::game::{Answer, JudgeFailure, Placement, Referee, Seat, Step};
use terms::text::exact_duration;
use terms::verdict::{BotExit, NoReply, Verdict};

use super::Tester;
use super::session::{Session, SharedSession, TesterEvent};
use crate::printed::Printing;

/// What helps with a tester that did not start a bot, if nothing else is known.
const BY_HAND: &str = "see how it is started by hand: some testers read the case from their standard input (`stdin = \"{case}\"`), others \
    take its file as an argument (`{case}` in the command)";

/// Starts the tester of one game.
pub(super) fn start(
    tester: &Tester,
    case: &Case,
    place: &Placement,
) -> Result<Box<dyn Referee>, JudgeFailure> {
    let session = Session::start(tester, case, place)?;
    let printing = Printing { score: tester.score.clone(), refused: tester.refused };
    let session = SharedSession::new(session);
    let steps = Steps::new(Reading::default(), tester.has_total_limit);
    Ok(Box::new(Play { printing, session, failure: None, steps }))
}

/// A tester at work.
struct Play {
    printing: Printing,
    session: SharedSession,
    /// How the bot has failed.
    failure: Option<NoReply>,
    steps: Steps,
}

impl Referee for Play {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        let mut judged = match self.session.await_step()? {
            TesterEvent::Question { is_first } => {
                let peer = is_first.then(|| self.session.peer());
                return Ok(self.steps.ask(Question { peer, ..Question::default() }));
            }
            TesterEvent::End(exit) => self.conclude(exit)?,
            TesterEvent::TooLate(limit) if self.failure.is_some() => {
                let limit = exact_duration(limit);
                let words = format!("the tester did not end within {limit} after the bot");
                let printed = self.session.lock().printed(BotExit::Unknown);
                self.printing.lost(words, &printed)
            }
            TesterEvent::TooLate(limit) => return Err(self.session.lock().too_late(limit)),
        };
        judged.end.drawings = self.session.lock().drawings();
        Ok(self.steps.end(judged))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        if let Answer::NoReply { why, .. } = answer {
            self.failure = Some(why);
            self.session.lock().end_relay(match why {
                NoReply::Ended(exit) => exit,
                _ => BotExit::Unknown,
            });
        }
        self.begin()
    }
}

impl Play {
    /// The end of the game, after the tester's own.
    fn conclude(&self, exit: BotExit) -> Result<JudgeEnd, JudgeFailure> {
        let mut session = self.session.lock();
        let printed = session.printed(exit);
        if self.failure.is_some() {
            return Ok(self.printing.end_against(Verdict::Lost, &printed));
        }
        if session.starts() == 0 {
            let trouble = session.trouble(format!("{exit} without starting the bot"));
            let remedy = trouble.remedy.or_else(|| Some(BY_HAND.to_owned()));
            return Err(JudgeFailure { remedy, ..trouble });
        }
        match self.printing.judge(&printed) {
            Ok(judged) if judged.verdict == Verdict::Completed => Ok(judged),
            _ if session.bot_was_early() => {
                Ok(self.printing.end_against(Verdict::EarlyExit, &printed))
            }
            judged => judged.map_err(|problem| session.trouble(problem)),
        }
    }
}
