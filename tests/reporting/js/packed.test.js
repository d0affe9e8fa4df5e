import assert from "node:assert/strict";
import { test } from "node:test";
import {
  column,
  treebank,
  unpack,
} from "../../../src/treegauge/reporting/assets/shell/packed.js";

test("numbers come out as they went in", () => {
  assert.deepEqual([...unpack({ u8: "AQL/" })], [1, 2, 255]);
  assert.deepEqual(unpack([1, 2]), [1, 2]);
  assert.equal(unpack({ f32: btoa("\0\0\x80\x3f") })[0], 1);
});

test("texts are looked up by code", () => {
  const texts = column({ values: ["b", "a"], codes: { u8: "AAEA" } });
  assert.deepEqual([0, 1, 2].map(texts.at), ["b", "a", "b"]);
});

test("sentences have their own words and heads", () => {
  const same = (text) => ({ values: [text], codes: { u8: btoa("\0\0\0") } });
  const two = treebank({
    offsets: { u8: btoa("\0\x01\x03") },
    head: { u8: btoa("\x01\x03\x01") },
    id: ["s1", "s2"],
    form: same("f"),
    upos: same("X"),
    deprel: same("dep"),
  });
  const last = two.sentence(1);
  assert.deepEqual([last.id, last.from, last.head], ["s2", 1, [2, 0]]);
  assert.equal(last.form.length, 2);
});
