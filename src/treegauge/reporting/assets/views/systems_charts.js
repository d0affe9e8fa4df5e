// Charts of systems: scores with intervals, reliability diagrams, and risk by coverage.

import { colour, plane, rows } from "../components/chart.js";
import { svg } from "../shell/dom.js";
import { grouped, points } from "../shell/format.js";

// `items` are {name, f1, interval, colour}; one row each. `all` has the values of charts that share a scale.
export const intervalChart = (width, items, metric, label, all = null) => {
  const ends = all ?? items.flatMap((item) => [item.f1, ...(item.interval || [])]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = (high - low || 1) * 0.1;
  const tested = items.some((item) => item.interval);
  return rows(
    {
      width,
      names: items.map((item) => item.name),
      x: [Math.max(0, low - pad), Math.min(100, high + pad)],
      text: (v) => points(v, 1),
      name: `${metric}, %${tested ? ", with 95 % intervals" : ""}`,
      label,
      data: {
        columns: ["name", metric, "low", "high"],
        rows: items.map(({ name, f1, interval }) => [name, f1, ...(interval || [null, null])]),
      },
      step: items.length > 20 ? 18 : 28,
    },
    (i, x, y) => {
      const { name, f1, interval } = items[i];
      const line = { y1: y, y2: y, stroke: colour(items[i].colour), "stroke-width": 3 };
      const ends = interval ? ` (${points(interval[0])} to ${points(interval[1])})` : "";
      return [
        interval ? svg("line", { ...line, x1: x(interval[0]), x2: x(interval[1]) }) : null,
        svg(
          "circle",
          { cx: x(f1), cy: y, r: 5, fill: colour(items[i].colour) },
          svg("title", {}, `${name}: ${points(f1)}${ends}`),
        ),
      ];
    },
  );
};

const SQUARE = { height: 260, left: 52, bottom: 44 };

// Share of correct arcs by the probability that the system gave them; the diagonal is perfect calibration.
export const reliabilityChart = (width, systems) =>
  plane(
    {
      ...SQUARE,
      width,
      x: [0, 100],
      y: [0, 100],
      xname: "probability given by the system, %",
      yname: "correct arcs, %",
      label: `Reliability of ${systems.map((one) => one.name).join(", ")}`,
      data: {
        columns: ["system", "treebank", "arcs", "probability, %", "correct, %"],
        rows: systems.flatMap((one) =>
          one.bins.map((bin) => [one.name, one.treebank, bin.count, bin.confidence, bin.accuracy]),
        ),
      },
    },
    (x, y) => [
      svg("line", { class: "whisker", x1: x(0), y1: y(0), x2: x(100), y2: y(100) }),
      systems.map(({ name, bins, number }) => {
        const held = bins.filter((bin) => bin.count > 0);
        const path = held.map((bin) => `${x(bin.confidence)} ${y(bin.accuracy)}`).join("L");
        return svg(
          "g",
          {},
          svg("path", { d: `M${path}`, fill: "none", stroke: colour(number), "stroke-width": 2 }),
          held.map((bin) =>
            svg(
              "circle",
              { cx: x(bin.confidence), cy: y(bin.accuracy), r: 4, fill: colour(number) },
              svg(
                "title",
                {},
                `${name}: of ${grouped(bin.count)} arcs with probability ${points(bin.confidence, 1)} %, ` +
                  `${points(bin.accuracy, 1)} % are correct`,
              ),
            ),
          ),
        );
      }),
    ],
  );

// Error rate over the most certain sentences, by how many of them are kept.
export const riskChart = (width, systems) =>
  plane(
    {
      ...SQUARE,
      width,
      x: [0, 100],
      y: [0, Math.max(1, ...systems.flatMap((one) => one.risk.map(([, risk]) => risk))) * 1.05],
      xname: "sentences kept, most certain first, %",
      yname: "errors, %",
      label: `Errors by share of sentences kept, of ${systems.map((one) => one.name).join(", ")}`,
      data: {
        columns: ["system", "treebank", "sentences kept, %", "errors, %"],
        rows: systems.flatMap((one) => one.risk.map((point) => [one.name, one.treebank, ...point])),
      },
    },
    (x, y) =>
      systems.map(({ name, risk, number }) =>
        svg(
          "g",
          {},
          svg("path", {
            d: `M${risk.map(([kept, errors]) => `${x(kept)} ${y(errors)}`).join("L")}`,
            fill: "none",
            stroke: colour(number),
            "stroke-width": 2,
          }),
          risk
            .filter((_, i) => i % 10 === 9)
            .map(([kept, errors]) =>
              svg(
                "circle",
                { cx: x(kept), cy: y(errors), r: 3.5, fill: colour(number) },
                svg(
                  "title",
                  {},
                  `${name}: ${points(errors, 1)} % errors in the ${points(kept, 0)} % most certain sentences`,
                ),
              ),
            ),
        ),
      ),
  );
