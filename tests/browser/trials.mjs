// What a reader does with a replay page: trying moves, and going by the list of moves.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { cells, position, saved, shownScore, text } from "./looks.mjs";

/** The middle of a place of the board, in pixels from its corner. */
async function middle(page, place) {
  const box = await page.locator(".board").boundingBox();
  const columns = Number(await page.locator(".board").evaluate((board) => board.style.getPropertyValue("--columns")));
  const each = box.width / columns;
  return { x: ((place % columns) + 0.5) * each, y: (Math.floor(place / columns) + 0.5) * each };
}

/** How many tiles the outline is around: the area that its path encloses, by sides of tiles. */
const outlined = (page) => page.locator(".outline .over").evaluate((path) => {
  const sides = [...path.getAttribute("d").matchAll(/M(\d+) (\d+)v1/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const rows = Map.groupBy(sides, ([, y]) => y);
  return [...rows.values()].map((row) => row.map(([x]) => x).sort((one, other) => one - other))
    .reduce((area, xs) => area + xs.reduce((sum, x, index) => sum + (index % 2 ? x : -x), 0), 0);
});

const settled = (page) => page.waitForSelector(".board[aria-busy=false]");

async function assertTried(page, { after, score, game, lines }, count, end) {
  await settled(page);
  assert.deepEqual(await cells(page), after);
  assert.match(await text(page, ".trial h3"), new RegExp(`^What if: ${count} moves? instead of turn \\d+$`));
  const words = await text(page, ".trial .words");
  assert.ok(words.startsWith(`${score} points. `), words);
  assert.ok(words.endsWith(`The game has ${game} after as many moves and ${end} at its end.`), words);
  assert.equal(await page.locator(".trial textarea").inputValue(), lines);
  assert.equal(await shownScore(page), score);
  assert.match(await text(page, ".what"), / takes \d+ of colour \d, \+\d+$/);
  const left = await page.locator(".left li").allInnerTexts();
  assert.equal(left.reduce((sum, count) => sum + Number(count), 0), after.filter((color) => color >= 0).length);
}

async function assertBack(page, turn, board) {
  assert.equal(await position(page), `Turn ${turn}`);
  assert.deepEqual(await cells(page), board);
  assert.equal(await text(page, ".trial h3"), "What if");
}

const listTop = (page) => page.locator(".list").evaluate((list) => list.getBoundingClientRect().top);

/** From two moves on, shown: these and the three are kept by name and address, over a reload, until they are forgotten. */
async function assertKept(page, { url, turn, places, steps, end }) {
  await page.click(".trial .keep");
  assert.ok(await page.locator(".trial .keep").isDisabled(), "it is kept");
  await page.locator(".board").click({ position: await middle(page, places[2]) });
  await page.click(".trial .keep");
  const [two, three] = [2, 3].map((count) => `${turn}-${places.slice(0, count).join(".")}`);
  assert.equal(new URL(page.url()).hash, `#turn=${turn}&try=${places.join(".")}&kept=${two}_${three}`);
  await page.goto(`${url}#turn=1&kept=${two}_${three}`);
  await page.reload();
  const names = [1, 2].map((at) => `${"AB"[at - 1]}: ${steps[at].score} with ${at + 1} moves instead of turn ${turn}`);
  assert.deepEqual(await page.locator(".kept a").allInnerTexts(), names);
  const best = steps.slice(1).reduce((best, step) => (step.score > best ? step.score : best), -Infinity);
  assert.match(await text(page, ".trial .best a"), new RegExp(`: ${best} with .* \\(the game: ${end}\\)$`));
  await page.click(".kept a");
  await assertTried(page, steps[1], 2, end);
  await page.click(".kept button");
  assert.deepEqual(await page.locator(".kept a").allInnerTexts(), [names[1].replace("B", "A")]);
  assert.ok(new URL(page.url()).hash.endsWith(`&kept=${three}`), page.url());
}

export default {
  /** A region is outlined; clicks, and Enter, try moves, and nothing else moves; Undo, Escape and stepping lead back. */
  async tries({ url, turn, board, steps, end }) {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage(`${url}#turn=${turn}`, { permissions }, async (page) => {
      const top = await listTop(page);
      for (const [index, step] of steps.entries()) {
        const position = await middle(page, step.place);
        await page.locator(".board").hover({ position });
        assert.equal(await outlined(page), step.size);
        assert.ok((await text(page, "#tip")).endsWith(`${step.size} tiles, would score ${step.points}`));
        await page.locator(".board").click({ position });
        await assertTried(page, step, index + 1, end);
      }
      assert.equal(await listTop(page), top);
      assert.deepEqual(await saved(page), { name: `samegame-turn-${turn}.png`, wrong: 0 });
      await page.click(".trial .copy");
      await page.waitForFunction(() => document.querySelector(".copied").textContent === "copied");
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), steps.at(-1).lines);
      await page.click(".trial .undo");
      await assertTried(page, steps.at(-2), steps.length - 1, end);
      await page.keyboard.press("Backspace");
      await assertTried(page, steps[0], 1, end);
      await page.keyboard.press("Backspace");
      await assertBack(page, turn, board);
      await page.locator(".board").focus();
      for (let row = 14; row > Math.floor(steps[0].place / 15); row -= 1) await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      for (let column = 0; column < steps[0].place % 15; column += 1) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await assertTried(page, steps[0], 1, end);
      await page.keyboard.press("Escape");
      await assertBack(page, turn, board);
      await page.locator(".board").click({ position: await middle(page, steps[0].place) });
      await page.click(".trial .leave");
      await assertBack(page, turn, board);
      await page.locator(".board").click({ position: await middle(page, steps[0].place) });
      await page.click("#forward");
      assert.equal(await position(page), `Turn ${turn + 1}`);
      assert.equal(await text(page, ".trial h3"), "What if");
    });
  },

  /** What was tried is kept: after a step away, a reload, and as the best; what was taken back can be taken again. */
  async keeps_tries({ url, turn, board, steps, end }) {
    const places = steps.map((step) => step.place);
    await withPage(`${url}#turn=${turn}&try=${places.join(".")}`, {}, async (page) => {
      await assertTried(page, steps.at(-1), steps.length, end);
      await page.keyboard.press("ArrowRight");
      assert.equal(await text(page, ".trial h3"), "What if");
      await page.keyboard.press("r");
      await assertTried(page, steps.at(-1), steps.length, end);
      for (const _ of steps) await page.keyboard.press("Backspace");
      await assertBack(page, turn, board);
      for (const [index, step] of steps.slice(0, 2).entries()) {
        await page.click(".trial .redo");
        await assertTried(page, step, index + 1, end);
      }
      assert.equal(new URL(page.url()).hash, `#turn=${turn}&try=${places.slice(0, 2).join(".")}`);
      await page.reload();
      await assertTried(page, steps[1], 2, end);
      await page.click(".trial .best a");
      await assertTried(page, steps[1], 2, end);
      await assertKept(page, { url, turn, places, steps, end });
      await page.goto(`${url}#turn=${turn}&try=x.-1.999&kept=_x-1_${turn}-x.-1_${turn}-`);
      await assertBack(page, turn, board);
      assert.equal(await page.locator(".kept li").count(), 0);
    });
  },

  /** On a touch screen the first tap shows a region and the second one takes it. */
  async tries_by_touch({ url, turn, board, steps, end }) {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await withPage(`${url}#turn=${turn}`, phone, async (page) => {
      const position = await middle(page, steps[0].place);
      await page.locator(".board").tap({ position });
      assert.equal(await outlined(page), steps[0].size);
      await assertBack(page, turn, board);
      await page.locator(".board").tap({ position });
      await assertTried(page, steps[0], 1, end);
    });
  },

  /** Each number stands next to the middle of its row or below or above its column. */
  async has_axes({ url, firstRow, lastRow }) {
    await withPage(url, {}, async (page) => {
      const board = await page.locator(".board").boundingBox();
      for (const [axis, side, room] of [["rows", "y", "height"], ["columns", "x", "width"]]) {
        const labels = page.locator(`.axis.${axis} span`);
        const count = await labels.count();
        const [first, last] = axis === "rows" ? [firstRow, lastRow] : [0, count - 1];
        assert.equal(await labels.first().innerText(), String(first));
        assert.equal(await labels.last().innerText(), String(last));
        for (const index of [0, count - 1]) {
          const box = await labels.nth(index).boundingBox();
          const wanted = board[side] + ((index + 0.5) / count) * board[room];
          assert.ok(Math.abs(box[side] + box[room] / 2 - wanted) < 4, `${axis} ${index}: ${box[side]} ${wanted}`);
        }
      }
    });
  },

  /** The list has every move and the end, marks where the game is, and leads to a move. */
  async lists({ url, last, rows, far }) {
    await withPage(`${url}#turn=1`, {}, async (page) => {
      const shown = () => page.locator(".list .row").evaluateAll((all) =>
        all.map((row) => [".number", ".does", ".points"].map((part) => row.querySelector(part).textContent)));
      assert.deepEqual((await shown()).slice(0, rows.length), rows);
      assert.match(await text(page, ".list .row .time"), /^[\d.]+ (µs|ms|s)$/);
      await page.locator(".list .row").nth(1).click();
      assert.equal(await position(page), "Turn 2");
      assert.equal(new URL(page.url()).hash, "#turn=2");
      await page.evaluate((turn) => { location.hash = `#turn=${turn}`; }, far[0]);
      await page.waitForFunction((turn) => document.querySelector("[aria-selected=true] .number")?.textContent === turn, far[0]);
      assert.deepEqual((await shown()).filter(([number]) => number === far[0]), [far]);
      assert.ok(await page.locator(".list").evaluate((list) => {
        const [room, row] = [list, list.querySelector("[aria-selected=true]")].map((it) => it.getBoundingClientRect());
        return row.top >= room.top && row.bottom <= room.bottom;
      }), "the marked row is in sight");
      await page.locator(".list").focus();
      await page.keyboard.press("ArrowDown");
      assert.equal(await position(page), `Turn ${Number(far[0]) + 1}`);
      await page.keyboard.press("End");
      assert.equal(await text(page, ".list [aria-selected=true] .number"), "end");
      assert.equal(await page.locator(".list [aria-selected=true]").getAttribute("aria-setsize"), String(last + 1));
    });
  },

  /** Of ten thousand moves only those in sight are elements; a move is shown as the bot wrote it. */
  async lists_many({ url, move, triple }) {
    await withPage(`${url}#turn=${move}`, {}, async (page) => {
      assert.ok((await page.locator(".list .row").count()) < 40);
      assert.equal(await text(page, ".notation"), triple);
      assert.equal(await text(page, ".list [aria-selected=true] .does"), triple);
    });
  },

  /** A lost game opens where it was lost, and says why. */
  async fails({ url, position: wanted, diagnosis }) {
    await withPage(url, {}, async (page) => {
      assert.equal(await position(page), wanted);
      assert.equal(await text(page, ".diagnosis"), diagnosis);
      assert.ok(await page.locator(".diagnosis").isVisible());
      assert.ok(await page.locator(".row.bad[aria-selected=true]").isVisible());
      await page.keyboard.press("Home");
      assert.equal(await position(page), "Turn 1");
      assert.ok(!(await page.locator(".diagnosis").isVisible()));
    });
  },

  /** What a bot says of itself: the values of a turn, and a line for each name that has numbers. */
  async says({ url, turn, values, labels, turns, atEnd }) {
    await withPage(`${url}#turn=${turn}`, {}, async (page) => {
      const parts = await page.locator(".said .part").evaluateAll((all) =>
        all.map((part) => [part.querySelector("p").textContent, part.querySelectorAll(".score-line").length]));
      assert.deepEqual(parts, values);
      assert.deepEqual(await page.locator(".said .label").allInnerTexts(), labels);
      const line = await page.locator(".said .score-line").getAttribute("d");
      assert.equal(line.match(/[ML]/g).length, turns);
      const box = await page.locator(".said svg").boundingBox();
      await page.mouse.click(box.x + 1, box.y + box.height / 2);
      assert.equal(await position(page), "Turn 1");
      await page.keyboard.press("End");
      assert.equal(await text(page, ".said .part p"), atEnd);
    });
  },

  /** Two bots have their lines on one scale, and each can be laid over the other's. */
  async says_both({ url, labels }) {
    await withPage(url, {}, async (page) => {
      assert.deepEqual(await page.locator(".said .label").allInnerTexts(), [...labels, ...labels]);
      const paths = async (kind) => page.locator(`.said ${kind}`).evaluateAll((all) => all.map((path) => path.getAttribute("d")));
      assert.deepEqual(await paths(".other"), (await paths(".score-line")).reverse());
    });
  },

  async says_nothing({ url }) {
    await withPage(url, {}, async (page) => assert.equal(await page.locator(".said:visible").count(), 0));
  },
};
