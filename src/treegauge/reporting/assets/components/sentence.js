// A sentence: its text, the gold tree and those of systems aligned, and what differs, in words.

import { html, select } from "../shell/dom.js";
import { toConllu } from "./conllu.js";
import { copyButton } from "./copy.js";
import { worded } from "./differences.js";
import { drawTrees, treeFrame } from "./tree.js";

// The text of a sentence with the relevant words marked; `part` leaves out what is far from them.
export const markedText = (bank, s, words, { part = Infinity } = {}) => {
  const { text, words: spans } = bank.spelled(s);
  const chosen = new Set(words);
  const first = Math.min(...words, spans.length) - 1;
  const last = Math.max(...words, 1) - 1;
  const from = Math.max(0, first - part);
  const to = Math.min(spans.length - 1, last + part);
  const pieces = [];
  spans.forEach(([start, end], i) => {
    if (i < from || i > to) return;
    const gap = i > from ? text.slice(spans[i - 1][1], start) : "";
    const form = text.slice(start, end);
    pieces.push(gap, chosen.has(i + 1) ? html("mark", {}, form) : form);
  });
  return html(
    "span",
    { class: "sentence-text", dir: "auto" },
    from > 0 ? "… " : null,
    pieces,
    to < spans.length - 1 ? " …" : null,
  );
};

// A text in which quoted words keep their own direction.
export const isolated = (text) =>
  text.split(/(‘[^’]*’)/).map((part) => (part.startsWith("‘") ? html("bdi", {}, part) : part));

const KEYS = [
  ["missed", "gold arc that a system misses"],
  ["wrong-head", "incorrect head"],
  ["wrong-label", "incorrect relation"],
];
const legend = () =>
  html(
    "p",
    { class: "controls tree-legend" },
    KEYS.map(([name, text]) => html("span", { class: `arc-key ${name}` }, text)),
  );

const systemChoice = (bank, systems, onsystems) => {
  const none = ["", "none"];
  const choose = (label, at) =>
    select(label, [none, ...bank.systems], systems[at] || "", (name) => {
      const now = [systems[0] || "", systems[1] || ""];
      now[at] = name;
      onsystems([...new Set(now.filter(Boolean))]);
    });
  return [
    choose("Compare gold with", 0),
    bank.systems.length > 1 && systems.length ? choose("and with", 1) : null,
  ];
};

// `systems` are the names of one or two systems of the bank, `words` the positions (from 1) of the relevant words.
export const sentencePanel = ({
  page,
  bank,
  sentence: s,
  systems = [],
  words = [],
  related = [],
  note = null,
  onsystems = null,
}) => {
  const gold = bank.sentence(s);
  const parses = systems
    .filter((name) => bank.systems.includes(name))
    .map((name) => ({ name, ...bank.system(name).of(s) }));
  const { text } = bank.spelled(s);
  const differences = worded(gold, parses, bank.reference);
  const copy = (label, options) =>
    copyButton(label, () => toConllu(gold, { text, ...options }), page);
  return html(
    "div",
    { class: "sentence" },
    html("p", { class: "sentence-line" }, markedText(bank, s, words)),
    note ? html("p", {}, note) : null,
    onsystems && bank.systems.length
      ? html("p", { class: "controls" }, systemChoice(bank, systems, onsystems))
      : null,
    treeFrame(gold, drawTrees(gold, parses, { chosen: words, related, name: bank.reference })),
    parses.length ? legend() : null,
    parses.length
      ? html(
          "ul",
          { class: "differences" },
          differences.length
            ? differences.map((one) =>
                html(
                  "li",
                  { class: words.includes(one.word) ? "chosen" : null },
                  isolated(one.text),
                ),
              )
            : html("li", {}, "No differences: all heads and relations are the same."),
        )
      : null,
    html(
      "p",
      { class: "controls" },
      copy("Copy as CoNLL-U", {}),
      parses.map((one) => copy(`Copy ${one.name}`, { parsed: one, source: one.name })),
      copyButton("Copy link", () => location.href, page),
    ),
  );
};
