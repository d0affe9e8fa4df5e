// Drawings of learning: curves by class, complexity of classes, votes of other languages' parsers.

import { colour, plane, rows } from "../components/chart.js";
import { dataTable } from "../components/table.js";
import { html, svg } from "../shell/dom.js";

const DASHES = ["", "7 4", "2 3"];

// `curves` are lists of points {name, size, score, low, high, relative}, ascending in size.
export const curveChart = (width, curves, relative, metric) => {
  const points = curves.flat();
  const names = curves.map((list) => list[0].name);
  const value = (p) => (relative ? 100 * p.relative : p.score);
  const lower = (p) => (relative ? value(p) : (p.low ?? p.score));
  const upper = (p) => (relative ? value(p) : (p.high ?? p.score));
  const sizes = [...new Set(points.map((p) => p.size))].sort((a, b) => a - b);
  const right = Math.min(16 + 6.8 * Math.max(...names.map((n) => n.length)), width * 0.4);
  const o = {
    width,
    height: 340,
    right,
    x: [sizes[0], sizes.at(-1) * (sizes.length > 1 ? 1 : 1.1)],
    y: [
      Math.max(0, Math.min(...points.map(lower)) - 3),
      Math.min(100, Math.max(...points.map(upper)) + 3),
    ],
    log: true,
    xticks: sizes,
    xname: "training sentences",
    yname: relative ? "% of the final score" : metric,
    label: `Learning curves of ${names.join(", ")}`,
  };
  const taken = [];
  // Names stand below each other where curves end close together.
  const free = (y) => {
    let at = y;
    while (taken.some((other) => Math.abs(other - at) < 12)) at += 6;
    taken.push(at);
    return at;
  };
  return plane(o, (x, y) =>
    curves.map((list, i) => {
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
          svg("title", {}, `${p.name}, ${p.size} sentences: ${value(p).toFixed(1)}`),
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
    }),
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
    name: "complexity, 95 % interval",
    label: "Complexity of classes",
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
  const number = (name) => ({
    name,
    number: true,
    value: (r) => r[name],
    show: (r) => (typeof r[name] === "number" ? r[name].toFixed(1) : ""),
  });
  const within = (name, title, low, high) => ({
    ...number(name),
    name: title,
    show: (r) => {
      if (typeof r[name] !== "number") return "";
      const ends = [r[low], r[high]].map((v) => (typeof v === "number" ? v.toFixed(1) : "?"));
      return [r[name].toFixed(1), html("small", {}, ` ${ends.join(" to ")}`)];
    },
  });
  const gains = known("gain")
    ? [within("gain", "gain by the source", "gain_low", "gain_high")]
    : [];
  const alone = known("alone") ? [{ ...number("alone"), name: "the source alone" }] : [];
  const worth = { name: "worth, sentences", number: true, value: (r) => r.sentences };
  return dataTable({
    label: `Transfer: ${one.name}`,
    filter: "source or group",
    data: one.rows,
    columns: [
      { name: "vote", value: (r) => (r.left_out ? `without ${r.left_out}` : "all sources") },
      { name: "group", value: (r) => r.group },
      { name: "words", number: true, value: (r) => r.words },
      { name: "metric", value: (r) => r.metric },
      within("score", "score", "low", "high"),
      ...gains,
      ...alone,
      ...(one.rows.some((r) => r.sentences) ? [worth] : []),
    ],
  });
};
