// Classes as a diverging map: blue where A is better, orange where B is better.

import { balance } from "../components/chart.js";
import { info } from "../components/info.js";
import { button, html, scrolling } from "../shell/dom.js";
import { grouped, plural, points, signed } from "../shell/format.js";
import { reachOf } from "./compare_classes.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Arrows move among the buttons of a table; each has its row and column.
const onkeydown = (event) => {
  const step = ARROWS[event.key];
  const from = event.target.closest("button[data-row]");
  if (!step || !from) return;
  const row = Number(from.dataset.row) + step[0];
  const column = Number(from.dataset.column) + step[1];
  const to = event.currentTarget.querySelector(
    `button[data-row="${row}"][data-column="${column}"]`,
  );
  if (!to) return;
  to.focus();
  event.preventDefault();
};

const lost = (errors, a, b) => {
  if (!errors) return "the same number of errors";
  const [fewer, more] = errors > 0 ? [a, b] : [b, a];
  return `${fewer} makes ${plural(Math.abs(errors), "error")} fewer than ${more}`;
};

const said = (row, a, b) =>
  [
    `${row.class}: ${a} ${points(row.ours, 1)}, ${b} ${points(row.theirs, 1)}`,
    `difference ${signed(row.difference, 1)}`,
    row.low === null ? null : `95 % interval ${signed(row.low, 1)} to ${signed(row.high, 1)}`,
    row.p ? `p ${row.p.replace(/^(?!<)/, "= ")}, corrected for the number of classes` : null,
    lost(row.errors, a, b),
    plural(row.words, "word"),
  ]
    .filter(Boolean)
    .join("; ");

const starOf = (row) => (row.sure ? "*" : "");

// How far a difference is from 0, in half-widths of its interval: 1 if the interval excludes 0.
// Classes without an interval are not shaded.
export const sureness = ({ difference, low, high }) => {
  if (low === null || high === null) return 0;
  return Math.min(1, Math.abs(difference) / Math.max(1e-9, (high - low) / 2));
};
const untested = (row) => row.low === null;

// What the tests of classes say together, in a sentence.
export const classesText = (cells) => {
  const tested = cells.filter((row) => row.p);
  const sure = tested.filter((row) => row.sure);
  if (!tested.length) return "No class has enough words for a test.";
  const of = `${plural(tested.length, "test")} of single classes`;
  if (!sure.length)
    return `No single class is significant: none of ${of} is, after correction for the number of classes.`;
  return `${sure.length} of ${of} ${sure.length === 1 ? "is" : "are"} significant after correction for the number of classes.`;
};

const cellButton = ({ row, a, b, r, column, pressed, onopen }) => {
  const shown = balance(0.5 + (Math.sign(row.difference) * sureness(row)) / 2);
  return button(`${signed(row.difference, 1)}${starOf(row)}`, () => onopen(row, column), {
    "data-row": r,
    "data-column": column,
    "aria-pressed": String(pressed),
    title: said(row, a, b),
    class: untested(row) ? "few" : null,
    style: untested(row) ? "" : `background:${shown.fill};color:${shown.ink}`,
  });
};

// A bar from the middle, to the right where A is better; a line shows the interval.
const divergingBar = (row, reach) => {
  const place = (v) => `${(50 + Math.max(-1, Math.min(1, v / reach)) * 50).toFixed(1)}%`;
  const [from, to] = row.difference >= 0 ? [0, row.difference] : [row.difference, 0];
  return html("span", {
    class: `diverging ${row.difference >= 0 ? "pos" : "neg"}${untested(row) ? " few" : ""}`,
    "aria-hidden": "true",
    style:
      `--from:${place(from)};--to:${place(to)};` +
      `--low:${place(row.low ?? row.difference)};--high:${place(row.high ?? row.difference)}`,
  });
};

const HEADS = {
  words: "gold words in the class",
  effect: "difference in F1 over the words of the class, in points; * significant after correction",
  errors: "correct words of A minus correct words of B",
};

