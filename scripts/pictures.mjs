#!/usr/bin/env node
// Takes the pictures of README and guide: the replay page and the report, as they really look.
//
//     cargo build --release && (cd tests/browser && npm ci) && node scripts/pictures.mjs
//
// Needs chromium, pngquant and python3. The release build may be elsewhere: CARGO_TARGET_DIR.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, withPage } from "../tests/browser/browser.mjs";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const target = process.env.CARGO_TARGET_DIR ?? join(top, "target");
const program = join(target, "release", "referee");
const pictures = join(top, "docs", "pictures");
const work = mkdtempSync(join(tmpdir(), "pictures-"));

const referee = (...args) => refereeIn(top, ...args);

function refereeIn(cwd, ...args) {
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  } catch (error) {
    // A lost game is as good a picture.
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

/** The same on a machine by another name, which the report shows. */
function elsewhere(cwd, ...args) {
  const rename = 'echo workstation >/proc/sys/kernel/hostname; exec "$0" "$@"';
  const command = ["--user", "--map-root-user", "--uts", "sh", "-c", rename, program, ...args];
  execFileSync("unshare", command, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** A picture of a page, in as few colours as do. */
async function take(name, url, options, prepare = async () => {}) {
  const raw = join(work, `${name}.png`);
  await withPage(url, { viewport: { width: 1240, height: 812 }, ...options }, async (page) => {
    await prepare(page);
    await page.screenshot({ path: raw });
  });
  const small = join(pictures, `${name}.png`);
  execFileSync("pngquant", ["--force", "--strip", "--speed", "1", "--quality", "60-95", "--output", small, raw]);
}

function pageOf(name, ...play) {
  const [log, html] = [join(work, `${name}.jsonl`), join(work, `${name}.html`)];
  referee("play", ...play, "--log", log);
  referee("replay", log, "--html", html);
  return { log, url: pathToFileURL(html).href };
}

mkdirSync(pictures, { recursive: true });
const samegame = pageOf("samegame", "--seed", "7", "--bot", "python3 example-bots/python/greedy.py");
await take("page", `${samegame.url}#turn=6`, {});
// A lost game with its cause: this bot looks at the sixth region of every board, and late in the game there are fewer.
const sample = readFileSync(join(top, "example-bots", "python", "greedy.py"), "utf8");
writeFileSync(join(work, "mybot.py"), sample
  .replace("best, seen = set(), set()", "regions, seen = [], set()")
  .replace(/ {16}if len\(tiles\) > len\(best\):\n {20}best = tiles\n {4}return best/,
    "                regions.append(tiles)\n    return sorted((tiles for tiles in regions if len(tiles) > 1), key=len, reverse=True)")
  .replaceAll("largest_region", "regions_by_size")
  .replace("tiles = regions_by_size(board)", "regions = regions_by_size(board)\n    tiles, spare = regions[0], regions[5]"));
refereeIn(work, "play", "--bot", "python3 mybot.py", "--seed", "7", "--html", "lost.html");
const scrolled = () => document.querySelectorAll("pre").forEach((text) => text.scrollTo(0, text.scrollHeight));
await take("lost", pathToFileURL(join(work, "lost.html")).href, { viewport: { width: 1240, height: 1150 } }, (page) => page.evaluate(scrolled));
const squares = pageOf("squares", "--game", "square-remover", "--seed", "1");
await take("page-square-remover", `${squares.url}#turn=1004`, { colorScheme: "dark" }, (page) => page.selectOption("#look", "shapes"));
for (const [run, bot] of [["old", "@first"], ["new", "@greedy"]]) {
  elsewhere(work, "suite", "--bot", bot, "--seed", "1..80", "--logs", "all", "--records", "best.toml", "--run", run);
}
refereeIn(work, "report", "old", "new", "--html", "report.html", "--records", "best.toml", "--games");
const report = join(work, "report.html");
await take("report", pathToFileURL(report).href, { viewport: { width: 960, height: 1100 } });
rmSync(work, { recursive: true });
await browser.close();
for (const name of ["lost", "page", "page-square-remover", "report"]) {
  console.log(`${name}.png  ${readFileSync(join(pictures, `${name}.png`)).length} bytes`);
}
