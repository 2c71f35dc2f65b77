//! A game as one HTML page that needs nothing else: no network, no framework, no server.
//!
//! The page is `page.html` with `page.css`, the scripts and the film in JSON put into it. Its content
//! security policy allows that one style and that one script, by their hashes, and nothing else;
//! the script sets text only as text. Nothing that a bot or a log says becomes part of the markup:
//! it is all in the JSON, in which every `<` is escaped.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::film::{Film, Finale, Move, Scene};
use crate::game::frames::{Choice, Frame, Picture, Step};
use crate::html;
use crate::millis::Millis;
use crate::verdict::{Culprit, Decision};

const HTML: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../../html/colors.css"), include_str!("page.css"));
const SCRIPT: &str = concat!(
    include_str!("film.js"),
    include_str!("view.js"),
    include_str!("charts.js"),
    include_str!("playback.js"),
);

/// What the page's script reads.
#[derive(Serialize)]
struct Show<'a> {
    films: Vec<PageFilm<'a>>,
    /// The first move that differs between two films.
    differs: Option<usize>,
}

#[derive(Serialize)]
struct PageFilm<'a> {
    game: &'a str,
    board: &'a str,
    bot: &'a str,
    profile: &'a str,
    columns: u16,
    rows: u16,
    colors: u8,
    choice: Choice,
    /// -1 is empty.
    opening: Vec<i8>,
    turns: Vec<PageTurn<'a>>,
    moves: Vec<PageMove<'a>>,
    end: Option<PageEnd<'a>>,
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct PageTurn<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    culprit: Option<Culprit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unanswered: Option<&'a str>,
    reply: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    stderr: &'a str,
    first: usize,
}

#[derive(Serialize)]
struct PageEnd<'a> {
    verdict: &'a str,
    official: &'a str,
    won: bool,
    score: i64,
    diagnosis: Option<&'a str>,
    stderr: &'a str,
}

/// A move as an array, since there may be ten thousand: turn, number, words, chosen place or -1,
/// gain, steps, and the message if there is one.
struct PageMove<'a>(&'a Move);

/// A step as an array of three flat arrays: places, pairs of places, pairs of place and colour.
struct PageStep<'a>(&'a Step);

impl Serialize for PageMove<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Move { turn, frame } = self.0;
        let Frame { number, words, chosen, message, gain, steps } = frame;
        let mut array = serializer.serialize_seq(None)?;
        array.serialize_element(turn)?;
        array.serialize_element(number)?;
        array.serialize_element(words)?;
        array.serialize_element(&chosen.map_or(-1, i32::from))?;
        array.serialize_element(gain)?;
        array.serialize_element(&steps.iter().map(PageStep).collect::<Vec<_>>())?;
        if let Some(message) = message {
            array.serialize_element(message)?;
        }
        array.end()
    }
}

impl Serialize for PageStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Step { gone, moved, new } = self.0;
        let moved: Vec<u16> = moved.iter().flat_map(|&(from, to)| [from, to]).collect();
        let new: Vec<u16> = new.iter().flat_map(|&(place, color)| [place, color.into()]).collect();
        (gone, moved, new).serialize(serializer)
    }
}

impl<'a> From<&'a Film> for PageFilm<'a> {
    fn from(film: &'a Film) -> Self {
        let Picture { columns, rows, colors, choice, tiles } = &film.opening;
        let color =
            |tile: &Option<u8>| tile.map_or(-1, |color| i8::try_from(color).expect("few colours"));
        Self {
            game: &film.game,
            board: &film.board,
            bot: &film.bot,
            profile: &film.profile,
            columns: *columns,
            rows: *rows,
            colors: *colors,
            choice: *choice,
            opening: tiles.iter().map(color).collect(),
            turns: film.turns.iter().map(PageTurn::from).collect(),
            moves: film.moves.iter().map(PageMove).collect(),
            end: film.end.as_ref().map(PageEnd::from),
            note: film.note.as_deref(),
        }
    }
}

impl<'a> From<&'a Scene> for PageTurn<'a> {
    fn from(scene: &'a Scene) -> Self {
        Self {
            limit: scene.limit.map(Millis),
            wall: scene.wall.map(Millis),
            cpu: scene.cpu.map(Millis),
            wait: scene.wait.map(Millis),
            culprit: scene.culprit,
            decision: scene.decision,
            unanswered: scene.unanswered.as_deref(),
            reply: &scene.reply,
            stderr: &scene.stderr,
            first: scene.first_move,
        }
    }
}

impl<'a> From<&'a Finale> for PageEnd<'a> {
    fn from(end: &'a Finale) -> Self {
        Self {
            verdict: &end.verdict,
            official: &end.official,
            won: end.won,
            score: end.score,
            diagnosis: end.diagnosis.as_deref(),
            stderr: &end.stderr,
        }
    }
}

/// The page that shows a film.
pub fn page(film: &Film) -> String {
    fill(&Show { films: vec![film.into()], differs: None })
}

/// The page that shows two films of the same board side by side.
pub fn comparison(left: &Film, right: &Film) -> String {
    let differs = left.first_different_move(right);
    fill(&Show { films: vec![left.into(), right.into()], differs })
}

/// Puts style, script and data into the page.
fn fill(show: &Show<'_>) -> String {
    let json = serde_json::to_string(show).expect("plain data").replace('<', "\\u003c");
    html::fill(HTML, |name| match name {
        "style" => STYLE.to_owned(),
        "script" => SCRIPT.to_owned(),
        "style-hash" => html::source_of(STYLE),
        "script-hash" => html::source_of(SCRIPT),
        "data" => json.clone(),
        other => unreachable!("page.html wants `{other}`"),
    })
}
