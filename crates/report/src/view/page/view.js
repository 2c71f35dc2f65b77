// One board and the panel next to it.

/** One board with its figures. */
class GameView {
  constructor(film, parent) {
    this.film = film;
    this.root = document.getElementById("game").content.firstElementChild.cloneNode(true);
    parent.append(this.root);
    this.boardElement = find(".board", this.root);
    for (const part of [this.boardElement, find(".frame", this.root)]) {
      part.style.setProperty("--columns", film.columns);
      part.style.setProperty("--rows", film.rows);
    }
    this.tiles = new Array(film.columns * film.rows).fill(null);
    this.board = new Int8Array(this.tiles.length).fill(EMPTY);
    this.timers = [];
    this.shownTurn = undefined;
    this.trial = null;
    const part = ([seat, text]) => element("span", seat === null ? "" : seatClass(seat), text);
    find(".bot", this.root).replaceChildren(...(film.heading?.map(part) ?? [film.bot]));
    find(".bot", this.root).title = film.bot;
    find(".note", this.root).textContent = film.note ?? "";
    find(".note", this.root).hidden = film.note === null;
    this.chooseStage();
    find(".unit", this.root).textContent = film.noun === "turn" ? "Turn" : "Move";
    find(".written", this.root).hidden = film.isSlow;
    find(".message", this.root).hidden = !film.moves.some((move) => move.message);
    this.leftCounts = this.makeLeft();
    this.showVerdict();
    this.showDrawings();
    this.times = timesChart(this);
    this.scores = scoreChart(this);
    this.said = new SaidCard(this);
    this.list = new MoveList(this, `moves-${parent.children.length}`);
    this.pointer = new Pointer(this);
    this.trials = film.rules && new Trials(this);
    this.boardElement.classList.toggle("can-try", film.rules !== null);
  }

  /** A game has a board, or else the text that its bot was sent next to what it answered. */
  chooseStage() {
    const { isText } = this.film;
    find(".exchange", this.root).hidden = !isText;
    for (const part of [".frame", ".left", ".answered"]) find(part, this.root).hidden = isText;
    const isTold = [...this.film.turns, this.film.end].some((event) => event?.told);
    for (const part of this.root.querySelectorAll(".exchange .judge, .protocol summary")) part.hidden = !isTold;
    find(".protocol", this.root).open = !isTold;
  }

  makeLeft() {
    const list = find(".left", this.root);
    return Array.from({ length: this.film.colors }, (_, color) => {
      const item = element("li");
      item.setAttribute("aria-label", this.film.nameOf(color));
      const tile = this.film.dress(element("span"), color);
      const count = element("span");
      item.append(tile, count);
      list.append(item);
      return count;
    });
  }

  showVerdict() {
    const { end } = this.film;
    const chip = find(".verdict", this.root);
    chip.textContent = end ? end.verdict : "incomplete";
    if (end) chip.classList.add(end.won ? "good" : "bad");
    const result = find(".result", this.root);
    if (end) result.classList.add(end.won ? "good" : "bad");
    find(".official", result).textContent = end ? end.official : "The log stops before the end of the game.";
    const turns = plural(this.film.turns.length, "turn");
    find(".summary", result).textContent = end ? `${end.verdict} after ${turns}, score ${end.score ?? "none"}` : `after ${turns}`;
    find(".diagnosis", result).textContent = end?.diagnosis ?? "";
  }

  /** Shows or links to the pictures that the game's judge has drawn. */
  showDrawings() {
    const { drawings = [] } = this.film;
    const card = find(".drawings", this.root);
    card.hidden = drawings.length === 0;
    for (const { name, address, image } of drawings) {
      const link = element("a", "", name);
      link.href = address;
      if (image) {
        const picture = element("img");
        picture.src = image;
        picture.alt = name;
        link.replaceChildren(picture);
      }
      find("p", card).append(link, " ");
    }
  }

  place(tile, place) {
    const [row, column] = [Math.floor(place / this.film.columns), place % this.film.columns];
    tile.style.transform = `translate(${column * 100}%, ${row * 100}%)`;
  }

