//! A game as plain text: what was sent, what was answered, and what came of it.
//!
//! The input is not in a log, since the rules say what it was: it is worked out anew. The transcript
//! is for people and made inert; [`stdin`] is the exact bytes, for feeding to a bot.

use std::io::{self, Write};

use crate::gamelog::{Log, Turn};
use crate::play;
use crate::replay::{ReplayError, game_of, reply_to};
use crate::text::{duration, printable, printable_lines};

/// What one exchange sent and what was answered.
struct Exchanged<'l> {
    turn: &'l Turn,
    input: String,
}

/// Writes the transcript of a log.
///
/// # Errors
/// When `out` fails, or the log holds no game that could be refereed.
pub fn write(log: &Log, out: &mut dyn Write) -> io::Result<()> {
    let start = &log.start;
    writeln!(out, "game   {}", printable(&start.game))?;
    writeln!(out, "board  {}", printable(&start.board))?;
    writeln!(out, "bot    {}", printable(&start.bot.name))?;
    for Exchanged { turn, input } in exchanges(log).map_err(io::Error::other)? {
        writeln!(out, "\nturn {}", turn.turn)?;
        lines(out, '>', input.as_bytes())?;
        lines(out, '<', &turn.reply.0)?;
        lines(out, '!', &turn.stderr.0)?;
        match turn.unanswered {
            Some(silence) => writeln!(out, "= {}", silence.verdict())?,
            None => writeln!(out, "= gain {}, score {}", turn.gain, turn.score)?,
        }
        // Nobody took the times of a game from elsewhere.
        if !turn.wall.0.is_zero() {
            writeln!(out, "= {}", duration(turn.wall.0))?;
        }
    }
    let Some(end) = &log.end else { return writeln!(out, "\nthe log stops here") };
    writeln!(out, "\nend: {}", end.verdict)?;
    lines(out, '!', &end.stderr.0)?;
    for line in &end.summary {
        writeln!(out, "= {}", printable(line))?;
    }
    end.diagnosis.iter().try_for_each(|why| writeln!(out, "= {}", printable(why)))
}

/// The exact bytes that the bot was sent, of all exchanges in the log.
///
/// # Errors
/// When the log holds no game that could be refereed.
pub fn stdin(log: &Log) -> Result<Vec<u8>, ReplayError> {
    let inputs = exchanges(log)?.into_iter().map(|exchanged| exchanged.input);
    Ok(inputs.flat_map(String::into_bytes).collect())
}

/// The exchanges of a log, as far as the rules follow it.
fn exchanges(log: &Log) -> Result<Vec<Exchanged<'_>>, ReplayError> {
    let mut game = game_of(&log.start)?;
    let mut exchanges = Vec::new();
    for turn in &log.turns {
        let Some(exchange) = game.next_exchange() else { break };
        let (input, reply) = (game.input().into_owned(), reply_to(&exchange, turn));
        exchanges.push(Exchanged { turn, input });
        play::rule(game.as_mut(), &reply, turn.unanswered);
    }
    Ok(exchanges)
}

fn lines(out: &mut dyn Write, mark: char, bytes: &[u8]) -> io::Result<()> {
    let text = printable_lines(&String::from_utf8_lossy(bytes));
    text.lines().try_for_each(|line| writeln!(out, "{mark} {line}"))
}
