// Two games side by side.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { saved, text } from "./looks.mjs";

const tops = (page, selector) =>
  page.locator(selector).evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().top)));

/** Whether all of a selector's elements are in sight. */
const inSight = (page, selector) => page.locator(selector).evaluateAll((all) => all.length > 0 && all.every((it) => {
  const { top, bottom } = it.getBoundingClientRect();
  return top >= 0 && bottom > top && bottom <= innerHeight;
}));

const toBottom = (page) => page.evaluate(() => scrollTo(0, document.body.scrollHeight));

export default {
  /** Scores stay in sight, and charts have one scale and can be laid over each other. */
  async stands_beside({ url, turn, scores, points, turns }) {
    await withPage(`${url}#turn=${turn}`, {}, async (page) => {
      await toBottom(page);
      assert.ok(await inSight(page, ".who .standing"), "scores stay in sight");
      for (const [index, score] of scores.entries()) {
        const ahead = score - scores[1 - index];
        assert.equal(await text(page, ".who .standing", index), ahead > 0 ? `${score} +${ahead}` : String(score));
      }
      for (const [selector, count] of [[".times", turns], [".scores", turns + 1]]) {
        const views = await page.locator(`${selector} svg`).evaluateAll((all) => all.map((svg) => svg.getAttribute("viewBox")));
        assert.deepEqual(views, Array(2).fill(`0 0 ${count} 100`));
        assert.equal(await text(page, `${selector} .label`, 0), await text(page, `${selector} .label`, 1));
      }
      assert.equal(await text(page, ".scores .label"), String(points));
      assert.equal(await page.locator(".chart .other:visible").count(), 0);
      await page.check("#overlay");
      assert.equal(await page.locator(".chart .other:visible").count(), 4);
      const [line, own] = [".chart .other", ".chart .score-line"].map((part) => `.game:nth-of-type(1) .scores ${part}`);
      const path = (selector) => page.locator(selector).getAttribute("d");
      assert.equal(await path(line), await path(own.replace("(1)", "(2)")));
      assert.deepEqual(await saved(page), { name: `samegame-turn-${turn}.png`, wrong: 0 });
    });
  },

  /** On a common screen the figures of both games are above what plays them. */
  async shows_figures({ url }) {
    await withPage(url, { viewport: { width: 1440, height: 900 } }, async (page) => {
      const deck = (await page.locator(".deck").boundingBox()).y;
      const boxes = await Promise.all([0, 1].map((index) => page.locator(".now").nth(index).boundingBox()));
      for (const { y, height } of boxes) assert.ok(y + height <= deck, `${y} ${height} ${deck}`);
    });
  },

  /** Whatever one game says, its figures stand as high as the other's, in every turn. */
  async keeps_level({ url, turns }) {
    await withPage(url, {}, async (page) => {
      await page.keyboard.press("Home");
      for (let step = 0; step <= turns; step += 1) {
        for (const part of [".frame", ".now", ".times", ".moves"]) {
          const [one, other] = await tops(page, part);
          assert.equal(one, other, `${part} in step ${step}`);
        }
        await page.keyboard.press("ArrowRight");
      }
      assert.equal(await text(page, "#position"), "End");
    });
  },

  /** On a phone there is one board, a switch to the other one, and both scores. */
  async switches({ url, turn, scores, bots }) {
    await withPage(`${url}#turn=${turn}`, { viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
      for (const [index, bot] of [...bots.entries(), [0, bots[0]]]) {
        await page.locator("#switch button").nth(index).tap();
        assert.equal(await page.locator(".board:visible").count(), 1);
        assert.equal(await page.locator(".bot:visible").innerText(), bot);
      }
      await toBottom(page);
      assert.ok(await inSight(page, "#switch .standing"), "scores stay in sight");
      for (const [index, score] of scores.entries()) {
        assert.equal((await text(page, "#switch .standing", index)).split(" ")[0], String(score));
      }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    });
  },
};
