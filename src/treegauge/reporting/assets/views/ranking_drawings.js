// Drawings of rankings: a box of ranks in a row of the table, and a triangle of pairs.

import { balance } from "../components/chart.js";
import { describe } from "../components/described.js";
import { svg } from "../shell/dom.js";
import { range } from "../shell/format.js";

const WIDE = 260;
const TALL = 20;

// The scale of ranks from 1 to `n` in a row of the table.
export const rankScale = (n) => (rank) => 6 + ((rank - 1) / Math.max(1, n - 1)) * (WIDE - 12);

export const rankAxis = (n) => {
  const x = rankScale(n);
  const step = n > 20 ? 5 : n > 8 ? 2 : 1;
  const shown = range(n).map((i) => i + 1).filter((r) => r === 1 || r % step === 0);
  return svg(
    "svg",
    { class: "chart axis", width: WIDE, height: 14, viewBox: `0 0 ${WIDE} 14`, "aria-hidden": "true" },
    shown.map((r) => svg("text", { x: x(r), y: 11, "text-anchor": "middle" }, r)),
  );
};

// Line: best to worst rank; box: quartiles and median; dot: mean.
export const rankBox = (n, [low, q1, median, q3, high], mean, spoken) => {
  const x = rankScale(n);
  const y = TALL / 2;
  return svg(
    "svg",
    {
      class: "chart box",
      role: "img",
      "aria-label": spoken,
      width: WIDE,
      height: TALL,
      viewBox: `0 0 ${WIDE} ${TALL}`,
    },
    svg("title", {}, spoken),
    svg("line", { x1: x(low), x2: x(high), y1: y, y2: y, class: "whisker" }),
    svg("rect", {
      x: x(q1) - 0.5,
      y: y - 6,
      width: Math.max(1, x(q3) - x(q1)),
      height: 12,
      class: "quartiles",
    }),
    svg("line", { x1: x(median), x2: x(median), y1: y - 6, y2: y + 6, class: "median" }),
    svg("circle", { cx: x(mean), cy: y, r: 3, class: "mean" }),
  );
};

// Every pair once: the row's system against each system below it in the ranking.
export const pairTriangle = ({ width, names, systems, p, chosen, href }) => {
  const n = systems.length;
  const left = Math.min(150, width * 0.3);
  const step = Math.max(16, Math.min(40, (width - left - 60) / Math.max(1, n - 1)));
  const top = Math.min(110, 20 + 6.5 * Math.max(...systems.map((s) => names[s].length)));
  const side = left + step * (n - 1) + 4 + top / 2;
  const height = top + step * (n - 1) + 4;
  const small = { class: "label", style: `font-size:${Math.min(12, step - 3)}px` };
  const cut = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
  const rowName = (s, i) =>
    svg(
      "text",
      { ...small, x: left + step * i - 6, y: top + step * (i + 0.5) + 4, "text-anchor": "end" },
      svg("title", {}, names[s]),
      cut(names[s], Math.floor((left + step * i) / 7.5)),
    );
  const columnName = (s, j) =>
    svg(
      "text",
      { ...small, transform: `translate(${left + step * (j - 0.5) + 4} ${top - 6}) rotate(-60)` },
      svg("title", {}, names[s]),
      cut(names[s], 16),
    );
  const cell = (a, b, i, j) => {
    const shown = balance(p(a, b));
    const x = left + step * (j - 1);
    const y = top + step * i;
    const said = `${names[a]} above ${names[b]}: ${(100 * p(a, b)).toFixed(2)} %`;
    const marked = chosen.includes(a) && chosen.includes(b);
    return svg(
      "a",
      { class: marked ? "cell chosen" : "cell", href: href(a, b), "aria-label": said },
      svg("title", {}, said),
      svg("rect", { x, y, width: step - 1, height: step - 1, fill: shown.fill }),
      step >= 28
        ? svg(
            "text",
            {
              x: x + step / 2,
              y: y + step / 2 + 4,
              "text-anchor": "middle",
              style: `fill:${shown.ink};font-size:11px`,
            },
            Math.round(100 * p(a, b)),
          )
        : null,
    );
  };
  const label = "How often the system of the row is above that of the column, in percent";
  const pairs = systems.flatMap((a, i) => systems.slice(i + 1).map((b) => [a, b]));
  const chart = svg(
    "svg",
    {
      class: "chart matrix",
      role: "group",
      "aria-label": label,
      width: side,
      height,
      viewBox: `0 0 ${side} ${height}`,
    },
    systems.map((s, i) => (i < n - 1 ? rowName(s, i) : null)),
    systems.map((s, j) => (j > 0 ? columnName(s, j) : null)),
    systems.map((a, i) => systems.map((b, j) => (j > i ? cell(a, b, i, j) : null))),
  );
  return describe(chart, {
    title: label,
    data: () => ({
      columns: ["system", "other", "above, %"],
      rows: pairs.map(([a, b]) => [names[a], names[b], 100 * p(a, b)]),
    }),
  });
};
