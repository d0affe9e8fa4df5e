// Tables that can be sorted by any column and filtered by text.

import { button, fill, html } from "../shell/dom.js";
import { grouped, plural, short } from "../shell/format.js";
import { describe, numberIn, textOf } from "./described.js";
import { info } from "./info.js";

export const compareCells = (a, b) => {
  const empty = (v) => v === null || v === undefined || v === "";
  if (empty(a) || empty(b)) return empty(a) - empty(b); // missing values come last in both orders
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
};

// A table for exports: unrounded numbers, and other values as the page shows them.
export const tableData = (columns, rows) => {
  const shown = (c, row) => textOf((c.show || ((r) => short(c.value(r))))(row));
  const exact = (c, row) => {
    const [value, text] = [c.value(row), shown(c, row)];
    const number = numberIn(text);
    if (number === null || typeof value !== "number") return number ?? text;
    const near = Math.abs(value - number) <= Math.abs(value) * 0.01 + 0.01;
    return near || c.ends ? value : number;
  };
  const named = (c) => (c.ends ? [c.name, `${c.name}, low`, `${c.name}, high`] : [c.name]);
  const cells = (c, row) => (c.ends ? [c.value(row), ...(c.ends(row) || [null, null])] : [exact(c, row)]);
  return {
    data: () => ({
      columns: columns.flatMap(named),
      rows: rows().map((row) => columns.flatMap((c) => cells(c, row))),
    }),
    shown: () => ({
      columns: columns.map((c) => c.name),
      rows: rows().map((row) => columns.map((c) => shown(c, row))),
    }),
  };
};

// Columns: {name, title, value(row), show(row), number, info, ends(row)}; rows are any objects. `info`
// is the key of the method behind the numbers, `ends` gives the ends of an interval for exports. At
// first `first` rows are shown, and a button for all. Rows for which `last(row)` holds come after the
// others in every order.
export const dataTable = ({
  label,
  columns,
  data,
  filter = null,
  sort = null,
  onsort = () => {},
  first = 25,
  last = null,
}) => {
  let by = sort ? sort.by : null,
    down = sort ? sort.down : false,
    typed = "",
    limit = first;
  const body = html("tbody"),
    count = html("span", { class: "count", role: "status" });
  const heads = columns.map((c) =>
    html(
      "th",
      { class: c.number ? "number" : null, scope: "col", title: c.title || null },
      button(c.name, () => {
        down = by === c.name ? !down : Boolean(c.number);
        by = c.name;
        refill();
        onsort(by, down);
      }),
      c.info ? info(c.info, { name: c.name, text: c.title, measure: c.measure }) : null,
    ),
  );
  const more = html(
    "p",
    { class: "more" },
    button("", () => {
      limit = Infinity;
      refill();
      body.rows[first]?.cells[0].scrollIntoView({ block: "nearest" });
    }),
  );
  const chosenRows = () => {
    const asked = typed.trim().toLowerCase();
    let kept = data.filter(
      (row) =>
        !asked ||
        columns.some((c) =>
          textOf((c.show || c.value)(row)).toLowerCase().includes(asked),
        ),
    );
    const chosen = columns.find((c) => c.name === by);
    if (chosen) {
      const value = (row) => chosen.value(row),
        known = (v) => v !== null && v !== undefined && v !== "";
      kept = [...kept].sort((a, b) => {
        const order = compareCells(value(a), value(b));
        return known(value(a)) && known(value(b)) && down ? -order : order;
      });
    }
    return last ? [...kept.filter((row) => !last(row)), ...kept.filter(last)] : kept;
  };
  const refill = () => {
    const kept = chosenRows();
    columns.forEach((c, i) =>
      heads[i].setAttribute(
        "aria-sort",
        c.name === by ? (down ? "descending" : "ascending") : "none",
      ),
    );
    fill(
      body,
      ...kept.slice(0, limit).map((row) =>
        html(
          "tr",
          {},
          columns.map((c, i) => {
            const shown = (c.show || ((r) => short(c.value(r))))(row);
            return html(
              i ? "td" : "th",
              { class: c.number ? "number" : null, scope: i ? null : "row" },
              shown,
            );
          }),
        ),
      ),
    );
    count.textContent =
      kept.length === data.length && kept.length <= limit
        ? plural(data.length, "row")
        : `${grouped(Math.min(kept.length, limit))} of ${plural(data.length, "row")}`;
    more.hidden = kept.length <= limit;
    more.firstChild.textContent = `Show all ${plural(kept.length, "row")}`;
  };
  const field = html("input", {
    type: "search",
    class: "filter",
    placeholder: filter || "",
    oninput: () => {
      typed = field.value;
      refill();
    },
  });
  refill();
  const table = html(
    "table",
    { class: "treegauge" },
    html("thead", {}, html("tr", {}, heads)),
    body,
  );
  describe(table, { title: label, ...tableData(columns, chosenRows) });
  return html(
    "div",
    { class: "data-table" },
    filter
      ? html(
          "p",
          { class: "controls" },
          html("label", { class: "field" }, html("span", {}, "Filter"), field),
          count,
        )
      : null,
    html(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": label },
      table,
    ),
    more,
  );
};
