// What a page must show, in a real browser: node check.mjs SCENARIO, with the page's address and what
// is expected of it as JSON on standard input. Fails with a message, or says nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { withPage } from "./browser.mjs";

const text = (page, selector, nth = 0) => page.locator(selector).nth(nth).innerText();
const position = (page) => text(page, "#position");
const until = (page, wanted) =>
  page.waitForFunction((words) => document.querySelector("#position").textContent === words, wanted, { timeout: 60000 });

/** The colours on a board by where its tiles really are on the screen, row by row; -1 is empty. */
function cells(page, nth = 0) {
  return page.locator(".board").nth(nth).evaluate((board) => {
    const { left, top, width, height } = board.getBoundingClientRect();
    const [columns, rows] = ["--columns", "--rows"].map((name) => Number(board.style.getPropertyValue(name)));
    const found = new Array(columns * rows).fill(-1);
    for (const tile of board.querySelectorAll(".tile")) {
      const box = tile.getBoundingClientRect();
      const column = Math.floor(((box.left + box.width / 2 - left) / width) * columns);
      const row = Math.floor(((box.top + box.height / 2 - top) / height) * rows);
      const place = row * columns + column;
      if (found[place] !== -1) throw new Error(`two tiles at ${place}`);
      found[place] = Number(/\bc(\d)\b/.exec(tile.className)[1]);
    }
    return found;
  });
}

/** The score without what the move adds to it. */
const shownScore = async (page, nth = 0) => Number((await text(page, ".score", nth)).split(" ")[0]);

async function assertEnd(page, expected) {
  assert.equal(await position(page), "End");
  assert.equal(await shownScore(page), expected.score);
  assert.deepEqual(await cells(page), expected.final);
  assert.equal(await text(page, ".result .official"), expected.official);
  assert.equal(await text(page, ".chip"), expected.verdict);
  assert.ok(await page.locator(".result").isVisible());
}

async function fullSpeed(page) {
  for (let presses = 0; presses < 8; presses += 1) await page.keyboard.press("+");
}

/** The text of each cell, by row. */
const cellsOf = (page, rows) =>
  page.locator(rows).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

/** Whether everything that is drawn in a picture is within it. */
const within = (page, pictures) =>
  page.locator(pictures).evaluateAll((all) => all.every((picture) => {
    const room = picture.getBoundingClientRect();
    return [...picture.children].every((it) => {
      const box = it.getBoundingClientRect();
      return box.left >= room.left - 2 && box.right <= room.right + 2 && box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    });
  }));

