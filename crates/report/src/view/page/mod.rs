//! A game as one self-contained HTML page: no network, no framework, no server.
//!
//! The page is `page.html` with `page.css`, the scripts and the film in JSON put into it; [`GamesPages`] puts many into one,
//! packed, so that they share the rest. Its content
//! security policy allows that one style and that one script, by their hashes, and nothing else;
//! the script sets text only as text. Nothing that a bot or a log says becomes part of the markup:
//! it is all in the JSON, in which every `<` is escaped.

mod many;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

pub use self::many::{GameAddress, GamesPages};
use super::film::{Film, Move};
use super::links::Link;
use crate::html;
use results::gamelog::{Certificate, End};
use results::metrics::{GameMetrics, MetricNumbers, MetricValue, Metrics};
use rules::game::frames::{Change, Frame, Origin, Pace, Picture, RegionPoints};
use rules::score::Score;
use terms::millis::Millis;
use terms::text::{printable, printable_lines};
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
    board: Line<'a>,
    bot: Inert,
    profile: Line<'a>,
    columns: u16,
    rows: u16,
    colors: u8,
    /// What is written on the tiles, by colour; where nothing is, the number of the colour.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Line<'a>>,
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
    note: Option<Line<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    drawings: &'a [Link],
}

#[derive(Serialize)]
struct PageTurn<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_ms: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<Millis>,
    certificate: &'a Certificate,
    #[serde(skip_serializing_if = "Option::is_none")]
    overrun: Option<Overrun>,
    /// What the bot was sent, in a game without a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<Text>,
    /// What its judge told after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<Text>,
    /// The score after it, in a game without a picture; the moves of others say what they score.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<PageScore>,
    reply: Text,
    stderr: Text,
    #[serde(skip_serializing_if = "PageSaid::is_empty")]
    said: PageSaid<'a>,
    /// Its first move.
    first: usize,
}

#[derive(Serialize)]
struct PageEnd<'a> {
    verdict: String,
    official: Inert,
    won: bool,
    score: PageScore,
    diagnosis: Option<Inert>,
    /// What its judge told of the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<Text>,
    stderr: Text,
    #[serde(skip_serializing_if = "PageSaidInGame::is_empty")]
    said: PageSaidInGame<'a>,
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

/// One line of untrusted text, made inert when serialised.
struct Line<'a>(&'a str);

/// One line that was put together of untrusted text, made inert when serialised.
struct Inert(String);

impl Serialize for Inert {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Line(&self.0).serialize(serializer)
    }
}

/// A bot's output, line breaks included, made inert when serialised.
struct Text(String);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&printable(self.0))
    }
}

impl Text {
    /// `None` if it is empty.
    fn some(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&printable_lines(&self.0))
    }
}

/// What the bot said about itself, made inert when serialised.
struct PageSaid<'a>(&'a Metrics);

impl PageSaid<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for PageSaid<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.0.iter().map(|(name, value)| (Line(name), PageValue(value))))
    }
}

/// What the bot said about itself in the whole game, made inert when serialised.
struct PageSaidInGame<'a>(&'a BTreeMap<String, GameMetrics>);

impl PageSaidInGame<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for PageSaidInGame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.iter().map(|(name, GameMetrics { last, numbers })| {
            (Line(name), PageInGame { last: PageValue(last), numbers: *numbers })
        });
        serializer.collect_map(values)
    }
}

#[derive(Serialize)]
struct PageInGame<'a> {
    last: PageValue<'a>,
    #[serde(flatten)]
    numbers: Option<MetricNumbers>,
}

struct PageValue<'a>(&'a MetricValue);

impl Serialize for PageValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            MetricValue::Text(text) => Line(text).serialize(serializer),
            number @ MetricValue::Number(_) => number.serialize(serializer),
        }
    }
}

/// A move, as an array to keep pages with ten thousand moves small: turn, number, notation, caption, chosen
/// place or -1, gain, steps, and the message if the move has one.
struct PageMove<'a> {
    shown: &'a Move,
    told: Cow<'a, str>,
}

