#!/usr/bin/env node
// Measures in a real browser how large and how quick the pages are: the report on 2,000 games with their replays, and a game of
// 10,000 moves that is scrubbed through. Each time is the median of some tries; run it on a quiet machine.
//
//     cargo build --release && (cd tests/browser && npm ci) && node scripts/page-speeds.mjs [BOARDS]
//
// Needs chromium. The release build may be elsewhere: CARGO_TARGET_DIR. BOARDS is half the number of games.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, withPage } from "../tests/browser/browser.mjs";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(process.env.CARGO_TARGET_DIR ?? join(top, "target"), "release", "referee");
const boards = Number(process.argv[2] ?? 1000);
const TRIES = 7;
const work = mkdtempSync(join(tmpdir(), "page-speeds-"));

function referee(...args) {
  try {
    execFileSync(program, args, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
  } catch (error) {
    // A lost game is as good.
    if (error.status !== 1) throw error;
  }
}

function quantile(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

function tell(what, measured, asked) {
  console.log(`${what.padEnd(58)} ${measured.padStart(14)}   asked: ${asked}`);
}

const told = (values, unit = "ms") => `${quantile(values, 0.5).toFixed(1)} ${unit}`;

/** From the start of the navigation until the page has been drawn. */
const untilDrawn = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(() => done(performance.now())));
}));

/** The time of each load. A context of its own each time, so that nothing is cached. */
async function loads(url, ready = async () => {}) {
  const times = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    await withPage(url, {}, async (page) => {
      await ready(page);
      times.push(await untilDrawn(page));
    });
  }
  return times;
}

/** From a click on each heading of a table, which is in sight, until the page has been drawn. */
const sorts = (page, section) => page.evaluate(async (selector) => {
  const times = [];
  document.querySelector(selector).scrollIntoView();
  await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  for (const button of document.querySelectorAll(`${selector} thead button`)) {
    const start = performance.now();
    button.click();
    await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
    times.push(performance.now() - start);
  }
  return times;
}, section);

/** For positions all over a game: the script and the layout that a step of the scrubber takes, and until it has been drawn. */
const scrubs = (page) => page.evaluate(async () => {
  const scrubber = document.querySelector("#scrubber");
  const [worked, drawn] = [[], []];
  const last = Number(scrubber.max);
  for (let step = 0; step < 300; step += 1) {
    scrubber.value = Math.round((last * ((step * 7919) % 300)) / 299);
    const start = performance.now();
    scrubber.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    worked.push(performance.now() - start);
    await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
    drawn.push(performance.now() - start);
  }
  return { worked, drawn, last };
});

referee("suite", "--bot", "@greedy", "--bot", "@random", "--seed", `1..${boards}`, "--logs", "all", "--run", "run");
referee("report", "run", "--html", "report.html", "--games");
const sizes = readdirSync(work).filter((name) => name.endsWith(".html")).map((name) => statSync(join(work, name)).size);
const games = readFileSync(join(work, "report-games.html"), "utf8").match(/"film":"/g).length;
const url = pathToFileURL(join(work, "report.html")).href;
const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
tell(`report of ${2 * boards} games and ${games} replays, ${sizes.length} files`, `${megabytes.toFixed(1)} MB`, "at most 20 MB");
tell("  the report is loaded and drawn", told(await loads(url)), "1000 ms");
const replay = (page) => page.waitForSelector(".game");
tell("  the games are loaded, and one is drawn", told(await loads(url.replace(".html", "-games.html"), replay)), "1000 ms");
await withPage(url, {}, async (page) => {
  for (const section of ["#boards", "#games"]) tell(`  ${section.slice(1)} are sorted`, told(await sorts(page, section)), "300 ms");
});
referee("play", "--game", "square-remover", "--seed", "1", "--bot", "@squares-greedy", "--log", "game.jsonl");
referee("replay", "game.jsonl", "--html", "game.html");
await withPage(pathToFileURL(join(work, "game.html")).href, {}, async (page) => {
  const { worked, drawn, last } = await scrubs(page);
  tell(`Square Remover, ${last} moves: a step of the scrubber`, told(worked), "16 ms");
  tell("  99 of 100 steps", `${quantile(worked, 0.99).toFixed(1)} ms`, "-");
  tell("  until it has been drawn", told(drawn), "-");
});
rmSync(work, { recursive: true });
await browser.close();
