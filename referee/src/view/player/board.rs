//! The board with its numbers, in the largest tiles that fit into the terminal.

use ratatui::Frame as Screen;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use super::look::Look;
use super::state::Player;
use rules::game::frames::{CellIndex, Frame, Origin, Picture};

/// The size of a tile in columns and lines. A terminal's cell is about twice as high as wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tile {
    width: u16,
    height: u16,
}

const TILES: [Tile; 6] = [
    Tile { width: 8, height: 4 },
    Tile { width: 6, height: 3 },
    Tile { width: 4, height: 2 },
    Tile { width: 3, height: 1 },
    Tile { width: 2, height: 1 },
    Tile { width: 1, height: 1 },
];

/// The columns for the numbers of rows.
const AXIS: u16 = 2;
/// The least space for the figures, in columns next to the board or in lines below it.
const PANEL_COLUMNS: u16 = 26;
const PANEL_LINES: u16 = 8;

/// The areas of board and figures.
pub(super) struct Arrangement {
    tile: Tile,
    pub(super) board: Rect,
    pub(super) panel: Rect,
}

impl Arrangement {
    /// The arrangement with the largest tiles for `area`, with the figures next to the board or else below it. If
    /// nothing fits, the tiles are as large as the width allows, and the board is cut off below.
    pub(super) fn of(picture: &Picture, area: Rect) -> Self {
        let fitting = TILES.into_iter().find_map(|tile| {
            let (width, height) = size(picture, tile);
            if width + PANEL_COLUMNS <= area.width && height <= area.height {
                Some(Self::beside(tile, width, height, area))
            } else if width <= area.width && height + PANEL_LINES <= area.height {
                Some(Self::below(tile, width, height, area))
            } else {
                None
            }
        });
        fitting.unwrap_or_else(|| {
            let mut low = TILES.into_iter().filter(|tile| tile.height == 1);
            let is_narrow = |tile: &Tile| size(picture, *tile).0 + PANEL_COLUMNS <= area.width;
            let tile = low.find(is_narrow).unwrap_or(TILES[TILES.len() - 1]);
            let (width, height) = size(picture, tile);
            Self::beside(tile, width, height, area)
        })
    }

    fn beside(tile: Tile, width: u16, height: u16, area: Rect) -> Self {
        let [board, panel] =
            Layout::horizontal([Constraint::Length(width), Constraint::Min(0)]).areas(area);
        let [board, _] =
            Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(board);
        Self { tile, board, panel }
    }

    fn below(tile: Tile, width: u16, height: u16, area: Rect) -> Self {
        let [board, panel] =
            Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(area);
        let [board, _] =
            Layout::horizontal([Constraint::Length(width), Constraint::Min(0)]).areas(board);
        Self { tile, board, panel }
    }

    /// Draws the board at the player's position.
    pub(super) fn draw(&self, screen: &mut Screen<'_>, player: &Player, look: Look) {
        let picture = player.film.board(player.position);
        let shown = player.film.moves.get(player.position).map(|played| &played.frame);
        let [axis, board] =
            Layout::horizontal([Constraint::Length(AXIS), Constraint::Min(0)]).areas(self.board);
        let columns = self.column_numbers(&picture, look);
        let block = Block::bordered().border_set(look.border());
        let block = match picture.origin {
            Origin::BottomLeft => block.title_bottom(columns),
            Origin::TopLeft => block.title_top(columns),
        };
        let rows = (0..picture.rows).flat_map(|row| self.row(&picture, row, shown, look));
        screen.render_widget(Paragraph::new(rows.collect::<Vec<_>>()).block(block), board);
        screen.render_widget(Paragraph::new(self.row_numbers(&picture)), axis);
    }

