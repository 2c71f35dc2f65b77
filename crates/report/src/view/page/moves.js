// The list of moves, which follows the game; a click goes to a move. Only the rows in sight are elements,
// since a game may have ten thousand moves.

/** The height of a row in pixels, as in page.css. */
const ROW = 26;

class MoveList {
  constructor(view, id) {
    this.film = view.film;
    this.id = id;
    this.position = 0;
    this.box = find(".moves .list", view.root);
    this.rows = element("div");
    this.rows.setAttribute("role", "presentation");
    this.rows.style.height = `${this.film.length * ROW}px`;
    this.box.append(this.rows);
    find(".moves h3", view.root).textContent = this.film.noun === "turn" ? "Turns" : "Moves";
    this.box.setAttribute("aria-label", `${this.film.noun}s of ${this.film.bot}`);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.follow(this.position)).observe(this.box);
  }

  onKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    seek(this.position + step);
  }

  /** Brings a position into sight and marks it. */
  follow(position) {
    this.position = position;
    const [top, room] = [position * ROW, this.box.clientHeight];
    if (top < this.box.scrollTop || top + ROW > this.box.scrollTop + room) this.box.scrollTop = top - (room - ROW) / 2;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 2);
    const last = Math.min(this.film.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + 2);
    const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => this.row(first + index));
    this.rows.replaceChildren(...shown);
    this.box.setAttribute("aria-activedescendant", `${this.id}-${this.position}`);
  }

  row(index) {
    const { film } = this;
    const move = film.moves[index];
    const row = element("div", "row");
    row.id = `${this.id}-${index}`;
    row.style.top = `${index * ROW}px`;
    const selected = String(index === this.position);
    const attributes = { role: "option", "aria-selected": selected, "aria-posinset": index + 1, "aria-setsize": film.length };
    for (const [name, value] of Object.entries(attributes)) row.setAttribute(name, value);
    row.addEventListener("click", () => seek(index));
    const seat = film.heading && move ? ` ${seatClass(film.turn(index).seat ?? 0)}` : "";
    row.append(element("span", `number${seat}`, move ? String(move.number) : "end"), this.does(move, index));
    row.append(element("span", "points", move?.gain ? signed(move.gain) : ""), element("span", "time", this.time(index)));
    const turn = film.turn(index);
    const late = turn?.first === index && turn.overrun;
    row.classList.toggle("bad", Boolean(late) || index === film.failure || (!move && film.end?.won === false));
    if (late) find(".points", row).append(element("span", "late", "late"));
    return row;
  }

  /** The move, with its region where it takes one. */
  does(move, index) {
    const { film } = this;
    const does = element("span", "does");
    const size = film.regions && move?.steps[0]?.[0].length;
    if (!size || !move.notation) {
      const isLong = !film.isSlow && move?.notation && move.steps.length > 0;
      does.textContent = isLong ? move.notation : film.describe(index);
      return does;
    }
    const swatch = film.dress(element("span"), film.boardAt(index)[move.chosen]);
    does.append(move.notation, swatch, plural(size, "tile"));
    return does;
  }

  /** The time of a turn, next to its first move. */
  time(index) {
    const turn = this.film.turn(index);
    return turn?.first === index && turn.wall_ms !== undefined ? duration(turn.wall_ms) : "";
  }
}
