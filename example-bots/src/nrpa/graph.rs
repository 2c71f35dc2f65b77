//! The positions that were met, and the moves between them.
//!
//! Most playouts resemble earlier ones, so most of their positions are known, and cost only
//! a look-up of their moves. A new position copies from the one before it all regions that the move
//! has not changed.

use crate::bits::Bits;

use super::board::{Links, Tiles};

/// The number of positions and moves kept: with the table some 260 MB.
const POSITIONS: usize = 1 << 20;
const MOVES: usize = 16 * POSITIONS;
/// An upper bound on the moves of a position.
const MOST: usize = 128;
const SLOTS: usize = 2 * POSITIONS;
/// The bits of a slot that hold a position's number.
const NUMBER_BITS: u32 = 21;

/// A region that can be taken.
#[derive(Clone, Copy, Default)]
pub(super) struct Move {
    /// The position after it, or 0 if not computed yet.
    next: u32,
    /// The move's key in a policy: a hash of its cells and its colour.
    pub(super) code: u16,
    pub(super) size: u8,
    /// The first of its cells.
    pub(super) cell: u8,
}

#[derive(Clone, Copy, Default)]
struct Position {
    tiles: Tiles,
    /// Its moves: moves of other colours than the target's come first.
    first: u32,
    others: u8,
    all: u8,
    /// The number of moves that may be played.
    open: u8,
    /// The colour to collect in one big region; 0 for no colour.
    target: u8,
}

pub(super) struct Graph {
    positions: Vec<Position>,
    moves: Vec<Move>,
    /// An open hash table of the positions: the upper half of a slot is the hash's, below that
    /// are the round and the position's number.
    slots: Vec<u64>,
    /// Changes when all positions are forgotten, so that the table need not be emptied.
    round: u32,
}

impl Graph {
    pub(super) fn new() -> Self {
        let mut graph = Self {
            positions: Vec::with_capacity(POSITIONS + MOST),
            moves: Vec::with_capacity(MOVES + MOST * MOST),
            slots: vec![0; SLOTS],
            round: 0,
        };
        graph.clear();
        graph
    }

    /// Forgets all positions.
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.moves.clear();
        // Number 0 marks a free slot.
        self.positions.push(Position::default());
        self.round += 1;
        if self.round >> (32 - NUMBER_BITS) != 0 {
            self.slots.fill(0);
            self.round = 1;
        }
    }

    /// Whether another playout might not fit.
    pub(super) fn is_full(&self) -> bool {
        self.positions.len() >= POSITIONS || self.moves.len() >= MOVES
    }

    pub(super) fn tiles_left(&self, number: u32) -> u32 {
        self.positions[number as usize].tiles.count()
    }

    /// The moves that may be played.
    pub(super) fn moves(&self, number: u32) -> &[Move] {
        let position = &self.positions[number as usize];
        &self.moves[position.first as usize..][..usize::from(position.open)]
    }

    /// The position with these tiles and this target.
    pub(super) fn root(&mut self, tiles: Tiles, target: u8) -> u32 {
        self.find_or_add(Position { tiles, target, ..Position::default() }, 0, !Bits::default())
    }

    /// The position after a move.
    pub(super) fn play(&mut self, number: u32, choice: usize) -> u32 {
        let Position { mut tiles, target, first, .. } = self.positions[number as usize];
        let index = first as usize + choice;
        if self.moves[index].next == 0 {
            let changed = tiles.take(tiles.region(usize::from(self.moves[index].cell)));
            let position = Position { tiles, target, ..Position::default() };
            self.moves[index].next = self.find_or_add(position, number, changed);
        }
        self.moves[index].next
    }

    /// The number of a position, which differs from another one only in the given cells.
    fn find_or_add(&mut self, position: Position, from: u32, changed: Bits) -> u32 {
        let hash = position.tiles.hash() ^ u64::from(position.target) << 56;
        let tag = hash >> 32 << 32 | u64::from(self.round << NUMBER_BITS);
        let mut slot = hash as usize % SLOTS;
        while self.slots[slot] as u32 >> NUMBER_BITS == self.round {
            let number = self.slots[slot] as u32 % (1 << NUMBER_BITS);
            let known = &self.positions[number as usize];
            let may_be = self.slots[slot] >> 32 == tag >> 32;
            if may_be && known.tiles == position.tiles && known.target == position.target {
                return number;
            }
            slot = (slot + 1) % SLOTS;
        }
        let number = self.positions.len() as u32;
        self.slots[slot] = tag | u64::from(number);
        let position = self.with_moves(position, from, changed);
        self.positions.push(position);
        number
    }

    /// Adds the moves of a position.
    fn with_moves(&mut self, mut position: Position, from: u32, changed: Bits) -> Position {
        let links = position.tiles.links();
        let fresh = links.grow(links.cells() & changed);
        let mut of_target = [Move::default(); MOST];
        let mut targets = 0;
        position.first = self.moves.len() as u32;
        let mut add = |moves: &mut Vec<Move>, option: Move, is_target: bool| {
            if is_target {
                of_target[targets] = option;
                targets += 1;
            } else {
                moves.push(option);
            }
        };
        let Position { first, others, all, .. } = self.positions[from as usize];
        for index in 0..usize::from(all) {
            let option = Move { next: 0, ..self.moves[first as usize + index] };
            if !(fresh | changed).contains(usize::from(option.cell)) {
                add(&mut self.moves, option, index >= usize::from(others));
            }
        }
        for (option, color) in regions(&position.tiles, &links, fresh) {
            add(&mut self.moves, option, color == position.target);
        }
        let others = self.moves.len() - position.first as usize;
        self.moves.extend_from_slice(&of_target[..targets]);
        let is_one = targets == 1 && {
            let tiles = position.tiles.of_color(position.target);
            tiles.len() == u32::from(of_target[0].size)
        };
        position.others = others as u8;
        position.all = (others + targets) as u8;
        position.open = if others == 0 || is_one { position.all } else { position.others };
        position
    }
}

/// The regions that consist of these cells, with their colours.
fn regions(tiles: &Tiles, links: &Links, mut cells: Bits) -> impl Iterator<Item = (Move, u8)> {
    std::iter::from_fn(move || {
        let cell = cells.first()?;
        let region = links.grow(Bits::of(cell));
        cells = cells & !region;
        let color = tiles.color(cell);
        let hash = (region.hash() ^ u64::from(color)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let code = (hash >> 48) as u16;
        Some((Move { next: 0, code, size: region.len() as u8, cell: cell as u8 }, color))
    })
}
