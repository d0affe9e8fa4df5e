// Boards: systems by treebanks in one form, both for systems scored here and for tables of scores.

import { range } from "../shell/format.js";
import { unpack } from "../shell/packed.js";

//: How Python marks a score within its treebank.
export const MARKS = { best: 1, tied: 2, below: 3 };

const known = (x) => (Number.isFinite(x) ? x : null);
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

// The board of systems that were scored here: every cell has an interval and a mark.
export const scoredBoard = (board, metricName) => {
  const metric = board.metrics.find((m) => m.name === metricName) || board.metrics[0];
  const [scores, low, high, marks] = ["scores", "low", "high", "marks"].map((k) => unpack(metric[k]));
  const n = board.systems.length;
  const cell = (at) => ({
    score: known(scores[at]),
    low: known(low[at]),
    high: known(high[at]),
    mark: marks[at],
  });
  return {
    key: "scored",
    name: "Systems scored here",
    metric: metric.name,
    metrics: board.metrics.map((m) => m.name),
    systems: board.systems,
    rows: board.treebanks.map((t, i) => ({
      treebank: t.treebank,
      name: t.treebank,
      about: `${t.name}: ${t.sentences} sentences, ${t.words} words`,
      words: t.words,
      sentences: t.sentences,
      cells: range(n).map((j) => cell(i * n + j)),
    })),
    macro: metric.macro,
    common: board.common,
    tested: marks.some((mark) => mark > 0),
  };
};

// Whether a system's run on a treebank failed; it counts as 0 in means and ranks.
export const failedRuns = (data) => {
  const runs = new Set((data.failed || []).map(([s, t]) => `${s} ${t}`));
  return (s, t) => runs.has(`${s} ${t}`);
};

// The board of a table of scores: no intervals, and ties over all treebanks.
export const tableBoard = (data, number) => {
  const values = unpack(data.scores.values);
  const held = data.treebanks.length;
  const score = (s, t) => values[s * held + t] / data.scores.scale;
  const failed = failedRuns(data);
  const rows = data.treebanks.map((t, i) => {
    const own = data.systems.map((_, s) => score(s, i));
    const top = Math.max(...own);
    return {
      treebank: t.code,
      name: t.code,
      about: [t.language, t.genus, t.resource].filter(Boolean).join(", "),
      cells: own.map((v, s) => ({
        score: failed(s, i) ? null : v,
        failed: failed(s, i),
        low: null,
        high: null,
        mark: v === top && !failed(s, i) ? MARKS.best : 0,
      })),
    };
  });
  return {
    key: `table${number}`,
    of: [data.name],
    name: data.name,
    metric: data.metric,
    metrics: [data.metric],
    systems: data.systems,
    rows,
    macro: data.systems.map((_, s) => ({
      mean: mean(range(held).map((t) => score(s, t))),
      interval: data.intervals ? data.intervals[s] : null,
      group: data.groups ? data.groups[s] : "",
      set: data.sets ? data.sets[s] : null,
    })),
    common: held,
    tested: false,
  };
};

// All boards of a page: [key, name, make()], systems scored here first. Names are known before
// the data of a board are read.
export const boardsOf = (page, metric) => {
  const boards = [];
  if (page.has("overview"))
    boards.push([
      "scored",
      "Systems scored here",
      () => scoredBoard(page.data("overview").board, metric),
    ]);
  page.facts.boards.forEach((name, i) => {
    boards.push([
      `table${i}`,
      name,
      () => tableBoard(page.data("ranking").boards.filter((one) => !one.scored)[i], i),
    ]);
  });
  return boards;
};

// Rows in the order of a column: "name", or the score of a system; missing scores come last.
export const sortedRows = (rows, column, down) => {
  if (column === null) return rows;
  const value = (row) => (column < 0 ? row.name : row.cells[column].score);
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * (typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true }));
  });
};

// Systems from the highest mean to the lowest.
export const bestFirst = (board) => {
  const means = board.systems.map((_, s) => {
    if (board.macro) return board.macro[s].mean;
    const own = board.rows.map((row) => row.cells[s].score).filter((v) => v !== null);
    return own.length ? mean(own) : -Infinity;
  });
  return range(board.systems.length).sort((a, b) => means[b] - means[a] || a - b);
};
