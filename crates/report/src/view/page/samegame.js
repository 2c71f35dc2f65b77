"use strict";
// Changes to boards, regions of tiles, and the rules of SameGame for the moves that a reader tries. Nothing
// here knows the page; a test compares it with the referee on thousands of boards. Boards are arrays of
// colours, row by row from the top left.

const EMPTY = -1;

/** Applies a step: the places that empty, the tiles that move as pairs, the new tiles as pairs. */
function applyStep(board, [gone, moved, fresh]) {
  for (const place of gone) board[place] = EMPTY;
  const taken = [];
  for (let at = 0; at < moved.length; at += 2) {
    taken.push(board[moved[at]]);
    board[moved[at]] = EMPTY;
  }
  taken.forEach((color, index) => { board[moved[2 * index + 1]] = color; });
  for (let at = 0; at < fresh.length; at += 2) board[fresh[at]] = fresh[at + 1];
}

/** A grid whose tiles form regions: groups of one colour that touch side by side. */
class Grid {
  constructor(columns, rows) {
    Object.assign(this, { columns, rows });
  }

  neighbours(place) {
    const column = place % this.columns;
    const near = [place - this.columns, place + this.columns];
    if (column > 0) near.push(place - 1);
    if (column + 1 < this.columns) near.push(place + 1);
    return near.filter((cell) => cell >= 0 && cell < this.columns * this.rows);
  }

  /** The places of the region of a tile, its own first. */
  region(board, place) {
    const cells = [place];
    const seen = new Set(cells);
    for (const cell of cells) {
      for (const near of this.neighbours(cell)) {
        if (!seen.has(near) && board[near] === board[place]) {
          seen.add(near);
          cells.push(near);
        }
      }
    }
    return cells;
  }
}

/** The points for taking a region of `size`; null where the rules forbid it. */
function regionPoints(regions, size, clears) {
  const points = regions.by_size[size] ?? null;
  return points === null ? null : points + (clears ? regions.clear_bonus : 0);
}

class SameGame {
  /** `regions` has the points, as the referee gives them. */
  constructor({ columns, rows, regions }) {
    Object.assign(this, { columns, rows, regions });
    this.grid = new Grid(columns, rows);
  }

  /** What taking the region at `place` does, as `{ size, gain, step }`; null where it is forbidden. */
  take(board, place) {
    if (board[place] === EMPTY) return null;
    const gone = this.grid.region(board, place);
    const clears = board.filter((color) => color !== EMPTY).length === gone.length;
    const gain = regionPoints(this.regions, gone.length, clears);
    return gain === null ? null : { size: gone.length, gain, step: [gone, this.fall(board, new Set(gone)), []] };
  }

  /** The moves of all tiles that remain, as pairs: they fall, and empty columns close to the left. */
  fall(board, gone) {
    const moved = [];
    let toColumn = 0;
    for (let column = 0; column < this.columns; column += 1) {
      let toRow = this.rows - 1;
      for (let row = this.rows - 1; row >= 0; row -= 1) {
        const from = row * this.columns + column;
        if (board[from] === EMPTY || gone.has(from)) continue;
        const to = toRow * this.columns + toColumn;
        if (to !== from) moved.push(from, to);
        toRow -= 1;
      }
      if (toRow < this.rows - 1) toColumn += 1;
    }
    return moved;
  }

  /** Whether no move is left on a settled board. */
  isOver(board) {
    return board.every((color, place) =>
      color === EMPTY || this.grid.neighbours(place).every((near) => board[near] !== color));
  }
}
