// Tables of systems: all metrics, paired tests, and the most frequent errors.

import { dataTable } from "../components/table.js";
import { html } from "../shell/dom.js";
import { grouped, points, signed } from "../shell/format.js";

const METRICS =
  "F1 in percent. UAS: heads; LAS: heads and relations; CLAS: of content words; MLAS: with tags and features; BLEX: with lemmas";

const within = (interval) =>
  interval ? html("small", {}, ` ${points(interval[0])}–${points(interval[1])}`) : null;

// `columns` are {name, of(metric)}: a system on one treebank, or one system on several.
export const metricTable = (metrics, columns, label) =>
  dataTable({
    label,
    first: 50,
    data: metrics,
    columns: [
      { name: "metric", info: "scores", title: METRICS, value: (m) => m.name },
      ...columns.map(({ name, of }) => ({
        name,
        number: true,
        value: (m) => of(m)?.f1 ?? null,
        show: (m) => (of(m) ? [points(of(m).f1), within(of(m).interval)] : "–"),
        ends: (m) => of(m)?.interval,
      })),
    ],
  });

// All systems over several treebanks: macro and micro averages of every metric. `board` is that of the
// overview, which has the intervals of macro averages, if it is over the same treebanks.
export const averageTable = (parts, systems, board) => {
  const values = (part, m, name) =>
    part.metrics.find((one) => one.name === m.name)?.systems[part.systems.indexOf(name)];
  const cell = (m, name) => {
    const each = parts.map((part) => values(part, m, name)).filter(Boolean);
    const sum = (at) => each.reduce((total, one) => total + one.counts[at], 0);
    const found = board?.common === parts.length && board.metrics.find((one) => one.name === m.name);
    return {
      macro: each.reduce((total, one) => total + one.f1, 0) / each.length,
      interval: found ? (found.macro?.[board.systems.indexOf(name)]?.interval ?? null) : null,
      micro: (200 * sum(0)) / Math.max(1, sum(1) + sum(2)),
    };
  };
  const rows = parts[0].metrics.flatMap((m) => {
    const cells = systems.map((name) => cell(m, name));
    return ["macro", "micro"].map((average) => ({ metric: m.name, average, cells }));
  });
  return dataTable({
    label: `Averages over ${parts.length} treebanks`,
    first: 60,
    data: rows,
    columns: [
      { name: "metric", info: "scores", title: METRICS, value: (r) => r.metric },
      { name: "average", info: "macro", title: "macro: every treebank counts alike; micro: every word counts alike", value: (r) => r.average },
      ...systems.map((name, s) => ({
        name,
        number: true,
        value: (r) => r.cells[s][r.average],
        show: (r) => [points(r.cells[s][r.average]), r.average === "macro" ? within(r.cells[s].interval) : null],
        ends: (r) => (r.average === "macro" ? r.cells[s].interval : null),
      })),
    ],
  });
};

// One system on many treebanks: a row per treebank, a column per metric.
export const treebankTable = (metrics, treebanks, label) =>
  dataTable({
    label,
    filter: treebanks.length > 12 ? "treebank" : null,
    data: treebanks,
    columns: [
      { name: "treebank", value: (t) => t.name },
      ...metrics.map((m) => ({
        name: m.name,
        number: true,
        value: (t) => t.of(m)?.f1 ?? null,
        show: (t) => (t.of(m) ? points(t.of(m).f1) : "–"),
      })),
    ],
  });

// `rows` are tests with their treebank; `href` leads to the comparison of a pair.
export const testTable = (rows, href) => {
  const number = (name, title, value, show, ends = null) => ({
    name,
    title,
    info: "paired_tests",
    number: true,
    value,
    show,
    ends,
  });
  const several = new Set(rows.map((t) => t.treebank)).size > 1;
  return dataTable({
    label: "Paired tests",
    data: rows,
    filter: rows.length > 12 ? "system or treebank" : null,
    columns: [
      {
        name: "A and B",
        value: (t) => `${t.a} ${t.b}`,
        show: (t) => html("a", { href: href(t) }, `${t.a} and ${t.b}`),
      },
      ...(several ? [{ name: "treebank", value: (t) => t.treebank }] : []),
      { name: "metric", value: (t) => t.metric },
      number("A − B", "difference in points", (t) => t.difference, (t) => signed(t.difference)),
      number(
        "95 % interval",
        "confidence interval of the difference, for other text of this kind",
        (t) => t.low,
        (t) => (t.low === null ? "" : `${signed(t.low)} to ${signed(t.high)}`),
        (t) => [t.low, t.high],
      ),
      number(
        "fewer errors, %",
        "difference in errors as a share of B's errors",
        (t) => t.error_reduction,
        (t) => points(t.error_reduction),
      ),
      {
        name: "sign",
        title: "> A is better, < B is better, ≈ no significant difference, ? too few to say",
        value: (t) => t.verdicts[0].sign,
      },
      number(
        "p",
        "of the first verdict, corrected for the number of tests",
        (t) => t.p_corrected,
        (t) => t.verdicts[0].p,
      ),
    ],
  });
};

// Errors of a system by relation over treebanks, the most frequent first.
export const errorRows = (parts, system) => {
  const found = new Map();
  for (const part of parts) {
    const at = part.systems.indexOf(system);
    const breakdown = part.breakdowns.find((one) => one.by === "relation") || part.breakdowns[0];
    for (const row of breakdown.rows) {
      const held = found.get(row.class) || { class: row.class, words: 0, errors: 0 };
      held.words += row.gold;
      held.errors += row.gold - (row.systems[at]?.correct ?? 0);
      found.set(row.class, held);
    }
  }
  return [...found.values()].sort((a, b) => b.errors - a.errors || (a.class < b.class ? -1 : 1));
};

export const errorTable = (rows, href) => {
  const total = rows.reduce((sum, row) => sum + row.errors, 0);
  const share = (row, whole) => `${points((100 * row.errors) / whole, 1)} %`;
  return dataTable({
    label: "Errors by relation",
    first: 8,
    data: rows,
    columns: [
      { name: "relation", value: (r) => r.class, show: (r) => html("a", { href: href(r) }, r.class) },
      { name: "errors", title: "words that LAS counts as incorrect", info: "heat_maps", number: true, value: (r) => r.errors, show: (r) => grouped(r.errors) },
      {
        name: "share of all errors",
        number: true,
        value: (r) => r.errors,
        show: (r) => (total ? share(r, total) : ""),
      },
      {
        name: "share of its words",
        title: "share of the words with this relation that are incorrect",
        number: true,
        value: (r) => (r.words ? r.errors / r.words : 0),
        show: (r) => share(r, r.words || 1),
      },
    ],
  });
};
