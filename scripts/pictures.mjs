#!/usr/bin/env node
// Takes the pictures of README and guide: the replay page, the terminal player and the report, as they really look.
//
//     cargo build --release && (cd tests/browser && npm ci) && node scripts/pictures.mjs
//
// Needs chromium, tmux, pngquant and python3. The release build may be elsewhere: CARGO_TARGET_DIR.
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
async function take(name, url, options, prepare = async () => {}, selector = null) {
  const raw = join(work, `${name}.png`);
  await withPage(url, { viewport: { width: 1240, height: 812 }, ...options }, async (page) => {
    await prepare(page);
    const subject = selector === null ? page : page.locator(selector);
    await subject.screenshot({ path: raw });
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

const sleep = (seconds) => execFileSync("sleep", [String(seconds)]);

/** What the player shows in a terminal, with its colours, after some keys. */
function screenOf(log, ...keys) {
  const socket = `pictures-${process.pid}`;
  const tmux = (...args) => execFileSync("tmux", ["-f", "/dev/null", "-u", "-L", socket, ...args], { encoding: "utf8" });
  const command = `COLORTERM=truecolor '${program}' replay '${log}' --watch`;
  tmux("new-session", "-d", "-x", "80", "-y", "24", command);
  sleep(0.7);
  tmux("send-keys", ...keys);
  sleep(0.5);
  const screen = tmux("capture-pane", "-p", "-e");
  tmux("kill-server");
  return screen;
}

/** Text with the escape sequences that the player uses, as HTML. */
function toHtml(screen) {
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  let style = {};
  const spans = screen.split(/(\x1b\[[0-9;]*m)/).map((part) => {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part);
    if (!codes) {
      const [ink, back] = style.reverse ? [style.back ?? "#14171b", style.ink ?? "#e9e7e2"] : [style.ink, style.back];
      const css = [ink && `color:${ink}`, back && `background:${back}`, style.bold && "font-weight:700"].filter(Boolean);
      return `<span style="${css.join(";")}">${escape(part)}</span>`;
    }
    style = restyle(style, codes[1].split(";").map(Number));
    return "";
  });
  return `<!doctype html><meta charset="utf-8"><title>player</title>
    <style>body{margin:0;background:#14171b}pre{margin:0;padding:14px 18px;display:inline-block;background:#14171b;color:#e9e7e2;
    font:15px/18px "DejaVu Sans Mono",monospace}</style><pre>${spans.join("")}</pre>`;
}

const SIXTEEN = ["#000", "#ff8f85", "#6fd3a5", "#e6c04a", "#7aa2ff", "#cc79a7", "#56b4e9", "#e9e7e2"];

function restyle(before, codes) {
  const style = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 1) style.bold = true;
    else if (code === 7) style.reverse = true;
    else if ((code === 38 || code === 48) && codes[at + 1] === 2) {
      style[code === 38 ? "ink" : "back"] = `rgb(${codes.slice(at + 2, at + 5).join(",")})`;
      at += 4;
    } else if ((code === 38 || code === 48) && codes[at + 1] === 5) {
      style[code === 38 ? "ink" : "back"] = codes[at + 2] === 15 ? "#fff" : SIXTEEN[codes[at + 2] % 8];
      at += 2;
    } else if (code === 39) delete style.ink;
    else if (code === 49) delete style.back;
    else if (code >= 30 && code < 38) style.ink = SIXTEEN[code - 30];
    else if (code >= 40 && code < 48) style.back = SIXTEEN[code - 40];
    else if (code >= 90 && code < 98) style.ink = SIXTEEN[code - 90];
    else if (code >= 100 && code < 108) style.back = SIXTEEN[code - 100];
  }
  return style;
}

mkdirSync(pictures, { recursive: true });
const samegame = pageOf("samegame", "--seed", "7", "--bot", "python3 example-bots/python/greedy.py");
await take("page", `${samegame.url}#turn=6`, {});
const squares = pageOf("squares", "--game", "square-remover", "--seed", "1");
await take("page-square-remover", `${squares.url}#turn=1004`, { colorScheme: "dark" }, (page) => page.selectOption("#look", "shapes"));
const player = join(work, "player.html");
writeFileSync(player, toHtml(screenOf(samegame.log, "6", "Enter")));
await take("player", pathToFileURL(player).href, {}, undefined, "pre");
for (const [run, bot] of [["old", "@first"], ["new", "@greedy"]]) {
  elsewhere(work, "suite", "--bot", bot, "--seed", "1..80", "--logs", "all", "--records", "best.toml", "--run", run);
}
refereeIn(work, "report", "old", "new", "--html", "report.html", "--records", "best.toml", "--games");
const report = join(work, "report.html");
await take("report", pathToFileURL(report).href, { viewport: { width: 960, height: 1100 } });
rmSync(work, { recursive: true });
await browser.close();
for (const name of ["page", "page-square-remover", "player", "report"]) {
  console.log(`${name}.png  ${readFileSync(join(pictures, `${name}.png`)).length} bytes`);
}
