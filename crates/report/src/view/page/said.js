// What a bot says about itself: the values of this turn, and how numbers go over the turns. Names and
// values are as the bot wrote them; they only ever become text.

/** The entry of a name, which may be one that all objects have, such as `constructor`; undefined if there is none. */
const valueOf = (said, name) => (said && Object.hasOwn(said, name) ? said[name] : undefined);

/** The values that a film has of a name, by turn; undefined where it was not said. */
const valuesOf = (film, name) => film.turns.map((turn) => valueOf(turn.said, name));

const isNumber = (value) => typeof value === "number";

/** All names in the films, in alphabetical order. */
function namesSaid() {
  const said = films.flatMap((film) => [...film.turns, film.end ?? {}].map((event) => event.said ?? {}));
  return [...new Set(said.flatMap((values) => Object.keys(values)))].sort();
}

const tellNumbers = ({ min, max, mean }) => `${min} to ${max}, ${Number(mean.toPrecision(4))} on average`;

class SaidCard {
  constructor(view) {
    this.film = view.film;
    this.names = namesSaid();
    const card = find(".said", view.root);
    card.hidden = this.names.length === 0;
    const other = otherThan(view.film);
    if (other) find(".other-name", card).textContent = other.bot;
    this.parts = this.names.map((name) => this.makePart(name, find(".parts", card)));
  }

  makePart(name, parent) {
    const part = element("div", "part");
    const value = element("b");
    const heading = element("p", "", `${name} `);
    heading.append(value);
    part.append(heading);
    parent.append(part);
    const moveTo = this.makeChart(name, part);
    return { value, moveTo };
  }

  /** The line of a name with numbers in several turns, on the scale of both games. */
  makeChart(name, part) {
    const numbers = films.flatMap((film) => valuesOf(film, name)).filter(isNumber);
    if (numbers.length < 2) return null;
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const y = (value) => (high === low ? 50 : 92 - ((value - low) / (high - low)) * 84);
    const count = Math.max(...films.map((film) => film.turns.length));
    const { film } = this;
    const go = (index) => seek(film.turns[Math.min(index, film.turns.length - 1)].first);
    const box = element("div", "chart");
    part.append(box);
    const { svg, moveTo, label } = chart(box, count, go);
    shape("path", { d: lineOf(valuesOf(film, name), y), class: "score-line" }, svg);
    const other = otherThan(film);
    if (other) shape("path", { d: lineOf(valuesOf(other, name), y), class: "other" }, svg);
    label(String(high), 8);
    if (low !== high) label(String(low), 92);
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", `${name}: from ${low} to ${high}`);
    return moveTo;
  }

  /** Shows what was said in the turn of a position; at the end, the totals. */
  tell(position) {
    const turn = this.film.turn(position);
    this.parts.forEach(({ value, moveTo }, index) => {
      const name = this.names[index];
      const inGame = turn ? undefined : valueOf(this.film.end?.said, name);
      value.textContent = valueOf(turn?.said, name) ?? inGame?.last ?? "–";
      if (isNumber(inGame?.mean)) value.append(" ", element("small", "", tellNumbers(inGame)));
      moveTo?.(this.film.moves[position]?.turn ?? this.film.turns.length - 1);
    });
  }
}

/** The path of numbers by turn, with a gap where there is none; a lone one is a short dash. */
function lineOf(values, y) {
  let path = "";
  values.forEach((value, index) => {
    if (!isNumber(value)) return;
    const joined = isNumber(values[index - 1]);
    const alone = !joined && !isNumber(values[index + 1]);
    path += alone ? `M${index + 0.2} ${y(value)}h.6` : `${joined ? "L" : "M"}${index + 0.5} ${y(value)}`;
  });
  return path;
}
