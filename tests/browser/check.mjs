// What a page must show, in a real browser: node check.mjs SCENARIO, with the page's address and what
// is expected of it as JSON on standard input. Fails with a message, or says nothing.
import { readFileSync } from "node:fs";
import access from "./access.mjs";
import pairs from "./pairs.mjs";
import replays from "./replays.mjs";
import reports from "./reports.mjs";
import trials from "./trials.mjs";

const scenarios = { ...access, ...pairs, ...replays, ...reports, ...trials };
await scenarios[process.argv[2]](JSON.parse(readFileSync(0, "utf8")));
