import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf } from "../../../src/treegauge/reporting/assets/views/maps_all.js";
import {
  filledCommand,
  grouped,
  plural,
  pValue,
  short,
  signed,
} from "../../../src/treegauge/reporting/assets/shell/format.js";

test("numbers as people read them", () => {
  assert.equal(grouped(1234567), "1,234,567");
  assert.equal(grouped(12345.666), "12,345.7");
  assert.equal(grouped(13744.98), "13,745");
  assert.equal(grouped("1000000"), "1,000,000");
  assert.equal(short(1234.56), "1,235");
  assert.equal(short(0.123456), "0.1235");
  assert.equal(short(null), "");
  assert.equal(plural(1, "word"), "1 word");
  assert.equal(plural(2000, "word"), "2,000 words");
});

test("differences have a sign, and zero has none", () => {
  assert.equal(signed(1.234), "+1.23");
  assert.equal(signed(-1.234), "−1.23");
  assert.equal(signed(-0.001), "0.00");
});

test("small p-values are not printed as zero", () => {
  assert.equal(pValue(0.00001), "<0.0001");
  assert.equal(pValue(0.05), "0.0500");
  assert.equal(pValue(null), "");
});

test("open places of commands are filled in and quoted for a shell", () => {
  const filled = filledCommand("treegauge certify 'a b.csv' --claim @claim@", { claim: "A > it's" });
  assert.equal(filled, `treegauge certify 'a b.csv' --claim 'A > it'"'"'s'`);
  assert.equal(filledCommand("UD_A@2.5 --size @size@", { size: 3 }), "UD_A@2.5 --size 3");
});

test("hard words are counted where they are few", () => {
  const said = (hard) =>
    answerOf({ total: 2000, values: { head: { easy: 90, ambiguous: 5, hard, confidence: 0.9 } } }, "head");
  assert.match(said(0), /None stayed hard\.$/);
  assert.match(said(0.05), /One word of 2,000 stayed hard: check it first\.$/);
  assert.match(said(2.5), /50 words \(2\.5 %\) stayed hard: check them first\.$/);
});
