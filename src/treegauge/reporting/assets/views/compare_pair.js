// The comparison of two systems: Python's numbers, turned to A minus B, and Python's sentences.

import { html } from "../shell/dom.js";
import { grouped, plural, points, signed } from "../shell/format.js";

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
    treebanks: row.treebanks ?? 1,
    verdicts: row.verdicts,
    errors: row.errors,
    equivalence: row.equivalence,
  };
};

export const findPair = (rows, a, b) => {
  const row = rows.find((r) => (r.a === a && r.b === b) || (r.a === b && r.b === a));
  return row ? oriented(row, a) : null;
};

// The two answers as Python wrote them; the colour is that of the better system.
export const verdictLines = (verdicts, a) =>
  verdicts.map((one) =>
    html(
      "p",
      {
        class: "verdict",
        "data-state": one.state,
        "data-better": one.better === null ? "none" : one.better === a ? "a" : "b",
        "data-sign": one.sign,
        "data-p": one.p,
      },
      one.sentence,
    ),
  );

// The answers as one text that says where, in which metric, and of which systems.
export const citedVerdicts = ({ facts, a, b, over }) => {
  const said = facts.verdicts.map((one) => one.sentence).join(" ");
  const named = [a, b].every((name) => said.includes(name)) ? "" : `, ${a} and ${b}`;
  return `${over[0].toUpperCase()}${over.slice(1)} (${facts.metric})${named}: ${said[0].toLowerCase()}${said.slice(1)}`;
};

export const detectableText = (facts) =>
  known(facts.detectable)
    ? `The test detects a true difference of ${points(facts.detectable)} points or more with 80 % power.`
    : "There is too little text to compute the smallest detectable difference.";

// Where A is ahead, behind and equal.
export const standing = (differences) => ({
  ahead: differences.filter((d) => d > 0).length,
  behind: differences.filter((d) => d < 0).length,
  equal: differences.filter((d) => d === 0).length,
});

// What is counted over these treebanks, for pairs without a certificate written by Python.
export const countsText = ({ board, a, b, wins }) => {
  const { data } = board;
  const [first, second] = board.means[a] >= board.means[b] ? [a, b] : [b, a];
  const [one, other] = [data.systems[first], data.systems[second]];
  const counts = standing(board.differences(first, second));
  const rates = wins(first, second)
    .map(({ size, share }) => `${points(100 * share, 1)} % of size ${size}`)
    .join(", ");
  return (
    `Over ${grouped(board.held)} treebanks, the mean ${data.metric} of ${one} minus that of ${other} is ` +
    `${signed(board.pair(first, second).difference)} points. ${one} is ahead on ` +
    `${plural(counts.ahead, "treebank")}, behind on ${counts.behind} and equal on ${counts.equal}. ` +
    `Among subsets of these treebanks, ${one} wins ${rates}.`
  );
};
