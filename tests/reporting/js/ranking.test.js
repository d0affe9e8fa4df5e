import assert from "node:assert/strict";
import { test } from "node:test";
import { pairIndex } from "../../../src/treegauge/reporting/assets/views/ranking_board.js";
import {
  maskText,
  rankTotals,
  readMask,
} from "../../../src/treegauge/reporting/assets/views/ranking_picker.js";
import {
  mostOf,
  random,
  sampledRanks,
  subsetOf,
  waysOf,
} from "../../../src/treegauge/reporting/assets/views/ranking_sampling.js";

test("pairs are numbered as Python does", () => {
  const places = [];
  for (let a = 0; a < 4; a += 1)
    for (let b = a + 1; b < 4; b += 1) places.push(pairIndex(4, a, b).at);
  assert.deepEqual(places, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(pairIndex(4, 3, 1), { at: 4, sign: -1 });
});

test("equal totals share the mean of their ranks", () => {
  assert.deepEqual(rankTotals([5, 7, 5, 1]), [2.5, 1, 2.5, 4]);
});

test("a choice of treebanks survives a link", () => {
  const chosen = [true, false, true, true, false, false, false, false, true];
  assert.deepEqual(readMask(maskText(chosen), 9), chosen);
});

test("the largest subset has one treebank of each group, and those of none", () => {
  assert.equal(mostOf(["a", "a", "b", null, null]), 4);
});

test("constrained subsets never hold two treebanks of a group", () => {
  // System 0 wins on the first three treebanks, which are of one group; system 1 on the others.
  const groups = ["g", "g", "g", "h", "i"];
  const score = (s, t) => (s === 0) === t < 3 ? 1 : 0;
  const found = sampledRanks({ systems: 2, groups, size: 3, score });
  assert.deepEqual([found.draws, found.every], [3, true]);
  assert.deepEqual(found.means, [2, 1]);
  assert.equal(found.above(1, 0).toFixed(6), "1.000000");
  const free = sampledRanks({ systems: 2, groups: groups.map(() => null), size: 3, score });
  assert.ok(free.means[0] < 1.9, "without the constraint system 0 often wins");
  const drawn = () => sampledRanks({ systems: 2, groups, size: 2, score, most: 6 });
  assert.equal(drawn().every, false, "there are seven subsets of two");
  assert.deepEqual(drawn().boxes, drawn().boxes, "the same seed draws the same subsets");
});

test("few subsets are each counted once, and random ones are equally likely", () => {
  // Groups of 2, 1 and 1 treebanks: five subsets of two treebanks.
  const found = waysOf(["g", "g", "h", null], 2);
  assert.equal(found.ways[0][2], 5);
  const listed = [0, 1, 2, 3, 4].map((number) => subsetOf(found, 2, number).join(" "));
  assert.deepEqual(listed.sort(), ["0 2", "0 3", "1 2", "1 3", "2 3"]);
  const next = random(1);
  const counts = new Map(listed.map((subset) => [subset, 0]));
  for (let draw = 0; draw < 5000; draw += 1) {
    const subset = subsetOf(found, 2, 0, next).join(" ");
    counts.set(subset, counts.get(subset) + 1);
  }
  for (const [subset, count] of counts) assert.ok(Math.abs(count - 1000) < 120, `${subset}: ${count}`);
});

test("quartiles of ranks are interpolated as numpy does", () => {
  // One system leads on treebank 0 only, so that its ranks on single treebanks are 1, 2, 2 and 2.
  const score = (s, t) => (s === 0) === (t === 0) ? 1 : 0;
  const groups = [null, null, null, null];
  const { boxes } = sampledRanks({ systems: 2, groups, size: 1, score });
  assert.deepEqual(boxes[0], [1, 1.75, 2, 2, 2]);
});
