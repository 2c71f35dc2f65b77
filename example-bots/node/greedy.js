// A greedy SameGame bot: it takes the largest region.
//
// A starting point for a bot of your own. Try it with
//
//     referee play --bot "node greedy.js"

const readline = require("node:readline");

const SIDE = 15;

// The region of the tile at x, y: all connected tiles of its colour; they are emptied.
function takeRegion(board, x, y) {
  const color = board[x][y];
  const found = [];
  const open = [[x, y]];
  while (open.length > 0) {
    const [x, y] = open.pop();
    if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || board[x][y] !== color) continue;
    board[x][y] = -1;
    found.push([x, y]);
    open.push([x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]);
  }
  return found;
}

function largestRegion(board) {
  let best = [];
  for (let x = 0; x < SIDE; x++) {
    for (let y = 0; y < SIDE; y++) {
      if (board[x][y] === -1) continue;
      const region = takeRegion(board, x, y);
      if (region.length > best.length) best = region;
    }
  }
  return best;
}

// A turn is 15 lines of 15 numbers, top row first.
let rows = [];
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  rows.push(line.split(" ").map(Number));
  if (rows.length < SIDE) return;
  // board[x][y], with y from the bottom, as moves are given
  const board = rows.map((_, x) => rows.map((_, y) => rows[SIDE - 1 - y][x]));
  rows = [];
  const region = largestRegion(board);
  const [x, y] = region[0] ?? [0, 0];
  process.stdout.write(`${x} ${y} ${region.length} tiles\n`);
});
