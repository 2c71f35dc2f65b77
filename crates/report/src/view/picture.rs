//! A position, or a whole game, as an image in SVG.

use super::film::Film;
use crate::MARK;
use crate::markup::{Text, put};
use rules::game::frames::CellIndex;
use rules::score;
use terms::text::abridged;

/// The tiles' colours, as on the page.
const COLORS: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00"];

/// The width of the board of one position, and of one of many.
const BOARD_PX: f64 = 480.0;
const SMALL_PX: f64 = 150.0;
/// The positions of a game: at most this many, in columns.
const POSITIONS: usize = 30;
const COLUMNS: usize = 5;

/// The positions of an animation: at most this number, each shown for the same time, and the last one longer.
const STEPS: usize = 120;
const STEP_S: f64 = 0.5;
const LAST_S: f64 = 3.0;

const MARGIN_PX: f64 = 16.0;
/// The height of a line of text.
const LINE_PX: f64 = 22.0;
/// The most characters of a line.
const CHARS: usize = 68;

/// Viewers show images in the colours that their reader prefers.
const STYLE: &str = "text{fill:#1d2126;font:14px sans-serif}.label{fill:#111;stroke:#fff;stroke-width:.06;\
    paint-order:stroke;font-weight:700;text-anchor:middle;dominant-baseline:central}.paper{fill:#f4f2ee}.well{fill:#e9e5dd}.mark{fill:none;stroke:#14181d}\
    @media(prefers-color-scheme:dark){text:not(.label){fill:#e9e7e2}.paper{fill:#14171b}.well{fill:#0f1215}.mark{stroke:#fff}}";

/// The board at a position with its move marked, and below it what happens there. Empty in a game without a picture.
pub fn position(film: &Film, position: usize) -> String {
    let mut body = String::new();
    large(film, position, &mut body);
    image(&who(film), large_size(film), &body)
}

/// The positions of a game, evenly spread, one after the other and over again. Readers who prefer no motion, and programs that
/// know of none, show the last one.
#[expect(clippy::cast_precision_loss, reason = "some hundred positions")]
pub fn animation(film: &Film) -> String {
    let positions = spread(film, STEPS);
    let last = positions.len() - 1;
    let whole = STEP_S * last as f64 + LAST_S;
    let mut body = String::from(
        "<style>.step{visibility:hidden}.last{visibility:visible}@media(prefers-reduced-motion:no-preference){",
    );
    for (class, seconds) in [("step", STEP_S), ("last", LAST_S)] {
        let part = 100.0 * seconds / whole;
        put!(
            &mut body,
            ".{class}{{animation:{class} {whole}s infinite step-end}}\
             @keyframes {class}{{from{{visibility:visible}}{part:.4}%,to{{visibility:hidden}}}}"
        );
    }
    body.push_str("}</style>\n");
    for (index, &position) in positions.iter().enumerate() {
        // All have begun: a step is shown again in its turn.
        let ago = if index == 0 { 0.0 } else { whole - STEP_S * index as f64 };
        let class = if index == last { "step last" } else { "step" };
        put!(&mut body, "<g class=\"{class}\" style=\"animation-delay:-{ago}s\">\n");
        large(film, position, &mut body);
        body.push_str("</g>\n");
    }
    image(&who(film), large_size(film), &body)
}

/// Positions of a game, evenly spread from its first to its last.
fn spread(film: &Film, most: usize) -> Vec<usize> {
    let last = film.last_position();
    let count = most.min(last + 1);
    (0..count).map(|index| index * last / (count - 1).max(1)).collect()
}

fn who(film: &Film) -> String {
    format!("{} on {}", film.bots(), film.start.board)
}

/// The size of an image of one board with its lines.
fn large_size(film: &Film) -> [f64; 2] {
    [BOARD_PX + 2.0 * MARGIN_PX, height(film, BOARD_PX) + 4.0 * LINE_PX + MARGIN_PX]
}

/// Draws the board at a position, and below it what happens there.
fn large(film: &Film, position: usize, body: &mut String) {
    board(film, position, [MARGIN_PX, MARGIN_PX], BOARD_PX, body);
    let number = film.moves.get(position).map(|played| played.frame.number);
    let noun = film.opening.pace.noun();
    let place = number.map_or("end".to_owned(), |number| format!("{noun} {number}"));
    let what = format!("{place}: {}", film.describe(position));
    let score = format!("score {}", score::shown(film.score(position)));
    let top = MARGIN_PX + height(film, BOARD_PX);
    for (line, words) in (1_u8..).zip([&who(film), &what, &score]) {
        text(MARGIN_PX, top + LINE_PX * f64::from(line), words, CHARS, body);
    }
}

