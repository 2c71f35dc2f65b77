//! The games of runs on one page: each one packed, for the page to unpack when a reader chooses it.
//!
//! Two games stand side by side if they are of the same board. So all games of a board are on the same page, and a page
//! that has grown large is followed by another one.

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

/// From this many bytes of games a page takes no further boards.
const FULL: usize = 16 << 20;

/// The pages of many games, which link to the report that they belong to.
#[derive(Debug)]
pub struct GamesPages {
    /// The file names of the report and of the first page.
    report: String,
    stem: String,
    pages: Vec<Page>,
    /// The page of each board, and its number there, by index.
    boards: BTreeMap<BoardId, (usize, usize)>,
}

#[derive(Debug, Default)]
struct Page {
    games: Vec<Packed>,
    boards: usize,
    bytes: usize,
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

/// Where a game is on the pages.
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
        let is_same = self.file == other.file && self.board == other.board;
        is_same.then(|| format!("{}&with={}", self.alone(), other.id))
    }
}

impl GamesPages {
    /// No pages so far, for the report in the file `report`; the first one is `stem.html`.
    pub fn new(report: &[u8], stem: &[u8]) -> Self {
        let (report, stem) = (address_of(report), address_of(stem));
        Self { report, stem, pages: Vec::new(), boards: BTreeMap::new() }
    }

    /// Adds a game of `bot`, with an `id` of digits and dashes, and returns its address.
    pub fn add(&mut self, id: String, bot: String, outcome: &Outcome, film: &Film) -> GameAddress {
        let bot = film.heading().map_or(bot, |parts| joined(&parts));
        let film = pack(film);
        let (index, board) = self.place(&outcome.board_id);
        let page = &mut self.pages[index];
        page.bytes += film.len();
        let page_file = format!("{}{}", self.stem, suffix(index));
        let address = GameAddress { file: page_file, board, id: id.clone() };
        let score = outcome.seat.is_none().then_some(PageScore(outcome.score));
        page.games.push(Packed { id, bot, board, score, film });
        address
    }

    /// The page of a board, and its number there.
    fn place(&mut self, id: &BoardId) -> (usize, usize) {
        if let Some(&place) = self.boards.get(id) {
            return place;
        }
        if self.pages.last().is_none_or(|page| page.bytes >= FULL) {
            self.pages.push(Page::default());
        }
        let index = self.pages.len() - 1;
        let page = &mut self.pages[index];
        page.boards += 1;
        self.boards.insert(id.clone(), (index, page.boards));
        (index, page.boards)
    }

    /// The number of games.
    pub fn count(&self) -> usize {
        self.pages.iter().map(|page| page.games.len()).sum()
    }

    /// Each page, with the end of its file's name.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> {
        self.pages.iter().enumerate().map(|(index, page)| {
            (suffix(index), fill(&ShowMany { report: &self.report, games: &page.games }))
        })
    }
}

/// The film in JSON, packed, as text.
fn pack(film: &Film) -> String {
    let film = page_json(&PageFilm::from(film));
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(film.as_bytes()).expect("memory");
    STANDARD.encode(packed.finish().expect("memory"))
}

/// The end of the name of a page's file.
fn suffix(index: usize) -> String {
    match index {
        0 => ".html".to_owned(),
        _ => format!("-{}.html", index + 1),
    }
}
