// Treebanks: all measures, small pictures of displacements, audit findings.

import { colour } from "../components/chart.js";
import { dataTable } from "../components/table.js";
import { fill, html, select, svg } from "../shell/dom.js";
import { percent, plural, short } from "../shell/format.js";

const mount = (root, page) => {
  const data = page.data("treebanks");
  const families = [...new Set(data.measures.map((m) => m.family))];
  const state = { family: families[0], sort: null, down: false };
  const record = () =>
    page.set({
      family: state.family,
      sort: state.sort,
      down: state.sort && state.down ? 1 : null,
    });
  const holder = html("div");
  const show = () => {
    const chosen = data.measures.filter((m) => state.family === "all" || m.family === state.family);
    fill(
      holder,
      dataTable({
        label: "Measures of treebanks",
        filter: "treebank or value",
        data: data.treebanks,
        sort: state.sort ? { by: state.sort, down: state.down } : null,
        onsort: (by, down) => {
          state.sort = by;
          state.down = down;
          record();
        },
        columns: [
          { name: "treebank", value: (t) => t.treebank },
          ...chosen.map((m) => ({
            name: m.name,
            number: true,
            title: m.meaning,
            value: (t) => t.values[m.name],
            show: (t) => {
              const v = t.values[m.name];
              return v === null || v === undefined
                ? html("span", { title: t.notes[m.name] || "" }, "–")
                : short(v);
            },
          })),
        ],
      }),
    );
    fill(meanings, ...chosen.flatMap((m) => [html("dt", {}, m.name), html("dd", {}, m.meaning)]));
  };
  const meanings = html("dl", { class: "meanings" });
  const family = select(
    "Measures of",
    [...families, ["all", "all families"]],
    state.family,
    (v) => {
      state.family = v;
      show();
      record();
    },
  );
  const small = Object.entries(data.displacements).map(([name, shares]) => {
    const width = 230,
      height = 110,
      base = height - 18,
      top = Math.max(...shares),
      step = (width - 8) / shares.length;
    return html(
      "figure",
      { class: "small" },
      html("figcaption", {}, name),
      svg(
        "svg",
        {
          class: "chart",
          role: "img",
          "aria-label": `Displacements of ${name}`,
          width,
          height,
          viewBox: `0 0 ${width} ${height}`,
        },
        shares.map((share, i) =>
          svg(
            "rect",
            {
              x: 4 + i * step,
              width: step - 1,
              y: base - (share / top) * (base - 6),
              height: (share / top) * (base - 6),
              fill: i < data.reach ? colour(0) : colour(5),
            },
            svg("title", {}, `${i - data.reach}: ${percent(share, 1)} %`),
          ),
        ),
        [-10, -5, 0, 5, 10].map((d) =>
          svg(
            "text",
            { x: 4 + (d + data.reach + 0.5) * step, y: height - 4, "text-anchor": "middle" },
            d,
          ),
        ),
      ),
    );
  });
  const findings = data.audits.flatMap((a) =>
    a.findings.map((f) => ({ ...f, treebank: a.treebank })),
  );
  const grave = { error: 0, warning: 1, note: 2 };
  const counted = (level) => plural(findings.filter((f) => f.level === level).length, level);
  root.append(
    html("p", { class: "controls" }, family),
    holder,
    html("details", {}, html("summary", {}, "What the measures mean"), meanings),
  );
  if (small.length)
    root.append(
      html("h3", {}, "How far words stand from their heads"),
      html(
        "p",
        {},
        "Left: the head follows. Right: it comes before. The height is the share of words.",
      ),
      html("div", { class: "smalls" }, small),
    );
  if (data.audits.length) {
    root.append(
      html("h3", {}, "What an audit found"),
      html("p", {}, Object.keys(grave).map(counted).join(", "), "."),
      findings.length
        ? dataTable({
            label: "Audit",
            filter: "error, warning, leak …",
            sort: { by: "level", down: false },
            first: 12,
            data: findings,
            columns: [
              { name: "treebank", value: (f) => f.treebank },
              {
                name: "level",
                value: (f) => grave[f.level],
                show: (f) => html("span", { class: `level ${f.level}` }, f.level),
              },
              {
                name: "finding",
                value: (f) => f.message,
                show: (f) =>
                  html(
                    "span",
                    { class: "long" },
                    f.message,
                    f.examples.length ? html("small", {}, ` ${f.examples.join(", ")}`) : null,
                  ),
              },
              { name: "check", value: (f) => f.check },
              { name: "split", value: (f) => f.split },
            ],
          })
        : html("p", {}, "Nothing."),
    );
  }
  const handlers = {
    update() {
      const { params } = page;
      if (families.includes(params.family) || params.family === "all")
        state.family = params.family;
      state.sort = params.sort ?? null;
      state.down = params.down === "1";
      family.querySelector("select").value = state.family;
      show();
    },
  };
  handlers.update();
  return handlers;
};

export const view = {
  key: "treebanks",
  title: "Treebanks",
  lead: "What are the treebanks like, and can scores on them mislead?",
  filters: [],
  shows: (page) => page.has("treebanks"),
  mount,
};
