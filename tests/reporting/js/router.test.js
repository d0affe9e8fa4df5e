import assert from "node:assert/strict";
import { test } from "node:test";
import {
  carried,
  changed,
  makeHash,
  parseHash,
} from "../../../src/treegauge/reporting/assets/shell/router.js";

test("a hash keeps names with any characters", () => {
  const params = { treebank: "UD_A-B", class: "a&b=c% ?#", of: "γ" };
  assert.deepEqual(parseHash(makeHash("errors", params)), { view: "errors", params });
});

test("a question mark that was escaped on the way is understood", () => {
  assert.deepEqual(parseHash("#ranking%3Fsize=3"), { view: "ranking", params: { size: "3" } });
});

test("an empty hash names no view", () => {
  assert.deepEqual(parseHash(""), { view: "", params: {} });
});

test("empty values are not in the hash", () => {
  assert.equal(makeHash("maps", { a: null, b: "", c: undefined, d: 0 }), "#maps?d=0");
  assert.deepEqual(changed({ a: "1", b: "2" }, { a: null }), { b: "2" });
});

test("the shared filters go along to another view, other choices stay behind", () => {
  const params = { treebank: "t", system: "s", class: "NOUN" };
  assert.deepEqual(carried(params), { treebank: "t", system: "s" });
  assert.deepEqual(carried(params, { system: null, by: "upos" }), { treebank: "t", by: "upos" });
});