/// The boards of a whole game, evenly spread, from its first position to its last.
#[expect(clippy::cast_precision_loss, reason = "some thirty boards")]
pub fn game(film: &Film) -> String {
    let positions = spread(film, POSITIONS);
    let (wide, high) = (SMALL_PX + MARGIN_PX, height(film, SMALL_PX) + LINE_PX + MARGIN_PX);
    let mut body = String::new();
    let who = format!("{}: {}", who(film), score::shown(film.score(film.last_position())));
    text(MARGIN_PX, MARGIN_PX + 8.0, &who, 2 * CHARS, &mut body);
    for (index, &position) in positions.iter().enumerate() {
        let x = MARGIN_PX + (index % COLUMNS) as f64 * wide;
        let y = MARGIN_PX + LINE_PX + (index / COLUMNS) as f64 * high;
        board(film, position, [x, y], SMALL_PX, &mut body);
        let number = film.moves.get(position).map(|played| played.frame.number.to_string());
        let score = score::shown(film.score(position));
        let words = format!("{}: {score}", number.as_deref().unwrap_or("end"));
        text(x, y + high - MARGIN_PX - 6.0, &words, CHARS, &mut body);
    }
    let rows = positions.len().div_ceil(COLUMNS) as f64;
    let size = [MARGIN_PX + COLUMNS as f64 * wide, MARGIN_PX + LINE_PX + rows * high];
    image(&who, size, &body)
}

/// The height of a board of this width.
fn height(film: &Film, width: f64) -> f64 {
    width * f64::from(film.opening.rows) / f64::from(film.opening.columns.max(1))
}

/// Draws the board at a position: one path for the tiles of each colour, in units of a tile.
fn board(film: &Film, position: usize, [x, y]: [f64; 2], width: f64, out: &mut String) {
    let picture = film.board(position);
    let (columns, rows) = (picture.columns, picture.rows);
    let scale = width / f64::from(columns.max(1));
    put!(out, "<g transform=\"translate({x:.1} {y:.1}) scale({scale:.4})\">\n");
    put!(out, "<rect class=\"well\" width=\"{columns}\" height=\"{rows}\"/>\n");
    let path = |shown: &dyn Fn(CellIndex) -> bool| {
        let places = (0..columns * rows).filter(|&place| shown(place));
        let tile =
            |place: CellIndex| format!("M{}.1 {}.1h.8v.8h-.8z", place % columns, place / columns);
        places.map(tile).collect::<String>()
    };
    let color = |place| picture.tiles[usize::from(place)].map(usize::from);
    for (index, fill) in COLORS.into_iter().enumerate() {
        let tiles = path(&|place| color(place).is_some_and(|color| color % COLORS.len() == index));
        if !tiles.is_empty() {
            put!(
                out,
                "<path d=\"{tiles}\" fill=\"{fill}\" stroke=\"{fill}\" stroke-width=\".14\" stroke-linejoin=\"round\"/>\n"
            );
        }
    }
    let played = film.moves.get(position).map(|played| &played.frame);
    let marked = path(&|place| played.is_some_and(|frame| frame.concerns(place)));
    if !marked.is_empty() {
        put!(
            out,
            "<path class=\"mark\" d=\"{marked}\" stroke-width=\".12\" stroke-linejoin=\"round\"/>\n"
        );
    }
    if !film.opening.labels.is_empty() {
        labels(film, &picture.tiles, out);
    }
    out.push_str("</g>\n");
}

/// Writes on each tile what its game has for its colour, or the colour's number.
fn labels(film: &Film, tiles: &[Option<u8>], out: &mut String) {
    for (place, &color) in tiles.iter().enumerate() {
        let Some(color) = color else { continue };
        let columns = usize::from(film.opening.columns);
        let (x, y) = (place % columns, place / columns);
        let number = color.to_string();
        let label = film.opening.labels.get(usize::from(color)).unwrap_or(&number);
        // In thousandths of a tile: three characters fill it, and a single one is not larger than they are.
        let size = 1400 / label.chars().count().clamp(3, 14);
        put!(
            out,
            "<text class=\"label\" x=\"{x}.5\" y=\"{y}.5\" style=\"font-size:.{size}px\">{}</text>\n",
            Text(label)
        );
    }
}

fn text(x: f64, y: f64, words: &str, most: usize, out: &mut String) {
    let words = abridged(words, most);
    put!(out, "<text x=\"{x:.0}\" y=\"{y:.0}\">{}</text>\n", Text(&words));
}

fn image(title: &str, [width, height]: [f64; 2], body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\">\n<!-- {MARK} -->\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        Text(title)
    )
}
