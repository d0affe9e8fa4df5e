// Charts: axes, marks and colours. Sizes are pixels; colours are those of the page.

import { svg } from "../shell/dom.js";
import { clamp, range, short } from "../shell/format.js";
import { describe } from "./described.js";

// `o.data` is {columns, rows}: what the chart is drawn from, for exports.
const exportable = (o, chart) =>
  o.data ? describe(chart, { title: o.label, data: () => o.data }) : chart;

export const colour = (i) => `var(--c${i % 6})`;
const LOW = [240, 246, 251],
  HIGH = [0, 72, 122];
// Black or white, whichever can be read better: one of them always has a contrast above 4.5.
export const readable = (rgb) => {
  const linear = rgb.map((c) =>
    c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179
    ? "#000000"
    : "#ffffff";
};
const mixed = (from, to, share) => {
  const rgb = from.map((c, i) => Math.round(c + (to[i] - c) * clamp(share, 0, 1)));
  return { fill: `rgb(${rgb.join(",")})`, ink: readable(rgb) };
};
export const shade = (share) => mixed(LOW, HIGH, share);
// From orange over white to blue: below and above one half.
export const balance = (share) =>
  mixed([255, 255, 255], share < 0.5 ? [181, 79, 0] : [0, 84, 140], Math.abs(share - 0.5) * 2);

export const ticks = (low, high, count = 5) => {
  const span = high - low || 1,
    step = 10 ** Math.floor(Math.log10(span / count));
  const wide = [1, 2, 5, 10].map((f) => f * step).find((s) => span / s <= count) || step * 10;
  const first = Math.ceil(low / wide - 1e-9);
  return range(Math.floor(high / wide + 1e-9) - first + 1).map((i) =>
    Number(((first + i) * wide).toPrecision(12)),
  );
};

const LETTER = 6.3; // mean width of a letter of an axis name, in pixels

// The lines of an axis name that fit into a width; broken at " · " where there is one, else at spaces.
export const nameLines = (text, width) => {
  const most = Math.max(8, Math.floor(width / LETTER));
  if (text.length <= most) return [text];
  const parts = text.includes(" · ") ? text.split(" · ") : text.split(" ");
  const joint = text.includes(" · ") ? " · " : " ";
  const lines = [];
  for (const part of parts) {
    const longer = lines.length ? `${lines.at(-1)}${joint}${part}` : part;
    if (lines.length && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
};

// The name of the axis below a drawing, centred under the axis or, if it is wide, under all.
const axisName = (lines, { from, to, width, height }) => {
  const widest = LETTER * Math.max(...lines.map((line) => line.length));
  const middle = (from + to) / 2;
  const x = middle - widest / 2 < 0 || middle + widest / 2 > width ? width / 2 : middle;
  return lines.map((line, i) =>
    svg("text", { class: "name", x, y: height - 4 - 14 * (lines.length - 1 - i), "text-anchor": "middle" }, line),
  );
};

// A plane with axes; `x` and `y` are [low, high], `marks` gets the two scales.
export const plane = (o, marks) => {
  const { width, height, left = 46, right = 14, top = 12 } = o;
  const lines = nameLines(o.xname || "", width - 8);
  const bottom = (o.bottom ?? 40) + 14 * (lines.length - 1);
  const scale = (low, high, from, to, log) => {
    const f = log ? Math.log : (v) => v,
      a = f(low),
      b = f(high);
    return (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from);
  };
  const x = scale(...o.x, left, width - right, o.log);
  const y = scale(...o.y, height - bottom, top);
  const xs = o.xticks || ticks(...o.x, Math.max(2, Math.floor(width / 90)));
  const ys = o.yticks || ticks(...o.y, 5);
  const xtext = o.xtext || short,
    ytext = o.ytext || short;
  const chart = svg(
    "svg",
    {
      class: "chart",
      role: "img",
      "aria-label": o.label,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
    },
    ys.map((v) =>
      svg(
        "g",
        {},
        svg("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
        svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, ytext(v)),
      ),
    ),
    xs.map((v) =>
      svg(
        "g",
        {},
        svg("line", { class: "grid", x1: x(v), x2: x(v), y1: top, y2: height - bottom }),
        svg("text", { x: x(v), y: height - bottom + 16, "text-anchor": "middle" }, xtext(v)),
      ),
    ),
    axisName(lines, { from: left, to: width - right, width, height }),
    o.yname
      ? svg(
          "text",
          {
            class: "name",
            transform: `translate(12 ${(top + height - bottom) / 2}) rotate(-90)`,
            "text-anchor": "middle",
          },
          o.yname,
        )
      : null,
    marks(x, y),
  );
  return exportable(o, chart);
};

// Rows with names to the left and a scale below; `row` draws one at a height.
export const rows = (o, row) => {
  const lines = nameLines(o.name || "", o.width - 8);
  const step = o.step || 22,
    top = 6,
    bottom = 40 + 14 * (lines.length - 1),
    right = 16;
  const longest = Math.max(...o.names.map((n) => n.length));
  const left = Math.min(o.width * 0.4, 14 + longest * 7);
  const height = top + bottom + step * o.names.length;
  const x = (v) => left + ((v - o.x[0]) / (o.x[1] - o.x[0] || 1)) * (o.width - right - left);
  const marks = o.ticks || ticks(...o.x, Math.max(2, Math.floor((o.width - left) / 70)));
  const most = Math.floor((left - 10) / 7);
  const chart = svg(
    "svg",
    {
      class: "chart",
      role: "img",
      "aria-label": o.label,
      width: o.width,
      height,
      viewBox: `0 0 ${o.width} ${height}`,
    },
    marks.map((v) =>
      svg(
        "g",
        {},
        svg("line", { class: "grid", x1: x(v), x2: x(v), y1: top, y2: height - bottom }),
        svg(
          "text",
          { x: x(v), y: height - bottom + 16, "text-anchor": "middle" },
          (o.text || short)(v),
        ),
      ),
    ),
    axisName(lines, { from: left, to: o.width - right, width: o.width, height }),
    o.names.map((name, i) => {
      const y = top + step * (i + 0.5);
      const cut = name.length > most ? `${name.slice(0, most - 1)}…` : name;
      return svg(
        "g",
        {},
        svg(
          "text",
          { class: "label", x: left - 8, y: y + 4, "text-anchor": "end" },
          svg("title", {}, name),
          cut,
        ),
        row(i, x, y),
      );
    }),
  );
  return exportable(o, chart);
};
