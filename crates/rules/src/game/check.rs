//! Checks a game of one's own: whether what it shows agrees with what it rules.

use std::error::Error;
use std::fmt;

use super::frames::Picture;
use super::{Game, GameKind, SeedOptions};
use crate::score::Score;
use terms::lines::Lines;

/// A game of more exchanges than this is taken for one without an end.
const MAX_EXCHANGES: usize = 100_000;

/// What is wrong with a game.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckError {
    /// The test case's seed.
    pub seed: i64,
    /// The number of the exchange, from 1; 0 before the first one.
    pub turn: usize,
    /// What does not agree.
    pub problem: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, turn, problem } = self;
        write!(f, "seed {seed}, turn {turn}: {problem}")
    }
}

impl Error for CheckError {}

/// Plays the test case of each seed with the replies of `bot`, which is given the input of each exchange, and finds what
/// views and replays would stumble over: a frame that does not lead to the picture after the reply, or scores otherwise
/// than the reply; a picture that does not fit its size; a game that a second one on the same test case and replies does
/// not repeat, or that has no end.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(
    kind: &GameKind,
    seeds: impl IntoIterator<Item = i64>,
    mut bot: impl FnMut(&str) -> String,
) -> Result<(), CheckError> {
    for seed in seeds {
        let mut turn = 0;
        check_seed(kind, seed, &mut bot, &mut turn).map_err(|problem| CheckError {
            seed,
            turn,
            problem,
        })?;
    }
    Ok(())
}

fn check_seed(
    kind: &GameKind,
    seed: i64,
    bot: &mut impl FnMut(&str) -> String,
    turn: &mut usize,
) -> Result<(), String> {
    let case = kind.test_case(seed, SeedOptions::default()).map_err(|error| error.to_string())?;
    let parse = |case: &str| {
        (kind.parse)(case).map_err(|error| format!("the test case does not parse: {error}"))
    };
    let mut game = parse(&case)?;
    // A log keeps the game's own form of the test case.
    let mut again = parse(game.test_case())?;
    check_same(game.as_ref(), again.as_ref())?;
    while let Some(exchange) = game.next_exchange() {
        *turn += 1;
        if *turn > MAX_EXCHANGES {
            return Err("the game does not end".to_owned());
        }
        if !game.official_result().is_empty() {
            return Err("there is a result, but the game goes on".to_owned());
        }
        let mut reply = Lines::split(bot(&game.input()).as_bytes());
        if exchange.lines.eof_ends_line {
            reply.end_partial();
        }
        let is_over = check_reply(game.as_mut(), &reply)?;
        if again.accept(&reply).is_err() != is_over {
            return Err("a second game rules otherwise on the same reply".to_owned());
        }
        check_same(game.as_ref(), again.as_ref())?;
        if is_over && game.next_exchange().is_some() {
            return Err("the reply was rejected, but the game goes on".to_owned());
        }
    }
    if game.official_result().is_empty() {
        return Err("the game is over, but has no official result".to_owned());
    }
    Ok(())
}

/// Compares the frames of a reply with its ruling. Returns whether the reply was rejected.
fn check_reply(game: &mut dyn Game, reply: &Lines) -> Result<bool, String> {
    let mut picture = game.picture();
    check_picture(&picture)?;
    let frames = game.frames(reply);
    let gain: Score = frames.iter().map(|frame| frame.gain).sum();
    for frame in &frames {
        let places = frame.steps.iter().flat_map(|step| {
            let moved = step.moved.iter().flat_map(|&(from, to)| [from, to]);
            step.gone.iter().copied().chain(moved).chain(step.new.iter().map(|&(place, _)| place))
        });
        if let Some(place) = places.chain(frame.chosen).find(|&place| !has(&picture, place)) {
            return Err(format!(
                "a frame names the place {place}, which the picture does not have"
            ));
        }
        picture.apply(frame);
    }
    let Ok(played) = game.accept(reply) else { return Ok(true) };
    if picture.is_none() {
        return Ok(false);
    }
    check_picture(&picture)?;
    let after = game.picture();
    if let Some(place) =
        (0..after.tiles.len()).find(|&place| picture.tiles[place] != after.tiles[place])
    {
        let (frames, ruled) = (picture.tiles[place], after.tiles[place]);
        return Err(format!(
            "at place {place} the frames leave {frames:?}, and the game has {ruled:?}"
        ));
    }
    match played.gain.filter(|ruled| *ruled != gain) {
        Some(ruled) => Err(format!("the frames score {gain}, and the reply {ruled}")),
        None => Ok(false),
    }
}

fn has(picture: &Picture, place: u16) -> bool {
    usize::from(place) < picture.tiles.len()
}

fn check_picture(picture: &Picture) -> Result<(), String> {
    let Picture { columns, rows, colors, tiles, .. } = picture;
    let places = usize::from(*columns) * usize::from(*rows);
    if tiles.len() != places {
        let count = tiles.len();
        return Err(format!("the picture has {count} tiles on {columns} columns and {rows} rows"));
    }
    match tiles.iter().flatten().find(|color| *color >= colors) {
        Some(color) => Err(format!("a tile has colour {color}, and the picture {colors} colours")),
        None => Ok(()),
    }
}

/// Compares two games that have had the same replies.
fn check_same(game: &dyn Game, again: &dyn Game) -> Result<(), String> {
    let what = if game.test_case() != again.test_case() {
        "test case"
    } else if game.next_exchange().is_some() != again.next_exchange().is_some() {
        "end"
    } else if game.next_exchange().is_some() && game.input() != again.input() {
        "input"
    } else if game.score() != again.score() {
        "score"
    } else if game.summary() != again.summary() || game.official_result() != again.official_result()
    {
        "summary or result"
    } else if game.picture() != again.picture() {
        "picture"
    } else {
        return Ok(());
    };
    Err(format!("a second game on the same test case has another {what}"))
}
