import assert from "node:assert/strict";
import { test } from "node:test";
import {
  makeDecisions,
  toCsv,
  toPatch,
} from "../../../src/treegauge/reporting/assets/views/candidates_decisions.js";

const store = (values = {}) => ({
  values,
  getItem: (key) => values[key] ?? null,
  setItem: (key, value) => {
    values[key] = value;
  },
});
const base = { treebank: "A", id: "s-1", p_gold: 0.1, p_instead: 0.8, score: 3 };
const one = { ...base, line: 4, word: 3, form: "=1\\2", of: "head", annotated: "5", instead: "4" };
const two = { ...base, line: 2, word: 1, form: 'a,"b"', of: "relation", annotated: "nmod", instead: "obl" };
const other = { ...one, id: "9", line: 30, word: 2, form: "x" };

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

test("without storage, or with broken contents, decisions still work", () => {
  const refused = makeDecisions("map", () => {
    throw new Error("SecurityError");
  });
  refused.set(one, "accept");
  assert.equal(refused.of(one), "accept");
  assert.equal(refused.kept, false);
  for (const text of ["{", "null", '{"__proto__": "accept", "s-1 4 head": "explode"}']) {
    const broken = makeDecisions("map", () => store({ "treegauge candidates map": text }));
    assert.equal(broken.of(one), null);
  }
});

test("CSV quotes, and has no formulas", () => {
  const decisions = makeDecisions("map", () => store());
  decisions.set(one, "skip");
  const [head, first, second] = toCsv([one, two], decisions).split("\n");
  assert.equal(head.split(",").at(-1), "decision");
  assert.equal(first, "A,s-1,3,'=1\\2,head,5,4,0.1000,0.8000,3.000,skip");
  assert.ok(second.startsWith('A,s-1,1,"a,""b""",deprel,nmod,obl,'));
});

const row = (word, head, deprel) => `${word}\tf\t_\tX\t_\t_\t${head}\t${deprel}\t_\t_`;
const list = {
  file: "a train.conllu",
  context: 1,
  excerpts: [
    [1, ["# sent_id = s-1\n", `${row(1, 3, "nmod")}\n`, `${row(2, 1, "x")}\n`, `${row(3, 5, "y")}\r\n`, "\n"]],
    [29, ["# text = x\n", row(2, 5, "z")]],
  ],
};

test("a patch is a unified diff of what was accepted", () => {
  const decisions = makeDecisions("map", () => store());
  for (const each of [other, one, two]) decisions.set(each, "accept");
  assert.equal(
    toPatch([other, one, two], decisions, list),
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
  assert.ok(!toPatch([other, one], decisions, list).includes("@@ -29"));
  assert.equal(toPatch([other], decisions, list), "");
});
