// The position that all boards share, and what changes it: buttons, keys, time, the address.

const [lead] = films;
const length = Math.max(...films.map((film) => film.length));
const longest = films.find((film) => film.length === length);
const SPEEDS = lead.isSlow ? [0.5, 1, 2, 4, 8, 16, 30, 60] : [1, 3, 10, 30, 100, 300, 1000, 3000];
const LOOKS = ["plain", "shapes", "digits"];
/** The names of the moves tried in the first and in the second game, in the address. */
const TRIED = ["try", "try-right"];
/** The names of the moves kept of either game. */
const KEPT = ["kept", "kept-right"];
const still = matchMedia("(prefers-reduced-motion: reduce)");
let position = 0;
let speed = lead.isSlow ? 2 : 3;
let playing = null;

document.body.classList.toggle("two", films.length === 2);
const views = films.map((film) => new GameView(film, find("#games")));
const pair = films.length === 2 ? new Pair(views) : null;

function announce(text) { find("#live").textContent = text; }

/** Shows a position; `time` is for the animation of the move that leads to it. */
function render(time = 0) {
  for (const view of views) view.go(position, position < view.film.length ? time : 0);
  pair?.tell();
  find("#scrubber").value = position;
  const number = longest.numberOf(position);
  const words = number === undefined ? "End" : `${longest.noun === "turn" ? "Turn" : "Move"} ${number}`;
  find("#position").textContent = words;
  find("#scrubber").setAttribute("aria-valuetext", words);
}

/** The name of this position in the address, with the moves that a reader has tried there in one of the games. */
function addressOf(view, trial) {
  const number = longest.numberOf(trial?.from ?? position);
  const tried = trial ? `&${TRIED[views.indexOf(view)]}=${trial.address}` : "";
  const kept = views.map((each, at) => (each.trials?.kept.length ? `&${KEPT[at]}=${each.trials.keptAddress}` : ""));
  return `${nameGames(chosen)}turn=${number ?? "end"}${tried}${kept.join("")}`;
}

function keepAddress() {
  const view = views.find((each) => each.trial);
  find("#link").href = `#${addressOf(view, view?.trial)}`;
  history.replaceState(null, "", find("#link").href);
}

/** What happens at a position, in words for those who cannot see it. */
function tellOf(film) {
  const at = film.clamp(position);
  const [what, score] = [film.describe(at).replace(/[.!]+$/, ""), String(film.score(at))];
  const known = at === film.moves.length && what.endsWith(score);
  return `${find("#position").textContent}. ${what}.${known ? "" : ` Score ${score}.`}`;
}

function rest() {
  announce(films.map(tellOf).join(" "));
  keepAddress();
}

function glide(next) {
  pause();
  position = Math.max(0, Math.min(next, length - 1));
  render();
}

function seek(next) {
  glide(next);
  rest();
}

function stepForward() {
  pause();
  if (position >= length - 1) return;
  position += 1;
  render(still.matches ? 0 : 350);
  rest();
}

/** The next position at which a move of any game scores, or the end. */
function nextGain(from) {
  return Math.min(length - 1, ...films.map((film) => film.nextGain(from)).filter((next) => next > from));
}

function nextPosition(from) {
  return find("#skip").checked ? nextGain(from) : from + 1;
}

function play() {
  if (position >= length - 1) position = 0;
  document.body.classList.add("playing");
  find("#play").setAttribute("aria-label", "Pause");
  playing = { due: performance.now() + 1000 / SPEEDS[speed], frame: requestAnimationFrame(tick) };
  render();
}

function pause() {
  if (!playing) return;
  cancelAnimationFrame(playing.frame);
  playing = null;
  document.body.classList.remove("playing");
  find("#play").setAttribute("aria-label", "Play");
}

/** Advances with the clock; positions that pass faster than the screen refreshes are not drawn. */
function tick(now) {
  const each = 1000 / SPEEDS[speed];
  const from = position;
  // After a page was in the background, playback does not race to catch up.
  playing.due = Math.max(playing.due, now - 100);
  while (playing.due <= now && position < length - 1) {
    position = Math.min(nextPosition(position), length - 1);
    playing.due += each;
  }
  if (position !== from) {
    const jumped = position !== from + 1;
    render(jumped || each < 120 || still.matches ? 0 : each * 0.6);
  }
  if (position >= length - 1) {
    pause();
    rest();
  } else {
    playing.frame = requestAnimationFrame(tick);
  }
}

function toggle() {
  if (!playing) return play();
  pause();
  render();
  return rest();
}

function setSpeed(level) {
  speed = Math.max(0, Math.min(level, SPEEDS.length - 1));
  find("#speed").value = speed;
  find("#rate").textContent = `${SPEEDS[speed]} ${lead.noun}s/s`;
  find("#speed").setAttribute("aria-valuetext", find("#rate").textContent);
}

function setLook(name) {
  document.body.classList.remove(...LOOKS);
  document.body.classList.add(name);
  find("#look").value = name;
}

function followAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  if (show.games && nameGames(gamesOf(address)) !== nameGames(chosen)) {
    location.reload();
    return true;
  }
  const wanted = address.get("turn");
  if (!/^(\d+|end)$/.test(wanted ?? "")) return false;
  const index = longest.moves.findIndex((move) => String(move.number) === wanted);
  views.forEach((view, at) => address.has(KEPT[at]) && view.trials?.openKept(address.get(KEPT[at])));
  seek(index < 0 ? length - 1 : index);
  views.forEach((view, at) => address.has(TRIED[at]) && view.trials?.open(address.get(TRIED[at])));
  return true;
}

/** The marks along the scrubber: gains, late turns and the first difference. */
function drawMarks() {
  const canvas = find("#marks");
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const pen = canvas.getContext("2d");
  pen.scale(devicePixelRatio, devicePixelRatio);
  const style = getComputedStyle(document.body);
  const x = (index) => (index / Math.max(1, length - 1)) * width;
  const most = Math.max(1, ...lead.moves.map((move) => Math.min(move.gain, 200)));
  pen.fillStyle = style.getPropertyValue("--soft");
  lead.moves.forEach((move, index) => {
    const tall = 2 + (Math.min(Math.max(move.gain, 0), 200) / most) * (height - 4);
    if (lead.isSlow || move.gain > 1) pen.fillRect(x(index) - 0.5, height - tall, lead.isSlow ? 1.5 : 0.6, tall);
  });
  pen.fillStyle = style.getPropertyValue("--bad");
  for (const film of films) {
    for (const turn of film.turns) if (turn.overrun) pen.fillRect(x(turn.first) - 1, 0, 3, height);
  }
  pen.fillStyle = style.getPropertyValue("--accent");
  if (differs !== null) pen.fillRect(x(differs) - 1, 0, 3, height);
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const target = event.target;
  if (target.matches?.("textarea") && event.key !== "Escape") return;
  const takesArrows = target.matches?.("select, input[type=range]");
  if (takesArrows && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  if (event.key === " " && target.matches?.("button, input[type=checkbox], select")) return;
  const actions = {
    " ": toggle, ArrowRight: stepForward, ArrowLeft: () => seek(position - 1), Home: () => seek(0), End: () => seek(length - 1),
    PageDown: () => seek(position + Math.ceil(length / 20)), PageUp: () => seek(position - Math.ceil(length / 20)),
    "+": () => setSpeed(speed + 1), "=": () => setSpeed(speed + 1), "-": () => setSpeed(speed - 1),
    Escape: () => views.some((view) => view.trial) && seek(position),
    Backspace: () => views.find((view) => view.trial)?.trials.undo(),
    r: () => (views.find((view) => view.trial) ?? views.find((view) => view.trials?.left))?.trials.redo(),
    n: () => seek(nextGain(position)), d: () => differs !== null && seek(differs),
    c: () => setLook(LOOKS[(LOOKS.indexOf(find("#look").value) + 1) % LOOKS.length]),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function connect() {
  const on = (id, event, action) => find(id).addEventListener(event, action);
  on("#first", "click", () => seek(0));
  on("#back", "click", () => seek(position - 1));
  on("#play", "click", toggle);
  on("#forward", "click", stepForward);
  on("#last", "click", () => seek(length - 1));
  on("#next-gain", "click", () => seek(nextGain(position)));
  on("#differs", "click", () => seek(differs));
  // The scrubber says itself where it is.
  on("#scrubber", "input", (event) => glide(Number(event.target.value)));
  on("#scrubber", "change", keepAddress);
  on("#speed", "input", (event) => setSpeed(Number(event.target.value)));
  on("#save", "click", savePicture);
  on("#look", "change", (event) => setLook(event.target.value));
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", followAddress);
  addEventListener("resize", drawMarks);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMarks);
}

function start() {
  document.title = `${lead.game}: ${films.map((film) => film.bot).join(" and ")} on ${lead.board}`;
  find("#title").textContent = `${lead.game} on ${lead.board}`;
  const limits = [...new Set(films.map((film) => film.profile))].join(" and ");
  find("#subtitle").textContent = `Limits: ${limits}`;
  find("#scrubber").max = length - 1;
  find("#next-gain").hidden = lead.isSlow;
  find("#skip-label").hidden = lead.isSlow;
  find("#look").closest("label").hidden = lead.isText;
  find("#save").hidden = lead.isText;
  find("#tiles-key").hidden = lead.isText;
  find("#differs").hidden = differs === null;
  linkGames();
  setSpeed(speed);
  setLook("plain");
  connect();
  if (!followAddress()) {
    // One exchange is a game whose result matters, not its beginning.
    const first = films.every((film) => film.only) ? length - 1 : 0;
    glide(differs ?? (films.length === 1 ? lead.failure : null) ?? first);
    find("#link").href = `#${addressOf()}`;
  }
  drawMarks();
}

start();
