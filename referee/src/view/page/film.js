"use strict";
// The game as data: rebuilds boards from differences, and describes positions. The scripts of the
// page are joined in the order film, view, charts, playback. The data is the JSON in the element
// `show`, which page/mod.rs describes. A position is the board before the move of that index, with the
// move marked on it; behind the last move it is the end of the game. Text only ever becomes text.

const show = JSON.parse(document.getElementById("show").textContent);
const find = (selector, root = document) => root.querySelector(selector);
const EMPTY = -1;
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

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const signed = (number) => (number < 0 ? `−${-number}` : `+${number}`);

/** A move, from its array in the JSON. */
function readMove([turn, number, caption, chosen, gain, steps, message]) {
  return { turn, number, caption, chosen, gain, steps, message };
}

/** A game without its rules: rebuilds boards from differences, and describes positions. */
class Film {
  constructor(data) {
    Object.assign(this, data);
    this.moves = data.moves.map(readMove);
    this.isSlow = data.pace === "turns";
    this.noun = this.isSlow ? "turn" : "move";
    this.length = this.moves.length + 1;
    this.scores = [0];
    this.kept = [];
    const board = Int8Array.from(data.opening);
    for (const [index, move] of this.moves.entries()) {
      if (index % DIFFERENCES_APART === 0) this.kept.push(board.slice());
      for (const step of move.steps) Film.apply(board, step);
      this.scores.push(this.scores[index] + move.gain);
    }
    this.final = board;
  }

  static apply(board, [gone, moved, fresh]) {
    for (const place of gone) board[place] = EMPTY;
    const taken = [];
    for (let at = 0; at < moved.length; at += 2) {
      taken.push(board[moved[at]]);
      board[moved[at]] = EMPTY;
    }
    taken.forEach((color, index) => { board[moved[2 * index + 1]] = color; });
    for (let at = 0; at < fresh.length; at += 2) board[fresh[at]] = fresh[at + 1];
  }

  clamp(position) { return Math.max(0, Math.min(position, this.length - 1)); }

  boardAt(position) {
    if (position >= this.moves.length) return this.final.slice();
    const kept = Math.floor(position / DIFFERENCES_APART);
    const board = this.kept[kept].slice();
    for (let at = kept * DIFFERENCES_APART; at < position; at += 1) {
      for (const step of this.moves[at].steps) Film.apply(board, step);
    }
    return board;
  }

  score(position) {
    return position >= this.moves.length && this.end ? this.end.score : this.scores[position];
  }

  /** The exchange of a position, or undefined at the end. */
  turn(position) { return this.turns[this.moves[position]?.turn]; }

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

  neighbours(place) {
    const column = place % this.columns;
    const near = [place - this.columns, place + this.columns];
    if (column > 0) near.push(place - 1);
    if (column + 1 < this.columns) near.push(place + 1);
    return near.filter((cell) => cell >= 0 && cell < this.columns * this.rows);
  }

  coordinates(place) {
    const [row, column] = [Math.floor(place / this.columns), place % this.columns];
    return this.origin === "bottom_left" ? `x ${column}, y ${this.rows - 1 - row}` : `row ${row}, column ${column}`;
  }

  /** What a tile is, and what taking its region would score. */
  describe(board, place) {
    const color = board[place];
    if (color === EMPTY) return `${this.coordinates(place)}\nempty`;
    const tile = `${this.coordinates(place)}\ncolour ${color} (${COLOR_NAMES[color % COLOR_NAMES.length]})`;
    if (!this.regions) return tile;
    const size = this.region(board, place).length;
    const points = this.regions.by_size[size] ?? null;
    if (points === null) return `${tile}\n${size === 1 ? "alone" : `${size} tiles`}: cannot be taken`;
    const clears = board.filter((other) => other !== EMPTY).length === size;
    return `${tile}\n${size} tiles, would score ${points + (clears ? this.regions.clear_bonus : 0)}`;
  }

  /** Describes the move at a position, or the end. */
  tell(position) {
    const move = this.moves[position];
    if (move) return move.caption;
    return this.end ? this.end.official : "The log stops here.";
  }

  /** The next position whose move scores, or the end. */
  nextGain(position) {
    let next = position + 1;
    while (next < this.moves.length && this.moves[next].gain === 0) next += 1;
    return Math.min(next, this.length - 1);
  }

  numberOf(position) { return this.moves[position]?.number; }
}
