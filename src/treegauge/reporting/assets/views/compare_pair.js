// The comparison of two systems, as numbers and as sentences.

import { grouped, plural, points, pText, signed } from "../shell/format.js";

export const SIGNIFICANT = 0.05;

const known = (x) => x !== null && x !== undefined;

// A row of Python's comparison as A minus B, whichever of the two it calls a.
export const oriented = (row, a) => {
  const same = row.a === a;
  const [ours, theirs] = same ? [row.f1_a, row.f1_b] : [row.f1_b, row.f1_a];
  const ends = known(row.low) ? (same ? [row.low, row.high] : [-row.high, -row.low]) : [null, null];
  return {
    metric: row.metric,
    ours,
    theirs,
    difference: ours - theirs,
    low: ends[0],
    high: ends[1],
    detectable: row.detectable ?? null,
    p: row.p_corrected ?? null,
    treebanks: row.treebanks ?? 1,
    errorReduction: theirs < 100 ? (100 * (ours - theirs)) / (100 - theirs) : null,
  };
};

export const findPair = (rows, a, b) => {
  const row = rows.find((r) => (r.a === a && r.b === b) || (r.a === b && r.b === a));
  return row ? oriented(row, a) : null;
};

// What the interval shows for a margin in points, the strongest claim first. The claims hold where
// the 95 % interval lies on their side, as in `treegauge score --margin` for a single pair.
export const verdictOf = ({ difference, low, high, p }, margin) => {
  if (!known(low)) return "untested";
  if (low > -margin && high < margin) return "equivalent";
  if (known(p) && p <= SIGNIFICANT) return difference >= 0 ? "a" : "b";
  if (low > -margin) return "a_not_worse";
  if (high < margin) return "b_not_worse";
  return "undecided";
};

export const verdictText = (verdict, a, b, margin) =>
  ({
    untested: "There is too little text for a test of equivalence.",
    equivalent: `${a} and ${b} are equivalent within ${plural(margin, "point")}.`,
    a: `${a} is significantly better. Equivalence within ${plural(margin, "point")} is not shown.`,
    b: `${b} is significantly better. Equivalence within ${plural(margin, "point")} is not shown.`,
    a_not_worse: `${a} is at most ${plural(margin, "point")} worse than ${b}.`,
    b_not_worse: `${b} is at most ${plural(margin, "point")} worse than ${a}.`,
    undecided: `The data show neither a difference nor equivalence within ${plural(margin, "point")}.`,
  })[verdict];

// The main result as one sentence.
export const headline = (facts, a, b, over) => {
  const [first, second] = facts.difference >= 0 ? [a, b] : [b, a];
  const gap = Math.abs(facts.difference);
  if (gap < 0.005) return `${a} and ${b} have the same ${facts.metric} ${over}.`;
  const [low, high] = facts.difference >= 0 ? [facts.low, facts.high] : [-facts.high, -facts.low];
  const interval = known(facts.low) ? ` (95 % interval ${signed(low)} to ${signed(high)})` : "";
  const where = facts.treebanks > 1 ? " on some treebank" : "";
  let judged = `there is too little text for a significance test${where}`;
  if (known(facts.p)) {
    const significant = facts.p <= SIGNIFICANT;
    judged = `the difference is ${significant ? "" : "not "}statistically significant (${pText(facts.p)})`;
  }
  return (
    `${first} scores ${points(gap)} points higher in ${facts.metric} than ${second} ${over}` +
    `${interval}; ${judged}.`
  );
};

export const detectableText = (facts) =>
  known(facts.detectable)
    ? `The test detects a true difference of ${points(facts.detectable)} points or more with 80 % power.`
    : "There is too little text to compute the smallest detectable difference.";

// Where A is ahead, behind and equal, and the fewest treebanks without which A would not lead.
export const standing = (differences) => {
  const total = differences.reduce((sum, d) => sum + d, 0);
  const sorted = [...differences].sort((x, y) => (total >= 0 ? y - x : x - y));
  let rest = total;
  let fewest = 0;
  while (fewest < sorted.length && (total >= 0 ? rest > 1e-9 : rest < -1e-9)) {
    rest -= sorted[fewest];
    fewest += 1;
  }
  return {
    ahead: differences.filter((d) => d > 0).length,
    behind: differences.filter((d) => d < 0).length,
    equal: differences.filter((d) => d === 0).length,
    fewest: rest <= 1e-9 && total >= 0 ? fewest : rest >= -1e-9 && total < 0 ? fewest : null,
  };
};

// A short certificate from the numbers in the page, for pairs without one written by Python.
export const certificateText = ({ board, a, b, wins }) => {
  const { data } = board;
  const [first, second] = board.means[a] >= board.means[b] ? [a, b] : [b, a];
  const [one, other] = [data.systems[first], data.systems[second]];
  const facts = board.pair(first, second);
  const counts = standing(board.differences(first, second));
  const interval =
    facts.low === null
      ? ""
      : `, 95 % interval for other treebanks of these families ${signed(facts.low)} to ${signed(facts.high)}`;
  const p = facts.p === null ? "" : ` Primary test (Wilcoxon signed-rank): ${pText(facts.p)}.`;
  const rates = wins(first, second)
    .map(({ size, share }) => `${points(100 * share, 1)} % of size ${size}`)
    .join(", ");
  const fails = counts.fewest
    ? ` The claim fails without the ${plural(counts.fewest, "treebank")} that favour${counts.fewest === 1 ? "s" : ""} it most.`
    : "";
  return (
    `Over ${grouped(board.held)} treebanks, ${one} scores higher in ${data.metric} than ${other}: ` +
    `mean difference ${signed(facts.difference)} points${interval}. ${one} is ahead on ` +
    `${plural(counts.ahead, "treebank")}, behind on ${counts.behind} and equal on ${counts.equal}.${p} ` +
    `Among subsets of these treebanks, ${one} wins ${rates}.${fails}`
  );
};
