// The parts of the work list: the current candidate, the exports, and the table of all candidates.

import { isolated, markedText } from "../components/sentence.js";
import { dataTable } from "../components/table.js";
import { drawTree, treeFrame } from "../components/tree.js";
import { button, html, save, select } from "../shell/dom.js";
import { grouped } from "../shell/format.js";
import { toCsv, toPatch } from "./candidates_decisions.js";
import { certainty, reasonOf, suggestionOf } from "./candidates_words.js";

export const NAMES = { accept: "accepted", reject: "rejected", skip: "skipped" };
const SHOWN = [["", "all"], ["open", "open"], ...Object.entries(NAMES)];

// The tree with the suggestion applied.
const suggested = ({ gold, word, of, instead }) => {
  const put = (values, value) => values.map((v, i) => (i === word - 1 ? value : v));
  return {
    head: of === "head" ? put(gold.head, Number(instead)) : gold.head,
    deprel: of === "head" ? gold.deprel : put(gold.deprel, instead),
  };
};

const keyed = (key, text) => [text, " ", html("kbd", {}, key)];

// The candidate in its sentence: annotated above the words, suggested below them.
export const candidateCard = ({ bank, all, decisions }, at, { decide, go }) => {
  const one = all[at];
  const state = decisions.of(one);
  const choice = (key, decision, text) =>
    button(keyed(key, text), () => decide(decision), {
      class: `choice choice-${decision}`,
      "aria-pressed": String(state === decision),
      "aria-keyshortcuts": key,
    });
  const tree = drawTree(one.gold, { chosen: [one.word], parsed: suggested(one), only: true });
  return [
    html(
      "p",
      { class: "controls" },
      html("strong", {}, `${grouped(at + 1)} of ${grouped(all.length)}`),
      html("code", {}, one.id),
      state ? html("span", { class: `badge ${state}` }, NAMES[state]) : null,
    ),
    html("p", { class: "sentence-line" }, markedText(bank, one.s, [one.word])),
    treeFrame(one.gold, tree),
    html("p", { class: "suggestion" }, isolated(suggestionOf(one))),
    html("p", {}, `${reasonOf(one)} ${certainty(one)}`),
    html(
      "p",
      { class: "controls" },
      choice("a", "accept", "Accept the suggestion"),
      choice("r", "reject", "Reject: keep the annotation"),
      choice("s", "skip", "Skip"),
      state ? button(keyed("u", "Undo"), () => decide(null)) : null,
      button(keyed("k", "←"), () => go(at - 1), { "aria-label": "Previous candidate" }),
      button(keyed("j", "→"), () => go(at + 1), { "aria-label": "Next candidate" }),
    ),
  ];
};

// How many candidates are decided, and the files that decisions can be exported to.
export const progressPart = ({ list, all, decisions }, clear) => {
  const counts = decisions.counts(all);
  const done = all.length - counts.open;
  const said = [...Object.keys(NAMES), "open"].map((key) => `${counts[key]} ${NAMES[key] || key}`);
  const name = list.treebank.replace(/[^\w-]+/g, "_");
  const csv = () => save(`${name}-candidates.csv`, "text/csv", toCsv(all, decisions));
  const patch = () => save(`${name}.patch`, "text/plain", toPatch(all, decisions, list));
  return [
    html("progress", { max: all.length, value: done, "aria-label": "Candidates decided" }),
    html(
      "p",
      { class: "controls" },
      html("span", { class: "count" }, said.join(", ")),
      button("Export CSV", csv),
      button("Export patch", patch, { disabled: !counts.accept }),
      button("Clear decisions", clear),
    ),
    html(
      "p",
      { class: "count" },
      `The patch is a unified diff with the suggestions you accepted. Apply it in the folder of ${list.file}: `,
      html("code", {}, `git apply ${name}.patch`),
      " or ",
      html("code", {}, `patch ${list.file} ${name}.patch`),
    ),
    decisions.kept
      ? null
      : html(
          "p",
          { class: "badge bad" },
          "This browser cannot store your decisions. Export them before you close the page.",
        ),
  ];
};

const COLUMNS = [
  {
    name: "annotated → suggested",
    value: (one) => suggestionOf(one, true),
    show: (one) => html("span", { class: "long" }, isolated(suggestionOf(one, true))),
  },
  {
    name: "score",
    title: "how strongly the parser contradicts the annotation",
    number: true,
    value: (one) => one.score,
    show: (one) => one.score.toFixed(2),
  },
  { name: "decision", value: (one) => NAMES[one.state] || "open" },
];

export const candidateTable = ({ all, decisions, bank }, wanted, { show, choose }) => {
  const rows = all
    .map((one, at) => ({ ...one, at, state: decisions.of(one) }))
    .filter((one) => !wanted || (one.state || "open") === wanted);
  return [
    html("h3", {}, "All candidates"),
    html("p", { class: "controls" }, select("Show", SHOWN, wanted, show)),
    dataTable({
      label: "Candidates for annotation errors",
      filter: "form, relation …",
      first: 15,
      data: rows,
      columns: [
        { name: "no.", number: true, value: (one) => one.at + 1 },
        {
          name: "word",
          value: (one) => one.form,
          show: (one) => button(one.form, () => choose(one.at), { class: "link" }),
        },
        {
          name: "in context",
          value: (one) => one.s,
          show: (one) => markedText(bank, one.s, [one.word], { part: 5 }),
        },
        ...COLUMNS,
      ],
    }),
  ];
};
