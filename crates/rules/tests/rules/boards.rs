//! Properties of every board of SameGame.

use proptest::prelude::*;
use rules::game::samegame::board::{Board, Cell, Color, SIDE};
use rules::game::samegame::position::{IllegalMove, Position, region_points};

use crate::plain;

/// Any board: with few colours, so that regions are large, and any number of gaps.
fn boards() -> impl Strategy<Value = Board> {
    (1_u8..=5, 0_u8..=9).prop_flat_map(|(colors, gaps)| {
        let tile = (0..colors, 0..10_u8)
            .prop_map(move |(color, draw)| (draw >= gaps).then(|| Color::new(color)).flatten());
        proptest::collection::vec(tile, SIDE * SIDE).prop_map(|tiles| {
            let mut rows = [[None; SIDE]; SIDE];
            for (place, tile) in rows.iter_mut().flatten().zip(tiles) {
                *place = tile;
            }
            Board::from_rows(&rows)
        })
    })
}

fn settled(mut board: Board) -> Board {
    board.settle();
    board
}

proptest! {
    #[test]
    fn a_settled_board_stays_settled(board in boards(), choices in any::<[usize; 60]>()) {
        let mut board = settled(board);
        prop_assert_eq!(&settled(board.clone()), &board);
        for choice in choices {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.remove(&moves[choice % moves.len()]);
            prop_assert_eq!(&settled(board.clone()), &board);
        }
    }

    #[test]
    fn settling_keeps_every_column_in_order_and_leaves_no_gap(board in boards()) {
        let columns = |board: &Board| -> Vec<Vec<Color>> {
            let column = |x| (0..SIDE).filter_map(|y| board.tile(Cell { x, y })).collect();
            (0..SIDE).map(column).filter(|column: &Vec<Color>| !column.is_empty()).collect()
        };
        let after = settled(board.clone());
        prop_assert_eq!(columns(&board), columns(&after));
        let heights = columns(&after);
        for cell in Cell::all() {
            let filled = heights.get(cell.x).is_some_and(|column| cell.y < column.len());
            prop_assert_eq!(after.tile(cell).is_some(), filled, "{:?}", cell);
        }
    }

    #[test]
    fn the_tiles_removed_are_the_drop_in_count(board in boards(), choice: usize) {
        let moves = board.legal_moves();
        prop_assume!(!moves.is_empty());
        let region = &moves[choice % moves.len()];
        let mut after = board.clone();
        after.remove(region);
        prop_assert_eq!(board.tiles() - after.tiles(), region.cells.len());
    }

    #[test]
    fn a_move_is_accepted_if_and_only_if_the_legal_moves_have_its_region(
        board in boards(),
        x in -1..=15_i32,
        y in -1..=15_i32,
    ) {
        let listed = Cell::new(x, y).and_then(|cell| {
            board.legal_moves().into_iter().find(|region| region.cells.contains(cell))
        });
        let before = Position::new(board);
        let mut after = before.clone();
        match (after.play(x, y), listed) {
            (Ok(removal), Some(region)) => {
                prop_assert_eq!(removal.color, region.color);
                prop_assert_eq!(removal.size, region.cells.len());
                let bonus = if after.board().tiles() == 0 { 1000 } else { 0 };
                prop_assert_eq!(removal.gain, region_points(removal.size) + bonus);
                prop_assert_eq!(after.score(), removal.gain);
            }
            (Err(illegal), None) => {
                prop_assert_eq!(&after, &before, "an illegal move changes nothing");
                let tile = Cell::new(x, y).map(|cell| before.board().tile(cell));
                prop_assert_eq!(illegal, match tile {
                    None => IllegalMove::OutOfBounds { x, y },
                    Some(None) => IllegalMove::EmptyTile,
                    Some(Some(color)) => IllegalMove::SingleTile(color),
                });
            }
            (played, listed) => prop_assert!(false, "{:?} but listed: {:?}", played, listed),
        }
    }

    #[test]
    fn legal_moves_are_whole_regions_and_share_no_tile(board in boards()) {
        let moves = board.legal_moves();
        let mut cells: Vec<_> = moves.iter().flat_map(|region| region.cells.iter()).collect();
        let count = cells.len();
        cells.sort_by_key(|cell| (cell.x, cell.y));
        cells.dedup();
        prop_assert_eq!(cells.len(), count);
        prop_assert_eq!(board.has_legal_move(), !moves.is_empty());
        for region in moves {
            for cell in region.cells.iter() {
                prop_assert_eq!(board.region(cell), Some(region));
            }
        }
    }
}

/// `cargo run --release --example playouts` plays millions.
#[test]
fn the_board_of_bits_plays_as_the_plain_one_does() {
    plain::play_both(4_000);
}