    /// The lines of a row of tiles.
    fn row(
        &self,
        picture: &Picture,
        row: u16,
        shown: Option<&Frame>,
        look: Look,
    ) -> Vec<Line<'static>> {
        let line = |line: u16| {
            let places = (0..picture.columns).map(|column| row * picture.columns + column);
            places.map(|place| self.tile(picture, place, line, shown, look)).collect::<Vec<_>>()
        };
        (0..self.tile.height).map(|number| Line::from(line(number))).collect()
    }

    /// A line of a tile. The middle one has the digit, in brackets if the move concerns the tile, between
    /// arrows if it was chosen.
    fn tile(
        &self,
        picture: &Picture,
        place: CellIndex,
        line: u16,
        shown: Option<&Frame>,
        look: Look,
    ) -> Span<'static> {
        let width = usize::from(self.tile.width);
        let Some(color) = picture.tiles[usize::from(place)] else {
            return Span::raw(" ".repeat(width));
        };
        let is_chosen = shown.is_some_and(|frame| frame.chosen == Some(place));
        let is_picked = is_chosen || shown.is_some_and(|frame| frame.concerns(place));
        let style = if is_picked { look.picked(look.tile(color)) } else { look.tile(color) };
        let (left, right) = match (is_chosen, is_picked) {
            (true, _) => (">", "<"),
            (false, true) => ("[", "]"),
            (false, false) => (" ", " "),
        };
        let label = picture.label(color);
        let text = match width {
            _ if line != self.tile.height / 2 => " ".repeat(width),
            1 => format!("{label:.1}"),
            2 => format!("{label:.1}{right}"),
            _ => format!("{left}{label:^inner$.inner$}{right}", inner = width - 2),
        };
        Span::styled(text, style)
    }

    /// The numbers of rows, each next to the line with the digits.
    fn row_numbers(&self, picture: &Picture) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default()];
        for row in 0..picture.rows {
            let number = match picture.origin {
                Origin::BottomLeft => picture.rows - 1 - row,
                Origin::TopLeft => row,
            };
            for line in 0..self.tile.height {
                let is_middle = line == self.tile.height / 2;
                lines.push(if is_middle { format!("{number:>2}") } else { String::new() }.into());
            }
        }
        lines
    }

    /// The numbers of columns, as part of the border; for narrow tiles, of each fifth column.
    fn column_numbers(&self, picture: &Picture, look: Look) -> Line<'static> {
        let width = usize::from(self.tile.width);
        let border = look.border().horizontal_bottom;
        let each = if width < 3 { 5 } else { 1 };
        let mut text = String::new();
        let mut taken = 0;
        for column in (0..picture.columns).step_by(each) {
            let number = column.to_string();
            let at = usize::from(column) * width + (width - 1) / 2;
            text.push_str(&border.repeat(at - taken));
            text.push_str(&number);
            taken = at + number.len();
        }
        Line::from(text)
    }
}

/// The size of a board in columns and lines, with its border and numbers.
fn size(picture: &Picture, tile: Tile) -> (u16, u16) {
    (picture.columns * tile.width + 2 + AXIS, picture.rows * tile.height + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(columns: u16, lines: u16) -> (Tile, Rect, Rect) {
        let tiles = vec![None; 225];
        let origin = Origin::BottomLeft;
        let picture =
            Picture { columns: 15, rows: 15, colors: 5, origin, tiles, ..Picture::default() };
        let found = Arrangement::of(&picture, Rect::new(0, 0, columns, lines));
        (found.tile, found.board, found.panel)
    }

    #[test]
    fn tiles_are_as_large_as_there_is_room_for() {
        let width = |columns, lines| arranged(columns, lines).0.width;
        assert_eq!(width(80, 19), 3, "24 lines less those above and below");
        assert_eq!([width(100, 40), width(200, 55), width(250, 80)], [4, 6, 8]);
        assert_eq!([width(60, 19), width(59, 19), width(45, 19)], [2, 1, 1]);
        assert_eq!(width(60, 26), 3, "with the figures below");
    }

    #[test]
    fn from_45_columns_on_nothing_is_cut_off() {
        for columns in 45..120 {
            let (tile, board, panel) = arranged(columns, 40);
            assert_eq!((board.width, board.height), (15 * tile.width + 4, 15 * tile.height + 2));
            let beside = panel.width >= PANEL_COLUMNS && panel.x == board.right();
            let below = panel.height >= PANEL_LINES && panel.y == board.bottom();
            assert!(beside || below, "{columns} columns: {panel:?}");
        }
    }
}
