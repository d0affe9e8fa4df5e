// Dependency trees as SVG: one tree above and one below the words, or several trees stacked.

import { html, svg } from "../shell/dom.js";
import { analysisOf, differenceOf } from "./differences.js";
import {
  arcPath,
  arcsOf,
  FORM,
  isFromRight,
  mirrored,
  positions,
  side,
  SMALL,
} from "./tree_layout.js";

const NAME = 18; // height of the line with a tree's name
// Widths of texts by size: the browser measures each text once.
const pen = { drawing: null, size: 0, widths: new Map() };
const wide = (text, size) => {
  const key = `${size} ${text}`;
  const known = pen.widths.get(key);
  if (known !== undefined) return known;
  pen.drawing = pen.drawing || document.createElement("canvas").getContext("2d");
  if (pen.size !== size) pen.drawing.font = `${size}px system-ui, sans-serif`;
  pen.size = size;
  const { width } = pen.drawing.measureText(text);
  pen.widths.set(key, width);
  return width;
};
const labelWidth = (text) => wide(text, SMALL);
const widthsOf = ({ form, upos }) =>
  form.map((one, i) => Math.max(wide(one, FORM), wide(upos[i], SMALL), 14));

const drawSide = (one, x, base, up) =>
  one.arcs.map((arc, i) => {
    const { line, tip, label } = arcPath(one, i, x, base, up);
    const size = { "font-size": SMALL, "text-anchor": "middle" };
    return svg(
      "g",
      { class: `arc ${arc.kind || ""}` },
      svg("title", {}, arc.tip || arc.label),
      svg("path", { d: line, fill: "none" }),
      svg("path", { class: "tip", d: tip }),
      svg("text", { ...label, ...size }, arc.label),
    );
  });

const drawWords = ({ form, upos }, marked, x, top) => [
  form.map((one, i) =>
    svg(
      "text",
      {
        class: ["word", ...(marked.get(i + 1) || [])].join(" "),
        direction: isFromRight(one) ? "rtl" : "ltr",
        x: x[i],
        y: top + FORM * 1.1,
        "text-anchor": "middle",
        "font-size": FORM,
      },
      one,
    ),
  ),
  upos.map((one, i) =>
    svg(
      "text",
      {
        class: "tag",
        x: x[i],
        y: top + FORM * 1.1 + SMALL * 1.3,
        "text-anchor": "middle",
        "font-size": SMALL,
      },
      one,
    ),
  ),
];
const WORDS = FORM * 1.5 + SMALL * 1.4; // height of words and tags

const frame = (spoken, width, height, ...children) =>
  svg(
    "svg",
    {
      class: "tree",
      role: "img",
      "aria-label": spoken,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
    },
    children,
  );

const turned = (sentence, parses, words) => {
  const spoken = sentence.form.join(" ");
  if (!isFromRight(spoken)) return { spoken, sentence, parses, words };
  const last = sentence.form.length + 1;
  return {
    spoken,
    sentence: mirrored(sentence),
    parses: parses.map(mirrored),
    words: words.map((list) => [...list].map((word) => last - word)),
  };
};
const classes = (lists) => {
  const found = new Map();
  for (const [name, list] of Object.entries(lists))
    for (const word of list) found.set(word, [...(found.get(word) || []), name]);
  return found;
};
const tipOf = (form, tree, i) => `${form[i]}: ${analysisOf(form, tree.head[i], tree.deprel[i])}`;
const KINDS = { head: "wrong head", label: "wrong label" };

