//! A game as one self-contained HTML page: no network, no framework, no server.
//!
//! The page is `page.html` with `page.css`, the scripts and the film in JSON put into it; [`GamesPage`] puts many into one,
//! packed, so that they share the rest. Its content
//! security policy allows that one style and that one script, by their hashes, and nothing else;
//! the script sets text only as text. Nothing that a bot or a log says becomes part of the markup:
//! it is all in the JSON, which `page_json` makes inert.

mod many;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::Serializer;

pub use self::many::{GameAddress, GamesPage};
use super::film::{Film, Move};
use super::links::Link;
use crate::html;
use crate::inert::page_json;
use results::gamelog::{Certificate, End};
use results::metrics::{GameMetrics, Metrics};
use rules::game::frames::{Change, Frame, Origin, Pace, Picture, RegionPoints};
use rules::score::Score;
use terms::millis::Millis;
use terms::verdict::Overrun;

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../../html/colors.css"), include_str!("page.css"));
const SCRIPT: &str = concat!(
    include_str!("samegame.js"),
    include_str!("film.js"),
    include_str!("trial.js"),
    include_str!("pointer.js"),
    include_str!("moves.js"),
    include_str!("view.js"),
    include_str!("charts.js"),
    include_str!("said.js"),
    include_str!("pair.js"),
    include_str!("games.js"),
    include_str!("png.js"),
    include_str!("playback.js"),
);

/// The data that the page's script reads.
#[derive(Serialize)]
struct Show<'a> {
    films: Vec<PageFilm<'a>>,
}

#[derive(Serialize)]
struct PageFilm<'a> {
    game: &'a str,
    /// The game's name for programs; of `samegame` the page knows the rules.
    kind: &'a str,
    board: &'a str,
    bot: String,
    /// In a game of several players the parts of its heading, with the seats of the bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<Vec<(Option<usize>, String)>>,
    profile: &'a str,
    columns: u16,
    rows: u16,
    colors: u8,
    /// What is written on the tiles, by colour; where nothing is, the number of the colour.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [String],
    origin: Origin,
    pace: Pace,
    regions: Option<&'a RegionPoints>,
    /// Whether lower scores are better.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lower: bool,
    /// -1 is empty.
    opening: Vec<i8>,
    turns: Vec<PageTurn<'a>>,
    moves: Vec<PageMove<'a>>,
    end: Option<PageEnd<'a>>,
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    drawings: &'a [Link],
}

#[derive(Serialize)]
struct PageTurn<'a> {
    /// Unless it is the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_ms: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<Millis>,
    certificate: &'a Certificate,
    #[serde(skip_serializing_if = "Option::is_none")]
    overrun: Option<Overrun>,
    /// What the bot was sent, in a game without a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<&'a str>,
    /// What its judge told after it.
    #[serde(skip_serializing_if = "String::is_empty")]
    told: String,
    /// The score after it, in a game without a picture; the moves of others say what they score.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<PageScore>,
    reply: String,
    stderr: String,
    #[serde(skip_serializing_if = "Metrics::is_empty")]
    said: &'a Metrics,
    /// Its first move.
    first: usize,
}

#[derive(Serialize)]
struct PageEnd<'a> {
    verdict: String,
    official: Cow<'a, str>,
    won: bool,
    score: PageScore,
    diagnosis: Option<Cow<'a, str>>,
    /// What its judge told of the whole game.
    #[serde(skip_serializing_if = "String::is_empty")]
    told: String,
    stderr: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    said: &'a BTreeMap<String, GameMetrics>,
}

/// A score: a number that scripts keep whole, a text with all other digits, or null.
#[derive(Debug)]
struct PageScore(Option<Score>);

impl Serialize for PageScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(score) = self.0 else { return serializer.serialize_none() };
        let text = score.to_string();
        match text.parse::<i32>() {
            Ok(whole) => serializer.serialize_i32(whole),
            Err(_) => serializer.serialize_str(&text),
        }
    }
}

/// A move, as an array to keep pages with ten thousand moves small: turn, number, notation, caption, chosen
/// place or -1, gain, steps, and the message if the move has one.
type PageMove<'a> =
    (usize, usize, &'a str, Cow<'a, str>, i32, Score, Vec<PageStep<'a>>, Option<&'a [String; 2]>);

