// Makes the beginner's mistake that its argument names.
const mistake = process.argv[2];
const wanted = mistake === "more" ? 16 : 15;
let lines = [];

if (mistake === "debug") console.log("reading the board");
const input = require("readline").createInterface({ input: process.stdin });
input.on("line", (line) => {
  lines.push(line);
  if (mistake !== "all" && lines.length === wanted) answer(lines.splice(0));
});
input.on("close", () => {
  if (mistake === "all") console.log("0 0");
});

function answer(lines) {
  const board = lines.map((line) => line.split(" ").map(Number));
  if (mistake === "throw") return console.log(deep(board, 20));
  while (mistake === "spin");
  for (let row = 0; row < 15; row++) {
    for (let column = 0; column < 14; column++) {
      if (board[row][column] === board[row][column + 1]) return console.log(column, row);
    }
  }
}

// Far down, so that the trace is long.
function deep(board, depth) {
  return depth === 0 ? board[15][0] : deep(board, depth - 1);
}
