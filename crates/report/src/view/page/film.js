// The game as data: rebuilds boards from differences, and describes positions. page/mod.rs joins the
// scripts of the page, and describes the data, which is the JSON in the element `show`. A position is the
// board before the move of that index, with the move marked on it; after the last move it is the end of
// the game. Text is only ever set as text.

const show = JSON.parse(document.getElementById("show").textContent);
const find = (selector, root = document) => root.querySelector(selector);
const COLOR_NAMES = ["blue", "orange", "green", "pink", "yellow", "red"];
const DIFFERENCES_APART = 100;

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function shape(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function duration(ms) {
  if (ms >= 999.5) return `${Number((ms / 1000).toPrecision(3))} s`;
  if (ms >= 0.9995) return `${Number(ms.toPrecision(3))} ms`;
  return `${Number((ms * 1000).toPrecision(3))} µs`;
}

const seatClass = (seat) => `seat seat${seat % COLOR_NAMES.length}`;
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const signed = (number) => (number < 0 ? `−${-number}` : `+${number}`);

/** A move, from its array in the JSON. */
function readMove([turn, number, notation, caption, chosen, gain, steps, message]) {
  return { turn, number, notation, caption, chosen, gain, steps, message };
}

/** A game: rebuilds boards from differences, and describes positions. */
class Film {
  constructor(data) {
    Object.assign(this, data);
    this.moves = data.moves.map(readMove);
    this.isSlow = data.pace === "turns";
    this.isText = data.columns === 0;
    this.noun = this.isSlow ? "turn" : "move";
    this.length = this.moves.length + 1;
    this.grid = new Grid(data.columns, data.rows);
    this.rules = data.kind === "samegame" ? new SameGame(data) : null;
    this.scores = [0];
    this.kept = [];
    const board = Int8Array.from(data.opening);
    for (const [index, move] of this.moves.entries()) {
      if (index % DIFFERENCES_APART === 0) this.kept.push(board.slice());
      for (const step of move.steps) applyStep(board, step);
      this.scores.push(this.scoreAfter(index, move));
    }
    this.final = board;
  }

  /** The score after a move as a number, for charts. */
  scoreAfter(index, move) {
    if (!this.isText) return this.scores[index] + move.gain;
    return Number(this.turns[move.turn].score ?? this.scores[index]);
  }

  clamp(position) { return Math.max(0, Math.min(position, this.length - 1)); }

  boardAt(position) {
    if (position >= this.moves.length) return this.final.slice();
    const kept = Math.floor(position / DIFFERENCES_APART);
    const board = this.kept[kept].slice();
    for (let at = kept * DIFFERENCES_APART; at < position; at += 1) {
      for (const step of this.moves[at].steps) applyStep(board, step);
    }
    return board;
  }

  score(position) {
    if (position >= this.moves.length && this.end) return this.end.score ?? "none";
    if (!this.isText) return this.scores[position];
    return this.turns[this.moves[position - 1]?.turn]?.score ?? "none";
  }

  /** The exchange whose texts are shown at a position: at the end, the last one. */
  exchange(position) { return this.turn(position) ?? this.turns.at(-1); }

  /** The exchange of a position, or undefined at the end. */
  turn(position) { return this.turns[this.moves[position]?.turn]; }

  /** The exchange of a game that is one answer. */
  get only() { return this.isText && this.turns.length === 1 ? this.turns[0] : null; }

  get isFromBottom() { return this.origin === "bottom_left"; }

  /** A place as the game's replies name it: x and y, or row and column. */
  pair(place) {
    const [row, column] = [Math.floor(place / this.columns), place % this.columns];
    return this.isFromBottom ? [column, this.rows - 1 - row] : [row, column];
  }

  coordinates(place) {
    const [one, other] = this.pair(place);
    return this.isFromBottom ? `x ${one}, y ${other}` : `row ${one}, column ${other}`;
  }

  /** A colour, or what is written on its tiles. */
  nameOf(color) {
    return this.labels?.[color] ?? `colour ${color} (${COLOR_NAMES[color % COLOR_NAMES.length]})`;
  }

  /** Gives a tile its colour, and what is written on it. */
  dress(tile, color) {
    tile.className = `tile c${color % COLOR_NAMES.length}`;
    const face = tile.firstChild ?? tile.appendChild(element("b"));
    face.dataset.number = color;
    if (this.labels) face.dataset.label = this.labels[color] ?? color;
    return tile;
  }

  /** What a tile is, and what taking its region would score. */
  describeTile(board, place) {
    const color = board[place];
    if (color === EMPTY) return `${this.coordinates(place)}\nempty`;
    const tile = `${this.coordinates(place)}\n${this.nameOf(color)}`;
    if (!this.regions) return tile;
    const size = this.grid.region(board, place).length;
    const clears = board.filter((other) => other !== EMPTY).length === size;
    const points = regionPoints(this.regions, size, clears);
    if (points === null) return `${tile}\n${size === 1 ? "alone" : `${size} tiles`}: cannot be taken`;
    return `${tile}\n${size} tiles, would score ${points}`;
  }

  /** Where moves are tried, in words. */
  whereOf(position) {
    const number = this.numberOf(position);
    return number === undefined ? "at the end" : `instead of ${this.noun} ${number}`;
  }

  /** Describes the move at a position, or the end. */
  describe(position) {
    const move = this.moves[position];
    if (move) return move.caption;
    return this.end ? this.end.official : "The log stops here.";
  }

  /** The position of the move or the silence that lost the game; null if it was not lost. */
  get failure() { return this.end && !this.end.won && this.moves.length > 0 ? this.moves.length - 1 : null; }

  /** The next position whose move scores, or the end. */
  nextGain(position) {
    let next = position + 1;
    while (next < this.moves.length && this.moves[next].gain === 0) next += 1;
    return Math.min(next, this.length - 1);
  }

  numberOf(position) { return this.moves[position]?.number; }
}
