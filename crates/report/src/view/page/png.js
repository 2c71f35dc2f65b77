// What is shown as a picture in PNG: each board with its tiles as they look now, and below it the bot, the move and the score.

/** In pixels of the picture; a letter is about half as wide as a line is high. */
const SHOT = { board: 720, margin: 32, line: 34, letters: 46 };

/** Draws a tile as the page shows it: in its colours, with what is written on it, and marked if the move takes it. */
function drawTile(pen, tile, [x, y, size]) {
  const face = getComputedStyle(tile.firstChild);
  const mark = getComputedStyle(tile.firstChild, "::before").content;
  const box = [x + 0.04 * size, y + 0.04 * size, 0.92 * size, 0.92 * size];
  pen.fillStyle = face.backgroundColor;
  pen.beginPath();
  pen.roundRect(...box, 0.16 * size);
  pen.fill();
  if (tile.classList.contains("picked")) {
    pen.strokeStyle = getComputedStyle(document.body).getPropertyValue("--ring");
    pen.lineWidth = 0.1 * size;
    pen.stroke();
  }
  if (!/^".+"$/.test(mark)) return;
  pen.fillStyle = face.color;
  pen.textAlign = "center";
  pen.font = `700 ${0.45 * size}px system-ui, sans-serif`;
  pen.fillText(mark.slice(1, -1), x + size / 2, y + 0.66 * size, 0.8 * size);
}

/** The lines below a board. */
function wordsOf({ film, trial, position: at }) {
  const number = film.numberOf(at);
  const place = number === undefined ? "end" : `${film.noun} ${number}`;
  const tried = trial ? `what if: ${trial.caption}` : film.describe(at);
  const score = trial ? `${trial.score} with ${plural(trial.moves.length, "move")} tried` : film.score(at);
  const lines = [`${film.bot} on ${film.board}`, `${place}: ${tried}`, `score ${score}`];
  return lines.map((line) => (line.length > SHOT.letters ? `${line.slice(0, SHOT.letters - 1)}…` : line));
}

function drawShot(pen, view, left, high) {
  const { film, trial } = view;
  // Draws what an animation has not reached yet.
  view.draw(trial?.board ?? film.boardAt(view.position));
  if (!trial) view.mark(film.moves[view.position]);
  const style = getComputedStyle(document.body);
  const size = SHOT.board / film.columns;
  pen.fillStyle = style.getPropertyValue("--well");
  pen.fillRect(left, SHOT.margin, SHOT.board, size * film.rows);
  view.tiles.forEach((tile, place) => {
    const [row, column] = [Math.floor(place / film.columns), place % film.columns];
    if (tile) drawTile(pen, tile, [left + column * size, SHOT.margin + row * size, size]);
  });
  pen.textAlign = "left";
  pen.fillStyle = style.getPropertyValue("--ink");
  pen.font = `${0.65 * SHOT.line}px system-ui, sans-serif`;
  wordsOf(view).forEach((line, index) => pen.fillText(line, left, high + (index + 1) * SHOT.line, SHOT.board));
}

/** Saves the picture of all boards that are shown. */
function savePicture() {
  pause();
  const high = SHOT.margin + Math.max(...films.map((film) => (SHOT.board / film.columns) * film.rows));
  const canvas = element("canvas");
  canvas.width = SHOT.margin + views.length * (SHOT.board + SHOT.margin);
  canvas.height = high + 3 * SHOT.line + SHOT.margin;
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--paper");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  views.forEach((view, index) => drawShot(pen, view, SHOT.margin + index * (SHOT.board + SHOT.margin), high));
  const link = element("a");
  link.href = canvas.toDataURL("image/png");
  link.download = `${lead.kind}-${lead.noun}-${longest.numberOf(position) ?? "end"}.png`.replace(/[^\w.-]/g, "_");
  link.click();
}