  makeTile(place, color) {
    const tile = this.film.dress(element("div"), color);
    this.place(tile, place);
    this.boardElement.append(tile);
    return tile;
  }

  /** Draws a board without animation, changing only the tiles that differ. */
  draw(board) {
    this.settle();
    for (let place = 0; place < board.length; place += 1) {
      const color = board[place];
      if (this.board[place] === color) continue;
      if (color === EMPTY) {
        this.tiles[place].remove();
        this.tiles[place] = null;
      } else if (this.tiles[place]) {
        this.film.dress(this.tiles[place], color);
      } else {
        this.tiles[place] = this.makeTile(place, color);
      }
      this.board[place] = color;
    }
  }

  /** Ends the animation, with the tiles where the last step put them. */
  settle() {
    this.timers.forEach(clearTimeout);
    this.timers = [];
    this.boardElement.ariaBusy = "false";
    for (const tile of this.boardElement.querySelectorAll(".leaves")) tile.remove();
    for (const tile of this.boardElement.querySelectorAll(".slides, .comes, .picked, .chosen")) {
      tile.classList.remove("slides", "comes", "picked", "chosen");
    }
  }

  /** Marks the tiles that a move takes or swaps. */
  mark(move) {
    if (!move) return;
    const [gone = [], moved = []] = move.steps[0] ?? [];
    const picked = gone.length > 0 ? gone : moved.filter((_, at) => at % 2 === 0);
    for (const place of picked) this.tiles[place]?.classList.add("picked");
    this.tiles[move.chosen]?.classList.add("chosen", "picked");
  }

  /** Shows a position. With `from`, the moves between are played in `time` milliseconds. */
  go(position, time = 0) {
    this.position = this.film.clamp(position);
    this.trial = null;
    const move = this.film.moves[this.position - 1];
    if (time > 0 && move && move.steps.length > 0) {
      this.draw(this.film.boardAt(this.position - 1));
      this.boardElement.style.setProperty("--slide", `${time / (move.steps.length + 1)}ms`);
      this.animate(move.steps, time / (move.steps.length + 1));
    } else {
      this.draw(this.film.boardAt(this.position));
      this.mark(this.film.moves[this.position]);
    }
    this.tell();
    this.pointer.refresh();
  }

  /** Shows the board of a trial, with the fall of its last move, where `taken` says what it does. */
  showTrial(trial, taken = null) {
    this.trial = trial;
    if (taken && !still.matches) {
      this.draw(trial.boards.at(-2));
      this.boardElement.style.setProperty("--slide", "160ms");
      this.animate([taken.step], 160);
    } else {
      this.draw(trial.board);
    }
    this.tell();
    this.pointer.refresh();
    pair?.tell();
  }

  animate(steps, each) {
    this.boardElement.ariaBusy = "true";
    steps.forEach((step, index) => {
      this.timers.push(setTimeout(() => this.step(step), index * each));
    });
    this.timers.push(setTimeout(() => {
      this.settle();
      if (!this.trial) this.mark(this.film.moves[this.position]);
      this.pointer.refresh();
    }, steps.length * each));
  }

  step([gone, moved, fresh]) {
    for (const tile of this.boardElement.querySelectorAll(".leaves")) tile.remove();
    for (const place of gone) {
      this.tiles[place].classList.add("leaves");
      this.tiles[place] = null;
    }
    const taken = [];
    for (let at = 0; at < moved.length; at += 2) {
      taken.push(this.tiles[moved[at]]);
      this.tiles[moved[at]] = null;
    }
    taken.forEach((tile, index) => {
      const to = moved[2 * index + 1];
      tile.classList.add("slides");
      this.place(tile, to);
      this.tiles[to] = tile;
    });
    for (let at = 0; at < fresh.length; at += 2) {
      this.tiles[fresh[at]]?.classList.add("leaves");
      this.tiles[fresh[at]] = this.makeTile(fresh[at], fresh[at + 1]);
      this.tiles[fresh[at]].classList.add("comes");
    }
    applyStep(this.board, [gone, moved, fresh]);
  }

  /** The score that is shown: after the moves tried, or else the game's. */
  get score() { return this.trial?.score ?? this.film.score(this.position); }

