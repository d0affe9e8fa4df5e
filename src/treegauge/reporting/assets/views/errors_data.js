// Numbers of the view of errors: per system, per class, and their sums over treebanks.

import { grouped, plural, points } from "../shell/format.js";
import { merged } from "./errors_confusion.js";

// The scored treebanks that the filter allows.
export const scoredParts = (page) => {
  const all = page.data("scores").treebanks;
  return page.treebank ? all.filter((one) => one.treebank === page.treebank) : all;
};

// The most runs that the system has on a treebank: counts are means over them.
export const runsOf = (parts, system) =>
  Math.max(1, ...parts.map((one) => one.runs?.[one.systems.indexOf(system)] ?? 1));

export const confusionOf = (parts, system, of) => {
  const found = parts
    .map((one) => one.confusion?.[one.systems.indexOf(system)]?.[of])
    .filter(Boolean);
  return found.length ? merged(found) : null;
};

const added = (a, b) => a.map((value, i) => value + b[i]);

// Words by class over all chosen treebanks: [{class, gold, wrong, kinds, places}].
export const classRows = (parts, system, by) => {
  const rows = new Map();
  for (const part of parts) {
    const at = part.systems.indexOf(system);
    for (const row of part.breakdowns.find((one) => one.by === by)?.rows || []) {
      const own = row.systems[at];
      if (own?.correct === undefined) continue;
      const one = rows.get(row.class) || { class: row.class, gold: 0, wrong: 0, kinds: [0, 0, 0], places: [] };
      one.gold += row.gold;
      one.wrong += row.gold - own.correct;
      one.kinds = added(one.kinds, own.kinds);
      one.places.push([part, own.examples || []]);
      rows.set(row.class, one);
    }
  }
  return [...rows.values()];
};

// All words of a system: the sum of its classes of relations.
export const allWords = (parts, system, name) => {
  const rows = classRows(parts, system, parts[0].breakdowns[0].by);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const kinds = rows.reduce((total, row) => added(total, row.kinds), [0, 0, 0]);
  return { class: name, gold: sum("gold"), wrong: sum("wrong"), kinds, places: parts.map((part) => [part, []]) };
};

const las = (metrics) => metrics.find((one) => /^LAS(\[|$)/.test(one.name));

// LAS of a system with its interval: of one treebank, or the macro average of all.
const scoreOf = (page, parts, system) => {
  const each = parts.map((part) => las(part.metrics)?.systems[part.systems.indexOf(system)]).filter(Boolean);
  if (!each.length) return { score: null, interval: null };
  if (parts.length === 1) return { score: each[0].f1, interval: each[0].interval };
  const mean = each.reduce((sum, one) => sum + one.f1, 0) / each.length;
  const board = page.has("overview") ? page.data("overview").board : null;
  const macro = board && las(board.metrics)?.macro?.[board.systems.indexOf(system)];
  return { score: mean, interval: macro && board.common === each.length ? macro.interval : null };
};

// One row per system, the fewest errors per word first.
export const systemRows = (page, parts, systems) =>
  systems
    .map((name) => {
      const own = parts.filter((part) => part.systems.includes(name));
      const row = allWords(own, name, name);
      return { ...row, ...scoreOf(page, own, name), micro: (100 * (row.gold - row.wrong)) / Math.max(1, row.gold) };
    })
    .sort((a, b) => b.micro - a.micro);

// What one system gets wrong, in a sentence.
export const correctText = (row, where, page) => {
  const parts = row.places.map(([part]) => part);
  const runs = runsOf(parts, row.class);
  const right = parts.map((part) => {
    const own = allWords([part], row.class, "");
    return (100 * (own.gold - own.wrong)) / Math.max(1, own.gold);
  });
  const macro = points(right.reduce((a, b) => a + b, 0) / right.length);
  const { score, interval } = scoreOf(page, parts, row.class);
  const ends = interval ? `, 95 % interval ${points(interval[0])} to ${points(interval[1])}` : "";
  const average = parts.length > 1 ? "LAS, macro average: " : "LAS: ";
  return (
    `On ${where}, ${row.class} makes errors in ${grouped(row.wrong)} of ${plural(row.gold, "word")}` +
    (runs > 1 ? `, the mean of ${runs} runs; ` : "; ") +
    `${points(row.micro)} % have the correct head and relation` +
    (parts.length > 1
      ? ` (micro average: every word counts alike; the mean over treebanks, the macro average, is ${macro} %).`
      : ".") +
    (ends ? ` ${average}${points(score)}${ends}.` : "")
  );
};

// Errors by class of all systems: {class, gold, cells}; a system without output on a treebank counts
// the others only.
export const heatRows = (parts, systems, by) => {
  const rows = new Map();
  systems.forEach((name, s) => {
    const own = parts.filter((part) => part.systems.includes(name));
    for (const row of classRows(own, name, by)) {
      const whole = rows.get(row.class) || { class: row.class, gold: 0, cells: systems.map(() => null) };
      whole.cells[s] = row;
      whole.gold = Math.max(whole.gold, row.gold);
      rows.set(row.class, whole);
    }
  });
  return [...rows.values()];
};
