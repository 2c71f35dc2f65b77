// The pointer and the arrow keys on a board: what a tile is, the outline of its region, and a click to try it.

/** The outline of some places, as the path of a picture whose unit is a tile. */
function outline(cells, columns) {
  const inside = new Set(cells);
  let path = "";
  for (const cell of cells) {
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    if (!inside.has(cell - columns)) path += `M${x} ${y}h1`;
    if (!inside.has(cell + columns)) path += `M${x} ${y + 1}h1`;
    if (x === 0 || !inside.has(cell - 1)) path += `M${x} ${y}v1`;
    if (x + 1 === columns || !inside.has(cell + 1)) path += `M${x + 1} ${y}v1`;
  }
  return path;
}

class Pointer {
  constructor(view) {
    this.view = view;
    this.film = view.film;
    this.board = view.boardElement;
    this.here = null;
    this.region = [];
    const { columns, rows } = this.film;
    const picture = { class: "outline", viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    const svg = shape("svg", picture, this.board);
    this.paths = ["under", "over"].map((name) => shape("path", { class: name }, svg));
    this.axes = this.makeAxes();
    this.listen();
  }

  /** The numbers next to the board, as the game counts its rows and columns. */
  makeAxes() {
    const { columns, rows, isFromBottom } = this.film;
    const frame = find(".frame", this.view.root);
    frame.classList.add(isFromBottom ? "from-bottom" : "from-top");
    const fill = (axis, count, number) => Array.from({ length: count }, (_, index) => {
      const label = element("span", "", number(index));
      axis.append(label);
      return label;
    });
    return {
      rows: fill(find(".axis.rows", frame), rows, (row) => (isFromBottom ? rows - 1 - row : row)),
      columns: fill(find(".axis.columns", frame), columns, (column) => column),
    };
  }

  listen() {
    const { board } = this;
    let known = false;
    board.addEventListener("pointermove", (event) => this.point(this.placeOf(event)));
    board.addEventListener("pointerdown", (event) => {
      known = this.region.includes(this.placeOf(event));
      this.point(this.placeOf(event));
    });
    // Lifting a finger counts as leaving; the tooltip stays until the next tap.
    board.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.point(null));
    document.addEventListener("pointerdown", (event) => board.contains(event.target) || this.point(null));
    // A click must not take the arrow keys away from the playback.
    board.addEventListener("mousedown", (event) => event.preventDefault());
    // The first tap of a finger shows the region, the second one takes it.
    board.addEventListener("click", (event) => (known || event.pointerType !== "touch") && this.take(this.placeOf(event)));
    board.addEventListener("blur", () => this.point(null));
    board.addEventListener("keydown", (event) => this.onKey(event));
  }

  placeOf(event) {
    const box = this.board.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * this.film.columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.film.rows);
    const inside = column >= 0 && column < this.film.columns && row >= 0 && row < this.film.rows;
    return inside ? row * this.film.columns + column : null;
  }

  take(place) {
    if (place === null) return;
    if (this.view.trials) this.view.trials.take(place);
    else announce("Moves can be tried in SameGame.");
  }

  onKey(event) {
    const { columns, rows } = this.film;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (step === undefined) return this.take(this.here);
    const next = this.here === null ? columns * (rows - 1) : this.here + step;
    if (next < 0 || next >= columns * rows) return;
    if (Math.abs(step) === 1 && Math.floor(next / columns) !== Math.floor((this.here ?? next) / columns)) return;
    this.point(next);
    announce(find("#tip").textContent.replaceAll("\n", ", "));
  }

  /** Points at a place, or nowhere: its tile, its region and its numbers. */
  point(place) {
    const { view, film } = this;
    this.board.querySelector(".here")?.classList.remove("here");
    this.mark(this.here, false);
    this.mark(place, true);
    this.here = place;
    this.region = this.regionAt(place);
    for (const path of this.paths) path.setAttribute("d", outline(this.region, film.columns));
    const tip = find("#tip");
    tip.hidden = place === null;
    if (place === null) return;
    view.tiles[place]?.classList.add("here");
    tip.textContent = film.describeTile(view.board, place);
    this.placeTip(tip, place);
  }

  regionAt(place) {
    if (place === null || !this.film.regions || this.view.board[place] === EMPTY) return [];
    return this.film.grid.region(this.view.board, place);
  }

  mark(place, isOn) {
    if (place === null) return;
    this.axes.rows[Math.floor(place / this.film.columns)].classList.toggle("on", isOn);
    this.axes.columns[place % this.film.columns].classList.toggle("on", isOn);
  }

  placeTip(tip, place) {
    const box = this.board.getBoundingClientRect();
    const size = box.width / this.film.columns;
    const [row, column] = [Math.floor(place / this.film.columns), place % this.film.columns];
    const left = box.left + (column + 1) * size + 6;
    const width = document.documentElement.clientWidth;
    tip.style.left = `${scrollX + Math.max(4, Math.min(left, width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${scrollY + box.top + (row + 1) * size + 6}px`;
  }

  /** Points again, after the board has changed under the pointer. */
  refresh() {
    if (this.here !== null) this.point(this.here);
  }
}
