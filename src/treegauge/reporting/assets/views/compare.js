// Compare: any two systems, over treebanks, by class of words, and sentence by sentence.

import { scoredBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { openSentences, reopenSentences } from "../components/sentence_list.js";
import { button, fill, html, select } from "../shell/dom.js";
import { certificateBox, certificateOf } from "./compare_certificate.js";
import { classMatrix, classRows, inOrder, ORDERS, pairSentences } from "./compare_classes.js";
import { classMap, classTable } from "./compare_map.js";
import { findPair } from "./compare_pair.js";
import { summaryOf } from "./compare_summary.js";
import { keyOf, rankedBoards } from "./ranking_board.js";

const MARGIN = 1;

// The tables in which systems can be compared; systems scored here come first.
const sourcesOf = (page) => {
  const sources = [];
  const ranked = page.has("ranking") ? rankedBoards(page) : [];
  const own = ranked.find((board) => board.data.scored) || null;
  if (page.has("scores")) {
    const data = page.data("scores");
    const systems = [...new Set(data.treebanks.flatMap((part) => part.systems))];
    if (systems.length > 1)
      sources.push({ key: "scored", name: "Systems scored here", systems, data, board: own });
  }
  ranked.forEach((board, i) => {
    if (!board.data.scored)
      sources.push({
        key: keyOf(ranked, i),
        name: board.data.name,
        systems: board.order.map((s) => board.data.systems[s]),
        board,
        data: null,
      });
  });
  return sources;
};

const mount = (root, page) => {
  const sources = sourcesOf(page);
  const source = () => sources.find((one) => one.key === page.params.table) || sources[0];
  const pair = () => {
    const { systems } = source();
    const left = [page.params.left, page.system].find((s) => systems.includes(s)) || systems[0];
    const right = systems.includes(page.params.right) && page.params.right !== left;
    return [left, right ? page.params.right : systems.find((s) => s !== left)];
  };
  const margin = () => (Number(page.params.margin) > 0 ? Number(page.params.margin) : MARGIN);
  const set = (changes, push) => {
    page.set(changes, { push });
    show();
  };

  const parts = () => {
    const [a, b] = pair();
    const both = source().data.treebanks.filter(
      (part) => part.systems.includes(a) && part.systems.includes(b),
    );
    const chosen = both.filter((part) => part.treebank === page.treebank);
    return chosen.length ? chosen : both;
  };
  const controls = () => {
    const [a, b] = pair();
    const { systems, key } = source();
    const choose = (changes) => set({ ...changes, class: null, open: null }, true);
    return html(
      "p",
      { class: "controls" },
      sources.length > 1
        ? select(
            "Table",
            sources.map((one) => [one.key, one.name]),
            key,
            (v) => choose({ table: v, left: null, right: null }),
          )
        : null,
      select("A", systems, a, (v) => choose({ left: v, right: v === b ? a : b })),
      select("B", systems, b, (v) => choose({ left: v === a ? b : a, right: v })),
      button("Swap", () => choose({ left: b, right: a })),
      page.treebank && !(source().data && parts().some((part) => part.treebank === page.treebank))
        ? html("span", { class: "count" }, `Not on ${page.treebank} alone: ${source().data ? "one of them was not scored there" : "this table has no tests of single treebanks"}.`)
        : null,
    );
  };
  // Results of systems scored here: on one treebank, or over all of them.
  const scored = () => {
    const [a, b] = pair();
    const rows = parts().map((part) => ({ part, facts: findPair(part.tests, a, b) }));
    const single = rows.length === 1;
    const facts = single ? rows[0].facts : findPair(page.data("overview").pairs, a, b);
    const items = rows
      .filter((row) => row.facts)
      .map((row) => ({ name: row.part.treebank, ...row.facts, verdict: row.facts.verdicts[0], strong: single }));
    const number = facts?.treebanks ?? rows.length; // those for which all systems have output
    const over = single ? `on ${rows[0].part.treebank}` : `over ${number} treebanks`;
    if (!facts) return { facts: null, items, over };
    const of = rows.map((row) => row.part.treebank);
    const all = { name: number === rows.length ? "all treebanks" : `mean of ${number}`, ...facts, verdict: facts.verdicts[0], strong: true };
    return { facts, items: single ? items : [all, ...items], over, of, method: "paired_tests" };
  };
  const ranked = () => {
    const { board } = source();
    const [a, b] = pair().map((name) => board.data.systems.indexOf(name));
    const facts = { metric: board.data.metric, ...board.pair(a, b) };
    const failed = (t) => [a, b].filter((s) => board.failed(s, t)).map((s) => board.data.systems[s]);
    const codes = board.data.treebanks.map((one) => one.code);
    const missing = codes.flatMap((code, t) => (failed(t).length ? [`${failed(t).join(" and ")} on ${code}`] : []));
    const items = board
      .differences(a, b)
      .map((difference, t) => ({ name: codes[t], difference, low: null, high: null, t }))
      .filter(({ t }) => !failed(t).length)
      .sort((x, y) => y.difference - x.difference);
    const all = { name: "mean of all treebanks", ...facts, verdict: facts.verdicts[1], strong: true };
    return {
      facts,
      missing,
      items: [all, ...items],
      over: `over ${board.held} treebanks`,
      of: [board.data.name],
      method: "pair_differences",
      signature: certificateOf(board, ...pair())?.signature ?? "",
    };
  };

  const by = () => {
    const kinds = parts()[0].breakdowns.map((one) => one.by);
    return kinds.includes(page.params.by) ? page.params.by : kinds[0];
  };
  const sort = () => ({ order: page.params.sort || "errors", down: page.params.down !== "0" });
  const sentencesOf = (row, part) => {
    const [a, b] = pair();
    const items = pairSentences(scoredBank(part), row, a, b);
    const some = row.sentences > items.length ? ` (${items.length} of ${row.sentences} sentences are on this page)` : "";
    return {
      title: `${by()} ${row.class} on ${part.treebank}: ${a} and ${b}${some}`,
      items,
      systems: [a, b],
      onclose: () => {
        page.set({ class: null, on: null });
        mark();
      },
    };
  };
  const open = (row, column) => {
    const part = parts()[column];
    page.set({ class: row.class, on: part.treebank }, { push: true });
    openSentences(page, { ...sentencesOf(row, part), push: false });
    mark();
  };
  const classes = () => {
    const [a, b] = pair();
    const own = parts();
    const { order, down } = sort();
    const onsort = (key) =>
      set({ sort: key, down: (order === key ? !down : key !== "class") ? null : "0" });
    const where = own.length === 1 ? own[0].treebank : `${own.length} treebanks`;
    const given = { by: by(), a, b, where, sort: sort(), onsort, onopen: open };
    const map =
      own.length === 1
        ? classTable({ ...given, rows: inOrder(classRows(own[0], by(), a, b), order, down), open: page.params.class })
        : classMap({
            ...given,
            parts: own,
            rows: inOrder(classMatrix(own, by(), a, b), order, down),
            open: `${page.params.class} ${page.params.on}`,
          });
    return html(
      "div",
      { id: "compare-classes" },
      html("h3", {}, `Where is ${a} better, and where is ${b}?`, info("class_tests")),
      html(
        "p",
        { class: "controls" },
        select("By", own[0].breakdowns.map((one) => one.by), by(), (v) => set({ by: v, class: null, on: null })),
        select("Order", Object.entries(ORDERS), order, (v) => set({ sort: v, down: null })),
      ),
      html(
        "p",
        { class: "count" },
        `Blue: ${a} is better. Orange: ${b} is better. *: significant after correction for the number of classes. `,
        "Extra errors of B: correct words of A minus correct words of B. Click a cell to read its sentences.",
      ),
      map,
    );
  };
  const mark = () => {
    for (const cell of root.querySelectorAll(".diverge button[data-row]")) {
      const name = cell.closest("tr").querySelector("th").textContent;
      const part = parts()[Number(cell.dataset.column)];
      const pressed = name === page.params.class && part.treebank === page.params.on;
      cell.setAttribute("aria-pressed", String(pressed));
    }
  };
  const show = () => {
    const [a, b] = pair();
    const focused = document.activeElement?.dataset?.focus;
    const found = source().data ? scored() : ranked();
    fill(
      root,
      controls(),
      found.facts
        ? summaryOf({ ...found, a, b, margin: margin(), onmargin: (v) => set({ margin: v }) })
        : html("p", { class: "result" }, `${a} and ${b} were not scored on the same treebanks.`),
      certificateBox({ page, source: source(), a, b, parts: source().data ? parts() : [] }),
      source().data && parts().length ? classes() : null,
    );
    if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    reopen();
  };
  // A link may name a class: its sentences are opened again.
  const reopen = () => {
    if (!page.params.open) page.drawer.close(false);
    if (!source().data || !page.params.class) return;
    const [a, b] = pair();
    const part = parts().find((one) => one.treebank === page.params.on);
    const row = part && classRows(part, by(), a, b).find((one) => one.class === page.params.class);
    if (row && page.params.open) reopenSentences(page, sentencesOf(row, part));
    mark();
  };
  show();
  return { update: show };
};

export const view = {
  key: "compare",
  title: "Compare",
  lead: "Which of two systems is better, how certain is that, and where does each of them do better?",
  filters: ["treebank"],
  shows: (page) => page.has("ranking") || (page.has("scores") && page.systems.length > 1),
  mount,
};
