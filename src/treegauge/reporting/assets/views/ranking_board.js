// One ranked table of scores as the views use it: ranks, pairs, boxes and subsets.

import { range } from "../shell/format.js";
import { unpack } from "../shell/packed.js";
import { failedRuns } from "./overview_boards.js";
import { byRank, ranker } from "./ranking_picker.js";
import { mostOf, sampledRanks } from "./ranking_sampling.js";

//: Constraints on subsets: the column in which no two treebanks may have the same value.
export const CONSTRAINTS = { "": "none", language: "one treebank per language", genus: "one per genus" };

// The number of a pair among all pairs, and the sign of its difference.
export const pairIndex = (n, a, b) => {
  const [i, j] = a < b ? [a, b] : [b, a];
  return { at: i * n - (i * (i + 1)) / 2 + (j - i - 1), sign: a < b ? 1 : -1 };
};

export const readBoard = (data) => {
  const n = data.systems.length;
  const held = data.treebanks.length;
  const [means, above, boxes, values] = [data.means, data.above, data.boxes, data.scores.values].map(
    unpack,
  );
  const masks = { best: unpack(data.best), worst: unpack(data.worst) };
  const pairs = Object.fromEntries(
    Object.entries(data.pairs).map(([name, packed]) => [name, unpack(packed)]), // verdicts are a list already
  );
  const known = (x) => (Number.isFinite(x) ? x : null);
  const meanOver = ranker(data);
  const whole = meanOver(new Array(held).fill(true));
  const drawn = new Map();

  // Mean difference of two systems with its interval for other treebanks, and Python's verdicts.
  const pair = (a, b) => {
    const { at, sign } = pairIndex(n, a, b);
    const [low, high] = [known(pairs.low[at]), known(pairs.high[at])];
    return {
      difference: sign * pairs.difference[at],
      low: low === null ? null : sign > 0 ? low : -high,
      high: high === null ? null : sign > 0 ? high : -low,
      detectable: known(pairs.detectable[at]),
      verdicts: pairs.verdicts[at],
      equivalence: pairs.equivalence[at],
      errors: pairs.errors[at],
    };
  };
  // Ranks over subsets of the size at place `at`; with a constraint they are counted or drawn here.
  const subsets = (at, constraint) => {
    const groups = constraint ? data.treebanks.map((t) => t[constraint]) : null;
    const size = groups ? Math.min(data.sizes[at], mostOf(groups)) : data.sizes[at];
    if (!groups)
      return {
        size,
        box: (s) => [...boxes.slice((at * n + s) * 5, (at * n + s) * 5 + 5)],
        mean: (s) => means[at * n + s],
        above: (a, b) => above[(at * n + a) * n + b],
      };
    const key = `${size} ${constraint}`;
    if (!drawn.has(key)) {
      const score = (s, t) => values[s * held + t];
      drawn.set(key, sampledRanks({ systems: n, groups, size, score }));
    }
    const found = drawn.get(key);
    const { draws, every, above: share } = found;
    return { size, draws, every, box: (s) => found.boxes[s], mean: (s) => found.means[s], above: share };
  };
  const outlierSubset = (at, system, which) => {
    const bytes = Math.ceil(held / 8);
    const from = (at * n + system) * bytes;
    return range(held).map((t) => Boolean((masks[which][from + (t >> 3)] >> (t & 7)) & 1));
  };
  // A minus B on each treebank, in points.
  const differences = (a, b) =>
    range(held).map((t) => (values[a * held + t] - values[b * held + t]) / data.scores.scale);
  return {
    data,
    n,
    held,
    pair,
    subsets,
    outlierSubset,
    differences,
    failed: failedRuns(data),
    meanOver,
    ranks: whole.ranks,
    means: whole.means,
    order: byRank(data.systems, whole.ranks),
    constraints: Object.entries(CONSTRAINTS).filter(
      ([key]) => !key || data.treebanks.some((t) => t[key]),
    ),
  };
};

// Boards are read once, however many views use them.
const read = new WeakMap();
export const rankedBoards = (page) =>
  page.data("ranking").boards.map((data) => {
    if (!read.has(data)) read.set(data, readBoard(data));
    return read.get(data);
  });

// The name of a board in links: what was scored here, or its number among the other tables.
export const keyOf = (boards, number) => {
  if (boards[number].data.scored) return "scored";
  return `table${boards.slice(0, number).filter((board) => !board.data.scored).length}`;
};
