//! What of a game is printed instead of its result.

use std::process::ExitCode;
use std::str::FromStr;

use anyhow::anyhow;

use super::{Failure, print, refuse};
use report::view::transcript;
use results::gamelog::{Log, outputs};
use terms::text::plural;

/// What of a game is printed instead of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Export {
    /// Both sides of the game, as plain text.
    Transcript,
    /// All replies of the bot.
    Answer,
    /// The exact bytes that the bot was sent, in the whole game or in one turn.
    Input(Option<u32>),
}

impl FromStr for Export {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let turn = text.strip_prefix("input:").and_then(|turn| turn.parse().ok());
        match text {
            "transcript" => Ok(Self::Transcript),
            "answer" => Ok(Self::Answer),
            "input" => Ok(Self::Input(None)),
            _ if turn.is_some_and(|turn| turn > 0) => Ok(Self::Input(turn)),
            _ => {
                Err("it must be transcript, answer, input or input:TURN, such as input:3"
                    .to_owned())
            }
        }
    }
}

impl Export {
    pub(super) fn print(self, log: &Log) -> Result<ExitCode, Failure> {
        let input = match self {
            Self::Transcript => return print(|out| transcript::write(log, out)),
            Self::Answer | Self::Input(None) if has_several_seats(log) => {
                let which = if self == Self::Answer { "answer" } else { "input" };
                let several = "each bot has its own: name one with `referee replay LOG --seat N`";
                return refuse(format!("--export {which}: {several}"));
            }
            Self::Answer => outputs::answer(log, log.turns.first().map_or(0, |turn| turn.seat)),
            Self::Input(None) => transcript::all_input(log).map_err(Failure::user)?,
            Self::Input(Some(turn)) => {
                let input = transcript::input(log, turn).map_err(Failure::user)?;
                let missing = || anyhow!("--export input:{turn}: {}", turns(log));
                input.ok_or_else(|| Failure::user(missing()))?.into_bytes()
            }
        };
        print(|out| out.write_all(&input))
    }
}

/// The number of turns; with `--seat`, of the seat, since its turns have the game's numbers.
fn turns(log: &Log) -> String {
    let turns = plural(log.turns.len() as u64, "turn");
    match (log.turns.first(), log.turns.last()) {
        (Some(first), Some(last)) if log.start.is_of_several() && !has_several_seats(log) => {
            format!("seat {} has {turns}, from {} to {}", first.seat, first.turn, last.turn)
        }
        _ => format!("the game has {turns}"),
    }
}

/// Whether more than one bot was asked.
fn has_several_seats(log: &Log) -> bool {
    log.turns.windows(2).any(|turns| turns[0].seat != turns[1].seat)
}
