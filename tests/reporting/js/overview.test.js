import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestFirst,
  MARKS,
  scoredBoard,
  sortedRows,
  tableBoard,
} from "../../../src/treegauge/reporting/assets/views/overview_boards.js";
import { domainOf } from "../../../src/treegauge/reporting/assets/components/interval.js";

const f32 = (values) => ({ f32: btoa(String.fromCharCode(...new Uint8Array(new Float32Array(values).buffer))) });
const board = {
  systems: ["x", "y"],
  treebanks: [
    { treebank: "T", name: "T/test", sentences: 1, words: 2 },
    { treebank: "U", name: "U/test", sentences: 1, words: 2 },
  ],
  common: 1,
  metrics: [
    {
      name: "LAS",
      scores: f32([80, 90, 70, NaN]),
      low: f32([79, 89, NaN, NaN]),
      high: f32([81, 91, NaN, NaN]),
      marks: { u8: btoa("\x03\x01\0\0") },
      macro: null,
    },
  ],
};

test("cells have scores, limits and marks; what is missing is null", () => {
  const made = scoredBoard(board, "UAS");
  assert.equal(made.metric, "LAS", "an unknown metric falls back to the first");
  assert.deepEqual(made.rows[0].cells[1], { score: 90, low: 89, high: 91, mark: MARKS.best });
  assert.deepEqual(made.rows[1].cells[1], { score: null, low: null, high: null, mark: 0 });
  assert.equal(made.tested, true);
  const [low, high] = domainOf(made.rows.flatMap((row) => row.cells));
  assert.ok(low < 70 && high > 91);
});

test("rows are sorted by a system, missing scores last either way", () => {
  const { rows } = scoredBoard(board, "LAS");
  const names = (column, down) => sortedRows(rows, column, down).map((row) => row.name);
  assert.deepEqual(names(0, false), ["U", "T"]);
  assert.deepEqual(names(1, true), ["T", "U"]);
  assert.deepEqual(names(1, false), ["T", "U"]);
  assert.deepEqual(names(-1, true), ["U", "T"]);
});

test("systems are in the order of their means", () => {
  assert.deepEqual(bestFirst(scoredBoard(board, "LAS")), [1, 0]);
});

test("a table of scores is a board without intervals", () => {
  const made = tableBoard(
    {
      name: "c",
      metric: "LAS",
      systems: ["x", "y"],
      treebanks: [{ code: "a" }, { code: "b", language: "B" }],
      scores: { scale: 10, values: [800, 700, 900, 600] },
      groups: null,
      sets: [[1, 2], [1, 2]],
    },
    1,
  );
  assert.equal(made.key, "table1");
  assert.deepEqual(made.rows[0].cells.map((c) => [c.score, c.mark]), [[80, 0], [90, MARKS.best]]);
  assert.deepEqual(made.macro.map((m) => m.mean), [75, 75]);
});
