// Pages of runs.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { withPage } from "./browser.mjs";
import { text, position, cellsOf, within } from "./looks.mjs";

export default {
  /** A league on a phone: names, the best first, failures, a map of wins; a game has its winner, the board first, and the exchange folded. */
  async league({ url, title, bots, best, failed, heading, board }) {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
    let address;
    await withPage(url, { ...phone, javaScriptEnabled: false }, async (page) => {
      assert.equal(await text(page, "h1"), title);
      const rows = await cellsOf(page, "#ratings .wide:first-of-type tbody tr");
      assert.equal(rows[0][0], best);
      assert.equal(rows.find(([bot]) => bot === failed).at(-1), `${2 * (bots - 1)} crash`);
      const names = await page.locator("#ratings th.upright").allInnerTexts();
      assert.equal(names.length, bots);
      assert.equal(names[0], best);
      assert.ok((await page.locator("#ratings td.v4").count()) >= bots - 1);
      assert.ok((await page.locator("#ratings td.v0").count()) >= bots - 1);
      for (const table of await page.locator("#ratings .wide").all()) {
        const name = table.locator("tbody th").first();
        const before = (await name.boundingBox()).x;
        const moved = await table.evaluate((it) => { it.scrollLeft = 200; return it.scrollLeft; });
        assert.ok(moved > 0, "it is wider than a phone");
        assert.ok(Math.abs((await name.boundingBox()).x - before) < 1, "the names stay");
      }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
      assert.equal(await page.locator(".meeting:visible").count(), 0);
      await page.locator("#ratings td a").first().click();
      assert.equal(await page.locator(".meeting:visible").count(), 1, "the games of the pair that was chosen");
      address = await page.locator(".meeting:visible a").first().evaluate((link) => link.href);
    });
    await withPage(address, phone, async (page) => {
      await page.waitForSelector(".bot .seat1");
      await page.keyboard.press("End");
      assert.match(await text(page, ".bot"), new RegExp(heading));
      assert.match(await text(page, ".told"), new RegExp(board));
      assert.ok(await page.locator(".sent").isHidden(), "the exchange is folded");
      const color = (selector) => page.locator(selector).first().evaluate((it) => getComputedStyle(it).boxShadow);
      assert.notEqual(await color(".row .seat0"), await color(".row .seat1"));
      await page.click(".protocol summary");
      assert.ok(await page.locator(".sent").isVisible());
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    });
  },

  /** A run: totals, what was lost first, a bar per board, times, and each game's replay, alone and next to another. */
  async report({ url, title, totals, shares, lost, boards, times, limit, pages, replay }) {
    const addresses = {};
    await withPage(url, { javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.title(), title);
      assert.equal(await text(page, "h1"), title);
      const rows = await cellsOf(page, "#totals tbody tr");
      assert.deepEqual(rows.map((row) => row.slice(0, 5)), totals);
      assert.deepEqual(rows.map((row) => row[6]), shares);
      const sections = await page.locator("main > section").evaluateAll((all) => all.map((it) => it.id || it.className));
      assert.deepEqual(sections, ["totals", "lost", "comparison-1", "boards", "times", "games"]);
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
      await page.click(".heat summary");
      const map = await page.locator(".heat[open] svg").getAttribute("viewBox");
      assert.match(map, new RegExp(`^0 0 [1-9]\\d* ${boards.length}$`), "a row for each game");
      assert.ok((await page.locator(".heat[open] path").count()) > 1, "several shades");
      assert.ok(await within(page, ".heat[open] svg"));
      const contents = await page.locator(".contents a").evaluateAll((all) => all.map((it) => it.getAttribute("href").slice(1)));
      assert.deepEqual(contents, sections);
      const links = page.locator("main section a");
      assert.equal(await links.count(), pages);
      for (const section of ["#lost", "#boards", ".comparison .pictured"]) {
        addresses[section] = await page.locator(`${section} a`).first().evaluate((link) => link.href);
      }
    });
    assert.ok(addresses["#lost"].endsWith(`/page-games.html#game=${replay.game}`), addresses["#lost"]);
    await withPage(addresses["#lost"], {}, async (page) => {
      const shows = (words) => page.waitForFunction((wanted) => [...document.querySelectorAll(".bot")].map((it) => it.textContent).join() === wanted, words.join());
      await shows([replay.bot]);
      assert.equal(await page.locator(".scores .rival").count(), 1, "the best other game of the board");
      assert.ok((await text(page, ".rival-name")).startsWith(`best other game here: ${replay.other}, `));
      assert.equal(await position(page), "Turn 4", "where it was lost");
      assert.equal(await page.locator("#more a").first().evaluate((link) => link.href), url);
      await page.locator("#more a", { hasText: "beside" }).first().click();
      await shows([replay.bot, replay.other]);
      assert.ok(await page.locator("#differs").isVisible());
      assert.equal(await page.locator(".rival").count(), 0, "both are shown");
      await page.locator("#more a", { hasText: "alone" }).last().click();
      await shows([replay.other]);
    });
    for (const section of ["#boards", ".comparison .pictured"]) {
      await withPage(addresses[section], {}, async (page) => {
        await page.waitForSelector(".game >> nth=1");
        assert.equal(await page.locator(".bot").count(), 2, section);
      });
    }
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

  /** Of a long table the first hundred rows are drawn, in any order and of any filter; all are after a click, on paper and without a script. */
  async report_folds({ url, scores, board }) {
    const rows = (page) => page.locator("#boards tbody tr:visible");
    await withPage(url, {}, async (page) => {
      assert.equal(await rows(page).count(), 100);
      await page.locator("#boards th", { hasText: "points" }).getByRole("button").click();
      const points = await rows(page).evaluateAll((all) => all.map((row) => Number(row.cells[2].innerText)));
      assert.deepEqual(points, [...scores].sort((one, other) => other - one).slice(0, 100));
      const field = page.locator("#boards .filter input");
      await field.fill(board);
      assert.equal(await rows(page).locator("th", { hasText: new RegExp(`^${board}$`) }).count(), 1, "found among all");
      await field.fill("");
      await page.emulateMedia({ media: "print" });
      assert.equal(await rows(page).count(), scores.length, "on paper");
      await page.emulateMedia({ media: "screen" });
      await page.click("#boards .draws-all");
      assert.equal(await rows(page).count(), scores.length);
      assert.equal(await page.locator("#boards .draws-all").count(), 0);
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Boards");
    });
    await withPage(url, { javaScriptEnabled: false }, async (page) => assert.equal(await rows(page).count(), scores.length));
  },

  /** A board of a comparison leads to its games in both runs, side by side. */
  async leads_to_both({ url, bots }) {
    const both = await withPage(url, {}, (page) => page.locator("#comparison-1 .pictured a").first().evaluate((link) => link.href));
    await withPage(both, {}, async (page) => {
      await page.waitForSelector(".game >> nth=1");
      assert.deepEqual(await page.locator(".bot").allInnerTexts(), bots);
      assert.equal(await page.locator("#more a").first().evaluate((link) => link.href), url);
    });
  },

  /** From the list of runs to a run, a game, and all the way back; the list draws a line for each bot. */
  async walks({ url, bots, points, compared }) {
    const hop = (from, selector) => withPage(from, {}, async (page) => {
      await page.waitForSelector(selector);
      return page.locator(selector).first().evaluate((link) => link.href);
    });
    await withPage(url, {}, async (page) => {
      assert.deepEqual(await page.locator(".lines .legend li").allInnerTexts(), bots);
      assert.equal(await page.locator(".lines .plot circle").count(), points);
      // An interval for each point, and a line between the runs of one bot.
      assert.equal(await page.locator(".lines .plot line").count(), points + 1);
      const [top, bottom] = (await page.locator(".lines .axis span").allInnerTexts()).map(parseFloat);
      assert.ok(bottom > 0 && bottom < top && top <= 100, `from ${bottom} % to ${top} %`);
      assert.ok(await within(page, ".lines .plot > svg"));
      const boxes = page.locator(".history input[type=checkbox]");
      assert.equal(await boxes.count(), points, "one to tick for each bot of each run");
      assert.equal(await text(page, "#compared"), "Tick two bots to compare them.");
      for (const index of [0, 1, 2]) await boxes.nth(index).check();
      assert.deepEqual(await boxes.evaluateAll((all) => all.map((it) => it.checked)), [false, true, true], "the last two");
      assert.equal((await text(page, "#compared")).split(" boards\n").at(-1), compared);
    });
    const run = await hop(url, ".history a");
    const game = await hop(run, "#games tbody a");
    assert.equal(await hop(game, "#more a"), run);
    assert.equal(await hop(run, ".top a"), url);
  },

  /** The values of parameters: a point for each bot in each picture, and the best one in its ring. */
  async report_tries({ url, pictures }) {
    await withPage(url, {}, async (page) => {
      assert.deepEqual(await page.locator("#tried h3").allInnerTexts(), Object.keys(pictures));
      for (const [index, { points, steps, best }] of Object.values(pictures).entries()) {
        const picture = page.locator("svg.tried").nth(index);
        assert.equal(await picture.locator("circle.s0").count(), points);
        assert.equal(await picture.locator("line.mean").count(), steps);
        assert.match(await picture.getAttribute("aria-label"), new RegExp(best));
        const middle = (name) => picture.locator(`circle.${name}`).evaluateAll((all) => all.map((it) => [it.getAttribute("cx"), it.getAttribute("cy")].join()));
        assert.ok((await middle("s0")).includes(String(await middle("record"))), "the ring is around a point");
      }
      assert.ok(await within(page, "svg.tried"));
    });
  },

  /** A run that is being played: the page shows more games by itself, what was lost, and the comparison of its bots, unless it is to stay. */
  async report_lives({ url, bot, why }) {
    await withPage(url, {}, async (page) => {
      // An attribute is asked for again where the page is renewed in the meantime; a script in it would fail.
      const played = async () => Number(await page.locator("#live progress").getAttribute("value"));
      const before = await played();
      await page.waitForFunction((games) => document.querySelector("#live progress").value > games, before, { timeout: 60000 });
      assert.match(await text(page, "#live p"), /^\d+ of \d+ games played, \d+ games to go, about /);
      await page.waitForSelector("#comparison-1 .differences rect.interval", { timeout: 60000 });
      assert.ok((await text(page, "#totals")).includes(bot));
      assert.ok((await text(page, "#lost .why")).startsWith(why));
      await page.locator("#live input").check();
      await page.waitForFunction(() => location.hash === "#stay");
      await page.reload();
      assert.ok(await page.locator("#live input").isChecked());
    });
  },

  /** The list of runs, kept up to date: one more appears by itself, and what is ticked stays ticked while another one comes. */
  async list_lives({ url, second, third }) {
    await withPage(url, {}, async (page) => {
      const runs = page.locator(".history tbody tr");
      assert.equal(await runs.count(), 1);
      await writeFile(second, "");
      await page.waitForFunction(() => document.querySelectorAll(".history tbody tr").length === 2, null, { timeout: 60000 });
      await page.locator(".history input").first().check();
      await page.evaluate(() => { window.same = true; });
      const before = await readFile(new URL(url), "utf8");
      await writeFile(third, "");
      for (const end = Date.now() + 60000; await readFile(new URL(url), "utf8") === before;) {
        assert.ok(Date.now() < end, "no third run");
        await page.waitForTimeout(100);
      }
      await page.waitForTimeout(3000);
      assert.ok(await page.evaluate(() => window.same), "the page stays while a bot is ticked");
      await page.locator(".history input").first().uncheck();
      await page.waitForFunction(() => document.querySelectorAll(".history tbody tr").length === 3, null, { timeout: 60000 });
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
        const cut = await page.locator(".history td").evaluateAll((all) => all.filter((it) => it.getBoundingClientRect().right > innerWidth).length);
        assert.equal(cut, 0, "figures cut off");
        const tallest = await page.locator("h2, h3").evaluateAll((all) => Math.max(0, ...all.map((it) => it.getBoundingClientRect().height)));
        assert.ok(tallest < 200, `a heading of ${tallest} pixels`);
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
        links: [...document.links].filter((link) => /^page-games\.html#game=\d+(&with=\d+)?$/.test(link.getAttribute("href"))).length,
        scripts: document.scripts.length,
        others: [...document.links].filter((link) => !link.getAttribute("href").startsWith("page-games.html#game=") && !link.closest(".contents")).length,
      }));
      assert.deepEqual(state, { ran: null, elements: 0, links, scripts: 1, others: 0 });
      for (const selector of ["#totals tbody th", "#lost .why", "#boards tbody th", "#games tbody td", "h1"]) {
        assert.ok((await text(page, selector)).includes(shown), `${selector}: ${await text(page, selector)}`);
      }
    });
  },
};
