// Overview: the inputs, the main findings, and a table of systems by treebanks.

import { info } from "../components/info.js";
import { button, fill, html, select } from "../shell/dom.js";
import { plural } from "../shell/format.js";
import { bestFirst, boardsOf, sortedRows } from "./overview_boards.js";
import { boardTable } from "./overview_table.js";
import { healthTable } from "./treebanks_health.js";

const summary = (page) => [
  html(
    "div",
    { class: "summary", "data-cited": page.facts.findings[0]?.sentences[0] ?? null },
    page.facts.summary.map((sentence) => html("p", {}, sentence)),
  ),
  page.facts.findings.length
    ? html(
        "details",
        { class: "findings" },
        html("summary", {}, "More findings, by view"),
        html(
          "ul",
          {},
          page.facts.findings.map(({ view, title, sentences }) =>
            html("li", {}, html("a", { href: page.href(view) }, title), `: ${sentences.join(" ")}`),
          ),
        ),
      )
    : null,
];

// The methods behind the means of a board: of systems scored here, of a leaderboard, of a table of scores.
const methodsOf = (board) => {
  if (board.key === "scored") return ["macro"];
  if (board.macro.some((one) => one.interval)) return ["standings"];
  return ["chosen_treebanks", ...(board.macro.some((one) => one.group) ? ["tie_groups"] : [])];
};

const legend = (board) => {
  const parts = ["Bold: the highest score of a row."];
  if (board.tested)
    parts.push("≈: not significantly below the highest score of this treebank.");
  if (board.rows.some((row) => row.cells.some((cell) => cell.low !== null)))
    parts.push("Bars: 95 % confidence intervals.");
  if (board.rows.some((row) => row.cells.some((cell) => cell.failed)))
    parts.push("Failed runs count as 0 in the means.");
  if (board.macro?.some((one) => one.group))
    parts.push("Two systems share a letter if and only if their means do not differ significantly.");
  return html("p", { class: "count" }, parts.join(" "), methodsOf(board).map((key) => info(key, { of: board.of })));
};

const mount = (root, page) => {
  const holder = html("div");
  const kept = { of: "", rows: new Map() };
  // The rows drawn before, if nothing but their order has changed.
  const keptRows = (...of) => {
    const now = JSON.stringify(of);
    if (kept.of !== now) Object.assign(kept, { of: now, rows: new Map() });
    return kept.rows;
  };
  const chosenBoard = () => {
    const boards = boardsOf(page, page.params.metric);
    const found = boards.find(([key]) => key === page.params.board) || boards[0];
    return { boards, board: found ? found[2]() : null };
  };
  const change = (changes, push = false) => {
    page.set(changes, { push });
    show();
  };
  const picked = (board) =>
    (page.params.pick || "").split("|").filter((name) => board.systems.includes(name));
  const pick = (board, name) => {
    const now = picked(board);
    const next = now.includes(name) ? now.filter((n) => n !== name) : [...now, name].slice(-2);
    change({ pick: next.join("|") });
  };
  const search = html("input", {
    type: "search",
    class: "filter",
    placeholder: "treebank, language …",
    oninput: () => change({ q: search.value }),
  });

  const controls = (boards, board, shown) => {
    const pair = picked(board);
    return html(
      "div",
      { class: "controls" },
      boards.length > 1
        ? select("Table", boards, board.key, (v) => change({ board: v, pick: null, sort: null }))
        : null,
      board.metrics.length > 1
        ? select("Metric", board.metrics, board.metric, (v) => change({ metric: v }))
        : null,
      html("label", { class: "field" }, html("span", {}, "Filter"), search),
      html(
        "span",
        { class: "count", role: "status" },
        `${shown} of ${plural(board.rows.length, "treebank")}, `,
        plural(board.systems.length, "system"),
      ),
      board.systems.length > 1
        ? button(
            pair.length === 2 ? `Compare ${pair[0]} and ${pair[1]}` : "Choose two systems to compare",
            () => page.go("compare", { left: pair[0], right: pair[1], table: board.key }),
            { disabled: pair.length < 2, class: "primary", id: "overview-compare" },
          )
        : null,
    );
  };
  const show = () => {
    const { boards, board } = chosenBoard();
    const health = page.has("treebanks") ? healthTable(page) : null;
    if (!board) {
      fill(holder, health);
      return;
    }
    const asked = (page.params.q || "").trim().toLowerCase();
    search.value = page.params.q || "";
    const narrowed = board.rows.some((row) => row.treebank === page.treebank);
    const matches = (row) =>
      (!narrowed || row.treebank === page.treebank) &&
      `${row.name} ${row.about}`.toLowerCase().includes(asked);
    const sort = page.params.sort ?? null;
    const column = sort === null ? null : sort === "name" ? -1 : board.systems.indexOf(sort);
    const known = column !== null && (sort === "name" || column >= 0) ? column : null;
    const rows = sortedRows(board.rows.filter(matches), known, page.params.down === "1");
    const order = bestFirst(board).filter(
      (s) => !board.systems.includes(page.system) || board.systems[s] === page.system,
    );
    const focused = document.activeElement?.dataset?.focus;
    fill(
      holder,
      controls(boards, board, rows.length),
      boardTable({
        page,
        board,
        rows,
        order,
        kept: keptRows(board.key, board.metric, order, rows.map((row) => row.name).sort(), page.treebank, page.system),
        sort: { column: known, down: page.params.down === "1" },
        picked: picked(board),
        onpick: (name) => pick(board, name),
        onsort: (key, numeric) => {
          const again = page.params.sort === key;
          const down = again ? page.params.down !== "1" : numeric;
          change({ sort: key, down: down ? 1 : null });
        },
      }),
      legend(board),
      health,
    );
    if (focused) holder.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    if (document.activeElement === document.body && asked) search.focus();
  };
  root.append(...summary(page).filter(Boolean), holder);
  show();
  return { update: show };
};

export const view = {
  key: "overview",
  title: "Overview",
  filters: ["treebank", "system"],
  shows: () => true,
  mount,
};
