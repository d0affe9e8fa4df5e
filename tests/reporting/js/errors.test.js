import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellsOf,
  cellText,
  cellWords,
  classWords,
  errorCount,
  matrixOf,
  MISSING,
  shownText,
} from "../../../src/treegauge/reporting/assets/views/errors_confusion.js";
import { bank, parsedAs } from "./helpers.js";

const confusion = {
  names: ["det", "obj", "obl", "rare"],
  words: [20, 10, 10, 1],
  cells: [
    [1, 2, 5, 2],
    [0, 0, 3, 3],
    [1, -1, 2, 2],
    [3, 1, 1, 0],
  ],
};

test("the matrix has the values with most errors", () => {
  assert.equal(errorCount(confusion), 11);
  const all = matrixOf(confusion, 10);
  assert.deepEqual(all.names, ["obj", "obl", "det", "rare"]);
  assert.deepEqual(all.columns.at(-1), MISSING);
  assert.equal(all.cell("obj", "obl").count, 5);
  assert.equal(all.cell("obl", "obj"), null);
  const few = matrixOf(confusion, 2);
  assert.deepEqual([few.names, few.hidden], [["obj", "obl"], 2]);
});

test("cells are worded", () => {
  const [labels, heads, missing, rare] = cellsOf(confusion);
  const of = (one, name, words) => cellText(one, "alpha", name, { words, errors: 11 });
  assert.equal(
    of(labels, "relation", 10),
    "alpha labels 5 obj words as obl (50.0 % of obj; 45.5 % of its errors); the head is incorrect, too, in 2.",
  );
  assert.match(of(heads, "relation", 20), /attaches 3 det words to an incorrect head, with the correct/);
  assert.match(of(missing, "relation", 10), /has no word that matches 2 obj words/);
  assert.match(of(rare, "relation", 1), /labels 1 rare word as obj \(100.0 % of rare/);
  assert.match(of(labels, "upos", 10), /tags 5 obj words as obl/);
});

test("the words of a cell are found in the page's sentences", () => {
  const rows = [
    [3, "det"], [3, "obj"], [0, "root"], [6, "det"], [6, "amod"], [-1, "–"], [3, "punct"],
    [2, "obj"], [0, "root"],
  ]; // prettier-ignore
  const own = bank({ systems: ["alpha"], parsed: [parsedAs(rows)] });
  const found = (gold, system, options) =>
    cellWords(own, "alpha", "relation", { gold, system }, options);
  assert.deepEqual(found("nsubj", "obj"), [
    { sentence: 0, words: [2] },
    { sentence: 1, words: [1] },
  ]);
  assert.deepEqual(found("det", "det"), [{ sentence: 0, words: [1] }]);
  assert.deepEqual(found("obj", MISSING), [{ sentence: 0, words: [6] }]);
  assert.deepEqual(found("nsubj", "obj", { subtypes: true }), [{ sentence: 0, words: [2] }]);
  assert.deepEqual(cellWords(own, "beta", "relation", { gold: "a", system: "b" }), []);
  const wrong = (by, name, options) => classWords(own, "alpha", by, name, options);
  assert.deepEqual(wrong("relation", "nsubj"), found("nsubj", "obj"));
  assert.deepEqual(wrong("upos", "DET"), [{ sentence: 0, words: [1] }]);
  assert.deepEqual(wrong("upos", "VERB"), []);
  assert.equal(shownText({ count: 2 }, found("nsubj", "obj")), "all 2 words in 2 sentences");
  assert.match(shownText({ count: 9 }, found("nsubj", "obj")), /^this page has the sentences of 2 of the 9 words/);
});
