// The table of systems by treebanks: one row per treebank, the means first.

import { describe } from "../components/described.js";
import { domainOf, intervalBar, intervalText } from "../components/interval.js";
import { button, html, scrolling } from "../shell/dom.js";
import { grouped, points } from "../shell/format.js";
import { MARKS } from "./overview_boards.js";

const MANY = 12; // systems; columns of larger tables have the same width, which is quicker to lay out

const SAID = {
  [MARKS.best]: "the highest score of the row",
  [MARKS.tied]: "not significantly below the highest",
  [MARKS.below]: "significantly below the highest",
};

const scoreCell = ({ board, row, s, domain, href }) => {
  const { score, failed, low, high, mark } = row.cells[s];
  if (failed)
    return html("td", { class: "score missing", title: "failed or missing run: counts as 0 in the mean" }, "failed");
  if (score === null) return html("td", { class: "missing", title: "no output" }, "–");
  const interval = intervalText(low, high);
  const said = [
    `${board.systems[s]} on ${row.name}: ${board.metric} ${points(score)}`,
    interval && `95 % interval ${interval}`,
    SAID[mark],
  ];
  const content = [
    html("span", { class: mark === MARKS.best ? "best" : null }, points(score)),
    html("span", { class: "tie" }, mark === MARKS.tied ? "≈" : ""),
    low === null ? null : intervalBar(score, low, high, domain),
  ];
  const title = said.filter(Boolean).join("; ");
  return html("td", { class: "score" }, href ? html("a", { href, title }, content) : content);
};

const macroRow = ({ board, order, domain, size }) => {
  if (!board.macro) return null;
  const best = Math.max(...board.macro.map((one) => one.mean));
  const over = `mean over ${board.common} treebanks`;
  const cell = (s) => {
    const { mean, interval, group } = board.macro[s];
    const [low, high] = interval || [null, null];
    const said = [
      `${board.systems[s]}: ${over} ${points(mean)}`,
      interval && `95 % interval ${intervalText(low, high)}`,
      group && `tie group ${group}`,
    ];
    return html(
      "td",
      { class: "score", title: said.filter(Boolean).join("; ") },
      html("span", { class: mean === best ? "best" : null }, points(mean)),
      html("span", { class: "tie" }, group || ""),
      low === null ? null : intervalBar(mean, low, high, domain),
    );
  };
  return html("tr", { class: "macro" }, html("th", { scope: "row" }, over), size, order.map(cell));
};

const heading = ({ page, board, s, sort, picked, onpick, onsort }) => {
  const name = board.systems[s];
  const arrow = sort.column === s ? (sort.down ? "▼" : "▲") : "↕";
  const href = board.key === "scored" ? page.href("systems", { system: name }) : null;
  const box = html("input", {
    type: "checkbox",
    checked: picked.includes(name),
    "aria-label": `Compare ${name}`,
    "data-focus": `pick ${name}`,
    onchange: () => onpick(name),
  });
  return html(
    "th",
    {
      scope: "col",
      class: "score",
      "aria-sort": sort.column === s ? (sort.down ? "descending" : "ascending") : "none",
    },
    html("span", { class: "head" }, href ? html("a", { href }, name) : name),
    html(
      "span",
      { class: "head tools" },
      board.systems.length > 1 ? html("label", { title: `Compare ${name} with another system` }, box) : null,
      button(arrow, () => onsort(name, true), {
        class: "plain",
        "aria-label": `Sort by ${name}`,
        "data-focus": `sort ${name}`,
      }),
    ),
  );
};

// Scores for exports: with the ends of their intervals, and as people read them.
const boardData = ({ board, rows, order }) => {
  const names = order.map((s) => board.systems[s]);
  const { macro } = board;
  const over = `mean over ${board.common} treebanks`;
  const means = macro
    ? [{ name: over, cells: macro.map(({ mean, interval, group }) =>
        ({ score: mean, low: interval?.[0] ?? null, high: interval?.[1] ?? null, group })) }]
    : [];
  const all = [...means, ...rows];
  const read = ({ score, failed, low, high, mark, group }) => {
    if (score === null) return failed ? "failed" : "–";
    const ends = low === null ? "" : ` (${intervalText(low, high)})`;
    return `${points(score)}${group || (mark === MARKS.tied ? "≈" : "")}${ends}`;
  };
  return {
    title: `${board.metric} of systems by treebanks`,
    data: () => ({
      columns: ["treebank", ...names.flatMap((name) => [name, `${name}, low`, `${name}, high`])],
      rows: all.map((row) => [
        row.name,
        ...order.flatMap((s) => ["score", "low", "high"].map((k) => row.cells[s][k])),
      ]),
    }),
    shown: () => ({
      columns: ["treebank", ...names],
      rows: all.map((row) => [row.name, ...order.map((s) => read(row.cells[s]))]),
    }),
  };
};

export const boardTable = (given) => {
  const { page, board, rows, order, sort, onsort, kept } = given;
  const domain = domainOf(rows.flatMap((row) => order.map((s) => row.cells[s])));
  const profile = page.has("treebanks") && board.key === "scored";
  const linked = board.key === "scored";
  const corner = html(
    "th",
    {
      scope: "col",
      "aria-sort": sort.column === -1 ? (sort.down ? "descending" : "ascending") : "none",
    },
    button(`Treebank ${sort.column === -1 ? (sort.down ? "▼" : "▲") : "↕"}`, () => onsort("name", false), {
      class: "plain",
      "data-focus": "sort name",
    }),
  );
  const sized = board.rows.some((row) => row.words !== undefined);
  const sizes = (row) =>
    sized
      ? [row?.sentences, row?.words].map((n) => html("td", { class: "number size" }, n === undefined ? "" : grouped(n)))
      : [];
  // Rows are drawn once, however often they are sorted.
  const treebankRow = (row) => {
    if (kept.has(row.name)) return kept.get(row.name);
    const drawn = drawnRow(row);
    kept.set(row.name, drawn);
    return drawn;
  };
  const drawnRow = (row) => {
    const href = profile ? page.href("treebanks", { treebank: row.treebank }) : null;
    return html(
      "tr",
      {},
      html("th", { scope: "row", title: row.about }, href ? html("a", { href }, row.name) : row.name),
      sizes(row),
      order.map((s) =>
        scoreCell({
          board,
          row,
          s,
          domain,
          href: linked
            ? page.href("systems", { treebank: row.treebank, system: board.systems[s] })
            : null,
        }),
      ),
    );
  };
  const total = (name) =>
    board.rows.filter((row) => row.cells.every((cell) => cell.score !== null)).reduce((sum, row) => sum + (row[name] ?? 0), 0);
  const table = html(
      "table",
      { class: order.length > MANY ? "board many" : "board", style: `--systems:${order.length}` },
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          corner,
          sized ? ["sentences", "words"].map((name) => html("th", { scope: "col", class: "number size" }, name)) : null,
          order.map((s) => heading({ ...given, s })),
        ),
      ),
      html("tbody", {}, macroRow({ board, order, domain, size: sizes({ sentences: total("sentences"), words: total("words") }) }), rows.map(treebankRow)),
  );
  describe(table, boardData(given));
  return scrolling(`${board.metric} of systems by treebanks`, table);
};
