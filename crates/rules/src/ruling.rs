//! The effect of a reply on a game: the step that playing and replaying a log share.

use serde_json::Value;

use crate::game::{Fault, Game, Played, Rejected};
use terms::lines::Lines;
use terms::verdict::{NoReply, Verdict};

/// The effect of an exchange on the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The verdict; [`Verdict::Completed`] as long as nothing is wrong.
    pub verdict: Verdict,
    /// The points for the reply.
    pub gain: i64,
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
        game.unanswered(reply);
        let verdict = no_reply.verdict();
        return Ruling { verdict, gain: 0, action: None, wrong_line: None, remark: None };
    }
    match game.accept(reply) {
        Ok(Played { gain, action, remark }) => {
            let verdict = Verdict::Completed;
            Ruling { verdict, gain, action: Some(action), wrong_line: None, remark }
        }
        Err(Rejected { fault, line, action, remark }) => {
            let verdict = match fault {
                Fault::Malformed => Verdict::MalformedReply,
                Fault::Illegal => Verdict::IllegalMove,
            };
            Ruling { verdict, gain: 0, action, wrong_line: Some(line), remark }
        }
    }
}
