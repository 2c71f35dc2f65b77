// What pages must show, in a real browser. Each line of standard input is a check: its number, the name of its scenario, and
// what is expected, the page's address among it. Checks run side by side; each ends with a line of its number and what it
// found, or why it failed. The browser closes at the end of standard input.
import { createInterface } from "node:readline";
import access from "./access.mjs";
import { browser } from "./browser.mjs";
import pairs from "./pairs.mjs";
import replays from "./replays.mjs";
import reports from "./reports.mjs";
import trials from "./trials.mjs";

const scenarios = { ...access, ...pairs, ...replays, ...reports, ...trials };
const input = createInterface({ input: process.stdin });
input.on("line", async (line) => {
  const { number, scenario, expected } = JSON.parse(line);
  const ended = await scenarios[scenario](expected).then((found) => ({ found }), (error) => ({ failed: error.stack }));
  console.log(JSON.stringify({ number, ...ended }));
});
input.on("close", () => browser.close());
