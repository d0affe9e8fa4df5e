// The confusion matrix: a table of buttons, shaded by their counts; arrow keys move among them.

import { button, html, scrolling } from "../shell/dom.js";
import { grouped, plural } from "../shell/format.js";
import { MISSING } from "./errors_confusion.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Steps of shading: counts differ by orders of magnitude, so the square root of the share is used.
const step = (count, most) => Math.max(1, Math.round(5 * Math.sqrt(count / most)));

const move = (event) => {
  const way = ARROWS[event.key];
  const from = event.target.closest("button[data-row]");
  if (!way || !from) return;
  const table = from.closest("table");
  let [row, column] = [Number(from.dataset.row), Number(from.dataset.column)];
  const size = table.rows.length;
  for (let tries = 0; tries < 2 * size; tries += 1) {
    row += way[0];
    column += way[1];
    const to = table.querySelector(`button[data-row="${row}"][data-column="${column}"]`);
    if (!to) continue; // an empty cell
    to.focus();
    event.preventDefault();
    return;
  }
};

const cellTitle = (one, cell) => {
  const words = plural(cell.count, "word");
  if (one.gold === one.system) return `${one.gold}: ${words} with an incorrect head`;
  return `${one.gold} as ${one.system}: ${words}`;
};

export const confusionMatrix = ({ matrix, label, onchoose, onall }) => {
  const { names, columns, hidden } = matrix;
  const count = (gold, given) => matrix.cell(gold, given)?.count || 0;
  const most = Math.max(1, ...names.flatMap((gold) => columns.map((given) => count(gold, given))));
  const cell = (gold, r, given, c) => {
    const one = matrix.cell(gold, given);
    if (!one) return html("td", { class: gold === given ? "same" : null });
    return html(
      "td",
      { class: gold === given ? "same" : null },
      button(grouped(one.count), () => onchoose(one), {
        "data-row": r,
        "data-column": c,
        class: `shade-${step(one.count, most)}`,
        title: cellTitle({ gold, system: given }, one),
        "aria-label": cellTitle({ gold, system: given }, one),
      }),
    );
  };
  const table = html(
    "table",
    { class: "confusion", onkeydown: move },
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("th", { scope: "col" }, "gold \\ system"),
        columns.map((name) =>
          html(
            "th",
            { scope: "col", class: "slanted" },
            html("span", {}, name === MISSING ? "no word" : name),
          ),
        ),
        html("th", { scope: "col", class: "number" }, "words"),
      ),
    ),
    html(
      "tbody",
      {},
      names.map((gold, r) =>
        html(
          "tr",
          {},
          html("th", { scope: "row" }, gold),
          columns.map((given, c) => cell(gold, r, given, c)),
          html("td", { class: "number" }, grouped(matrix.words(gold))),
        ),
      ),
    ),
  );
  return html(
    "div",
    {},
    scrolling(label, table),
    hidden ? html("p", {}, button(`Show all ${names.length + hidden} values`, onall, { class: "all" })) : null,
  );
};
