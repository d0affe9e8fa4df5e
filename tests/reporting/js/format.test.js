import assert from "node:assert/strict";
import { test } from "node:test";
import {
  grouped,
  plural,
  pValue,
  short,
  signed,
} from "../../../src/treegauge/reporting/assets/shell/format.js";

test("numbers as people read them", () => {
  assert.equal(grouped(1234567), "1,234,567");
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
  assert.equal(pValue(0.00001), "< 0.0001");
  assert.equal(pValue(0.05), "0.0500");
  assert.equal(pValue(null), "");
});
