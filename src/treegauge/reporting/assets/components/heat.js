// A heat map of scores by class: a table of buttons, arrows move among them.

import { shade } from "./chart.js";
import { button, html } from "../shell/dom.js";
import { grouped, points } from "../shell/format.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// `rows` have a class, its number of words and each system's scores; `pressed(row, system)` says
// which cell is open, `onchoose` is told of another.
export const heatMap = ({ by, systems, rows, pressed, onchoose }) => {
  const values = rows.flatMap((row) => row.systems.map((s) => s.f1));
  const low = Math.min(...values);
  const high = Math.max(...values);
  const onkeydown = (event) => {
    const step = ARROWS[event.key];
    const from = event.target.closest("button[data-row]");
    if (!step || !from) return;
    const row = Number(from.dataset.row) + step[0];
    const system = Number(from.dataset.system) + step[1];
    const to = table.querySelector(`button[data-row="${row}"][data-system="${system}"]`);
    if (!to) return;
    to.focus();
    event.preventDefault();
  };
  const cell = (row, r, s, i) => {
    const shown = shade(high > low ? (s.f1 - low) / (high - low) : 1);
    const choose = () => {
      onchoose(row, i);
      mark();
    };
    return button(points(s.f1, 1), choose, {
      "data-row": r,
      "data-system": i,
      style: `background:${shown.fill};color:${shown.ink}`,
      title: `${systems[i]}, ${row.class}: ${row.gold - s.correct} of ${row.gold} wrong`,
    });
  };
  const heads = [
    html("th", { scope: "col" }, by),
    html("th", { scope: "col", class: "number" }, "words"),
    systems.map((s) => html("th", { scope: "col" }, s)),
  ];
  const body = rows.map((row, r) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, row.class),
      html("td", { class: "number" }, grouped(row.gold)),
      row.systems.map((s, i) => html("td", {}, cell(row, r, s, i))),
    ),
  );
  const table = html(
    "table",
    { class: "heat", onkeydown },
    html("thead", {}, html("tr", {}, heads)),
    html("tbody", {}, body),
  );
  const mark = () => {
    for (const one of table.querySelectorAll("button[data-row]")) {
      const open = pressed(rows[one.dataset.row], Number(one.dataset.system));
      one.setAttribute("aria-pressed", String(open));
    }
  };
  mark();
  const scrolling = { class: "wide", tabindex: "0", role: "region", "aria-label": `LAS by ${by}` };
  return html("div", scrolling, table);
};
