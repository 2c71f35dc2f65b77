//! The effect of a reply on a game: the step that playing and replaying a log share.

use serde_json::Value;

use crate::game::{Fault, Game, Played, Rejected};
use crate::score::Score;
use terms::lines::Lines;
use terms::verdict::{NoReply, Verdict};

/// The effect of an exchange on the game.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ruling {
    /// The verdict; [`Verdict::Completed`] as long as nothing is wrong.
    pub verdict: Verdict,
    /// The points for the reply; `None` if the game does not tell.
    pub gain: Option<Score>,
    /// The move in the game's own terms, if one could be read.
    pub action: Option<Value>,
    /// The line of the reply that was wrong, from 0.
    pub wrong_line: Option<usize>,
    /// The game's remark on the reply.
    pub remark: Option<String>,
}

/// Passes a reply, or the reason why none came, to the game.
pub fn rule(game: &mut dyn Game, reply: &Lines, no_reply: Option<NoReply>) -> Ruling {
    if let Some(no_reply) = no_reply {
        game.unanswered(reply, no_reply);
        let (verdict, gain) = (no_reply.verdict(), nothing(game));
        return Ruling { verdict, gain, action: None, wrong_line: None, remark: None };
    }
    match game.accept(reply) {
        Ok(Played { gain, action, remark }) => {
            let verdict = Verdict::Completed;
            let action = Some(action).filter(|action| !action.is_null());
            Ruling { verdict, gain, action, wrong_line: None, remark }
        }
        Err(Rejected { fault, line, action, remark }) => {
            let verdict = match fault {
                Fault::Malformed => Verdict::MalformedReply,
                Fault::Illegal => Verdict::IllegalMove,
                Fault::Lost => Verdict::Lost,
                Fault::Late => Verdict::Timeout,
                Fault::EarlyExit => Verdict::EarlyExit,
            };
            Ruling { verdict, gain: nothing(game), action, wrong_line: Some(line), remark }
        }
    }
}

/// No points, in a game that counts points.
fn nothing(game: &dyn Game) -> Option<Score> {
    game.score().map(|_| Score::ZERO)
}
