import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findPair,
  headline,
  standing,
  verdictOf,
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
  p_corrected: 0.01,
};

test("a pair reads the same from either side", () => {
  const [one, other] = [findPair([row], "x", "y"), findPair([row], "y", "x")];
  assert.deepEqual([one.difference, one.low, one.high], [-4, -6, -2]);
  assert.deepEqual([other.difference, other.low, other.high], [4, 2, 6]);
  assert.equal(one.errorReduction, -25);
  assert.equal(other.errorReduction, 20);
  assert.equal(findPair([row], "x", "z"), null);
});

test("the headline names the better system first, with its interval", () => {
  const expected =
    "y scores 4.00 points higher in LAS than x on T (95 % interval +2.00 to +6.00); " +
    "the difference is statistically significant (p = 0.01).";
  assert.equal(headline(findPair([row], "x", "y"), "x", "y", "on T"), expected);
  assert.equal(headline(findPair([row], "y", "x"), "y", "x", "on T"), expected);
  const untested = { ...row, low: null, high: null, p_corrected: null };
  assert.match(headline(findPair([untested], "x", "y"), "x", "y", "on T"), /too little text/);
  const same = { ...row, f1_a: 80, f1_b: 80.001 };
  assert.match(headline(findPair([same], "x", "y"), "x", "y", "on T"), /the same LAS/);
});

test("verdicts follow from the interval and the margin", () => {
  const facts = (low, high, p = 0.5) => ({ difference: (low + high) / 2, low, high, p });
  assert.equal(verdictOf(facts(-0.5, 0.6), 1), "equivalent");
  assert.equal(verdictOf(facts(0.5, 3, 0.01), 1), "a");
  assert.equal(verdictOf(facts(-3, -0.5, 0.01), 1), "b");
  assert.equal(verdictOf(facts(-0.5, 3), 1), "a_not_worse");
  assert.equal(verdictOf(facts(-3, 0.5), 1), "b_not_worse");
  assert.equal(verdictOf(facts(-3, 3), 1), "undecided");
  assert.equal(verdictOf({ low: null, high: null, p: null }, 1), "untested");
});

test("the fewest treebanks without which a claim fails", () => {
  assert.deepEqual(standing([3, 1, -1, 0]), { ahead: 2, behind: 1, equal: 1, fewest: 1 });
  assert.deepEqual(standing([1, 1, 1]), { ahead: 3, behind: 0, equal: 0, fewest: 3 });
  assert.equal(standing([-5, 1]).fewest, 1);
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
        { difference: f32([1, 2]), low: f32([-1, NaN]), high: f32([3, NaN]), p_corrected: f32([0.5, NaN]) },
      ],
    },
  ],
});

test("classes have both scores, the test and the extra errors", () => {
  const rows = classRows(part("T", [[9, 5], [8, 7]]), "upos", "x", "y");
  assert.deepEqual(rows.map((r) => r.errors), [1, -2]);
  assert.deepEqual([rows[0].low, rows[0].high, rows[0].p], [-1, 3, 0.5]);
  assert.deepEqual([rows[1].low, rows[1].p], [null, null]);
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
