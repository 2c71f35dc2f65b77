// Pages of runs.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { text, cellsOf, within } from "./looks.mjs";

export default {
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
      const columns = await page.locator("figure.differences text.count:not(.edge)").allTextContents();
      const boards = columns.reduce((sum, count) => sum + Number(count), 0);
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

  /** Headings sort by number, time or words; filters leave the entries with all words. */
  async report_sorts({ url, boards, slowest, lost }) {
    await withPage(url, {}, async (page) => {
      const column = (section, index) => page.locator(`${section} tbody tr:not([hidden])`)
        .evaluateAll((rows, at) => rows.map(({ cells }) => (cells[at].querySelector(".line") ?? cells[at]).textContent.trim()), index);
      const heading = (section, name) => page.locator(`${section} thead th`, { hasText: name });
      const sorted = async (section, name, index) => {
        await heading(section, name).getByRole("button").click();
        return [await heading(section, name).getAttribute("aria-sort"), await column(section, index)];
      };
      const points = boards.map(([, score]) => score).sort((one, other) => other - one).map(String);
      assert.deepEqual(await sorted("#boards", "points", 2), ["descending", points]);
      assert.deepEqual(await sorted("#boards", "points", 2), ["ascending", [...points].reverse()]);
      assert.deepEqual(await sorted("#boards", "board", 0), ["ascending", boards.map(([board]) => board)]);
      assert.equal(await page.locator("#boards [aria-sort]").count(), 1);
      assert.deepEqual(await sorted("#games", "slowest", 6), ["descending", slowest]);
      const field = (section) => page.locator(`${section} .filter input`);
      await field("#boards").fill("SEED 1");
      const found = boards.map(([board]) => board).filter((board) => board.startsWith("seed 1"));
      assert.deepEqual(await column("#boards", 0), found);
      assert.equal((await text(page, "#boards .filter [role=status]")).trim(), `${found.length} of ${boards.length}`);
      await field("#boards").fill("no such board");
      assert.deepEqual(await column("#boards", 0), []);
      await field("#boards").fill("");
      assert.equal((await column("#boards", 0)).length, boards.length);
      assert.match(await text(page, "#explained"), /^yours\/best: the mean .+ A lost game is worth 0\./);
      assert.equal(await page.locator("#lost li").count(), 1);
      assert.ok(!(await page.locator("#lost details a").first().isVisible()));
      await page.click("#lost summary");
      assert.equal(await page.locator("#lost a:visible").count(), lost);
    });
  },

  /** Below the columns of a histogram stand some numbers, none over another. */
  async report_labels({ url }) {
    for (const width of [1280, 390]) {
      await withPage(url, { viewport: { width, height: 844 } }, async (page) => {
        const boxes = await page.locator("figure.differences text.edge").evaluateAll((all) =>
          all.map((label) => [label.textContent, label.getBoundingClientRect().left, label.getBoundingClientRect().right]));
        assert.ok(boxes.length >= 4, `only ${boxes.length} numbers`);
        const values = boxes.map(([label]) => Number(label));
        assert.deepEqual(values, [...values].sort((one, other) => one - other));
        boxes.slice(1).forEach(([label, left], index) => assert.ok(left > boxes[index][2], `${label} is over ${boxes[index][0]}`));
      });
    }
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
        elements: document.querySelectorAll("img, iframe, object, embed, form, script:not(body > script:last-child), [onclick], [onerror], [style]").length,
        links: [...document.links].filter((link) => /^page-games\/\d{6}\.html$/.test(link.getAttribute("href"))).length,
        scripts: document.scripts.length,
        others: [...document.links].filter((link) => !link.getAttribute("href").startsWith("page-games/")).length,
      }));
      assert.deepEqual(state, { ran: null, elements: 0, links, scripts: 1, others: 0 });
      for (const selector of ["#totals tbody th", "#lost .why", "#boards tbody th", "#games tbody td", "h1"]) {
        assert.ok((await text(page, selector)).includes(shown), `${selector}: ${await text(page, selector)}`);
      }
    });
  },
};
