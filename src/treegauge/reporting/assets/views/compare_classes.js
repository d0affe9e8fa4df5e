// Where A is better and where B is, by class of words: numbers, order and sentences.

import { differenceOf } from "../components/differences.js";
import { column, unpack } from "../shell/packed.js";
import { pairIndex } from "./ranking_board.js";

const known = (x) => (Number.isFinite(x) ? x : null);

//: Ways to order classes: by size of the difference, by errors, by words, by name.
export const ORDERS = {
  errors: "extra errors",
  effect: "size of the difference",
  words: "words",
  class: "name",
};

// One row per class of a treebank: scores of both, the difference, its test, and extra errors.
export const classRows = (part, by, a, b) => {
  const breakdown = part.breakdowns.find((one) => one.by === by);
  const [i, j] = [part.systems.indexOf(a), part.systems.indexOf(b)];
  const { at, sign } = pairIndex(part.systems.length, i, j);
  const packed = breakdown.pairs && breakdown.pairs[at];
  const test =
    packed && Object.fromEntries(["low", "high", "sure", "sentences"].map((key) => [key, unpack(packed[key])]));
  const p = packed && column(packed.p);
  return breakdown.rows.map((row, r) => {
    const [ours, theirs] = [row.systems[i], row.systems[j]];
    const ends = test ? [known(sign * test.low[r]), known(sign * test.high[r])] : [null, null];
    return {
      class: row.class,
      words: row.gold,
      ours: ours.f1 ?? null,
      theirs: theirs.f1 ?? null,
      difference: (ours.f1 ?? 0) - (theirs.f1 ?? 0),
      low: sign > 0 ? ends[0] : ends[1],
      high: sign > 0 ? ends[1] : ends[0],
      p: p ? p.at(r) : "", // as text, and whether it is significant: Python's words
      sure: Boolean(test && test.sure[r]),
      errors: (ours.correct ?? 0) - (theirs.correct ?? 0), // words that B loses and A does not
      sentences: test ? test.sentences[r] : null, // with a word that only one of the two has right
      examples: [ours.examples ?? [], theirs.examples ?? []],
    };
  });
};

// The classes of several treebanks together: errors and words summed, one cell per treebank.
export const classMatrix = (parts, by, a, b) => {
  const classes = new Map();
  parts.forEach((part, column) => {
    for (const row of classRows(part, by, a, b)) {
      if (!classes.has(row.class))
        classes.set(row.class, {
          class: row.class,
          words: 0,
          errors: 0,
          cells: parts.map(() => null),
        });
      const whole = classes.get(row.class);
      whole.words += row.words;
      whole.errors += row.errors;
      whole.cells[column] = row;
    }
  });
  for (const row of classes.values()) {
    const held = row.cells.filter(Boolean);
    row.difference = held.reduce((sum, cell) => sum + cell.difference, 0) / held.length;
  }
  return [...classes.values()];
};

export const inOrder = (rows, order, down = true) => {
  const sign = down ? 1 : -1;
  const keys = {
    errors: (row) => Math.abs(row.errors),
    effect: (row) => Math.abs(row.difference),
    words: (row) => row.words,
  };
  if (order === "class")
    return [...rows].sort((x, y) => sign * x.class.localeCompare(y.class, "en", { numeric: true }));
  const key = keys[order] || keys.errors;
  return [...rows].sort((x, y) => sign * (key(y) - key(x)) || x.class.localeCompare(y.class));
};

// Sentences behind a class: with words that are correct in one system and incorrect in the other.
export const pairSentences = (bank, row, a, b) => {
  const items = new Map();
  const add = (examples, right, wrong) => {
    const [one, other] = [bank.system(right), bank.system(wrong)];
    for (const [sentence, words] of examples) {
      const gold = bank.sentence(sentence);
      const parse = one.of(sentence);
      const failed = other.of(sentence);
      const differing = words.filter(
        (w) => !differenceOf(gold, parse, w - 1) && differenceOf(gold, failed, w - 1),
      );
      if (!differing.length) continue;
      const forms = differing.map((w) => gold.form[w - 1]).join(", ");
      const note = `${right} is correct and ${wrong} is incorrect at ${forms}.`;
      const item = items.get(sentence) || { bank, sentence, words: [], note: "" };
      item.words = [...new Set([...item.words, ...differing])].sort((x, y) => x - y);
      item.note = [item.note, note].filter(Boolean).join(" ");
      items.set(sentence, item);
    }
  };
  add(row.examples[1], a, b);
  add(row.examples[0], b, a);
  return [...items.values()];
};

// The largest difference among classes: the end of the colour scale.
export const reachOf = (values) => Math.max(1, ...values.map((v) => Math.abs(v ?? 0)));

