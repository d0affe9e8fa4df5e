import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findPair,
  standing,
} from "../../../src/treegauge/reporting/assets/views/compare_pair.js";
import {
  classMatrix,
  classRows,
  inOrder,
} from "../../../src/treegauge/reporting/assets/views/compare_classes.js";

const row = {
  metric: "LAS",
  a: "x",
  b: "y",
  f1_a: 80,
  f1_b: 84,
  low: -6,
  high: -2,
  detectable: 3,
  verdicts: [{ state: "b_better", better: "y", sign: "<", p: "p = 0.01", sentence: "y is better." }],
  errors: "y makes 20.0 % fewer errors than x.",
};

test("a pair reads the same from either side", () => {
  const [one, other] = [findPair([row], "x", "y"), findPair([row], "y", "x")];
  assert.deepEqual([one.difference, one.low, one.high], [-4, -6, -2]);
  assert.deepEqual([other.difference, other.low, other.high], [4, 2, 6]);
  assert.deepEqual([one.verdicts, one.errors], [row.verdicts, row.errors]);
  assert.deepEqual([other.verdicts, other.errors], [row.verdicts, row.errors]);
  assert.equal(findPair([row], "x", "z"), null);
});

test("treebanks on which a system is ahead, behind and equal are counted", () => {
  assert.deepEqual(standing([3, 1, -1, 0]), { ahead: 2, behind: 1, equal: 1 });
});

const f32 = (values) => ({ f32: btoa(String.fromCharCode(...new Uint8Array(new Float32Array(values).buffer))) });
const part = (name, correct) => ({
  treebank: name,
  systems: ["x", "y"],
  breakdowns: [
    {
      by: "upos",
      rows: ["NOUN", "VERB"].map((kind, i) => ({
        class: kind,
        gold: 10,
        systems: correct.map((own) => ({ correct: own[i], f1: 10 * own[i], examples: [] })),
      })),
      pairs: [
        { difference: f32([1, 2]), low: f32([-1, NaN]), high: f32([3, NaN]), p: { values: ["0.5000", ""], codes: [0, 1] }, sure: [0, 0], sentences: [3, 0] },
      ],
    },
  ],
});

test("classes have both scores, the test and the extra errors", () => {
  const rows = classRows(part("T", [[9, 5], [8, 7]]), "upos", "x", "y");
  assert.deepEqual(rows.map((r) => r.errors), [1, -2]);
  assert.deepEqual([rows[0].low, rows[0].high, rows[0].p], [-1, 3, "0.5000"]);
  assert.deepEqual([rows[1].low, rows[1].p], [null, ""]);
  const turned = classRows(part("T", [[9, 5], [8, 7]]), "upos", "y", "x");
  assert.deepEqual([turned[0].difference, turned[0].low, turned[0].high], [-10, -3, 1]);
});

test("classes of several treebanks are summed and ordered", () => {
  const rows = classMatrix([part("T", [[9, 5], [8, 7]]), part("U", [[9, 5], [8, 9]])], "upos", "x", "y");
  assert.deepEqual(rows.map((r) => [r.class, r.errors, r.words]), [["NOUN", 2, 20], ["VERB", -6, 20]]);
  const names = (order, down) => inOrder(rows, order, down).map((r) => r.class);
  assert.deepEqual(names("errors"), ["VERB", "NOUN"]);
  assert.deepEqual(names("errors", false), ["NOUN", "VERB"]);
  assert.deepEqual(names("class"), ["NOUN", "VERB"]);
});
