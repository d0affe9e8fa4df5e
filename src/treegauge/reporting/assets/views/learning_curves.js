// Charts of learning: curves by class, complexity of classes, votes of parsers of other languages.

import { colour, plane, rows } from "../components/chart.js";
import { dataTable } from "../components/table.js";
import { html, svg } from "../shell/dom.js";
import { points, signed } from "../shell/format.js";

const DASHES = ["", "7 4", "2 3"];

// The curve of all words beyond the last size: dashed, with the interval of the prediction.
const prediction = (last, ahead, x, y) => {
  const start = { ...last, low: last.score, high: last.score };
  const banded = [start, ...ahead.filter((p) => p.low !== null)];
  const path = (points, of) => points.map((p) => `${x(p.size)} ${y(of(p))}`).join("L");
  const ends = (p) => (p.low === null ? "" : ` (95 % interval ${points(p.low, 1)} to ${points(p.high, 1)})`);
  return svg(
    "g",
    { class: "predicted" },
    banded.length > 1
      ? svg("path", { fill: colour(0), "fill-opacity": 0.1,
          d: `M${path(banded, (p) => p.high)}L${path([...banded].reverse(), (p) => p.low)}Z` })
      : null,
    svg("path", { fill: "none", stroke: colour(0), "stroke-width": 3, "stroke-dasharray": "5 5",
      d: `M${path([start, ...ahead], (p) => p.score)}` }),
    ahead.map((p) =>
      svg("circle", { cx: x(p.size), cy: y(p.score), r: 3.5, fill: "var(--paper)", stroke: colour(0), "stroke-width": 1.5 },
        svg("title", {}, `predicted, ${p.size} sentences: ${points(p.score, 1)}${ends(p)}`)),
    ),
  );
};

// `curves` are lists of points {name, size, score, low, high, relative}, ascending in size; `ahead`
// are predicted points of all words, after the last that was measured.
export const curveChart = (width, curves, relative, metric, ahead = []) => {
  const drawn = [...curves.flat(), ...ahead];
  const names = curves.map((list) => list[0].name);
  const value = (p) => (relative ? 100 * p.relative : p.score);
  const lower = (p) => (relative ? value(p) : (p.low ?? p.score));
  const upper = (p) => (relative ? value(p) : (p.high ?? p.score));
  const sizes = [...new Set([...curves.flat(), ...ahead.slice(-1)].map((p) => p.size))].sort((a, b) => a - b);
  const right = Math.min(16 + 6.8 * Math.max(...names.map((n) => n.length)), width * 0.4);
  const o = {
    width,
    height: 340,
    right,
    x: [sizes[0], sizes.at(-1) * (sizes.length > 1 ? 1 : 1.1)],
    y: [
      Math.max(0, Math.min(...drawn.map(lower)) - 3),
      Math.min(100, Math.max(...drawn.map(upper)) + 3),
    ],
    log: true,
    xticks: sizes,
    xname: "training sentences (logarithmic scale)",
    yname: relative ? "share of the final score, %" : `${metric}, %`,
    label: `Learning curves of ${names.join(", ")}`,
    data: {
      columns: ["class", "training sentences", metric, "low", "high", "share of the final score"],
      rows: drawn.map((p) => [p.name, p.size, p.score, p.low, p.high, p.relative]),
    },
  };
  const taken = [];
  // Names are placed below each other where curves end close together.
  const free = (y) => {
    let at = y;
    while (taken.some((other) => Math.abs(other - at) < 12)) at += 6;
    taken.push(at);
    return at;
  };
  return plane(o, (x, y) =>
    [ahead.length ? prediction(curves.find((list) => list[0].name === "all").at(-1), ahead, x, y) : null, ...curves.map((list, i) => {
      const spot = (p, of) => `${x(p.size)} ${y(of(p))}`;
      const edge = (of, order = list) => order.map((p) => spot(p, of)).join("L");
      const band = `M${edge(upper)}L${edge(lower, [...list].reverse())}Z`;
      const line = {
        fill: "none",
        stroke: colour(i),
        "stroke-width": names[i] === "all" ? 3 : 1.8,
        "stroke-dasharray": DASHES[Math.floor(i / 6) % 3],
        d: `M${edge(value)}`,
      };
      const dot = (p) =>
        svg(
          "circle",
          { cx: x(p.size), cy: y(value(p)), r: 2.5, fill: colour(i) },
          svg(
            "title",
            {},
            `${p.name}, ${p.size} sentences: ${value(p).toFixed(1)}`,
            relative || p.low === null ? "" : ` (95 % interval ${p.low.toFixed(1)} to ${p.high.toFixed(1)})`,
          ),
        );
      const label = { x: width - right + 6, y: free(y(value(list.at(-1)))) + 4 };
      return svg(
        "g",
        {},
        relative ? null : svg("path", { fill: colour(i), "fill-opacity": 0.13, d: band }),
        svg("path", line),
        list.map(dot),
        svg("text", { ...label, style: `fill:${colour(i)}` }, names[i]),
      );
    })],
  );
};

