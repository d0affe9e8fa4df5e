// Treebanks: a profile of each, every measure, displacements, and audit findings.

import { colour } from "../components/chart.js";
import { describe } from "../components/described.js";
import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { fill, html, select, svg } from "../shell/dom.js";
import { percent, plural, short } from "../shell/format.js";
import { profileCards } from "./treebanks_cards.js";
import { invalidPanel } from "./treebanks_health.js";

const DRAWN = 24; // charts of displacements
const LEVELS = { error: 0, warning: 1, note: 2 };

// A measure as the page shows it: shares as percentages.
export const shownValue = (measure, value) => {
  if (value === null || value === undefined) return "–";
  return measure.unit === "%" ? Number((100 * value).toPrecision(3)).toString() : short(value);
};
export const columnName = ({ label, unit }) => (unit ? `${label} (${unit})` : label);

const measureTable = (data, rows, page) => {
  const families = [...new Set(data.measures.map((one) => one.family))];
  const asked = page.params.family;
  const family = families.includes(asked) || asked === "all" ? asked : families[0];
  const chosen = data.measures.filter((one) => family === "all" || one.family === family);
  const byKey = chosen.find((one) => one.name === page.params.sort);
  const sorted = byKey ? columnName(byKey) : page.params.sort === "treebank" ? "treebank" : null;
  const key = (name) => chosen.find((one) => columnName(one) === name)?.name || name;
  return [
    html(
      "p",
      { class: "controls" },
      select(
        "Measures of",
        [...families.map((one) => [one, data.families[one] || one]), ["all", "all kinds"]],
        family,
        (v) => page.go("treebanks", { ...page.params, family: v, sort: "", down: "" }),
      ),
    ),
    dataTable({
      label: "Measures of treebanks",
      filter: "treebank or value",
      data: rows,
      sort: sorted ? { by: sorted, down: page.params.down === "1" } : null,
      onsort: (by, down) => page.set({ sort: key(by), down: down ? 1 : "" }),
      columns: [
        { name: "treebank", value: (row) => row.treebank },
        ...chosen.map((one) => ({
          name: columnName(one),
          key: one.name,
          title: `${one.name}: ${one.meaning}`,
          info: "measures",
          measure: one.name,
          number: true,
          value: (row) => row.values[one.name],
          show: (row) => {
            const value = row.values[one.name];
            const note = row.notes[one.name];
            return value === null || value === undefined || note
              ? html("span", { title: note || "" }, shownValue(one, value))
              : shownValue(one, value);
          },
        })),
      ],
    }),
    html(
      "details",
      {},
      html("summary", {}, "What the measures mean"),
      html(
        "dl",
        { class: "meanings" },
        chosen.flatMap((one) => [
          html("dt", {}, one.label, " ", html("code", {}, one.name)),
          html("dd", {}, one.meaning),
        ]),
      ),
    ),
  ];
};

const displacementChart = (name, shares, reach) => {
  const [width, height] = [230, 110];
  const base = height - 18;
  const top = Math.max(...shares);
  const step = (width - 8) / shares.length;
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const label = `Displacements of ${name}`;
  const chart = svg(
      "svg",
      { class: "chart", role: "img", "aria-label": label, ...size },
      shares.map((share, i) =>
        svg(
          "rect",
          {
            x: 4 + i * step,
            width: step - 1,
            y: base - (share / top) * (base - 6),
            height: (share / top) * (base - 6),
            fill: i < reach ? colour(0) : colour(5),
          },
          svg("title", {}, `${i - reach}: ${percent(share, 1)} %`),
        ),
      ),
      [-10, -5, 0, 5, 10].map((d) =>
        svg(
          "text",
          { x: 4 + (d + reach + 0.5) * step, y: height - 4, "text-anchor": "middle" },
          d,
        ),
      ),
  );
  describe(chart, {
    title: label,
    data: () => ({
      columns: ["displacement", "share of words"],
      rows: shares.map((share, i) => [i - reach, share]),
    }),
  });
  return html("figure", { class: "small" }, html("figcaption", {}, name), chart);
};

const auditTable = (findings) =>
  dataTable({
    label: "Audit",
    filter: "error, warning, leak …",
    sort: { by: "level", down: false },
    first: 12,
    data: findings,
    columns: [
      { name: "treebank", value: (one) => one.treebank },
      {
        name: "level",
        value: (one) => LEVELS[one.level],
        show: (one) => html("span", { class: `level ${one.level}` }, one.level),
      },
      {
        name: "finding",
        value: (one) => one.message,
        show: (one) =>
          html(
            "span",
            { class: "long" },
            one.message,
            one.examples.length ? html("small", {}, ` ${one.examples.join(", ")}`) : null,
          ),
      },
      { name: "check", value: (one) => one.check },
      { name: "split", value: (one) => one.split },
    ],
  });

const auditPanel = (audits) => {
  const findings = audits.flatMap((one) =>
    one.findings.map((row) => ({ ...row, treebank: one.treebank })),
  );
  const counted = (level) => plural(findings.filter((one) => one.level === level).length, level);
  return [
    html("h3", {}, "Findings of the audit ", info("audit")),
    html("p", {}, `${Object.keys(LEVELS).map(counted).join(", ")}.`),
    findings.length ? auditTable(findings) : null,
  ];
};

export const view = {
  key: "treebanks",
  title: "Treebanks",
  lead: "What is in these treebanks, and can scores on them be trusted?",
  filters: ["treebank"],
  shows: (page) => page.has("treebanks"),
  mount(root, page) {
    const data = page.data("treebanks");
    const show = () => {
      const fits = (one) => !page.treebank || one.treebank === page.treebank;
      const rows = data.treebanks.filter(fits);
      const audits = data.audits.filter(fits);
      const drawings = Object.entries(data.displacements).filter(
        ([name]) => !page.treebank || name === page.treebank,
      );
      fill(
        root,
        html("h3", {}, "Profiles ", info("profiles")),
        profileCards(data, page),
        html("h3", {}, "Measures ", info("measures")),
        measureTable(data, rows, page),
        drawings.length
          ? [
              html("h3", {}, "Distance from words to their heads ", info("displacements")),
              html(
                "p",
                {},
                "Left of 0, the head follows the word; right of 0, the head precedes it. ",
                "The height of a bar is the share of words.",
              ),
              html(
                "div",
                { class: "smalls" },
                drawings
                  .slice(0, DRAWN)
                  .map(([name, shares]) => displacementChart(name, shares, data.reach)),
              ),
              drawings.length > DRAWN
                ? html("p", { class: "count" }, `The first ${DRAWN} of ${drawings.length} treebanks.`)
                : null,
            ]
          : null,
        invalidPanel(data, page),
        audits.length ? html("div", { id: "treebanks-findings" }, auditPanel(audits)) : null,
      );
      // A number of the overview leads to the list behind it.
      const list = page.params.list && root.querySelector(`#treebanks-${CSS.escape(page.params.list)}`);
      if (list) list.scrollIntoView({ block: "start" });
    };
    show();
    return { update: show };
  },
};
