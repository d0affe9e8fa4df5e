import assert from "node:assert/strict";
import { test } from "node:test";
import { toConllu } from "../../../src/treegauge/reporting/assets/components/conllu.js";
import {
  differenceOf,
  worded,
  wrongWords,
} from "../../../src/treegauge/reporting/assets/components/differences.js";
import { bank, parsedAs } from "./helpers.js";

const gold = bank().sentence(0);
const as = (name, changes) => ({
  name,
  head: gold.head.map((head, i) => (i + 1 in changes ? changes[i + 1][0] : head)),
  deprel: gold.deprel.map((label, i) => (i + 1 in changes ? changes[i + 1][1] : label)),
});

test("a bank gives sentences, texts and parses", () => {
  const own = bank({
    systems: ["alpha"],
    parsed: [parsedAs(Array.from({ length: 9 }, (_, i) => [i % 2, "dep"]))],
  });
  assert.equal(own.count, 2);
  assert.equal(own.spelled(1).text, "Cats slept");
  assert.equal(own.sentenceOf(7), 1);
  assert.deepEqual(own.system("alpha").of(1).head, [1, 0]);
  assert.equal(own.system("beta"), null);
  assert.equal(own.find("second"), 1);
  assert.equal(own.find("third"), null);
});

test("differences are named by what is wrong", () => {
  const parsed = as("A", { 5: [3, "amod"], 6: [3, "obl"], 2: [3, "nsubj:outer"] });
  assert.equal(differenceOf(gold, parsed, 4), "head");
  assert.equal(differenceOf(gold, parsed, 5), "label");
  assert.equal(differenceOf(gold, parsed, 1), null); // subtypes do not count
  assert.deepEqual(wrongWords(gold, parsed), [5, 6]);
});

test("differences are worded, those that systems share once", () => {
  const texts = (...parses) => worded(gold, parses).map((one) => one.text);
  assert.deepEqual(texts(as("A", { 6: [2, "obl"] })), [
    "A attaches ‘cat’ to ‘dogs’ as obl; gold: obj of ‘chased’.",
  ]);
  assert.deepEqual(texts(as("A", { 6: [3, "obl"] }), as("B", { 6: [3, "obl"] })), [
    "A and B label ‘cat’ as obl; gold: obj (same head, ‘chased’).",
  ]);
  assert.deepEqual(texts(as("A", { 2: [0, "root"] }), as("B", { 2: [-1, "obj"] })), [
    "A makes ‘dogs’ the root; gold: nsubj of ‘chased’.",
    "B attaches ‘dogs’ to a word that gold does not have, as obj; gold: nsubj of ‘chased’.",
  ]);
  assert.deepEqual(texts(as("A", { 3: [-1, "–"] })), [
    "A has no word that matches ‘chased’; gold: the root.",
  ]);
  assert.deepEqual(texts(as("A", {})), []);
});

test("CoNLL-U has what the page knows, and one line per word whatever a form holds", () => {
  const text = toConllu(gold, { text: "The dogs" });
  const rows = text.split("\n").filter((line) => line && !line.startsWith("#"));
  assert.equal(rows.length, 7);
  assert.equal(rows[5], "6\tcat\tcat\tNOUN\t_\tCase=Acc,Nom|Number=Sing\t3\tobj\t_\t_");
  assert.ok(text.endsWith("\n\n"));
  const odd = { ...gold, form: gold.form.map((form, i) => (i ? form : "a\tb\nc")) };
  assert.equal(toConllu(odd).split("\n").length, 7 + 3);
  const parsed = toConllu(gold, { parsed: as("A", { 1: [-1, "–"] }), source: "A" });
  assert.match(parsed, /# source = A\n1\tThe\tthe\tDET\t_\tDefinite=Def\t_\t_\t_\t_\n/);
});
