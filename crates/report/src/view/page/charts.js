// Response times and the score over the game; a click goes to a turn. Two games share a scale, and each
// chart can be laid over the other's.

/** Whose fault a late turn was, and how it was judged. */
function lateness(turn) {
  if (!turn.overrun) return "";
  const { overrun: { culprit, decision }, certificate: { cpu_ms: cpu, wait_ms: wait, parts } } = turn;
  const spent = [
    cpu === undefined ? null : `${duration(cpu)} of CPU time`,
    wait === undefined ? null : `${duration(wait)} of waiting for a core`,
    parts?.taken_ms ? `${duration(parts.taken_ms)} taken from the machine` : null,
  ].filter(Boolean).join(", ");
  const fate = { timeout: "a timeout", accepted: "counted anyway", forgiven: "forgiven", measured: "measured only" };
  return `Late through the fault of the ${culprit} (${spent || "nothing measured"}): ${fate[decision]}.`;
}

/** Makes a clickable chart, and returns it with the function that moves its cursor. */
function chart(box, count, choose) {
  const svg = shape("svg", { viewBox: `0 0 ${count} 100`, preserveAspectRatio: "none", "aria-hidden": "true" }, box);
  shape("line", { x1: 0, x2: count, y1: 100, y2: 100, class: "base" }, svg);
  const at = (event) => {
    const { left, width } = svg.getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)));
  };
  svg.addEventListener("click", (event) => choose(at(event)));
  const cursor = shape("line", { y1: 0, y2: 100, class: "cursor" }, svg);
  const moveTo = (index) => {
    cursor.setAttribute("x1", index + 0.5);
    cursor.setAttribute("x2", index + 0.5);
    svg.append(cursor);
  };
  const label = (text, y, kind = "") => {
    const made = element("span", `label ${kind}`, text);
    made.style.top = `${Math.max(6, Math.min(94, y))}%`;
    box.append(made);
  };
  return { svg, box, moveTo, label };
}

const hasTimes = (film) => film.turns.length > 0 && film.turns.every((turn) => turn.wall_ms !== undefined);

/** The other one of two games. */
const otherThan = (film) => films.find((other) => other !== film);

/** Names the game whose line is laid over a chart. */
function nameOther(view, selector, other, kind = "other-name") {
  find(`${selector} h3`, view.root).append(" ", element("small", kind, other.bot));
}

/** The height of a time in all charts, in percent from the top. */
function timeScale() {
  const turns = films.filter(hasTimes).flatMap((film) => film.turns);
  const known = turns.flatMap((turn) => [turn.wall_ms, turn.limit_ms ?? turn.wall_ms]).map((ms) => Math.max(ms, 0.001));
  const [low, high] = [Math.log10(Math.min(...known)) - 0.3, Math.log10(Math.max(...known)) + 0.15];
  return (ms) => 100 - ((Math.log10(Math.max(ms, 0.001)) - low) / (high - low)) * 100;
}

/** Bars on a logarithmic scale, since first turns may take seconds and the others milliseconds. */
function timesChart(view) {
  const { film, root } = view;
  if (!hasTimes(film)) {
    find(".times", root).hidden = true;
    return null;
  }
  if (film.turns.length === 1) return gauge(view, film.turns[0]);
  const count = Math.max(...films.map((each) => each.turns.length));
  const y = timeScale();
  const go = (index) => seek(film.turns[Math.min(index, film.turns.length - 1)].first);
  const { svg, box, moveTo, label } = chart(find(".times .chart", root), count, go);
  for (const [index, turn] of film.turns.entries()) {
    const top = y(turn.wall_ms);
    const late = turn.overrun ? ` late ${turn.overrun.culprit === "bot" ? "bot" : "host"}` : "";
    const bar = shape("rect", { x: index + 0.12, width: 0.76, y: top, height: 100 - top, class: `bar${late}` }, svg);
    const fault = turn.overrun ? `, late: the fault of the ${turn.overrun.culprit}` : "";
    shape("title", {}, bar).textContent = `turn ${index + 1}: ${duration(turn.wall_ms)}${fault}`;
  }
  const limits = film.turns.map((turn) => turn.limit_ms);
  drawLimits(svg, limits, y);
  const other = otherThan(film);
  if (other && hasTimes(other)) {
    const line = other.turns.map((turn, index) => `${index} ${y(turn.wall_ms)}h1`).join("L");
    shape("path", { d: `M${line}`, class: "other" }, svg);
    nameOther(view, ".times", other);
  }
  const last = limits.at(-1);
  if (last !== undefined) label(`limit ${duration(last)}`, y(last), "limit-label");
  const summary = tellTimes(film.turns);
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", `first ${duration(film.turns[0].wall_ms)}, ${summary}`);
  find(".scale", root).textContent = `${summary} (logarithmic)`;
  return (position) => moveTo(film.moves[position]?.turn ?? film.turns.length - 1);
}

