//! A game as plain text: the input, the replies and the results.
//!
//! A log does not hold the input, because the rules determine it; refereeing the log again gives it. The
//! transcript is for people, and inert; [`all_input`] returns the exact bytes, to feed to a bot.

use std::io::{self, Write};

use crate::text::standing;
use results::gamelog::{Log, Turn};
use results::replay::{ReplayError, game_of_log, reply_to};
use rules::game::Answer;
use rules::score::shown;
use terms::text::{duration, named, printable, printable_lines};

/// The input and the turn of one exchange.
struct ReplayedTurn<'l> {
    turn: &'l Turn,
    input: String,
}

/// Writes the transcript of a log.
///
/// # Errors
/// When `out` fails, or the game or the test case in the log is invalid.
pub fn write(log: &Log, out: &mut dyn Write) -> io::Result<()> {
    let start = &log.start;
    line(out, "game  ", &start.game)?;
    line(out, "board ", &start.board)?;
    if start.is_of_several() {
        for (seat, bot) in start.bots().enumerate() {
            line(out, &format!("seat {seat}"), &bot.name)?;
        }
    } else {
        line(out, "bot   ", &start.bot.name)?;
    }
    for ReplayedTurn { turn, input } in exchanges(log).map_err(io::Error::other)? {
        if start.is_of_several() {
            writeln!(out, "\nturn {}, seat {}", turn.turn, turn.seat)?;
        } else {
            writeln!(out, "\nturn {}", turn.turn)?;
        }
        lines(out, '>', input.as_bytes())?;
        lines(out, '<', &turn.reply.0)?;
        lines(out, '!', &turn.stderr.0)?;
        match turn.no_reply {
            Some(no_reply) => writeln!(out, "= {}", no_reply.verdict())?,
            None if start.is_of_several() => {}
            None => writeln!(out, "= gain {}, score {}", shown(turn.gain), shown(turn.score))?,
        }
        // Games that other programs saved have no times.
        if !turn.wall.0.is_zero() {
            writeln!(out, "= {}", duration(turn.wall.0))?;
        }
    }
    let Some(end) = &log.end else { return writeln!(out, "\nthe log stops here") };
    writeln!(out, "\nend: {}", end.verdict)?;
    for (seat, end) in end.seats.iter().enumerate() {
        line(out, &format!("seat {seat}:"), &standing(end))?;
        lines(out, '!', &end.process.stderr.0)?;
        end.process.diagnosis.iter().try_for_each(|text| line(out, "=", text))?;
    }
    lines(out, '!', &end.process.stderr.0)?;
    let bots = start.names();
    let told =
        end.summary.iter().map(|line| named(line, &bots)).chain(end.process.diagnosis.clone());
    told.into_iter().try_for_each(|text| line(out, "=", &text))
}

/// The exact bytes that the bot was sent in all exchanges of the log.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn all_input(log: &Log) -> Result<Vec<u8>, ReplayError> {
    let inputs = exchanges(log)?.into_iter().map(|exchanged| exchanged.input);
    Ok(inputs.flat_map(String::into_bytes).collect())
}

/// The exact bytes that the bot was sent in one turn; `None` if the game has no such turn.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn input(log: &Log, turn: u32) -> Result<Option<String>, ReplayError> {
    let mut exchanges = exchanges(log)?.into_iter();
    Ok(exchanges.find(|exchanged| exchanged.turn.turn == turn).map(|exchanged| exchanged.input))
}

/// The exchanges of a log, up to the first that the rules contradict.
fn exchanges(log: &Log) -> Result<Vec<ReplayedTurn<'_>>, ReplayError> {
    let mut game = game_of_log(log)?;
    let mut exchanges = Vec::new();
    for turn in &log.turns {
        let Some(ask) = game.next_ask() else { break };
        let reply = reply_to(&ask, turn);
        exchanges.push(ReplayedTurn { turn, input: ask.input });
        if game.answer(Answer::new(&reply, turn.no_reply)).is_err() {
            break;
        }
    }
    Ok(exchanges)
}

/// Writes one line of untrusted text, made inert.
fn line(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{label} {}", printable(text))
}

/// Writes lines of input or output, made inert.
fn lines(out: &mut dyn Write, mark: char, bytes: &[u8]) -> io::Result<()> {
    let text = printable_lines(&String::from_utf8_lossy(bytes));
    text.lines().try_for_each(|line| writeln!(out, "{mark} {line}"))
}
