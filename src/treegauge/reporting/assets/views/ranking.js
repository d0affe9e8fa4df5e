// Ranking: one table, with controls for the size of subsets and for a constraint.

import { fill, html, responsive, scrolling, select } from "../shell/dom.js";
import { grouped, percent, plural, points } from "../shell/format.js";
import { keyOf, rankedBoards } from "./ranking_board.js";
import { pairTriangle } from "./ranking_drawings.js";
import { outlierPanel } from "./ranking_outliers.js";
import { picker } from "./ranking_picker.js";
import { rankingTable } from "./ranking_table.js";

const leaderText = ({ data, order, means, held }) =>
  `${data.systems[order[0]]} has the highest mean ${data.metric}, ${points(means[order[0]])}, of ` +
  `${plural(order.length, "system")} over ${plural(held, "treebank")}.`;

const mount = (root, page) => {
  const boards = rankedBoards(page);
  const number = () => {
    const asked = boards.findIndex((board) => board.data.name === page.params.table);
    return Math.max(0, asked);
  };
  let at = -1; // the board whose controls are shown
  let byHand = null;
  const board = () => boards[number()];
  const place = () => {
    const found = board().data.sizes.indexOf(Number(page.params.size));
    return found >= 0 ? found : board().data.usual;
  };
  const constraint = () => {
    const asked = page.params.constraint || "";
    return board().constraints.some(([key]) => key === asked) ? asked : "";
  };
  const system = () => board().data.systems.indexOf(page.params.of);
  const set = (changes, push) => {
    page.set(changes, { push });
    show();
  };

  const size = html("output", { id: "ranking-size" });
  const slider = html("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-describedby": "ranking-size",
    oninput: () => set({ size: board().data.sizes[Number(slider.value)] }),
  });
  const tables = html("span");
  const limits = html("span");
  const agreement = html("p", { role: "status", id: "ranking-agreement" });
  const table = html("div", { id: "ranking-table" });
  const outliers = html("div", { id: "ranking-outliers" });
  const triangle = html("div", { class: "drawing" });
  const triangleBox = html(
    "details",
    { id: "ranking-pairs", ontoggle: () => drawTriangle() },
    html("summary", {}, "Every pair: how often is one system above the other?"),
    html("p", { class: "count" }, "Percentage of subsets of the chosen size in which the row's system ranks above the column's. Click a cell to compare the two."),
    scrolling("Triangle of pairs", triangle),
  );
  const hand = html("div");
  const handBox = html(
    "details",
    { id: "ranking-hand" },
    html("summary", {}, "Choose treebanks by hand"),
    hand,
  );

  const drawTriangle = responsive(triangle, (width) => {
    const now = board().subsets(place(), constraint());
    const { systems } = board().data;
    return pairTriangle({
      width,
      names: systems,
      systems: board().order,
      p: now.above,
      chosen: [],
      href: (a, b) =>
        page.href("compare", { left: systems[a], right: systems[b], table: keyOf(boards, number()), system: null }),
    });
  });
  const controls = () => {
    const { data, constraints } = board();
    slider.max = data.sizes.length - 1;
    fill(
      tables,
      boards.length > 1
        ? select(
            "Table",
            boards.map((b) => b.data.name),
            data.name,
            (v) => set({ table: v, size: null, of: null, pick: null, constraint: null }, true),
          )
        : null,
    );
    fill(
      limits,
      constraints.length > 1
        ? select("Constraint", constraints, constraint(), (v) => set({ constraint: v }))
        : null,
    );
    byHand = picker(data, board().meanOver, () => page.set({ pick: byHand.link() }));
    fill(hand, byHand.node);
  };
  const say = (now) => {
    const { data, held } = board();
    const subsets = constraint()
      ? now.every
        ? `all ${plural(now.draws, "subset")} within the constraint`
        : `${grouped(now.draws)} random subsets, drawn in your browser`
      : `${grouped(data.numbers[place()])} subset${data.numbers[place()] === "1" ? "" : "s"}`;
    const number = data.drawn[place()];
    slider.value = place();
    slider.setAttribute("aria-valuetext", `${now.size} treebanks`);
    size.textContent = `${now.size} of ${held} treebanks, ${subsets}`;
    agreement.textContent = constraint()
      ? ""
      : `Over ${number === null ? "these subsets" : `${plural(number, "random subset")} of this size`}, the mean Kendall's tau with the ` +
        `full ranking is ${data.tau[place()].toFixed(3)}; the leader is the same in ` +
        `${percent(data.top[place()], 1)} %.`;
  };
  const show = () => {
    if (at !== number()) {
      at = number();
      controls();
    }
    const now = board().subsets(place(), constraint());
    const focused = document.activeElement?.dataset?.focus;
    say(now);
    table.dataset.cited = leaderText(board());
    fill(
      table,
      rankingTable({
        board: board(),
        now,
        sort: { key: page.params.sort || "rank", down: page.params.down === "1" },
        onsort: (key) => {
          const again = (page.params.sort || "rank") === key;
          set({ sort: key, down: again && page.params.down !== "1" ? 1 : null });
        },
        system: system(),
        onsystem: (s) => set({ of: s === system() ? null : board().data.systems[s] }, true),
      }),
    );
    if (focused) table.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    fill(
      outliers,
      system() < 0
        ? html("p", { class: "count" }, "Click a system to see the subsets with its best and worst ranks.")
        : outlierPanel({
            table: keyOf(boards, number()),
            board: board(),
            at: place(),
            system: system(),
            href: (view, params) => page.href(view, params),
            onuse: (subset) => {
              handBox.open = true;
              byHand.pick(subset);
              page.set({ pick: byHand.link() }, { push: true });
              handBox.scrollIntoView({ block: "nearest" });
            },
          }),
    );
    if (triangleBox.open) drawTriangle();
    byHand.follow(page.params.pick);
    if (page.params.pick) handBox.open = true;
  };
  root.append(
    html(
      "p",
      { class: "controls" },
      tables,
      html("label", { class: "field grow" }, html("span", {}, "Treebanks in a subset"), slider),
      size,
      limits,
    ),
    agreement,
    table,
    html("p", { class: "count" }, "Line: best to worst rank. Box: quartiles and median. Dot: mean."),
    outliers,
    triangleBox,
    handBox,
  );
  show();
  return {
    update: show,
    close() {
      if (page.params.of) set({ of: null });
    },
  };
};

export const view = {
  key: "ranking",
  title: "Ranking",
  lead: "Which system is best over all treebanks, and would other treebanks give the same order?",
  filters: [],
  shows: (page) => page.has("ranking"),
  mount,
};
