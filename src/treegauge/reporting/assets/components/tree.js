// Dependency trees: gold arcs above the words, the system's below them.

import { html, svg } from "../shell/dom.js";
import { range } from "../shell/format.js";

const GAP = 16,
  PORT = 7,
  LEVEL = 22,
  CORNER = 6,
  FORM = 15,
  SMALL = 11;
let pen = null;
const wide = (text, size) => {
  pen = pen || document.createElement("canvas").getContext("2d");
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
};

// Heights at which no two arcs over the same gap lie: short arcs low, arcs from nowhere highest.
const levels = (arcs, words) => {
  const height = new Array(words + 2).fill(0),
    level = [];
  const order = range(arcs.length).sort((a, b) => {
    const [p, q] = [arcs[a], arcs[b]];
    return (
      (p.head ? 0 : 1) - (q.head ? 0 : 1) ||
      p.right - p.left - (q.right - q.left) ||
      p.word - q.word
    );
  });
  for (const i of order) {
    const arc = arcs[i],
      from = arc.head ? arc.left : arc.left - 1,
      to = arc.head ? arc.right : arc.right + 1;
    level[i] = 1 + Math.max(...height.slice(from, to));
    height.fill(level[i], from, to);
  }
  return level;
};

const arcsOf = (heads, relations, mark) =>
  heads.map((head, i) => {
    const word = i + 1,
      inside = head >= 1 && head <= heads.length && head !== word;
    const label = inside || head === 0 ? relations[i] : `${relations[i]} → ?`;
    return {
      word,
      head: inside ? head : 0,
      label,
      left: inside ? Math.min(word, head) : word,
      right: inside ? Math.max(word, head) : word,
      ...mark(i),
    };
  });

const side = (arcs, widths) => {
  const level = levels(arcs, widths.length),
    ends = widths.map(() => []);
  arcs.forEach((arc, i) => {
    if (!arc.head) ends[arc.word - 1].push([1, 0, i]);
    else {
      ends[arc.left - 1].push([2, -level[i], i]);
      ends[arc.right - 1].push([0, level[i], i]);
    }
  });
  const left = [],
    right = [];
  ends.forEach((meeting, w) => {
    meeting.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const space = Math.min(PORT, widths[w] / Math.max(1, meeting.length - 1));
    meeting.forEach(([where, , i], place) => {
      const offset = (place - (meeting.length - 1) / 2) * space;
      if (where > 0) left[i] = offset;
      if (where < 2) right[i] = offset;
    });
  });
  return { arcs, level, left, right };
};

const drawSide = (one, x, base, up) =>
  one.arcs.map((arc, i) => {
    const start = x[arc.left - 1] + one.left[i],
      stop = x[arc.right - 1] + (one.right[i] ?? 0);
    const top = base + up * one.level[i] * LEVEL,
      foot = arc.word === arc.left ? start : stop,
      tip = base + up * 2;
    const neck = tip + up * 6,
      corner = Math.min(CORNER, Math.abs(stop - start) / 2);
    const end = (spot) => (spot === foot ? neck : tip);
    const line = arc.head
      ? `M${start} ${end(start)}V${top - up * corner}Q${start} ${top} ${start + corner} ${top}H${stop - corner}Q${stop} ${top} ${stop} ${top - up * corner}V${end(stop)}`
      : `M${foot} ${top}V${neck}`;
    return svg(
      "g",
      { class: `arc ${arc.kind || ""}` },
      svg("title", {}, arc.tip || arc.label),
      svg("path", { d: line, fill: "none" }),
      svg("path", { class: "tip", d: `M${foot - 3.5} ${neck}H${foot + 3.5}L${foot} ${tip}Z` }),
      svg(
        "text",
        {
          x: arc.head ? (start + stop) / 2 : foot,
          y: up < 0 ? top - 4 : top + SMALL,
          "font-size": SMALL,
          "text-anchor": "middle",
        },
        arc.label,
      ),
    );
  });

const fromRight = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const isFromRight = (text) =>
  (text.match(fromRight) || []).length > (text.match(/\p{L}/gu) || []).length / 2;

// The same words and arcs with the first word on the right.
const mirrored = ({ form, upos, head, deprel, ...rest }) => ({
  ...rest,
  form: form && [...form].reverse(),
  upos: upos && [...upos].reverse(),
  head: [...head].reverse().map((h) => (h >= 1 && h <= head.length ? head.length + 1 - h : h)),
  deprel: [...deprel].reverse(),
});

