// Differences with their intervals, one row each, around zero; a band marks the margin.

import { rows, ticks } from "../components/chart.js";
import { svg } from "../shell/dom.js";
import { signed } from "../shell/format.js";

const tipOf = (item) => {
  const ends = item.low === null ? "" : ` (${signed(item.low)} to ${signed(item.high)})`;
  return `${item.name}: ${signed(item.difference)}${ends}`;
};

// `items` are {name, difference, low, high, strong, verdict}; positive ones favour A.
export const forest = ({ width, items, a, b, metric, margin, label }) => {
  const ends = items.flatMap((item) => [item.difference, item.low ?? 0, item.high ?? 0]);
  const reach = Math.max(...ends.map(Math.abs), margin * 1.1, 0.1) * 1.05;
  const domain = [-reach, reach];
  return rows(
    {
      width,
      names: items.map((item) => item.name),
      x: domain,
      ticks: ticks(...domain, Math.max(2, Math.floor(width / 110))),
      text: (v) => signed(v, reach < 5 ? 1 : 0),
      name: `← ${b} better · difference in ${metric}, points · ${a} better →`,
      label,
      data: {
        columns: ["treebank", `${a} − ${b}, points of ${metric}`, "low", "high"],
        rows: items.map((item) => [item.name, item.difference, item.low, item.high]),
      },
      step: items.length > 30 ? 16 : 24,
    },
    (i, x, y) => {
      const item = items[i];
      const stroke = item.difference >= 0 ? "var(--pos)" : "var(--neg)";
      const sure = item.verdict ? item.verdict.better !== null : true;
      return svg(
        "g",
        { class: "difference" },
        svg("title", {}, tipOf(item)),
        svg("rect", {
          x: x(-margin),
          y: y - 12,
          width: x(margin) - x(-margin),
          height: 24,
          class: "margin",
        }),
        svg("line", { x1: x(0), x2: x(0), y1: y - 12, y2: y + 12, class: "whisker" }),
        item.low === null
          ? null
          : svg("line", {
              x1: x(item.low),
              x2: x(item.high),
              y1: y,
              y2: y,
              stroke,
              "stroke-width": item.strong ? 4 : 2.5,
            }),
        svg("circle", {
          cx: x(item.difference),
          cy: y,
          r: item.strong ? 6 : 4,
          fill: sure ? stroke : "var(--paper)",
          stroke,
          "stroke-width": 2,
        }),
      );
    },
  );
};
