import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { blockText, inflated } from "../../../src/treegauge/reporting/assets/shell/inflate.js";

// Texts in which each kind of block occurs: fixed, dynamic and stored.
const random = (size, values) => {
  let seed = 7;
  return Buffer.from(
    Array.from({ length: size }, () => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 16) % values;
    }),
  );
};
const words = Buffer.from("ναι, the quick brown fox; ".repeat(4000));
const samples = [Buffer.from(""), Buffer.from("abc"), words, random(70000, 256), random(70000, 3)];

test("what zlib packed comes out as it went in", () => {
  for (const bytes of samples)
    for (const options of [{ level: 9 }, { level: 1 }, { level: 0 }, { strategy: 4 }]) {
      const packed = deflateRawSync(bytes, options);
      assert.deepEqual(Buffer.from(inflated(packed, bytes.length)), bytes);
    }
});

test("a block is JSON, or its size and packed JSON", () => {
  assert.equal(blockText('{"a":1}'), '{"a":1}');
  const text = JSON.stringify({ form: "ναι".repeat(50) });
  const bytes = Buffer.from(text);
  const packed = deflateRawSync(bytes).toString("base64");
  assert.equal(blockText(`${bytes.length}:${packed}`), text);
});

test("damaged data are refused", () => {
  const packed = deflateRawSync(words);
  assert.throws(() => inflated(packed.subarray(0, 20), words.length), /damaged/);
  assert.throws(() => inflated(packed, 100), /damaged/);
});