/// A step as an array of three flat arrays: places, pairs of places, pairs of place and colour.
type PageStep<'a> = (&'a [u16], Vec<u16>, Vec<u16>);

fn page_move(film: &Film, index: usize) -> PageMove<'_> {
    let Move { turn, frame } = &film.moves[index];
    let Frame { number, notation, chosen, message, gain, steps, caption: _ } = frame;
    let chosen = chosen.map_or(-1, i32::from);
    let steps = steps.iter().map(page_step).collect();
    (*turn, *number, notation, film.describe(index), chosen, *gain, steps, message.as_ref())
}

fn page_step(Change { gone, moved, new }: &Change) -> PageStep<'_> {
    let moved = moved.iter().flat_map(|&(from, to)| [from, to]).collect();
    let new = new.iter().flat_map(|&(place, color)| [place, color.into()]).collect();
    (gone, moved, new)
}

impl<'a> From<&'a Film> for PageFilm<'a> {
    fn from(film: &'a Film) -> Self {
        let Picture { columns, rows, colors, labels, origin, pace, regions, tiles } = &film.opening;
        let color =
            |tile: &Option<u8>| tile.map_or(-1, |color| i8::try_from(color).expect("few colours"));
        Self {
            game: &film.kind.title,
            kind: &film.kind.name,
            board: &film.start.board,
            bot: film.heading().map_or_else(|| film.bots(), |parts| joined(&parts)),
            heading: film.heading(),
            profile: &film.start.profile,
            columns: *columns,
            rows: *rows,
            colors: *colors,
            labels,
            origin: *origin,
            pace: *pace,
            regions: regions.as_ref(),
            lower: !film.kind.better.is_higher(),
            opening: tiles.iter().map(color).collect(),
            turns: (0..film.turns.len()).map(|turn| PageTurn::of(film, turn)).collect(),
            moves: (0..film.moves.len()).map(|index| page_move(film, index)).collect(),
            end: film.end.as_ref().map(|end| PageEnd::of(film, end)),
            note: film.note.as_deref(),
            drawings: &film.drawings,
        }
    }
}

/// A heading as text.
fn joined(heading: &[(Option<usize>, String)]) -> String {
    heading.iter().map(|(_, text)| text.as_str()).collect()
}

impl<'a> PageTurn<'a> {
    fn of(film: &'a Film, index: usize) -> Self {
        let turn = &film.turns[index];
        let first = film.moves.partition_point(|shown| shown.turn < index);
        Self {
            seat: Some(turn.seat).filter(|&seat| seat > 0),
            limit_ms: film.limit(turn).map(Millis),
            wall_ms: film.wall(turn).map(Millis),
            certificate: &turn.certificate,
            overrun: turn.overrun,
            sent: film.is_text().then(|| film.texts(first).0),
            told: film.told(turn),
            score: film.is_text().then_some(PageScore(turn.score)),
            reply: super::reply(turn),
            stderr: super::output(&turn.stderr.0, turn.stderr_dropped),
            said: &turn.said,
            first,
        }
    }
}

impl<'a> PageEnd<'a> {
    fn of(film: &'a Film, end: &'a End) -> Self {
        Self {
            verdict: end.verdict.to_string(),
            official: film.result(),
            won: end.won,
            score: PageScore(end.score),
            diagnosis: film.diagnosis(),
            told: film.told_at_end(),
            stderr: super::output(&end.process.stderr.0, end.process.stderr_dropped),
            said: &end.process.said,
        }
    }
}

/// The page that shows a film.
pub fn page(film: &Film) -> String {
    fill(&Show { films: vec![film.into()] })
}

/// The page that shows two films of the same board side by side.
pub fn comparison(left: &Film, right: &Film) -> String {
    fill(&Show { films: vec![left.into(), right.into()] })
}

/// Puts style, script and data into the page.
fn fill(show: &impl Serialize) -> String {
    html::page(HTML, STYLE, SCRIPT, &[("data", page_json(show))])
}
