//! What the bots of a game wrote, as files for other programs, such as a contest's visualizer.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::{Log, Turn};
use rules::game::Seat;
use terms::text::plural;

/// The name of a board's files, without ending: `0007` for `in/0007.txt` and for seed 7.
pub fn name(board: &str) -> String {
    let stem = || Path::new(board).file_stem()?.to_str();
    match board.strip_prefix("seed ") {
        Some(seed) => format!("{seed:0>4}"),
        None => stem().unwrap_or(board).to_owned(),
    }
}

/// The names of a game's files by seat, without ending: after the board, after the `number` of the game if it has one, and with several
/// players after the seat.
pub fn names(board: &str, number: Option<usize>, players: usize) -> Vec<String> {
    let of_game = number.map(|number| format!("-{number}")).unwrap_or_default();
    let of_seat = |seat| if players > 1 { format!("-{seat}") } else { String::new() };
    (0..players).map(|seat| format!("{}{of_game}{}", name(board), of_seat(seat))).collect()
}

/// A file in the way: one that would be replaced though it is not of a game, since of the answer and the standard error one is missing.
pub fn obstacle(folder: &Path, mut names: impl Iterator<Item = String>) -> Option<PathBuf> {
    names.find_map(|name| {
        let file = |ending| folder.join(format!("{name}.{ending}"));
        let [answer, stderr] = [file("txt"), file("err")];
        match (answer.exists(), stderr.exists()) {
            (true, false) => Some(answer),
            (false, true) => Some(stderr),
            _ => None,
        }
    })
}

/// All replies of a seat.
pub fn answer(log: &Log, seat: Seat) -> Vec<u8> {
    turns_of(log, seat).flat_map(|turn| &turn.reply.0).copied().collect()
}

/// Writes the answers to `NAME.txt` and the standard error to `NAME.err`, with these [names] by seat.
///
/// # Errors
/// When a file cannot be written; the error names it.
pub fn keep(folder: &Path, names: &[String], log: &Log) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    names.iter().enumerate().try_for_each(|(seat, name)| {
        fs::write(folder.join(format!("{name}.err")), stderr(log, seat))?;
        fs::write(folder.join(format!("{name}.txt")), answer(log, seat))
    })
}

/// The standard error of a seat, with a last line that counts the bytes that were not kept.
fn stderr(log: &Log, seat: Seat) -> Vec<u8> {
    let process =
        log.end.as_ref().map(|end| end.seats.get(seat).map_or(&end.process, |seat| &seat.process));
    let of_end = process.map(|end| (&end.stderr, end.stderr_dropped));
    let parts = turns_of(log, seat).map(|turn| (&turn.stderr, turn.stderr_dropped)).chain(of_end);
    let (mut stderr, mut dropped) = (Vec::new(), 0);
    for (part, more) in parts {
        stderr.extend_from_slice(&part.0);
        dropped += more;
    }
    if dropped > 0 {
        stderr.extend(format!("\n[{} more, not kept]\n", plural(dropped, "byte")).into_bytes());
    }
    stderr
}

fn turns_of(log: &Log, seat: Seat) -> impl Iterator<Item = &Turn> {
    log.turns.iter().filter(move |turn| turn.seat == seat)
}
