// Charts and tables as stand-alone pictures: SVG with its styles inside, and PNG made from it.

import { save, svg } from "../shell/dom.js";
import { short } from "../shell/format.js";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
  "text-anchor",
];
const FONT = "13px system-ui, sans-serif";
const MOST_ROWS = 400; // in a picture; CSV and LaTeX have all rows

// Pictures are for papers: always in light colours, even if the page is dark.
const inLight = (make) => {
  document.documentElement.dataset.light = "yes";
  try {
    return make();
  } finally {
    delete document.documentElement.dataset.light;
  }
};

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const sized = (width, height, ...children) =>
  svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width: "100%", height: "100%", fill: ink("--paper") }),
    children,
  );

// A copy that needs no style sheet.
const inlined = (node) => {
  const copy = node.cloneNode(true);
  const [from, to] = [node, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((one, i) => {
    const found = getComputedStyle(one);
    for (const name of STYLES) to[i].setAttribute(name, found.getPropertyValue(name));
    to[i].removeAttribute("style");
    to[i].removeAttribute("class");
  });
  return copy;
};

export const chartPicture = (chart) =>
  inLight(() => {
    const { width, height } = chart.viewBox.baseVal;
    return sized(width, height, ...inlined(chart).childNodes);
  });

// A map is a canvas with axes over it; its colours are those on the screen.
export const mapPicture = (holder) => {
  const canvas = holder.querySelector("canvas");
  const axes = holder.querySelector("svg");
  const { width, height } = axes.viewBox.baseVal;
  const image = svg("image", { href: canvas.toDataURL(), width, height });
  return sized(width, height, image, ...inlined(axes).childNodes);
};

// A table is drawn as text on lines.
export const tablePicture = ({ columns, rows }, title) =>
  inLight(() => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = FONT;
    const text = (v) => (typeof v === "number" ? short(v) : String(v ?? ""));
    const drawn = rows.slice(0, MOST_ROWS).map((row) => row.map(text));
    const left = rows.length - drawn.length;
    const widths = columns.map((name, i) =>
      Math.ceil(Math.max(...[name, ...drawn.map((row) => row[i] ?? "")].map((t) => pen.measureText(t).width))),
    );
    const places = widths.map((_, i) => 12 + widths.slice(0, i).reduce((a, b) => a + b + 20, 0));
    const width = Math.max(places.at(-1) + widths.at(-1) + 12, pen.measureText(title).width + 24);
    const step = 22;
    const line = (y) => svg("line", { x1: 12, x2: width - 12, y1: y, y2: y, stroke: ink("--line") });
    const right = (i) => rows.length > 0 && rows.every((row) => typeof row[i] === "number");
    const cells = (row, y, weight) =>
      row.map((value, i) => {
        const end = right(i) ? { x: places[i] + widths[i], "text-anchor": "end" } : { x: places[i] };
        return svg("text", { ...end, y, "font-weight": weight }, value);
      });
    const height = step * (drawn.length + 2 + (left ? 1 : 0)) + 16;
    return sized(
      width,
      height,
      svg(
        "g",
        { "font-family": "system-ui, sans-serif", "font-size": 13, fill: ink("--ink") },
        svg("text", { x: 12, y: 20, "font-weight": 600 }, title),
        cells(columns, step + 20, 600),
        line(step + 27),
        drawn.map((row, r) => cells(row, step * (r + 2) + 22, 400)),
        left ? svg("text", { x: 12, y: height - 10 }, `and ${left} more rows`) : null,
      ),
    );
  });

export const svgText = (picture) => new XMLSerializer().serializeToString(picture);

// A PNG of a picture, twice as many pixels as on the screen, as far as browsers can draw them.
const pngOf = (picture, done) => {
  const [width, height] = ["width", "height"].map((trait) => Number(picture.getAttribute(trait)));
  const ratio = Math.min(2, 16000 / Math.max(width, height));
  const image = new Image();
  image.addEventListener("error", () => done(null));
  image.addEventListener("load", () => {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(done, "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`;
};

const FAILED = "This browser cannot draw the picture.";

// `say` gets what happened, as a sentence.
export const savePng = (picture, name, say) =>
  pngOf(picture, (blob) => {
    if (blob) save(name, "image/png", blob);
    say(blob ? `Saved as ${name}.` : FAILED);
  });

// Where a browser does not allow pictures on the clipboard, the picture is saved.
export const copyPng = (picture, name, say) =>
  pngOf(picture, (blob) => {
    if (!blob) return say(FAILED);
    const instead = () => {
      save(name, "image/png", blob);
      say(`This browser does not copy pictures; saved as ${name}.`);
    };
    if (!navigator.clipboard?.write || !window.ClipboardItem) return instead();
    return navigator.clipboard
      .write([new window.ClipboardItem({ "image/png": blob })])
      .then(() => say("Copied as PNG."), instead);
  });