// `chosen` are positions from 1 of the words in question; `parsed` has the system's heads.
export const drawTree = (sentence, { chosen = [], parsed = null } = {}) => {
  const spoken = sentence.form.join(" ");
  if (isFromRight(spoken)) {
    const last = sentence.form.length + 1;
    sentence = mirrored(sentence);
    parsed = parsed && mirrored(parsed);
    chosen = [...chosen].map((word) => last - word);
  }
  const { form, upos, head, deprel } = sentence,
    marked = new Set(chosen);
  const told = (heads, rels, i) =>
    `${heads[i] > 0 ? form[heads[i] - 1] : "·"} → ${form[i]}: ${rels[i]}`;
  const above = arcsOf(head, deprel, (i) => ({
    kind: marked.has(i + 1) ? "chosen" : "",
    tip: told(head, deprel, i),
  }));
  const plain = (r) => r.split(":")[0];
  const below = parsed
    ? arcsOf(parsed.head, parsed.deprel, (i) => {
        const wrong =
          parsed.head[i] !== head[i]
            ? "wrong head"
            : plain(parsed.deprel[i]) !== plain(deprel[i])
              ? "wrong label"
              : "right";
        return { kind: wrong, tip: told(parsed.head, parsed.deprel, i) };
      })
    : [];
  const widths = form.map((f, i) => Math.max(wide(f, FORM), wide(upos[i], SMALL), 14));
  const sides = [side(above, widths), side(below, widths)];
  const x = [];
  form.forEach((_, w) => {
    let at = w ? x[w - 1] + (widths[w - 1] + widths[w]) / 2 + GAP : 8 + widths[0] / 2;
    for (const one of sides)
      one.arcs.forEach((arc, i) => {
        if (arc.head && arc.right === w + 1)
          at = Math.max(
            at,
            x[arc.left - 1] + wide(arc.label, SMALL) + 2 * CORNER + one.left[i] - one.right[i],
          );
      });
    x.push(at);
  });
  const over = Math.max(
    0,
    ...sides
      .flatMap((s) => s.arcs)
      .filter((a) => !a.head)
      .map((a) => wide(a.label, SMALL) / 2 + 4 - x[a.word - 1]),
  );
  const shifted = x.map((v) => v + over);
  const tall = sides.map((s) => Math.max(0, ...s.level) * LEVEL + (s.arcs.length ? SMALL + 6 : 0));
  const ceiling = 6 + tall[0],
    floor = ceiling + FORM * 1.5 + SMALL * 1.4,
    height = floor + tall[1] + 6;
  const stubs = sides
    .flatMap((s) => s.arcs)
    .filter((a) => !a.head)
    .map((a) => shifted[a.word - 1] + wide(a.label, SMALL) / 2);
  const width = Math.max(...shifted.map((v, i) => v + widths[i] / 2), ...stubs) + 8;
  return svg(
    "svg",
    {
      class: "tree",
      role: "img",
      "aria-label": spoken,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
    },
    drawSide(sides[0], shifted, ceiling, -1),
    drawSide(sides[1], shifted, floor, 1),
    form.map((f, i) =>
      svg(
        "text",
        {
          class: marked.has(i + 1) ? "word chosen" : "word",
          direction: isFromRight(f) ? "rtl" : "ltr",
          x: shifted[i],
          y: ceiling + FORM * 1.1,
          "text-anchor": "middle",
          "font-size": FORM,
        },
        f,
      ),
    ),
    upos.map((u, i) =>
      svg(
        "text",
        {
          class: "tag",
          x: shifted[i],
          y: ceiling + FORM * 1.1 + SMALL * 1.3,
          "text-anchor": "middle",
          "font-size": SMALL,
        },
        u,
      ),
    ),
  );
};

// A tree in a frame that scrolls; `note` stands above it.
export const treeBox = (sentence, options, note) =>
  html(
    "figure",
    { class: "tree-box" },
    html("figcaption", {}, html("code", {}, sentence.id), note ? ` ${note}` : null),
    html(
      "div",
      { class: "wide", tabindex: "0", role: "group", "aria-label": `Tree of ${sentence.id}` },
      drawTree(sentence, options),
    ),
  );

// Scroll trees so that the first word in question can be seen.
export const centre = (node) => {
  for (const word of node.querySelectorAll(".tree .word.chosen:not(.word.chosen ~ .word.chosen)")) {
    const frame = word.closest(".wide");
    frame.scrollLeft = Number(word.getAttribute("x")) - frame.clientWidth / 2;
  }
};
