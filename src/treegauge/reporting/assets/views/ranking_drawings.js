// Drawings of rankings: boxes of ranks, and a matrix of pairs.

import { balance, rows, ticks } from "../components/chart.js";
import { svg } from "../shell/dom.js";

// `systems` are in the order drawn, `box(s)` gives best, quartiles and worst, `mean(s)` the mean.
export const rankBoxes = ({ width, data, systems, box, mean, size }) =>
  rows(
    {
      width,
      names: systems.map((s) => data.systems[s]),
      x: [0.5, systems.length + 0.5],
      ticks: ticks(1, systems.length, Math.max(2, Math.floor(width / 90))).filter(
        (v) => Number.isInteger(v) && v >= 1,
      ),
      name: "rank",
      label: `Ranks over subsets of ${size} treebanks`,
    },
    (i, x, y) => {
      const s = systems[i];
      const [low, q1, median, q3, high] = box(s);
      const told = `best ${low}, quartiles ${q1} ${median} ${q3}, worst ${high}`;
      return svg(
        "g",
        { class: "box" },
        svg("title", {}, `${data.systems[s]}: ${told}, mean ${mean(s).toFixed(3)}`),
        svg("line", { x1: x(low), x2: x(high), y1: y, y2: y, class: "whisker" }),
        svg("rect", {
          x: x(q1) - 0.5,
          y: y - 7,
          width: Math.max(1, x(q3) - x(q1)),
          height: 14,
          class: "quartiles",
        }),
        svg("line", { x1: x(median), x2: x(median), y1: y - 7, y2: y + 7, class: "median" }),
        svg("circle", { cx: x(mean(s)), cy: y, r: 3, class: "mean" }),
      );
    },
  );

// `p(a, b)` is the probability that a is above b; `chosen` is the pair that is marked.
export const pairMatrix = ({ width, data, systems, p, chosen, onchoose }) => {
  const n = systems.length;
  const left = Math.min(130, width * 0.3);
  const step = Math.max(15, Math.min(34, (width - left - 4) / n));
  const top = Math.min(110, 20 + 6.5 * Math.max(...data.systems.map((s) => s.length)));
  const side = left + step * n + 4 + top / 2;
  const height = top + step * n + 4;
  const small = { class: "label", style: `font-size:${Math.min(12, step - 3)}px` };
  const names = systems.map((s, i) => {
    const across = left + step * (i + 0.5) + 4;
    const down = { x: left - 6, y: top + step * (i + 0.5) + 4, "text-anchor": "end" };
    const turned = { transform: `translate(${across} ${top - 6}) rotate(-60)` };
    return [
      svg("text", { ...small, ...down }, data.systems[s].slice(0, Math.floor(left / 7.5))),
      svg("text", { ...small, ...turned }, data.systems[s].slice(0, 16)),
    ];
  });
  const cell = (a, b, i, j) => {
    const shown = balance(p(a, b));
    const x = left + step * j;
    const y = top + step * i;
    const number = {
      x: x + step / 2,
      y: y + step / 2 + 4,
      "text-anchor": "middle",
      style: `fill:${shown.ink};font-size:11px`,
    };
    return svg(
      "g",
      {
        class: a === chosen[0] && b === chosen[1] ? "cell chosen" : "cell",
        onclick: () => onchoose(a, b),
      },
      svg("title", {}, `${data.systems[a]} above ${data.systems[b]}: ${p(a, b).toFixed(4)}`),
      svg("rect", { x, y, width: step - 1, height: step - 1, fill: shown.fill }),
      step >= 30 ? svg("text", number, p(a, b).toFixed(2)) : null,
    );
  };
  return svg(
    "svg",
    {
      class: "chart matrix",
      role: "img",
      "aria-label": "Probability that the system of the row is above that of the column",
      width: side,
      height,
      viewBox: `0 0 ${side} ${height}`,
    },
    names,
    systems.map((a, i) => systems.map((b, j) => (a === b ? null : cell(a, b, i, j)))),
  );
};
