// Moves that a reader tries from a position of the game, and the card that shows them.

class Trial {
  constructor(film, from) {
    Object.assign(this, { film, from, moves: [], boards: [film.boardAt(from)] });
  }

  get board() { return this.boards.at(-1); }

  get score() { return this.moves.reduce((sum, move) => sum + move.gain, this.film.score(this.from)); }

  /** Takes the region at `place`; null, and nothing changes, where the rules forbid it. */
  take(place) {
    const taken = this.film.rules.take(this.board, place);
    if (!taken) return null;
    const board = this.board.slice();
    applyStep(board, taken.step);
    this.boards.push(board);
    this.moves.push({ place, ...taken });
    return taken;
  }

  undo() {
    this.boards.pop();
    this.moves.pop();
  }

  /** The score beside the game's. */
  tell() {
    const { film, from, moves } = this;
    const now = Math.min(from + moves.length, film.moves.length);
    const over = film.rules.isOver(this.board) ? " No move is left." : "";
    const game = now === from + moves.length ? `${film.score(now)} after as many moves and ` : "";
    return `${this.score} points.${over} The game has ${game}${film.score(film.moves.length)} at its end.`;
  }

  /** Every move from the start, one a line, as a bot writes them. */
  lines() {
    const played = this.film.moves.slice(0, this.from).filter((move) => move.steps.length > 0);
    const places = [...played.map((move) => move.chosen), ...this.moves.map((move) => move.place)];
    return places.map((place) => this.film.pair(place).join(" ")).join("\n");
  }
}

/** The card under a board. `actions` are `undo` and `leave`. */
class TrialCard {
  constructor(root, actions) {
    this.card = find(".trial", root);
    this.lines = find("textarea", this.card);
    find(".undo", this.card).addEventListener("click", actions.undo);
    find(".leave", this.card).addEventListener("click", actions.leave);
    find(".copy", this.card).addEventListener("click", () => this.copy());
  }

  /** Shows a trial, or nothing. */
  show(trial) {
    this.card.hidden = trial === null;
    if (!trial) return;
    const { film, from, moves } = trial;
    const number = film.numberOf(from);
    const where = number === undefined ? "at the end" : `instead of ${film.noun} ${number}`;
    find("h3", this.card).textContent = `What if: ${plural(moves.length, "move")} ${where}`;
    find(".words", this.card).textContent = trial.tell();
    find(".copied", this.card).textContent = "";
    this.lines.value = trial.lines();
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  /** Copies the moves; where the browser forbids it they are selected, for the reader to copy. */
  copy() {
    this.lines.select();
    const tell = (words) => { find(".copied", this.card).textContent = words; };
    const selected = () => tell("selected, press Ctrl+C");
    if (!navigator.clipboard) return selected();
    return navigator.clipboard.writeText(this.lines.value).then(() => tell("copied"), selected);
  }
}
