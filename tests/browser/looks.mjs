// What the scenarios read from a page.
import assert from "node:assert/strict";

export const text = (page, selector, nth = 0) => page.locator(selector).nth(nth).innerText();
export const position = (page) => text(page, "#position");
export const until = (page, wanted) =>
  page.waitForFunction((words) => document.querySelector("#position").textContent === words, wanted, { timeout: 60000 });

/** The colours on a board by where its tiles really are on the screen, row by row; -1 is empty. */
export function cells(page, nth = 0) {
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
export const shownScore = async (page, nth = 0) => Number((await text(page, ".score", nth)).split(" ")[0]);

export async function assertEnd(page, expected) {
  assert.equal(await position(page), "End");
  assert.equal(await shownScore(page), expected.score);
  assert.deepEqual(await cells(page), expected.final);
  assert.equal(await text(page, ".result .official"), expected.official);
  assert.equal(await text(page, ".chip"), expected.verdict);
  assert.ok(await page.locator(".result").isVisible());
}

export async function fullSpeed(page) {
  for (let presses = 0; presses < 8; presses += 1) await page.keyboard.press("+");
}

/** The text of each cell, by row. */
export const cellsOf = (page, rows) =>
  page.locator(rows).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

/** Whether everything that is drawn in a picture is within it. */
export const within = (page, pictures) =>
  page.locator(pictures).evaluateAll((all) => all.every((picture) => {
    const room = picture.getBoundingClientRect();
    return [...picture.children].every((it) => {
      const box = it.getBoundingClientRect();
      return box.left >= room.left - 2 && box.right <= room.right + 2 && box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    });
  }));

/** Saves the picture of what is shown: its name, and how many tiles of all boards do not have their colour in the middle. */
export async function saved(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  const png = Buffer.concat(chunks).toString("base64");
  const wrong = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const pen = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
      .getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    return [...document.querySelectorAll(".board")].flatMap((shown, index) => {
      const [board, left] = [shown.getBoundingClientRect(), 32 + index * (720 + 32)];
      return [...shown.querySelectorAll(".tile")].filter((tile) => {
        const box = tile.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2 - board.left, box.top + box.height / 2 - board.top];
        const [red, green, blue] = pen.getImageData(left + (x / board.width) * 720, 32 + (y / board.height) * 720, 1, 1).data;
        return getComputedStyle(tile.firstChild).backgroundColor !== `rgb(${red}, ${green}, ${blue})`;
      });
    }).length;
  }, png);
  return { name: download.suggestedFilename(), wrong };
}
