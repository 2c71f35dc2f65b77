//! A plain implementation of SameGame's board, as a reference for the real one, which works on bits.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use rules::game::samegame::board::{Board as Bits, Cell, Color, SIDE};
use rules::game::samegame::generate::random_board;

/// A maximal group of tiles of one colour, connected side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The colour of all its tiles.
    pub(crate) color: Color,
    /// Its tiles; the requested one comes first.
    pub(crate) cells: Vec<Cell>,
}

/// A board; it need not be settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Board {
    /// By column from the left, each from the bottom; `None` is empty.
    columns: [[Option<Color>; SIDE]; SIDE],
}

impl Board {
    pub(crate) fn tile(&self, cell: Cell) -> Option<Color> {
        self.columns[cell.x][cell.y]
    }

    /// The region of the tile at `cell`; `None` if the cell is empty.
    pub(crate) fn region(&self, cell: Cell) -> Option<Region> {
        let color = self.tile(cell)?;
        let mut seen = [[false; SIDE]; SIDE];
        seen[cell.x][cell.y] = true;
        let mut cells = vec![cell];
        let mut next = 0;
        while next < cells.len() {
            for near in neighbours(cells[next]) {
                if !seen[near.x][near.y] && self.tile(near) == Some(color) {
                    seen[near.x][near.y] = true;
                    cells.push(near);
                }
            }
            next += 1;
        }
        Some(Region { color, cells })
    }

    /// The legal moves: every region of two tiles or more, once.
    pub(crate) fn legal_moves(&self) -> Vec<Region> {
        let mut seen = [[false; SIDE]; SIDE];
        let mut moves = Vec::new();
        for cell in Cell::all() {
            if seen[cell.x][cell.y] {
                continue;
            }
            let Some(region) = self.region(cell) else {
                continue;
            };
            for tile in &region.cells {
                seen[tile.x][tile.y] = true;
            }
            if region.cells.len() > 1 {
                moves.push(region);
            }
        }
        moves
    }

    /// Whether any two neighbouring tiles match.
    pub(crate) fn has_legal_move(&self) -> bool {
        Cell::all().any(|cell| {
            let color = self.tile(cell);
            color.is_some() && neighbours(cell).any(|near| self.tile(near) == color)
        })
    }

    /// Takes the region's tiles away and settles the whole board.
    pub(crate) fn remove(&mut self, region: &Region) {
        for &Cell { x, y } in &region.cells {
            self.columns[x][y] = None;
        }
        self.settle();
    }

    /// Lets tiles fall to the bottom of their columns and closes empty columns to the left.
    pub(crate) fn settle(&mut self) {
        let mut settled = [[None; SIDE]; SIDE];
        let filled = self.columns.iter().filter(|column| column.iter().any(Option::is_some));
        for (target, column) in settled.iter_mut().zip(filled) {
            for (place, &color) in target.iter_mut().zip(column.iter().flatten()) {
                *place = Some(color);
            }
        }
        self.columns = settled;
    }
}

impl From<&Bits> for Board {
    fn from(board: &Bits) -> Self {
        let mut columns = [[None; SIDE]; SIDE];
        for cell in Cell::all() {
            columns[cell.x][cell.y] = board.tile(cell);
        }
        Self { columns }
    }
}

/// Plays random moves on boards of both kinds, `moves` or a few more in all, and compares the boards
/// after each.
pub(crate) fn play_both(moves: u64) {
    let mut left = moves;
    for seed in 0.. {
        let colors = u8::try_from(seed % 5 + 1).expect("few");
        let board = random_board(i64::try_from(seed).expect("small"), colors).expect("a board");
        left = left.saturating_sub(play_one(seed, board) + 1);
        if left == 0 {
            break;
        }
    }
}

/// Plays one board to its end; returns the number of moves.
fn play_one(seed: u64, mut board: Bits) -> u64 {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut plain = Board::from(&board);
    let mut moves_played = 0;
    loop {
        let moves = board.legal_moves();
        let plain_moves = plain.legal_moves();
        assert_eq!(board.has_legal_move(), plain.has_legal_move());
        assert_eq!(moves.len(), plain_moves.len(), "{board:?}");
        for plain_move in &plain_moves {
            let region = board.region(plain_move.cells[0]).expect("a tile");
            assert!(moves.contains(&region), "{board:?}");
            assert_eq!(
                (region.color, region.cells.len()),
                (plain_move.color, plain_move.cells.len())
            );
            assert!(plain_move.cells.iter().all(|&cell| region.cells.contains(cell)));
        }
        if moves.is_empty() {
            return moves_played;
        }
        let chosen = &plain_moves[random.next_u32() as usize % plain_moves.len()];
        board.remove(&board.region(chosen.cells[0]).expect("a tile"));
        plain.remove(chosen);
        assert_eq!(Board::from(&board), plain);
        moves_played += 1;
    }
}

fn neighbours(Cell { x, y }: Cell) -> impl Iterator<Item = Cell> {
    [
        (x > 0).then(|| Cell { x: x - 1, y }),
        (x + 1 < SIDE).then(|| Cell { x: x + 1, y }),
        (y > 0).then(|| Cell { x, y: y - 1 }),
        (y + 1 < SIDE).then(|| Cell { x, y: y + 1 }),
    ]
    .into_iter()
    .flatten()
}
