// The rules in the replay page against the referee's: each line of standard input has a board, a place, and
// what the referee makes of taking it. Says how many agreed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [{ script, columns, rows, regions }, ...cases] = readFileSync(0, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const { SameGame, applyStep } = new Function(`${script}; return { SameGame, applyStep };`)();
const rules = new SameGame({ columns, rows, regions });
for (const { board, place, gain, after, over } of cases) {
  const taken = rules.take(board, place);
  assert.equal(taken?.gain ?? null, gain, JSON.stringify({ board, place }));
  if (taken === null) continue;
  assert.equal(taken.size, taken.step[0].length);
  const shown = [...board];
  applyStep(shown, taken.step);
  assert.deepEqual(shown, after, JSON.stringify({ board, place }));
  assert.equal(rules.isOver(shown), over, JSON.stringify(shown));
}
console.log(cases.length);