const scenarios = {
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

  /** What stands beside the board in one turn. */
  async tells({ url, expected }) {
    await withPage(url, {}, async (page) => {
      for (const [selector, wanted] of Object.entries(expected)) {
        assert.equal(await text(page, selector), wanted, selector);
      }
    });
  },

  /** A late turn stands out in its chart and says whose fault it was. */
  async is_late({ url, culprit }) {
    await withPage(url, {}, async (page) => {
      assert.match(await text(page, ".lateness"), new RegExp(`^Late through the ${culprit}'s fault \\(.+\\): a timeout\\.$`));
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
        elements: document.querySelectorAll("img, iframe, object, embed, form, body script:not([type])").length,
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
    for (const colorScheme of ["light", "dark"]) {
      await withPage(url, { viewport: { width: 360, height: 740 }, colorScheme, hasTouch: true }, async (page) => {
        await page.keyboard.press("End");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 360, `${wide} pixels wide`);
        await page.locator(".board").tap({ position: { x: 12, y: 300 } });
        assert.ok(await page.locator("#tip").isVisible());
      });
    }
  },

  /** How long a page takes until its first board stands there; printed, in milliseconds. */
  async opens({ url }) {
    await withPage(url, {}, async (page) => {
      assert.ok((await page.locator(".board .tile").count()) > 0);
      console.log(Math.round(await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart)));
    });
  },

  /** A run: totals and records, what was lost first, a bar per board, times, and each game's replay. */
  async report({ url, title, totals, records, lost, boards, times, limit, pages, replay }) {
    let address;
    await withPage(url, { javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.title(), title);
      assert.equal(await text(page, "h1"), title);
      const rows = await cellsOf(page, "#totals tbody tr");
      assert.deepEqual(rows.map((row) => row.slice(0, 5)), totals);
      assert.deepEqual(await page.locator("#records li span:last-child").allInnerTexts(), records);
      const sections = await page.locator("main > section").evaluateAll((all) => all.map((it) => it.id || it.className));
      assert.deepEqual(sections, ["totals", "lost", "card comparison", "boards", "times", "games"]);
      assert.equal(await page.locator("#lost li").count(), lost.count);
      assert.equal(await text(page, "#lost .chip"), lost.verdict);
      assert.ok((await text(page, "#lost .why")).startsWith(lost.why), await text(page, "#lost .why"));
      const shown = (await cellsOf(page, "#boards tbody tr")).map(([board, , points]) => [board, points.split("\n")[0]]);
      assert.deepEqual(shown, boards);
      assert.ok((await page.locator("#boards rect.s0").count()) >= boards.length);
      assert.ok(await within(page, "#boards tbody svg"));
      assert.equal(await page.locator("#boards line.best").count(), boards.length);
      for (const [index, wanted] of times.entries()) {
        const caption = await text(page, "#times figcaption", index);
        assert.ok(caption.startsWith(`${wanted}, `), caption);
      }
      assert.equal(await text(page, "#times .limit"), limit);
      const links = page.locator("main a");
      assert.equal(await links.count(), pages);
      address = await page.locator("#lost a").first().evaluate((link) => link.href);
    });
    assert.ok(address.endsWith(`/page-games/${String(replay.game).padStart(6, "0")}.html`), address);
    await withPage(address, {}, async (page) => assert.equal(await text(page, ".bot"), replay.bot));
  },

  /** Two runs: the figures of the comparison, and as many boards in its histogram as there are. */
  async report_compares({ url, counts, mean, differences, unpaired, logs }) {
    await withPage(url, {}, async (page) => {
      const caption = await text(page, "figure.differences figcaption");
      assert.ok(caption.startsWith(`${counts}. The line is the mean, ${mean}; `), caption);
      const columns = await page.locator("figure.differences text.count").allTextContents();
      // The last of these is the mark at 0.
      const boards = columns.slice(0, -1).reduce((sum, count) => sum + Number(count), 0);
      assert.equal(boards, differences.length);
      assert.ok(await within(page, "figure.differences svg"));
      const rows = await cellsOf(page, ".comparison .pictured tbody tr");
      assert.deepEqual(rows.map((row) => row[2]), differences);
      const bars = (name) => page.locator(`.comparison .pictured rect.${name}`).count();
      assert.equal(await bars("up"), differences.filter((it) => /^\+[1-9]/.test(it)).length);
      assert.equal(await bars("down"), differences.filter((it) => /^-[1-9]/.test(it)).length);
      assert.ok((await text(page, ".comparison")).includes(unpaired));
      assert.ok((await text(page, "#times")).includes(logs));
    });
  },

  /** On a phone a page of runs is as wide as the phone, in light and in dark, and its text can be read. */
  async report_phone({ url }) {
    const papers = [];
    for (const colorScheme of ["light", "dark"]) {
      await withPage(url, { viewport: { width: 360, height: 740 }, colorScheme, hasTouch: true }, async (page) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 360, `${wide} pixels wide`);
        const small = await page.evaluate(() =>
          [...document.querySelectorAll("main *")].filter((it) => parseFloat(getComputedStyle(it).fontSize) < 11).length);
        assert.equal(small, 0, "tiny text");
        papers.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      });
    }
    assert.notEqual(papers[0], papers[1]);
  },

  /** What a run says is text, and its links lead to its replay pages only. */
  async report_inert({ url, shown, links }) {
    await withPage(url, {}, async (page) => {
      const state = await page.evaluate(() => ({
        ran: window.ran ?? null,
        elements: document.querySelectorAll("img, iframe, object, embed, form, script, [onclick], [onerror], [style]").length,
        links: [...document.links].filter((link) => /^page-games\/\d{6}\.html$/.test(link.getAttribute("href"))).length,
        others: [...document.links].filter((link) => !link.getAttribute("href").startsWith("page-games/")).length,
      }));
      assert.deepEqual(state, { ran: null, elements: 0, links, others: 0 });
      for (const selector of ["#totals tbody th", "#lost .why", "#boards tbody th", "#games tbody td", "h1"]) {
        assert.ok((await text(page, selector)).includes(shown), `${selector}: ${await text(page, selector)}`);
      }
    });
  },
};

await scenarios[process.argv[2]](JSON.parse(readFileSync(0, "utf8")));
