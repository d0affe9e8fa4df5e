// Ranks over subsets of treebanks that keep to a constraint, in the browser: all, or random ones.

import { range } from "../shell/format.js";
import { rankTotals } from "./ranking_picker.js";

export const DRAWS = 2000; // up to this number, all subsets are counted

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

// The members of each group, and the number of subsets of each size from each group on.
export const waysOf = (groups, size) => {
  const named = new Map();
  groups.forEach((group, t) => named.set(group || t, [...(named.get(group || t) || []), t]));
  const members = [...named.values()];
  const ways = [range(size + 1).map((places) => (places ? 0 : 1))];
  for (const { length } of [...members].reverse())
    ways.unshift(ways[0].map((without, places) => without + (places ? length * ways[0][places - 1] : 0)));
  return { members, ways };
};

// The subset with a number below `ways[0][size]`; with `next`, a random one, all equally likely.
export const subsetOf = ({ members, ways }, size, first, next = null) => {
  const subset = [];
  let number = first;
  members.forEach((group, g) => {
    const left = size - subset.length;
    if (next) number = next() * ways[g][left];
    const each = left ? ways[g + 1][left - 1] : 0;
    if (number >= group.length * each) {
      number -= group.length * each;
    } else {
      subset.push(group[Math.floor(number / each)]);
      number %= each;
    }
  });
  return subset;
};

// Interpolated between neighbours, as in Python.
const quantile = (sorted, q) => {
  const place = q * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
};

// Best rank, quartiles, worst rank and mean rank of every system; `score(s, t)` are whole numbers.
export const sampledRanks = ({ systems, groups, size, score, seed = 1, most = DRAWS }) => {
  const found = waysOf(groups, size);
  const every = found.ways[0][size] <= most;
  const draws = every ? found.ways[0][size] : most;
  const next = every ? null : random(seed);
  const held = range(systems).map(() => []);
  const wins = range(systems).map(() => new Float64Array(systems));
  for (let draw = 0; draw < draws; draw += 1) {
    const subset = subsetOf(found, size, draw, next);
    const totals = range(systems).map((s) => subset.reduce((sum, t) => sum + score(s, t), 0));
    rankTotals(totals).forEach((rank, s) => held[s].push(rank));
    for (let a = 0; a < systems; a += 1)
      for (let b = 0; b < systems; b += 1) if (totals[a] > totals[b]) wins[a][b] += 1 / draws;
  }
  return {
    draws,
    every,
    boxes: held.map((ranks) => {
      const sorted = ranks.sort((a, b) => a - b);
      return [sorted[0], ...[0.25, 0.5, 0.75].map((q) => quantile(sorted, q)), sorted.at(-1)];
    }),
    means: held.map((ranks) => ranks.reduce((a, b) => a + b, 0) / ranks.length),
    above: (a, b) => wins[a][b],
  };
};
