// The ranking as one table: rank set, mean, interval, tie group, and ranks over subsets.

import { describe, textOf } from "../components/described.js";
import { info } from "../components/info.js";
import { button, html, scrolling } from "../shell/dom.js";
import { points, signed } from "../shell/format.js";
import { rankAxis, rankBox } from "./ranking_drawings.js";

const spoken = (name, box, mean) => {
  const [low, q1, median, q3, high] = box;
  const ranks = `best ${low}, quartiles ${q1} ${median} ${q3}, worst ${high}`;
  return `${name}: ${ranks}, mean ${mean.toFixed(3)}`;
};

// Columns: key in the URL, title, value to sort by, whether high values come first.
const columnsOf = (board, now) => {
  const leader = board.order[0];
  const { sets, groups, systems, metric, intervals, iqm, fresh, scored } = board.data;
  const within = (s) =>
    intervals?.[s] ? html("small", {}, ` ${intervals[s].map((v) => points(v)).join("–")}`) : null;
  const behind = (s) => (s === leader ? null : board.pair(s, leader));
  const set = (s) => (sets ? (sets[s][0] === sets[s][1] ? sets[s][0] : `${sets[s][0]}–${sets[s][1]}`) : "");
  const tested = board.order.some((s) => behind(s)?.low !== null && s !== leader);
  const gap = (s) => {
    const found = behind(s);
    if (!found) return "leader";
    const ends = found.low === null ? "" : ` (${signed(found.low)} to ${signed(found.high)})`;
    return [signed(found.difference), html("small", {}, ends)];
  };
  const columns = [
    {
      key: "rank",
      name: "Rank",
      title: "Rank of the mean score over all treebanks; equal means share a rank",
      info: "chosen_treebanks",
      value: (s) => board.ranks[s],
      show: (s) => board.ranks[s],
      number: true,
    },
    sets && {
      key: "set",
      name: "Rank set",
      title: "Ranks that are compatible with the data at 95 % confidence, for other treebanks of these families",
      info: "rank_sets",
      value: (s) => sets[s][0] * 1000 + sets[s][1],
      show: set,
      number: true,
    },
    { key: "system", name: "System", value: (s) => systems[s], heading: true },
    {
      key: "mean",
      name: `Mean ${metric}`,
      title: `Mean score over all treebanks, in percent${intervals ? ", with its 95 % interval for other text of these treebanks" : ""}`,
      info: !intervals ? "chosen_treebanks" : scored ? "macro" : "standings",
      value: (s) => -board.means[s],
      show: (s) => [points(board.means[s]), within(s)],
      number: true,
    },
    {
      key: "iqm",
      name: "IQM",
      title: "Interquartile mean: the mean of the middle half of the scores over treebanks and runs",
      info: "interquartile_means",
      value: (s) => -iqm[s],
      show: (s) => points(iqm[s]),
      number: true,
    },
    fresh && {
      key: "fresh",
      name: "Rank, new treebank",
      title: "Ranks on one new treebank of a new genus, in 95 % of cases",
      info: "new_ranks",
      value: (s) => fresh[s][0] * 1000 + fresh[s][1],
      show: (s) => fresh[s].join("–"),
      number: true,
    },
    {
      key: "behind",
      name: `Behind the leader${tested ? ", 95 % interval" : ""}`,
      title: "Mean difference in points, with its interval for other treebanks of these families",
      info: "pair_differences",
      value: (s) => -(behind(s)?.difference ?? 0),
      show: gap,
      number: true,
    },
    groups && {
      key: "group",
      name: "Tie group",
      title:
        "Two systems share a letter if and only if they do not differ significantly " +
        "(Wilcoxon signed-rank tests, Holm)",
      info: "tie_groups",
      value: (s) => groups[s] || "~",
      show: (s) => groups[s],
    },
    {
      key: "average",
      name: "Mean rank",
      title: "Mean rank over subsets of the chosen size",
      info: "mean_ranks",
      value: (s) => now.mean(s),
      show: (s) => points(now.mean(s)),
      number: true,
    },
    {
      key: "box",
      name: `Ranks over subsets of ${now.size} treebanks`,
      title: "Line: best to worst rank; box: quartiles and median; dot: mean",
      info: "rank_boxes",
      value: (s) => now.box(s)[2] * 1000 + now.mean(s),
      show: (s) => rankBox(board.n, now.box(s), now.mean(s), spoken(systems[s], now.box(s), now.mean(s))),
      axis: true,
    },
  ].filter(Boolean);
  // On a narrow screen the drawing comes first: the other columns are reached by scrolling.
  if (!matchMedia("(max-width: 64rem)").matches) return columns;
  const first = ["rank", "system", "box"];
  const place = (c) => (first.includes(c.key) ? first.indexOf(c.key) : first.length);
  return columns.sort((a, b) => place(a) - place(b));
};

const BOX = ["best", "first quartile", "median", "third quartile", "worst"];

// The ranking for exports: boxes as five numbers, differences with their ends.
const rankingData = (board, now, columns, order) => {
  const { systems, metric } = board.data;
  const leader = board.order[0];
  const read = (c, s) => (c.heading ? systems[s] : textOf(c.show(s)));
  const shown = columns.filter((c) => !c.axis);
  return {
    title: `Ranking by ${metric}`,
    data: () => ({
      columns: [
        "rank", "system", `mean ${metric}`, "behind the leader", "low", "high", "tie group",
        `mean rank over subsets of ${now.size}`, ...BOX,
      ],
      rows: order.map((s) => {
        const gap = s === leader ? { difference: 0, low: null, high: null } : board.pair(s, leader);
        return [
          board.ranks[s], systems[s], board.means[s], gap.difference, gap.low, gap.high,
          board.data.groups?.[s] ?? "", now.mean(s), ...now.box(s),
        ];
      }),
    }),
    shown: () => ({
      columns: [...shown.map((c) => c.name), ...BOX],
      rows: order.map((s) => [...shown.map((c) => read(c, s)), ...now.box(s)]),
    }),
  };
};

const compared = (a, b) =>
  typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });

// `sort` is {key, down}; `system` is the one whose subsets are shown below.
export const rankingTable = ({ board, now, sort, onsort, system, onsystem }) => {
  const columns = columnsOf(board, now);
  const by = columns.find((c) => c.key === sort.key) || columns[0];
  const order = [...board.order].sort(
    (a, b) => (sort.down ? -1 : 1) * compared(by.value(a), by.value(b)),
  );
  const head = (c) =>
    html(
      "th",
      {
        scope: "col",
        class: c.number ? "number" : null,
        "aria-sort": c === by ? (sort.down ? "descending" : "ascending") : "none",
      },
      button(c.name, () => onsort(c.key), { title: c.title || null, "data-focus": c.key }),
      c.info ? info(c.info, { name: c.name, text: c.title, of: [board.data.name] }) : null,
      c.axis ? rankAxis(board.n) : null,
    );
  const row = (s) =>
    html(
      "tr",
      { class: s === system ? "chosen" : null },
      columns.map((c) =>
        c.heading
          ? html(
              "th",
              { scope: "row" },
              button(board.data.systems[s], () => onsystem(s), {
                "aria-pressed": String(s === system),
                "data-focus": `system ${s}`,
              }),
            )
          : html("td", { class: c.number ? "number" : null }, c.show(s)),
      ),
    );
  const table = html(
    "table",
    { class: "ranked" },
    html("thead", {}, html("tr", {}, columns.map(head))),
    html("tbody", {}, order.map(row)),
  );
  describe(table, rankingData(board, now, columns, order));
  return scrolling("Ranking of systems", table);
};
