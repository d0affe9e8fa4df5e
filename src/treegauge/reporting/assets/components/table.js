// Tables that can be sorted by any column and filtered by what is typed.

import { button, fill, html } from "../shell/dom.js";
import { grouped, plural, short } from "../shell/format.js";

export const compareCells = (a, b) => {
  const empty = (v) => v === null || v === undefined || v === "";
  if (empty(a) || empty(b)) return empty(a) - empty(b); // what is missing comes last, either way
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
};

// Columns: {name, title, value(row), show(row), number}; rows are any objects. At first `first` rows
// are shown, and a button for all.
export const dataTable = ({
  label,
  columns,
  data,
  filter = null,
  sort = null,
  onsort = () => {},
  first = 25,
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
    ),
  );
  const more = html(
    "p",
    { class: "more" },
    button("", () => {
      limit = Infinity;
      refill();
      body.rows[first].cells[0].scrollIntoView({ block: "nearest" });
    }),
  );
  const refill = () => {
    const asked = typed.trim().toLowerCase();
    let kept = data.filter(
      (row) =>
        !asked ||
        columns.some((c) =>
          String((c.show || c.value)(row) ?? "")
            .toLowerCase()
            .includes(asked),
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
      html("table", { class: "treegauge" }, html("thead", {}, html("tr", {}, heads)), body),
    ),
    more,
  );
};
