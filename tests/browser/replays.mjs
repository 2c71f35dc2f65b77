// Replay pages.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { text, position, until, cells, shownScore, assertEnd, fullSpeed } from "./looks.mjs";

export default {
  /** A game of one answer opens at its result, without what only other games have. */
  async one_answer({ url, score, told }) {
    await withPage(url, {}, async (page) => {
      await until(page, "End");
      assert.equal(await shownScore(page), score);
      assert.ok((await text(page, ".result .summary")).includes(`score ${score}`));
      assert.equal((await text(page, ".told")).trim(), told);
      for (const absent of [".scores", "#tiles-key"]) assert.ok(await page.locator(absent).isHidden(), absent);
    });
  },

  /** A turn by its address; the end by key; from start to end with keys, and with the mouse. */
  async plays({ url, turn, board, picked, scoreBefore, end }) {
    await withPage(`${url}#turn=${turn}`, {}, async (page) => {
      assert.match(await position(page), new RegExp(`^(Turn|Move) ${turn}$`));
      assert.deepEqual(await cells(page), board);
      assert.equal(await shownScore(page), scoreBefore);
      assert.equal(await page.locator(".tile.picked").count(), picked);
      assert.equal(await page.locator(".tile.chosen").count(), 1);
      await page.keyboard.press("End");
      await assertEnd(page, end);
      assert.equal(new URL(page.url()).hash, "#turn=end");
      await page.keyboard.press("Home");
      assert.equal(await page.locator("#scrubber").inputValue(), "0");
      await fullSpeed(page);
      await page.keyboard.press(" ");
      await until(page, "End");
      await assertEnd(page, end);
      await page.click("#first");
      await page.click("#forward");
      assert.equal(await page.locator("#scrubber").inputValue(), "1");
      await page.click("#back");
      // Keys have played all of it.
      const scrubber = page.locator("#scrubber");
      await scrubber.fill(String(Number(await scrubber.getAttribute("max")) - 9));
      await page.click("#play");
      await until(page, "End");
      await assertEnd(page, end);
      await page.click("#first");
      const track = await page.locator("#scrubber").boundingBox();
      await page.mouse.click(track.x + track.width - 2, track.y + track.height / 2);
      await assertEnd(page, end);
    });
  },

  /** Every turn, there and back, has the board of the rules, and so it has after each animation. */
  async boards({ url, boards }) {
    await withPage(url, {}, async (page) => {
      for (const [index, board] of boards.entries()) {
        if (index > 0) await page.keyboard.press("ArrowRight");
        await page.waitForSelector(".board[aria-busy=false]");
        assert.deepEqual(await cells(page), board, `board ${index} forwards`);
      }
      for (let index = boards.length - 2; index >= 0; index -= 1) {
        await page.keyboard.press("ArrowLeft");
        assert.deepEqual(await cells(page), boards[index], `board ${index} backwards`);
      }
    });
  },

  /** What stands next to the board in one turn. */
  async tells({ url, expected }) {
    await withPage(url, {}, async (page) => {
      for (const [selector, wanted] of Object.entries(expected)) {
        assert.equal(await text(page, selector), wanted, selector);
      }
    });
  },

  /** A game without a picture: what its bot was sent, next to what it answered, in a turn and at the end. */
  async shows_texts({ url, turn, end, good }) {
    await withPage(`${url}#turn=1`, {}, async (page) => {
      const texts = async () => {
        for (const [selector, wanted] of Object.entries(turn)) {
          assert.equal(await page.locator(selector).first().textContent(), wanted, selector);
        }
      };
      await texts();
      assert.equal(await page.locator(".frame:visible, .left:visible, .reply:visible, #look:visible").count(), 0);
      const [sent, answer] = await Promise.all([".sent", ".answer"].map((name) => page.locator(name).boundingBox()));
      assert.equal(sent.y, answer.y);
      assert.ok(sent.x + sent.width <= answer.x, "one next to the other");
      await page.keyboard.press("End");
      assert.equal(await text(page, ".score"), end);
      assert.equal(await page.locator(".verdict.good").count(), good ? 1 : 0);
      assert.equal(await page.locator(".sent").textContent(), turn[".sent"]);
    });
  },

  /** A late turn stands out in its chart and says whose fault it was. */
  async is_late({ url, culprit }) {
    await withPage(url, {}, async (page) => {
      assert.match(await text(page, ".lateness"), new RegExp(`^Late through the fault of the ${culprit} \\(.+\\): a timeout\\.$`));
      assert.equal(await page.locator(".times .bar.late").count(), 1);
      assert.equal(await page.locator(`.times .bar.${culprit}`).count(), 1);
      assert.match(await text(page, ".times .scale"), / 1 late /);
    });
  },

  /** A game that is not as its log says is shown as the rules have it, and says so. */
  async differs({ url, note, score }) {
    await withPage(`${url}#turn=end`, {}, async (page) => {
      assert.equal(await text(page, ".note"), note);
      assert.equal(await shownScore(page), score);
    });
  },

  /** Tooltips by pointer and by keys, shapes and digits, and names for those who cannot see. */
  async helps({ url, tip, firstTip }) {
    await withPage(url, {}, async (page) => {
      const box = await page.locator(".board").boundingBox();
      await page.mouse.move(box.x + box.width / 30, box.y + box.height - box.height / 30);
      assert.equal(await text(page, "#tip"), tip);
      await page.mouse.move(5, 5);
      assert.ok(!(await page.locator("#tip").isVisible()));
      await page.keyboard.press("Tab");
      await page.keyboard.press("ArrowUp");
      assert.equal(await text(page, "#tip"), firstTip);
      assert.equal(await page.locator("#live").innerText(), firstTip.replaceAll("\n", ", "));
      await page.keyboard.press("Tab");
      const glyph = () => page.locator(".board .c0 b").first().evaluate((tile) => getComputedStyle(tile, "::before").content);
      assert.equal(await glyph(), "none");
      await page.selectOption("#look", "shapes");
      assert.equal(await glyph(), '"●"');
      await page.selectOption("#look", "digits");
      assert.equal(await glyph(), '"0"');
      await page.locator("#play").focus();
      await page.keyboard.press("ArrowRight");
      assert.match(await page.locator("#live").innerText(), /^Turn 2\. .* Score \d+\.$/);
      for (const control of await page.locator("button:visible, input:visible, select:visible").all()) {
        const name = await control.evaluate((it) => it.ariaLabel ?? (it.labels?.[0]?.textContent || it.textContent));
        assert.ok(name.trim() !== "", await control.evaluate((it) => it.outerHTML));
      }
    });
  },

  /** What screen readers say: one sentence for a position, nothing while scrubbing, and why a tile stays. */
  async says_aloud({ url, lone }) {
    await withPage(url, {}, async (page) => {
      const heard = () => page.locator("#live").textContent();
      await page.keyboard.press("End");
      assert.match(await heard(), /^End\. [^.]+\. [^.]* score of \d+\.$/);
      const before = await heard();
      await page.locator("#scrubber").fill("2");
      assert.equal(await position(page), "Turn 3");
      assert.equal(await heard(), before);
      await page.keyboard.press("Home");
      await page.locator(".board").focus();
      for (const key of lone) await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      assert.equal(await heard(), "This tile is alone and cannot be taken.");
    });
  },

  /** Tiles beyond the sixth colour are seen as well, each with what is written on it. */
  async shows_labels({ url, labels }) {
    await withPage(url, {}, async (page) => {
      await page.keyboard.press("End");
      const tiles = await page.locator(".board .tile b").evaluateAll((all) => all.map((it) => {
        const [face, text] = [getComputedStyle(it), getComputedStyle(it, "::before")];
        return [text.content, face.backgroundColor !== "rgba(0, 0, 0, 0)" && it.getBoundingClientRect().width > 9];
      }));
      for (const label of labels) assert.ok(tiles.some(([text, isSeen]) => text === `"${label}"` && isSeen), `${label}: ${JSON.stringify(tiles)}`);
      assert.ok(tiles.every(([, isSeen]) => isSeen), JSON.stringify(tiles));
    });
  },

  /** What the judge has drawn comes first: a picture, or else a large link. */
  async shows_drawing({ url, isPicture }) {
    await withPage(url, {}, async (page) => {
      const card = page.locator(".cards > .card").first();
      assert.equal(await card.locator("h3").innerText(), "Drawn by the judge");
      const link = card.locator("a[href$='/vis.html']");
      const found = await link.evaluate((it) => [it.querySelector("img")?.naturalWidth > 0, parseFloat(getComputedStyle(it).fontSize) >= 20]);
      assert.deepEqual(found, [isPicture, !isPicture]);
    });
  },

  /** On paper, and in the few colours that a reader has chosen, tiles have shapes. */
  async shows_shapes({ url }) {
    await withPage(url, { colorScheme: "dark" }, async (page) => {
      const tile = () => page.locator(".board .c0 b").first().evaluate((it) => [getComputedStyle(it, "::before").content, getComputedStyle(it).borderWidth]);
      assert.deepEqual(await tile(), ["none", "0px"]);
      for (const media of [{ media: "print" }, { media: "screen", forcedColors: "active" }]) {
        await page.emulateMedia(media);
        assert.deepEqual(await tile(), ['"●"', "1px"], JSON.stringify(media));
      }
      await page.emulateMedia({ media: "print", forcedColors: "none" });
      assert.ok(!(await page.locator(".deck").isVisible()));
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--card")), "#fffdfa");
    });
  },

  /** A phone on its side shows the whole board above one line that plays the game. */
  async lies_on_its_side({ url }) {
    await withPage(url, { viewport: { width: 844, height: 390 }, hasTouch: true }, async (page) => {
      await page.locator(".frame").evaluate((it) => scrollTo(0, scrollY + it.getBoundingClientRect().top));
      const [board, bar] = await Promise.all([".frame", ".transport"].map((part) => page.locator(part).boundingBox()));
      assert.ok(board.y >= -1 && board.y + board.height <= bar.y, JSON.stringify([board, bar]));
      assert.ok(bar.height <= 60 && bar.y + bar.height <= 391, JSON.stringify(bar));
      const lowest = [board.x + board.width / 2, board.y + board.height - 12];
      assert.ok(await page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest(".frame") !== null, lowest), "nothing covers it");
    });
  },

  /** A name of hundreds of characters takes two lines, and labels stand next to what they name. */
  async stays_short({ url }) {
    await withPage(url, { viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
      for (const name of ["h1", ".bot"]) assert.ok((await page.locator(name).boundingBox()).height <= 60, name);
      const over = await page.locator(".chart").evaluateAll((all) => all.filter((chart) => {
        const labels = [...chart.querySelectorAll(".label")].map((label) => label.getBoundingClientRect().left);
        return labels.some((left) => left < chart.querySelector("svg").getBoundingClientRect().right);
      }).length);
      assert.equal(over, 0);
    });
  },

  /** Only the moves that bring squares, when asked for. */
  async squares({ url, gains }) {
    await withPage(url, {}, async (page) => {
      for (const number of gains) {
        await page.keyboard.press("n");
        assert.equal(await position(page), `Move ${number}`);
      }
      await page.click("#first");
      await page.check("#skip");
      await fullSpeed(page);
      await page.click("#play");
      await until(page, "End");
    });
  },

  /** Two games side by side, in step, from their first difference on. */
  async compares({ url, differs, bots, boards, scores }) {
    await withPage(url, {}, async (page) => {
      assert.equal(await position(page), `Turn ${differs}`);
      for (const [index, bot] of bots.entries()) assert.equal(await text(page, ".bot", index), bot);
      for (const [index, board] of boards.entries()) assert.deepEqual(await cells(page, index), board);
      await page.keyboard.press("End");
      for (const [index, wanted] of scores.entries()) assert.equal(await shownScore(page, index), wanted);
      await page.click("#differs");
      assert.equal(await position(page), `Turn ${differs}`);
    });
  },

  /** Nothing that a bot or a log says does anything but show. */
  async inert({ url, turns, shown }) {
    await withPage(url, {}, async (page) => {
      for (let turn = 0; turn <= turns; turn += 1) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Home");
      const state = await page.evaluate(() => ({
        ran: window.ran ?? null,
        elements: document.querySelectorAll("img, iframe, object, embed, form, body script[type=module]").length,
        links: [...document.links].filter((link) => !link.getAttribute("href").startsWith("#")).length,
        obeyed: /[\0-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.textContent),
      }));
      assert.deepEqual(state, { ran: null, elements: 1, links: 0, obeyed: false });
      for (const [selector, wanted] of Object.entries(shown)) {
        assert.ok((await text(page, selector)).includes(wanted), `${selector}: ${await text(page, selector)}`);
      }
    });
  },

  /** On a phone nothing is cut off or needs scrolling sideways. */
  async phone({ url }) {
    await withPage(url, { viewport: { width: 360, height: 740 }, hasTouch: true }, async (page) => {
      await page.keyboard.press("End");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${wide} pixels wide`);
      await page.locator(".board").tap({ position: { x: 12, y: 300 } });
      assert.ok(await page.locator("#tip").isVisible());
    });
  },

  /** How long a page takes until its first board stands there, in milliseconds. */
  async opens({ url }) {
    return withPage(url, {}, async (page) => {
      assert.ok((await page.locator(".board .tile").count()) > 0);
      return Math.round(await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart));
    });
  },
};
