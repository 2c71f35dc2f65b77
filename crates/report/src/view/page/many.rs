//! The games of runs on one page: each one packed, for the page to unpack when a reader chooses it.
//!
//! Two games stand side by side if they are of the same board.

use std::collections::BTreeMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;

use super::{PageFilm, PageScore, fill, joined};
use crate::inert::page_json;
use crate::markup::address_of;
use crate::view::film::Film;
use results::suite::{BoardId, Outcome};

/// The page of many games, which links to the report that it belongs to.
#[derive(Debug)]
pub struct GamesPage {
    /// The file names of the report and of the page.
    report: String,
    file: String,
    games: Vec<Packed>,
    /// The number of each board.
    boards: BTreeMap<BoardId, usize>,
}

/// A game on a page.
#[derive(Debug, Serialize)]
struct Packed {
    id: String,
    bot: String,
    board: usize,
    /// In a game of one player.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<PageScore>,
    film: String,
}

/// The page of a run's games.
#[derive(Serialize)]
struct ShowMany<'a> {
    report: &'a str,
    games: &'a [Packed],
}

/// Where a game is on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameAddress {
    file: String,
    board: usize,
    id: String,
}

impl GameAddress {
    /// A relative link that opens the page at this game.
    pub fn alone(&self) -> String {
        format!("{}#game={}", self.file, self.id)
    }

    /// The address of both games side by side; `None` if they are of different boards.
    pub fn beside(&self, other: &Self) -> Option<String> {
        (self.board == other.board).then(|| format!("{}&with={}", self.alone(), other.id))
    }
}

impl GamesPage {
    /// No games so far, for the report in the file `report`; the page is `file`.
    pub fn new(report: &[u8], file: &[u8]) -> Self {
        let (report, file) = (address_of(report), address_of(file));
        Self { report, file, games: Vec::new(), boards: BTreeMap::new() }
    }

    /// Adds a game of `bot`, with an `id` of digits and dashes, and returns its address.
    pub fn add(&mut self, id: String, bot: String, outcome: &Outcome, film: &Film) -> GameAddress {
        let next = self.boards.len() + 1;
        let board = *self.boards.entry(outcome.board_id.clone()).or_insert(next);
        let address = GameAddress { file: self.file.clone(), board, id: id.clone() };
        let bot = film.heading().map_or(bot, |parts| joined(&parts));
        let score = outcome.seat.is_none().then_some(PageScore(outcome.score));
        self.games.push(Packed { id, bot, board, score, film: pack(film) });
        address
    }

    /// The number of games.
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// The page; `None` without a game.
    pub fn html(&self) -> Option<String> {
        let shown = ShowMany { report: &self.report, games: &self.games };
        (!self.games.is_empty()).then(|| fill(&shown))
    }
}

/// The film in JSON, packed, as text.
fn pack(film: &Film) -> String {
    let film = page_json(&PageFilm::from(film));
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(film.as_bytes()).expect("memory");
    STANDARD.encode(packed.finish().expect("memory"))
}
