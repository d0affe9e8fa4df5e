// The layout of dependency trees in pixels: positions of words and arcs. Draws nothing.

import { range } from "../shell/format.js";

export const GAP = 16;
export const PORT = 7;
export const LEVEL = 22;
export const CORNER = 6;
export const FORM = 15;
export const SMALL = 11;

// The level of each arc, so that arcs over the same words do not meet: short arcs low, roots highest.
export const levels = (arcs, words) => {
  const height = new Array(words + 2).fill(0);
  const level = [];
  const order = range(arcs.length).sort((a, b) => {
    const [p, q] = [arcs[a], arcs[b]];
    return (
      (p.head ? 0 : 1) - (q.head ? 0 : 1) ||
      p.right - p.left - (q.right - q.left) ||
      p.word - q.word
    );
  });
  for (const i of order) {
    const arc = arcs[i];
    const from = arc.head ? arc.left : arc.left - 1;
    const to = arc.head ? arc.right : arc.right + 1;
    level[i] = 1 + Math.max(...height.slice(from, to));
    height.fill(level[i], from, to);
  }
  return level;
};

// The arcs of a tree; `mark(i)` returns the attributes of word i's arc, or null to leave it out.
export const arcsOf = (heads, relations, mark) =>
  heads.flatMap((head, i) => {
    const traits = mark(i);
    if (!traits) return [];
    const word = i + 1;
    const inside = head >= 1 && head <= heads.length && head !== word;
    const outside = !inside && head !== 0;
    return [
      {
        word,
        head: inside ? head : 0,
        label: outside ? `${relations[i]} (head not in gold)` : relations[i],
        left: inside ? Math.min(word, head) : word,
        right: inside ? Math.max(word, head) : word,
        ...traits,
      },
    ];
  });

// One side of the words: the level of each arc, and the offsets of its ends from the words' centres.
export const side = (arcs, widths) => {
  const level = levels(arcs, widths.length);
  const ends = widths.map(() => []);
  arcs.forEach((arc, i) => {
    if (!arc.head) ends[arc.word - 1].push([1, 0, i]);
    else {
      ends[arc.left - 1].push([2, -level[i], i]);
      ends[arc.right - 1].push([0, level[i], i]);
    }
  });
  const left = [];
  const right = [];
  ends.forEach((meeting, w) => {
    meeting.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const space = Math.min(PORT, widths[w] / Math.max(1, meeting.length - 1));
    meeting.forEach(([where, , i], place) => {
      const offset = (place - (meeting.length - 1) / 2) * space;
      if (where > 0) left[i] = offset;
      if (where < 2) right[i] = offset;
    });
  });
  const tall = Math.max(0, ...level) * LEVEL + (arcs.length ? SMALL + 6 : 0);
  return { arcs, level, left, right, tall };
};

// The centre of each word, the same for all sides, so that trees are aligned; and the total width.
export const positions = (widths, sides, labelWidth) => {
  const x = [];
  const ending = widths.map(() => []);
  sides.forEach((one) =>
    one.arcs.forEach((arc, i) => {
      if (arc.head) ending[arc.right - 1].push([one, arc, i]);
    }),
  );
  widths.forEach((width, w) => {
    let at = w ? x[w - 1] + (widths[w - 1] + width) / 2 + GAP : 8 + width / 2;
    for (const [one, arc, i] of ending[w]) {
      const need = labelWidth(arc.label) + 2 * CORNER + one.left[i] - one.right[i];
      at = Math.max(at, x[arc.left - 1] + need);
    }
    x.push(at);
  });
  const stubs = sides.flatMap((one) => one.arcs).filter((arc) => !arc.head);
  const halves = stubs.map((arc) => [x[arc.word - 1], labelWidth(arc.label) / 2]);
  const over = Math.max(0, ...halves.map(([at, half]) => half + 4 - at));
  const ends = [...x.map((at, i) => at + widths[i] / 2), ...halves.map(([at, half]) => at + half)];
  return { x: x.map((at) => at + over), width: Math.max(0, ...ends) + over + 8 };
};

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
export const isFromRight = (text) =>
  (text.match(RIGHT_TO_LEFT) || []).length > (text.match(/\p{L}/gu) || []).length / 2;

// The same words and arcs with the first word on the right.
export const mirrored = ({ form, upos, head, deprel, ...rest }) => ({
  ...rest,
  form: form && [...form].reverse(),
  upos: upos && [...upos].reverse(),
  head: [...head].reverse().map((h) => (h >= 1 && h <= head.length ? head.length + 1 - h : h)),
  deprel: [...deprel].reverse(),
});

// The path of an arc: up from both ends, rounded, with its tip at the dependent; `up` is -1 above
// the words and 1 below them.
export const arcPath = (one, i, x, base, up) => {
  const arc = one.arcs[i];
  const start = x[arc.left - 1] + one.left[i];
  const stop = x[arc.right - 1] + (one.right[i] ?? 0);
  const top = base + up * one.level[i] * LEVEL;
  const foot = arc.word === arc.left ? start : stop;
  const tip = base + up * 2;
  const neck = tip + up * 6;
  const corner = Math.min(CORNER, Math.abs(stop - start) / 2);
  const end = (spot) => (spot === foot ? neck : tip);
  const near = top - up * corner;
  const line = arc.head
    ? `M${start} ${end(start)}V${near}Q${start} ${top} ${start + corner} ${top}` +
      `H${stop - corner}Q${stop} ${top} ${stop} ${near}V${end(stop)}`
    : `M${foot} ${top}V${neck}`;
  return {
    line,
    tip: `M${foot - 3.5} ${neck}H${foot + 3.5}L${foot} ${tip}Z`,
    label: { x: arc.head ? (start + stop) / 2 : foot, y: up < 0 ? top - 4 : top + SMALL },
  };
};