const sortable = (sort, onsort) => (key, name, number) =>
  html(
    "th",
    {
      scope: "col",
      class: number ? "number" : null,
      "aria-sort": sort.order === key ? (sort.down ? "descending" : "ascending") : "none",
    },
    key ? button(name, () => onsort(key), { "data-focus": key }) : name,
    number ? info("class_tests", { name, text: HEADS[key] }) : null,
  );

// The tests in a sentence, and what the shades mean.
const legend = (cells, { by, a, b, where }) => [
  html(
    "p",
    {
      class: "result class-tests",
      "data-cited": `${a} and ${b} on ${where}, F1 by ${by}: ${classesText(cells).replace(/^No /, "no ")}`,
      "data-method": "class_tests",
    },
    classesText(cells),
  ),
  html("p", { class: "count" },
    "Full colour: the interval excludes 0; paler: it reaches further beyond 0. Dashed, at the end: too few words, or too few that differ, for an interval."),
];

// Classes without a test come last, in every order.
const testedFirst = (rows) => [...rows.filter((row) => !untested(row)), ...rows.filter(untested)];

// One treebank: a row per class with both scores, a bar, and the extra errors.
export const classTable = ({ rows, by, a, b, where, sort, onsort, open, onopen }) => {
  const reach = reachOf(rows.filter((row) => !untested(row)).flatMap((row) => [row.difference, row.low, row.high]));
  const head = sortable(sort, onsort);
  const line = (row, r) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, row.class),
      html("td", { class: "number" }, grouped(row.words)),
      html("td", { class: "number" }, points(row.ours, 1)),
      html("td", { class: "number" }, points(row.theirs, 1)),
      html(
        "td",
        { class: "number" },
        cellButton({ row, a, b, r, column: 0, pressed: row.class === open, onopen }),
      ),
      html("td", { class: "wide-bar" }, divergingBar(row, reach)),
      html("td", { class: "number" }, signed(row.errors, 0)),
      html("td", { class: "number" }, row.p),
    );
  return [legend(rows, { by, a, b, where }), scrolling(
    `Difference by ${by}`,
    html(
      "table",
      { class: "diverge", onkeydown },
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          head("class", by),
          head("words", "words", true),
          head("", a, true),
          head("", b, true),
          head("effect", "A − B", true),
          head("", `← ${b} better · ${a} better →`),
          head("errors", "extra errors of B", true),
          head("", "p, corrected", true),
        ),
      ),
      html("tbody", {}, testedFirst(rows).map(line)),
    ),
  )];
};

// Several treebanks: a row per class, a column per treebank.
export const classMap = ({ rows, parts, by, a, b, where, sort, onsort, open, onopen }) => {
  const head = sortable(sort, onsort);
  const line = (row, r) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, row.class),
      html("td", { class: "number" }, grouped(row.words)),
      html("td", { class: "number" }, signed(row.errors, 0)),
      html("td", { class: "number" }, signed(row.difference, 1)),
      row.cells.map((cell, column) =>
        html(
          "td",
          {},
          cell
            ? cellButton({
                row: cell,
                a,
                b,
                r,
                column,
                pressed: open === `${row.class} ${parts[column].treebank}`,
                onopen,
              })
            : null,
        ),
      ),
    );
  return [legend(rows.flatMap((row) => row.cells.filter(Boolean)), { by, a, b, where }), scrolling(
    `Difference by ${by} and treebank`,
    html(
      "table",
      { class: "diverge heat", onkeydown },
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          head("class", by),
          head("words", "words", true),
          head("errors", "extra errors of B", true),
          head("effect", "mean A − B", true),
          parts.map((part) => html("th", { scope: "col", class: "turned" }, html("span", {}, part.treebank))),
        ),
      ),
      html("tbody", {}, rows.map(line)),
    ),
  )];
};
