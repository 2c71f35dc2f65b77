// Moves that a reader tries from a position of the game, and the card that shows them. The address keeps them, so that
// they can be linked to and survive a reload.

/** The most trials that an address keeps of a game. */
const MOST_KEPT = 26;

class Trial {
  constructor(film, from) {
    Object.assign(this, { film, from, moves: [], undone: [], boards: [film.boardAt(from)] });
  }

  get board() { return this.boards.at(-1); }

  get score() { return this.moves.reduce((sum, move) => sum + move.gain, this.film.score(this.from)); }

  /** What the last move did. */
  get caption() {
    const { place, size, color, gain } = this.moves.at(-1);
    return `${this.film.pair(place).join(" ")} takes ${size} of colour ${color}, ${signed(gain)}`;
  }

  /** Takes the region at `place`; null, and nothing changes, where the rules forbid it. */
  take(place) {
    const taken = this.film.rules.take(this.board, place);
    if (!taken) return null;
    const board = this.board.slice();
    applyStep(board, taken.step);
    this.moves.push({ place, color: this.board[place], ...taken });
    this.boards.push(board);
    // Another move than the one that was taken back makes a branch of its own.
    if (this.undone.pop() !== place) this.undone = [];
    return taken;
  }

  undo() {
    this.boards.pop();
    this.undone.push(this.moves.pop().place);
  }

  redo() { return this.take(this.undone.at(-1)); }

  /** Takes the regions at these places, until the rules forbid one. */
  follow(places) {
    places.split(".").every((place) => this.take(Number(place)));
    return this;
  }

  /** Where it leaves the game, and how far it went, in a few words. */
  get summary() { return `${this.score} with ${plural(this.moves.length, "move")} ${this.film.whereOf(this.from)}`; }

  /** The name of these moves in the address. */
  get address() { return this.moves.map((move) => move.place).join("."); }

  /** The score next to the game's. */
  tell() {
    const { film, from, moves } = this;
    const now = Math.min(from + moves.length, film.moves.length);
    const over = film.rules.isOver(this.board) ? " No move is left." : "";
    const game = now === from + moves.length ? `${film.score(now)} after as many moves and ` : "";
    return `${this.score} points.${over} The game has ${game}${film.score(film.moves.length)} at its end.`;
  }
}

/** The moves tried in one game, and the card that shows them. */
class Trials {
  constructor(view) {
    Object.assign(this, { view, film: view.film, left: null, best: null, kept: [] });
    this.card = find(".trial", view.root);
    this.card.hidden = false;
    this.lines = find("textarea", this.card);
    const on = (selector, action) => find(selector, this.card).addEventListener("click", action);
    on(".undo", () => this.undo());
    on(".redo", () => this.redo());
    on(".leave", () => seek(position));
    on(".copy", () => this.copy());
    on(".keep", () => this.keep());
  }

  /** Takes the region at `place` instead of the game's move; says why that cannot be done. */
  take(place) {
    const trial = this.view.trial ?? new Trial(this.film, this.view.position);
    const taken = trial.take(place);
    if (!taken) return announce(trial.board[place] === EMPTY ? "There is no tile here." : "This tile is alone and cannot be taken.");
    pause();
    return this.show(trial, taken);
  }

  undo() {
    const { trial } = this.view;
    if (!trial) return;
    trial.undo();
    if (trial.moves.length === 0) seek(position);
    else this.show(trial);
  }

  /** Takes again what was taken back, or returns to the moves that were left. */
  redo() {
    const trial = this.view.trial ?? this.left;
    if (!trial) return;
    if (this.view.position !== trial.from) seek(trial.from);
    const taken = this.view.trial === trial || trial.moves.length === 0 ? trial.redo() : null;
    this.show(trial, taken);
  }

  /** Plays the moves of an address at this position, until the rules forbid one. */
  open(address) {
    const trial = new Trial(this.film, this.view.position).follow(address);
    if (trial.moves.length > 0) this.show(trial);
  }

  /** The kept trials as the address names them: each from a move on, `end` for the end of the game. */
  get keptAddress() {
    return this.kept.map(({ from, address }) => `${this.film.numberOf(from) ?? "end"}-${address}`).join("_");
  }

