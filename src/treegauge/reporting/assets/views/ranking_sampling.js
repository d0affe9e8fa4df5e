// Ranks over random subsets of treebanks that keep to a constraint, drawn in the browser.

import { range } from "../shell/format.js";
import { rankTotals } from "./ranking_picker.js";

export const DRAWS = 2000;

// Numbers from 0 to 1, the same for the same seed (mulberry32).
export const random = (seed) => {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

// Size of the largest subset with one treebank per group; a treebank without a group is its own group.
export const mostOf = (groups) => {
  const named = new Set(groups.filter(Boolean));
  return named.size + groups.filter((group) => !group).length;
};

// One subset: treebanks in random order, skipping those whose group is already represented.
const drawSubset = (groups, size, next) => {
  const order = range(groups.length);
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const used = new Set();
  const subset = [];
  for (const t of order) {
    if (subset.length === size) break;
    if (groups[t] && used.has(groups[t])) continue;
    used.add(groups[t]);
    subset.push(t);
  }
  return subset;
};

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];

// Best rank, quartiles, worst rank and mean rank of every system; `score(s, t)` are whole numbers.
export const sampledRanks = ({ systems, groups, size, score, seed = 1, draws = DRAWS }) => {
  const next = random(seed);
  const held = range(systems).map(() => []);
  const wins = range(systems).map(() => new Float64Array(systems));
  for (let draw = 0; draw < draws; draw += 1) {
    const subset = drawSubset(groups, size, next);
    const totals = range(systems).map((s) => subset.reduce((sum, t) => sum + score(s, t), 0));
    rankTotals(totals).forEach((rank, s) => held[s].push(rank));
    for (let a = 0; a < systems; a += 1)
      for (let b = 0; b < systems; b += 1) if (totals[a] > totals[b]) wins[a][b] += 1 / draws;
  }
  return {
    boxes: held.map((ranks) => {
      const sorted = ranks.sort((a, b) => a - b);
      return [sorted[0], ...[0.25, 0.5, 0.75].map((q) => quantile(sorted, q)), sorted.at(-1)];
    }),
    means: held.map((ranks) => ranks.reduce((a, b) => a + b, 0) / ranks.length),
    above: (a, b) => wins[a][b],
  };
};
