import assert from "node:assert/strict";
import { test } from "node:test";
import {
  COLUMNS,
  isTree,
  makeDecisions,
  parseValues,
  toPatch,
  toTsv,
} from "../../../src/treegauge/reporting/assets/views/candidates_decisions.js";

const store = (values = {}) => ({
  values,
  getItem: (key) => values[key] ?? null,
  setItem: (key, value) => {
    values[key] = value;
  },
});
const base = { kind: "candidates", file: "a train.conllu", sent_id: "s-1", text: "ff", score: 3, at: 0 };
const one = { ...base, line: 4, word: 3, form: "=1\\2", key: "k1", annotated: "head=5", proposed: "head=4" };
const two = { ...base, line: 2, word: 1, form: 'a,"b"', key: "k2", annotated: "deprel=nmod", proposed: "deprel=obl" };
const other = { ...one, sent_id: "9", line: 30, word: 2, form: "x", at: 1 };

test("decisions are kept, and read again", () => {
  const own = store();
  const decisions = makeDecisions("map", () => own);
  decisions.set(one, "accept");
  decisions.set(two, "reject");
  decisions.set(two, null);
  const again = makeDecisions("map", () => own);
  assert.equal(again.of(one), "accept");
  assert.equal(again.of(two), null);
  assert.deepEqual(again.counts([one, two]), { accept: 1, reject: 0, skip: 0, open: 1 });
  assert.equal(makeDecisions("other map", () => own).of(one), null);
  again.clear();
  assert.equal(makeDecisions("map", () => own).of(one), null);
});

test("decisions that were made elsewhere are shown, and a person may change them", () => {
  const decisions = makeDecisions("map", () => store());
  const made = { ...one, decision: "reject", who: "ann", comment: "fine" };
  assert.equal(decisions.of(made), "reject");
  decisions.who = "bob";
  decisions.set(made, "accept", { edit: "head=1 deprel=obj" });
  assert.deepEqual(decisions.values(made), { head: "1", deprel: "obj" });
  assert.deepEqual(decisions.full(made), { decision: "accept", edit: "head=1 deprel=obj", who: "bob", comment: "fine" });
  decisions.set(made, "reject");
  assert.equal(decisions.full(made).edit, "");
});

test("without storage, or with broken contents, decisions still work", () => {
  const refused = makeDecisions("map", () => {
    throw new Error("SecurityError");
  });
  refused.set(one, "accept");
  assert.equal(refused.of(one), "accept");
  assert.equal(refused.kept, false);
  for (const text of ["{", "null", '{"__proto__": "accept", "s-1 k1": "explode"}', '{"s-1 k1": {"decision": "explode"}}']) {
    const broken = makeDecisions("map", () => store({ "treegauge work map": text }));
    assert.equal(broken.of(one), null);
  }
});

test("TSV quotes, has no formulas, and keeps the decisions about what is not listed", () => {
  const decisions = makeDecisions("map", () => store());
  decisions.set(one, "skip");
  const [head, first, second, third] = toTsv([one, two], decisions, [{ ...other, decision: "reject" }]).split("\n");
  assert.deepEqual(head.split("\t"), COLUMNS);
  const cells = first.split("\t");
  assert.equal(cells[COLUMNS.indexOf("form")], "'=1\\2");
  assert.equal(cells[COLUMNS.indexOf("decision")], "skip");
  assert.equal(cells[COLUMNS.indexOf("score")], "3.0");
  assert.equal(second.split("\t")[COLUMNS.indexOf("form")], '"a,""b"""');
  assert.equal(third.split("\t")[COLUMNS.indexOf("decision")], "reject");
});

test("values are read as they are written", () => {
  assert.deepEqual(parseValues("head=3 deprel=obl:arg"), { head: "3", deprel: "obl:arg" });
  assert.deepEqual(parseValues("lemma=a = b"), { lemma: "a = b" });
  assert.deepEqual(parseValues(""), {});
});

test("a tree has one root and no cycle", () => {
  assert.ok(isTree([2, 0, 2]));
  for (const heads of [[2, 1, 0], [0, 0], [2, 3, 1], [4, 0]]) assert.ok(!isTree(heads));
});

const row = (word, head, deprel) => `${word}\tf\t_\tX\t_\t_\t${head}\t${deprel}\t_\t_`;
const excerpts = [
  [1, ["# sent_id = s-1\n", `${row(1, 3, "nmod")}\n`, `${row(2, 1, "x")}\n`, `${row(3, 5, "y")}\r\n`, "\n"]],
  [29, ["# text = x\n", row(2, 5, "z")]],
];
const list = { files: [["a train.conllu", excerpts]], context: 1 };

test("a patch is a unified diff of what was accepted", () => {
  const decisions = makeDecisions("map", () => store());
  for (const each of [other, one, two]) decisions.set(each, "accept");
  assert.equal(
    toPatch([other, one, two], decisions, list).text,
    [
      "--- a/a train.conllu\t",
      "+++ b/a train.conllu\t",
      "@@ -1,5 +1,5 @@",
      " # sent_id = s-1",
      `-${row(1, 3, "nmod")}`,
      `+${row(1, 3, "obl")}`,
      ` ${row(2, 1, "x")}`,
      `-${row(3, 5, "y")}\r`,
      `+${row(3, 4, "y")}\r`,
      " ",
      "@@ -29,2 +29,2 @@",
      " # text = x",
      `-${row(2, 5, "z")}`,
      "\\ No newline at end of file",
      `+${row(2, 4, "z")}`,
      "\\ No newline at end of file",
      "",
    ].join("\n"),
  );
  decisions.set(other, "reject");
  assert.ok(!toPatch([other, one], decisions, list).text.includes("@@ -29"));
  assert.equal(toPatch([other], decisions, list).text, "");
});

test("sentences whose heads would not be a tree are left out of the patch", () => {
  const decisions = makeDecisions("map", () => store());
  const gold = { head: [3, 1, 0] };
  const cycle = { ...one, gold, line: 2, word: 1, key: "c", proposed: "head=2" };
  decisions.set(cycle, "accept");
  assert.deepEqual(toPatch([cycle], decisions, list), { text: "", refused: ["s-1"] });
  const swapped = { ...cycle, line: 3, word: 2, key: "d", proposed: "head=3" };
  decisions.set(swapped, "accept");
  assert.deepEqual(toPatch([cycle, swapped], decisions, list).refused, []);
  const twice = { ...swapped, key: "e", proposed: "head=1" };
  decisions.set(twice, "accept");
  assert.deepEqual(toPatch([cycle, swapped, twice], decisions, list).refused, ["s-1"]);
});