  /** Replaces the present trials by those in an address, up to moves that the rules forbid. */
  openKept(address) {
    const read = (each) => {
      const [number, places] = each.split("-");
      const from = number === "end" ? this.film.moves.length : this.film.moves.findIndex((move) => String(move.number) === number);
      return from < 0 || !places ? null : new Trial(this.film, from).follow(places);
    };
    const trials = address.split("_").slice(0, MOST_KEPT).map(read);
    this.kept = trials.filter((trial) => trial?.moves.length > 0).map((trial) => this.noted(trial));
    this.kept.forEach((noted) => this.consider(noted));
  }

  /** What is kept of a trial: its moves go on. */
  noted(trial) {
    const { from, score, summary, address } = trial;
    return { from, score, summary, address };
  }

  consider(noted) {
    if (this.best === null || noted.score > this.best.score) this.best = noted;
  }

  /** Whether the trial that is shown can be kept. */
  get isNew() {
    const { trial } = this.view;
    const isIt = (noted) => noted.from === trial.from && noted.address === trial.address;
    return trial !== null && this.kept.length < MOST_KEPT && !this.kept.some(isIt);
  }

  keep() {
    if (this.isNew) this.kept.push(this.noted(this.view.trial));
    this.changeKept();
  }

  forget(noted) {
    this.kept = this.kept.filter((other) => other !== noted);
    this.changeKept();
    find(".keep", this.card).focus();
  }

  changeKept() {
    this.tell();
    keepAddress();
  }

  show(trial, taken = null) {
    this.left = trial;
    this.consider(this.noted(trial));
    this.view.showTrial(trial, taken);
    announce(trial.tell());
    keepAddress();
  }

  tell() {
    const { film, left, best, view: { trial, position: here } } = this;
    find("h3", this.card).textContent = trial ? `What if: ${plural(trial.moves.length, "move")} ${film.whereOf(trial.from)}` : "What if";
    find(".words", this.card).textContent = trial?.tell() ?? "A click on a region tries it; the game stays as it is.";
    for (const selector of [".undo", ".leave"]) find(selector, this.card).disabled = !trial;
    find(".redo", this.card).disabled = trial ? trial.undone.length === 0 : left === null;
    find(".keep", this.card).disabled = !this.isNew;
    find(".copied", this.card).textContent = "";
    const link = find(".best a", this.card);
    link.hidden = best === null;
    if (best) {
      link.href = `#${addressOf(this.view, best)}`;
      link.textContent = `Best tried: ${best.summary} (the game: ${film.score(film.moves.length)})`;
    }
    this.tellKept();
    this.lines.value = this.linesOf(trial?.moves ?? [], trial?.from ?? here);
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  /** A link for each kept trial, by letters, and a button that forgets it. */
  tellKept() {
    const items = this.kept.map((noted, index) => {
      const letter = String.fromCharCode(65 + index);
      const [item, link, button] = [element("li"), element("a", "", `${letter}: ${noted.summary}`), element("button", "text", "Forget")];
      link.href = `#${addressOf(this.view, noted)}`;
      button.type = "button";
      button.setAttribute("aria-label", `Forget ${letter}`);
      button.addEventListener("click", () => this.forget(noted));
      item.append(link, " ", button);
      return item;
    });
    find(".kept", this.card).replaceChildren(...items);
  }

  /** Every move from the start, one a line, as a bot writes them. */
  linesOf(tried, from) {
    const played = this.film.moves.slice(0, from).filter((move) => move.steps.length > 0);
    const places = [...played.map((move) => move.chosen), ...tried.map((move) => move.place)];
    return places.map((place) => this.film.pair(place).join(" ")).join("\n");
  }

  /** Copies the moves; where the browser forbids it they are selected, for the reader to copy. */
  copy() {
    const tell = (words) => { find(".copied", this.card).textContent = words; };
    const select = () => {
      find("details", this.card).open = true;
      this.lines.select();
      tell("selected, press Ctrl+C");
    };
    if (!navigator.clipboard) return select();
    return navigator.clipboard.writeText(this.lines.value).then(() => tell("copied"), select);
  }
}