/// A step as an array of three flat arrays: places, pairs of places, pairs of place and colour.
struct PageStep<'a>(&'a Change);

impl Serialize for PageMove<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Move { turn, frame } = self.shown;
        let Frame { number, notation, chosen, message, gain, steps, caption: _ } = frame;
        let mut array = serializer.serialize_seq(None)?;
        array.serialize_element(turn)?;
        array.serialize_element(number)?;
        array.serialize_element(&Line(notation))?;
        array.serialize_element(&Line(&self.told))?;
        array.serialize_element(&chosen.map_or(-1, i32::from))?;
        array.serialize_element(gain)?;
        array.serialize_element(&steps.iter().map(PageStep).collect::<Vec<_>>())?;
        if let Some(message) = message {
            array.serialize_element(&message.each_ref().map(|line| Line(line)))?;
        }
        array.end()
    }
}

impl Serialize for PageStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Change { gone, moved, new } = self.0;
        let moved: Vec<u16> = moved.iter().flat_map(|&(from, to)| [from, to]).collect();
        let new: Vec<u16> = new.iter().flat_map(|&(place, color)| [place, color.into()]).collect();
        (gone, moved, new).serialize(serializer)
    }
}

impl<'a> From<&'a Film> for PageFilm<'a> {
    fn from(film: &'a Film) -> Self {
        let Picture { columns, rows, colors, labels, origin, pace, regions, tiles } = &film.opening;
        let color =
            |tile: &Option<u8>| tile.map_or(-1, |color| i8::try_from(color).expect("few colours"));
        let moves = film.moves.iter().enumerate();
        Self {
            game: &film.kind.title,
            kind: &film.kind.name,
            board: Line(&film.start.board),
            bot: Inert(film.bots()),
            profile: Line(&film.start.profile),
            columns: *columns,
            rows: *rows,
            colors: *colors,
            labels: labels.iter().map(|label| Line(label)).collect(),
            origin: *origin,
            pace: *pace,
            regions: regions.as_ref(),
            lower: !film.kind.better.is_higher(),
            opening: tiles.iter().map(color).collect(),
            turns: (0..film.turns.len()).map(|turn| PageTurn::of(film, turn)).collect(),
            moves: moves
                .map(|(index, shown)| PageMove { shown, told: film.describe(index) })
                .collect(),
            end: film.end.as_ref().map(|end| PageEnd::of(film, end)),
            note: film.note.as_deref().map(Line),
            drawings: &film.drawings,
        }
    }
}

impl<'a> PageTurn<'a> {
    fn of(film: &'a Film, index: usize) -> Self {
        let turn = &film.turns[index];
        let first = film.moves.partition_point(|shown| shown.turn < index);
        Self {
            limit_ms: film.limit(turn).map(Millis),
            wall_ms: film.wall(turn).map(Millis),
            certificate: &turn.certificate,
            overrun: turn.overrun,
            sent: film.is_text().then(|| Text(film.texts(first).0.to_owned())),
            told: Text::some(film.told(turn)),
            score: film.is_text().then_some(PageScore(turn.score)),
            reply: Text(super::reply(turn)),
            stderr: Text(super::output(&turn.stderr.0, turn.stderr_dropped)),
            said: PageSaid(&turn.said),
            first,
        }
    }
}

impl<'a> PageEnd<'a> {
    fn of(film: &'a Film, end: &'a End) -> Self {
        Self {
            verdict: end.verdict.to_string(),
            official: Inert(film.result().into_owned()),
            won: end.won,
            score: PageScore(end.score),
            diagnosis: film.diagnosis().map(|told| Inert(told.into_owned())),
            told: Text::some(film.told_at_end()),
            stderr: Text(super::output(&end.process.stderr.0, end.process.stderr_dropped)),
            said: PageSaidInGame(&end.process.said),
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