/** The slowest turn after the first, and how many were late. */
function tellTimes(turns) {
  const walls = turns.map((turn) => turn.wall_ms);
  const late = turns.filter((turn) => turn.overrun);
  const by = (culprit) => late.filter((turn) => turn.overrun.culprit === culprit).length;
  const hollow = by("host") > 0 ? ` (hollow: ${by("host")} by the host)` : "";
  const overruns = late.length > 0 ? `${late.length} late${hollow}` : "none late";
  const slowest = walls.indexOf(Math.max(...walls.slice(1)), 1);
  return `slowest later ${duration(walls[slowest])} in turn ${slowest + 1}, ${overruns}`;
}

function drawLimits(svg, limits, y) {
  let path = "";
  limits.forEach((limit, index) => {
    if (limit === undefined) return;
    const joined = index > 0 && limits[index - 1] !== undefined;
    path += `${joined ? "L" : "M"}${index} ${y(limit)}L${index + 1} ${y(limit)}`;
  });
  shape("path", { d: path, class: "limit" }, svg);
}

/** For a game of one exchange: the part of the limit that it took. */
function gauge(view, turn) {
  const box = find(".times .chart", view.root);
  find(".times h3", view.root).textContent = "Time for the whole game";
  const bar = element("div", `gauge${turn.overrun ? " late" : ""}`);
  const part = turn.limit_ms === undefined ? 0 : Math.min(1, turn.wall_ms / turn.limit_ms);
  const fill = element("i");
  fill.style.width = `${Math.max(part * 100, 0.5)}%`;
  bar.append(fill);
  const limit = turn.limit_ms === undefined ? "no limit" : `of ${duration(turn.limit_ms)}`;
  const words = element("p", "", `${duration(turn.wall_ms)} ${limit}`);
  box.append(words, bar);
  return null;
}

/** The path of a game's score. Ten thousand moves are drawn as a few hundred points. */
function scoreLine(film, count, [low, top]) {
  const each = Math.max(1, Math.floor(count / 600));
  const points = [];
  const point = (index) => points.push(`${index + 0.5} ${100 - ((film.scores[index] - low) / (top - low)) * 92}`);
  for (let index = 0; index < film.length - 1; index += each) point(index);
  point(film.length - 1);
  return `M${points.join("L")}`;
}

/** The score over the game. */
function scoreChart(view) {
  const { film } = view;
  const drawn = rival ? [...films, rival] : films;
  const count = Math.max(...drawn.map((each) => each.length));
  // A judge may give the same score, or none, until the end.
  const scores = new Set(film.turns.map((turn) => turn.score));
  if (film.isText && scores.size < 2) {
    find(".scores", view.root).hidden = true;
    return null;
  }
  const [low, most] = [Math.min, Math.max].map((of) => of(0, ...drawn.map((each) => each.scores.reduce((one, other) => of(one, other)))));
  const top = most > low ? most : low + 1;
  const { svg, box, moveTo, label } = chart(find(".scores .chart", view.root), count, (index) => seek(index));
  const line = scoreLine(film, count, [low, top]);
  shape("path", { d: `${line}L${film.length - 0.5} 100L0.5 100Z`, class: "score-area" }, svg);
  shape("path", { d: line, class: "score-line" }, svg);
  const other = otherThan(film);
  if (other) {
    shape("path", { d: scoreLine(other, count, [low, top]), class: "other" }, svg);
    nameOther(view, ".scores", other);
  }
  if (rival) {
    shape("path", { d: scoreLine(rival, count, [low, top]), class: "rival" }, svg);
    nameOther(view, ".scores", { bot: `best other game here: ${rival.bot}, ${rival.score(rival.length)}` }, "rival-name");
  }
  label(String(top), 8);
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", film.isText ? `The score is ${film.score(film.length)} at the end` : `The score grows to ${film.scores.at(-1)}`);
  return moveTo;
}
