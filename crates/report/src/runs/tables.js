"use strict";
// A click on a heading sorts a table, words filter a long list, and the page of a run that is being played renews itself. The
// page is complete without this script. Text is only ever set as text.

const UNITS = { "": 1, "%": 1, ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, min: 60 };
/** A list is filtered from this many entries. */
const MANY = 8;
/** The rows of a table that are drawn before a reader asks for all of them, as in page.css. */
const DRAWN = 100;

/** Words by their natural order. */
const BY_WORDS = new Intl.Collator(undefined, { numeric: true });

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** The key of a cell: its number, times in seconds, or else its words. Lost games are left out of it. */
function keyOf(cell) {
  const source = cell?.querySelector(".line") ?? cell;
  const parts = [...(source?.childNodes ?? [])].filter((part) => part.nodeName !== "EM");
  const text = parts.map((part) => part.textContent).join("").trim();
  const [, number, unit] = /^([+-]?\d+(?:\.\d+)?) ?(\D*)$/.exec(text) ?? [];
  return unit in UNITS ? Number(number) * UNITS[unit] : text;
}

/** Numbers by size and after words, words by their natural order. */
function order(one, other) {
  const numbers = [one, other].map((key) => typeof key === "number");
  if (numbers[0] !== numbers[1]) return numbers[0] ? 1 : -1;
  return numbers[0] ? one - other : BY_WORDS.compare(one, other);
}

function sortBy(table, heading) {
  const body = table.tBodies[0];
  const column = heading.cellIndex;
  // Where lower is better the lowest is on top, and below all numbers is what has none: a lost game.
  const isLower = "lower" in heading.dataset;
  const keyIn = (row) => {
    const key = keyOf(row.cells[column]);
    return isLower && typeof key !== "number" ? Infinity : key;
  };
  const rows = [...body.rows].map((row) => ({ row, key: keyIn(row) }));
  // Other numbers are first sorted with the largest on top.
  const before = heading.getAttribute("aria-sort");
  const isNumber = ({ key }) => typeof key === "number";
  const first = !isLower && column > 0 && rows.some(isNumber) ? "descending" : "ascending";
  const next = before === null ? first : { ascending: "descending", descending: "ascending" }[before];
  rows.sort((one, other) => (next === "ascending" ? 1 : -1) * order(one.key, other.key));
  body.append(...rows.map(({ row }) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", next);
}

function makeSortable(table) {
  for (const heading of table.querySelectorAll("thead th")) {
    const button = element("button", "sort", heading.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortBy(table, heading));
    heading.replaceChildren(button);
  }
}

/** The names in an entry; in a row, its words without its numbers. */
function namesOf(entry) {
  const named = [...entry.querySelectorAll("th, .words")];
  return (named.length > 0 ? named : [entry]).map((part) => part.textContent.toLowerCase()).join(" ");
}

/** Puts a field above `list` that leaves only the entries whose names have all of its words. */
function makeFilter(list, entries, what) {
  const label = element("label", "filter", "Filter ");
  const field = element("input", "");
  field.type = "search";
  field.setAttribute("aria-label", `Filter: ${what}`);
  const count = element("span", "soft");
  count.setAttribute("role", "status");
  label.append(field, count);
  list.before(label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      const names = namesOf(entry);
      entry.hidden = !words.every((word) => names.includes(word));
    }
    const shown = entries.filter((entry) => !entry.hidden).length;
    count.textContent = words.length === 0 ? "" : ` ${shown} of ${entries.length}`;
  });
}

/** Puts a button below `list`, a long table, that draws all of its `rows`. */
function makeWhole(list, rows) {
  const button = element("button", "draws-all", `Show all ${rows} rows`);
  button.type = "button";
  button.addEventListener("click", () => {
    list.classList.add("whole");
    button.remove();
    list.focus();
  });
  list.after(button);
}

for (const table of document.querySelectorAll("table")) if (table.tHead) makeSortable(table);
for (const list of document.querySelectorAll(".tall")) {
  const entries = [...list.querySelectorAll("tbody tr, .plain > li")];
  if (entries.length >= MANY) makeFilter(list, entries, list.getAttribute("aria-label"));
  const rows = list.querySelectorAll("tbody tr").length;
  if (rows > DRAWN) makeWhole(list, rows);
}

/** Loads the page again while its run is played, unless a reader wants to read it as it is; the address keeps that. */
function renew(section) {
  const label = element("label", "filter");
  const box = element("input", "");
  box.type = "checkbox";
  box.checked = location.hash === "#stay";
  label.append(box, " Keep the page as it is");
  section.append(label);
  box.addEventListener("change", () => { location.hash = box.checked ? "#stay" : "#live"; });
  setInterval(() => { if (!box.checked) location.reload(); }, 1000 * Number(section.dataset.every));
}

const live = document.getElementById("live");
if (live) renew(live);
