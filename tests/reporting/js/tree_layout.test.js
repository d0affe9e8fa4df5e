import assert from "node:assert/strict";
import { test } from "node:test";
import {
  arcPath,
  arcsOf,
  isFromRight,
  levels,
  mirrored,
  positions,
  side,
} from "../../../src/treegauge/reporting/assets/components/tree_layout.js";

const plain = () => ({});
const heads = [2, 3, 0, 6, 6, 3, 3];
const labels = ["det", "nsubj", "root", "det", "amod", "obj", "punct"];
const width = (text) => 6 * text.length;

test("arcs over the same gap are at different heights", () => {
  const arcs = arcsOf(heads, labels, plain);
  const level = levels(arcs, heads.length);
  for (let gap = 1; gap < heads.length; gap += 1) {
    const over = arcs.flatMap((arc, i) =>
      arc.head && arc.left <= gap && gap < arc.right ? [level[i]] : [],
    );
    assert.equal(new Set(over).size, over.length);
  }
  assert.equal(Math.max(...level), level[2]); // the root's arc comes from above all
});

test("a head that gold does not have is said so, and drawn as a stub", () => {
  const [one] = arcsOf([-1, 1], ["obj", "det"], plain);
  assert.deepEqual([one.head, one.label], [0, "obj (head not in gold)"]);
  assert.equal(arcsOf([2, 2], ["a", "b"], plain)[1].head, 0); // a word is not its own head
  assert.equal(arcsOf(heads, labels, (i) => (i ? null : {})).length, 1);
});

test("words keep their order and labels have room", () => {
  const widths = heads.map(() => 20);
  const one = side(arcsOf(heads, labels, plain), widths);
  const long = side(arcsOf(heads, labels.map((label) => `${label}:a-long-subtype`), plain), widths);
  const { x } = positions(widths, [one, long], width);
  for (let i = 1; i < x.length; i += 1) assert.ok(x[i] - x[i - 1] >= 36);
  long.arcs.forEach((arc, i) => {
    if (arc.head) {
      const space = x[arc.right - 1] + long.right[i] - x[arc.left - 1] - long.left[i];
      assert.ok(space >= width(arc.label));
    }
  });
  const alone = positions(widths, [one], width);
  assert.ok(alone.width < positions(widths, [one, long], width).width);
});

test("a tree from right to left is the same tree", () => {
  const turned = mirrored({ form: ["a", "b", "c"], head: [2, 0, 2], deprel: ["x", "r", "y"] });
  assert.deepEqual(turned.head, [2, 0, 2]);
  assert.deepEqual(turned.deprel, ["y", "r", "x"]);
  assert.deepEqual(mirrored(turned).form, ["a", "b", "c"]);
  assert.ok(isFromRight("שלום abc"));
  assert.ok(!isFromRight("hello"));
  assert.ok(!isFromRight("123"));
});

test("the tip of an arc is at the dependent", () => {
  const widths = [20, 20];
  const one = side(arcsOf([2, 0], ["det", "root"], plain), widths);
  const { x } = positions(widths, [one], width);
  const { tip, label } = arcPath(one, 0, x, 50, -1);
  assert.ok(Math.abs(Number(/L([\d.]+)/.exec(tip)[1]) - x[0]) <= 10);
  assert.ok(label.x > x[0] && label.x < x[1]);
});