export const complexityChart = (width, list) => {
  const low = (c) => c.low ?? c.complexity;
  const high = (c) => c.high ?? c.complexity;
  const ends = list.flatMap((c) => [low(c), high(c), 0]);
  const o = {
    width,
    names: list.map((c) => c.class),
    x: [Math.min(...ends), Math.max(...ends)],
    name: "← learned early · complexity, with 95 % interval · learned late →",
    label: "Complexity of classes",
    data: {
      columns: ["class", "complexity", "low", "high"],
      rows: list.map((c) => [c.class, c.complexity, c.low, c.high]),
    },
    step: 20,
  };
  return rows(o, (i, x, y) => {
    const c = list[i];
    const stroke = colour(c.complexity > 0 ? 5 : 0);
    return [
      svg("line", { x1: x(0), x2: x(0), y1: y - 10, y2: y + 10, class: "whisker" }),
      svg("line", { x1: x(low(c)), x2: x(high(c)), y1: y, y2: y, stroke, "stroke-width": 3 }),
      svg(
        "circle",
        { cx: x(c.complexity), cy: y, r: 4, fill: stroke },
        svg("title", {}, `${c.class}: ${c.complexity.toFixed(1)}`),
      ),
    ];
  });
};

export const transferTable = (one) => {
  const known = (name) => one.rows.some((r) => typeof r[name] === "number");
  const number = (key, name, title, digits = 1) => ({
    name,
    title,
    info: "transfer",
    number: true,
    value: (r) => r[key],
    show: (r) => (typeof r[key] === "number" ? points(r[key], digits) : ""),
  });
  const within = (key, name, title, low, high, text = points) => ({
    ...number(key, name, title),
    show: (r) => {
      if (typeof r[key] !== "number") return "";
      const ends = [r[low], r[high]].map((v) => (typeof v === "number" ? text(v, 1) : "?"));
      return [text(r[key], 1), html("small", {}, ` ${ends.join(" to ")}`)];
    },
    ends: (r) => [r[low], r[high]],
  });
  return dataTable({
    label: `Transfer: ${one.name}`,
    filter: "source or group",
    data: one.rows,
    columns: [
      { name: "sources", value: (r) => (r.left_out ? `all but ${r.left_out}` : "all") },
      { name: "group", value: (r) => r.group },
      { name: "words", number: true, value: (r) => r.words },
      { name: "metric", value: (r) => r.metric },
      within("score", "score, %", "score of the vote, with the 95 % interval", "low", "high"),
      known("gain") &&
        within(
          "gain",
          "gain from the source, points",
          "points that the vote loses when this source is left out, with the 95 % interval",
          "gain_low",
          "gain_high",
          signed,
        ),
      known("alone") && number("alone", "the source alone, %", "score of the source without the others"),
      known("sentences") &&
        number(
          "sentences",
          "equivalent, sentences",
          "number of annotated sentences of the target language with which a parser reaches this score",
          0,
        ),
    ].filter(Boolean),
  });
};
