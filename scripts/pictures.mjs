#!/usr/bin/env node
// Takes the pictures of README and guide: the replay page and the report, as they really look.
//
//     cargo build --release && (cd tests/browser && npm ci) && node scripts/pictures.mjs
//
// Needs chromium, pngquant and python3. The release build may be elsewhere: CARGO_TARGET_DIR.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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
for (const name of ["page", "page-square-remover", "report"]) {
  console.log(`${name}.png  ${readFileSync(join(pictures, `${name}.png`)).length} bytes`);
}
