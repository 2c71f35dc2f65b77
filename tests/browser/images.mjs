// Images in SVG, as a browser draws them.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { within } from "./looks.mjs";

/** The steps of an animation that are in sight, by index. */
const inSight = (page) => page.evaluate(() => [...document.querySelectorAll(".step")]
  .flatMap((step, index) => (getComputedStyle(step).visibility === "visible" ? [index] : [])));

export default {
  /** It has colours for light and dark surroundings, its words, and nothing beyond its edges. */
  async draws({ url, words }) {
    const papers = [];
    for (const colorScheme of ["light", "dark"]) {
      await withPage(url, { colorScheme }, async (page) => {
        papers.push(await page.locator(".paper").evaluate((it) => getComputedStyle(it).fill));
        const shown = (await page.locator("text").allTextContents()).join("\n");
        for (const wanted of words) assert.ok(shown.includes(wanted), `${wanted}: ${shown}`);
        assert.ok(await within(page, "svg"), "nothing is cut off");
      });
    }
    assert.notEqual(papers[0], papers[1]);
  },

  /** Each step is shown alone for `seconds`, the last one for `last`; where motion is unwanted only the last one is. */
  async moves({ url, steps, seconds, last }) {
    const end = seconds * (steps - 1);
    const moments = [[0, 0.5 * seconds], [1, 1.5 * seconds], [steps - 2, end - 0.1], [steps - 1, end + 0.1], [steps - 1, end + last - 0.1], [0, end + last + 0.1]];
    await withPage(url, {}, async (page) => {
      for (const [step, moment] of moments) {
        await page.evaluate((ms) => document.getAnimations().forEach((it) => { it.pause(); it.currentTime = ms; }), 1000 * moment);
        assert.deepEqual(await inSight(page), [step], `after ${moment} s`);
      }
    });
    await withPage(url, { reducedMotion: "reduce" }, async (page) => assert.deepEqual(await inSight(page), [steps - 1]));
  },
};
