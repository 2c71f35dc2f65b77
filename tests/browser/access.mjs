// What axe, the checker of accessibility, says of a page on a screen and on a phone, in light and dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { withPage } from "./browser.mjs";

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Every rule of axe, those for contrast and good practice included. */
async function assertAccessible(page, state) {
  const violations = await page.evaluate(async () => (await axe.run({ resultTypes: ["violations"] })).violations.map(({ id, nodes }) => `${id}: ${nodes.map((it) => it.html).join(" ")}`));
  assert.deepEqual(violations, [], state);
}

export default {
  /** As it opens, and in the state that some keys and then clicks bring about. */
  async accessible({ url, presses = [], clicks = [] }) {
    // So high that nothing is hidden from axe.
    for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
      await withPage(url, { viewport: { width, height: 3000 }, colorScheme }, async (page) => {
        await page.evaluate(AXE);
        const state = (name) => `${name}, ${width} pixels, ${colorScheme}`;
        await assertAccessible(page, state("opened"));
        for (const key of presses) await page.keyboard.press(key);
        for (const selector of clicks) await page.locator(selector).first().click();
        if (presses.length + clicks.length > 0) await assertAccessible(page, state([...presses, ...clicks].join(", ")));
      });
    }
  },
};