  /** Updates everything next to the board. */
  tell() {
    const { film, position, trial } = this;
    const atEnd = position >= film.moves.length;
    const move = film.moves[position];
    this.output(".notation", move?.notation ?? "");
    if (film.isText) this.tellExchange(film.exchange(position), atEnd);
    this.tellFigures(move);
    this.tellMessage(trial ? undefined : move?.message);
    find(".result", this.root).hidden = trial !== null || (!atEnd && position !== film.failure);
    this.tellTurn(atEnd);
    this.trials?.tell();
    this.root.classList.toggle("trying", trial !== null);
    this.list.follow(position);
    this.times?.(position);
    this.scores?.(position);
    this.said.tell(position);
    const words = `${film.noun} ${atEnd ? "end" : move.number}: ${film.describe(position)}`;
    this.boardElement.setAttribute("aria-label", `Board, ${trial ? `what if: ${trial.tell()}` : words}`);
  }

  /** Updates the figures: after the moves tried, or else the game's. */
  tellFigures(move) {
    const { film, position, trial } = this;
    const figure = (selector, value, small) => {
      const box = find(selector, this.root);
      box.textContent = value;
      if (small) box.append(" ", element("small", "", small));
    };
    const gain = trial ? trial.score - film.score(position) : move?.gain;
    figure(".score", this.score, gain ? `${signed(gain)}${trial ? " tried" : ""}` : "");
    const number = move?.number ?? "end";
    if (trial) figure(".number", number, `+${trial.moves.length} tried`);
    else figure(".number", number, `of ${film.moves.at(-1)?.number ?? 0}`);
    const what = find(".what", this.root);
    what.textContent = trial?.caption ?? film.describe(position);
    const isBad = move && (film.isText ? position === film.failure : move.steps.length === 0);
    what.classList.toggle("bad", !trial && Boolean(isBad));
    this.tellLeft(trial?.board ?? film.boardAt(position));
  }

  /** Shows the texts of an exchange; after the last one its position stays, before the judge's summary of the whole game. */
  tellExchange(exchange, atEnd) {
    this.output(".sent", exchange?.sent ?? "");
    this.output(".answer", exchange?.reply ?? "");
    const [last, whole] = [exchange?.told ?? "", this.film.end?.told ?? ""];
    if (!atEnd) this.output(".told", last);
    else this.output(".told", whole.includes(last) ? whole : last + whole);
    if (atEnd) find(".told", this.root).scrollTop = find(".told", this.root).scrollHeight;
  }

  tellLeft(board) {
    const counts = new Array(this.film.colors).fill(0);
    for (const color of board) if (color !== EMPTY) counts[color] += 1;
    counts.forEach((count, color) => {
      this.leftCounts[color].textContent = count;
      this.leftCounts[color].parentElement.classList.toggle("none", count === 0);
    });
  }

  tellMessage(message) {
    const bubble = find(".message", this.root);
    bubble.classList.toggle("says", Boolean(message?.some((line) => line !== "")));
    [...bubble.children].forEach((line, index) => { line.textContent = message?.[index] ?? ""; });
  }

  /** Updates time, reply and standard error; only when the exchange changes, since they may be long. */
  tellTurn(atEnd) {
    const turn = atEnd ? null : this.film.turn(this.position);
    if (turn === this.shownTurn) return;
    this.shownTurn = turn;
    // The end of a game of one answer shows that answer.
    const timed = turn ?? this.film.only;
    const time = find(".time", this.root);
    time.textContent = timed?.wall_ms === undefined ? "–" : duration(timed.wall_ms);
    if (timed?.limit_ms !== undefined) time.append(" ", element("small", "", `of ${duration(timed.limit_ms)}`));
    this.output(".reply", turn ? turn.reply : "");
    this.output(".stderr", turn ? turn.stderr : (timed?.stderr ?? "") + (this.film.end?.stderr ?? ""));
    find(".lateness", this.root).textContent = timed ? lateness(timed) : "";
  }

  output(selector, text) {
    const box = find(selector, this.root);
    box.textContent = text === "" ? "nothing" : text;
    box.classList.toggle("empty", text === "");
    box.scrollTop = 0;
  }
}