// One tree above the words, and a system's tree (or a suggestion) below them. `chosen` are the
// positions (from 1) of the relevant words, `related` those of words that belong to them; with `only`,
// only the arcs that differ are drawn below.
export const drawTree = (given, options = {}) => {
  const { chosen = [], related = [], parsed = null, only = false } = options;
  const { spoken, sentence, parses, words } = turned(given, parsed ? [parsed] : [], [
    chosen,
    related,
  ]);
  const { form, head, deprel } = sentence;
  const marked = classes({ chosen: words[0], related: words[1] });
  const above = arcsOf(head, deprel, (i) => ({
    kind: (marked.get(i + 1) || []).join(" "),
    tip: tipOf(form, sentence, i),
  }));
  const below = parses.flatMap((one) =>
    arcsOf(one.head, one.deprel, (i) => {
      const kind = KINDS[differenceOf(sentence, one, i)];
      return only && !kind ? null : { kind: kind || "right", tip: tipOf(form, one, i) };
    }),
  );
  const widths = widthsOf(sentence);
  const sides = [side(above, widths), side(below, widths)];
  const { x, width } = positions(widths, sides, labelWidth);
  const ceiling = 6 + sides[0].tall;
  const floor = ceiling + WORDS;
  return frame(
    spoken,
    width,
    floor + sides[1].tall + 6,
    drawSide(sides[0], x, ceiling, -1),
    drawSide(sides[1], x, floor, 1),
    drawWords(sentence, marked, x, ceiling),
  );
};

// The gold tree and those of systems [{name, head, deprel}], stacked with their words aligned;
// arcs that differ from gold are coloured by what is incorrect.
export const drawTrees = (given, systems, { chosen = [], related = [], name = "gold" } = {}) => {
  const { spoken, sentence, parses, words } = turned(given, systems, [chosen, related]);
  const { form } = sentence;
  const marked = classes({ chosen: words[0], related: words[1] });
  const own = { ...sentence, name };
  const wrong = new Set(
    parses.flatMap((one) => form.map((_, i) => i).filter((i) => differenceOf(sentence, one, i))),
  );
  const widths = widthsOf(sentence);
  const rows = [own, ...parses].map((one) => {
    const kind = (i) => {
      if (one !== own) return KINDS[differenceOf(sentence, one, i)] || "right";
      return [wrong.has(i) ? "missed" : "", ...(marked.get(i + 1) || [])].join(" ");
    };
    const arcs = arcsOf(one.head, one.deprel, (i) => ({ kind: kind(i), tip: tipOf(form, one, i) }));
    return { name: one.name, side: side(arcs, widths) };
  });
  const { x, width } = positions(
    widths,
    rows.map((row) => row.side),
    labelWidth,
  );
  let top = 0;
  const drawn = rows.map((row) => {
    const base = top + NAME + row.side.tall;
    const label = { class: "tree-name", x: 4, y: top + 13, "font-size": SMALL + 1 };
    top = base + WORDS + 8;
    return svg(
      "g",
      {},
      svg("text", label, row.name),
      drawSide(row.side, x, base, -1),
      drawWords(sentence, marked, x, base),
    );
  });
  const names = Math.max(...rows.map((row) => wide(row.name, SMALL + 1) + 12));
  return frame(spoken, Math.max(width, names), top, drawn);
};

// A tree in a frame that scrolls, with a note above it.
export const treeBox = (sentence, options, note) =>
  html(
    "figure",
    { class: "tree-box" },
    html("figcaption", {}, html("code", {}, sentence.id), note ? [" ", note] : null),
    treeFrame(sentence, drawTree(sentence, options)),
  );

// The frame; names of trees stay in sight when it scrolls.
export const treeFrame = (sentence, drawing) => {
  const onscroll = (event) => {
    for (const name of drawing.querySelectorAll(".tree-name"))
      name.setAttribute("x", event.currentTarget.scrollLeft + 4);
  };
  const label = `Tree of ${sentence.id}`;
  return html(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": label, onscroll },
    drawing,
  );
};

// Scroll trees to the first relevant word.
export const centre = (node) => {
  for (const drawing of node.querySelectorAll("svg.tree")) {
    const word = drawing.querySelector(".word.chosen");
    const holder = drawing.closest(".wide");
    if (word && holder)
      holder.scrollLeft = Number(word.getAttribute("x")) - holder.clientWidth / 2;
  }
};
