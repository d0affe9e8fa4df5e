// The parts of the work list: the current item with its fields, the exports, and the table of all items.

import { isolated, markedText } from "../components/sentence.js";
import { dataTable } from "../components/table.js";
import { drawTree, treeFrame } from "../components/tree.js";
import { button, html, save, select } from "../shell/dom.js";
import { grouped } from "../shell/format.js";
import { toPatch, toTsv, writeValues } from "./candidates_decisions.js";
import { suggestionOf } from "./candidates_words.js";

export const NAMES = { accept: "accepted", reject: "rejected", skip: "skipped" };
const SHOWN = [["", "all"], ["open", "open"], ...Object.entries(NAMES)];

// The tree with these values applied.
const suggested = ({ gold, word }, { head, deprel }) => {
  const put = (values, value) =>
    value === undefined ? values : values.map((v, i) => (i === word - 1 ? value : v));
  return { head: put(gold.head, head === undefined ? head : Number(head)), deprel: put(gold.deprel, deprel) };
};
export const treeOf = (one, values) =>
  treeFrame(
    one.gold,
    drawTree(one.gold, one.word ? { chosen: [one.word], parsed: suggested(one, values), only: true } : {}),
  );

const keyed = (key, text) => [text, " ", html("kbd", {}, key)];
const marks = ({ word }) => (word ? [word] : []);

// The values that the fields contain, without those that are annotated.
export const fieldValues = (one, card) => {
  const values = {};
  for (const input of card.querySelectorAll("input[data-column]")) {
    const { column } = input.dataset;
    const text = input.value.trim();
    if (text && text !== input.dataset.annotated) values[column] = text;
  }
  return values;
};

// Fields for the head and the relation, or for the column that the item is about.
const editFields = (one, { decisions, relations }) => {
  const { gold, word } = one;
  const values = decisions.values(one);
  const annotated = { head: String(gold.head[word - 1]), deprel: gold.deprel[word - 1] };
  const alone = Object.keys(values).find((name) => !(name in annotated));
  const columns = alone ? [["l", alone]] : [["h", "head"], ["l", "deprel"]];
  const lists = {
    head: ["0 the root", ...gold.form.map((form, i) => `${i + 1} ${form}`)].map((text) => {
      const [at, ...form] = text.split(" ");
      return html("option", { value: at }, form.join(" "));
    }),
    deprel: relations.map((name) => html("option", { value: name })),
  };
  return columns.map(([key, column]) => {
    const now = annotated[column] ?? one.annotated.slice(column.length + 1);
    return html(
      "label",
      { class: "field" },
      html("span", {}, keyed(key, { head: "Head", deprel: "Relation" }[column] ?? column.toUpperCase())),
      html("input", {
        value: values[column] ?? now,
        list: lists[column] ? `list-${column}` : null,
        "data-key": key,
        "data-column": column,
        "data-annotated": now,
        inputmode: column === "head" ? "numeric" : null,
      }),
      lists[column] ? html("datalist", { id: `list-${column}` }, lists[column]) : null,
    );
  });
};

const textField = (key, label, value, name) =>
  html(
    "label",
    { class: "field grow" },
    html("span", {}, key ? keyed(key, label) : label),
    html("input", { value, "data-key": key, "data-name": name }),
  );

// The item in its sentence: annotated above the words, suggested below them.
export const candidateCard = (own, at, { decide, go }) => {
  const { bank, all, decisions } = own;
  const one = all[at];
  const state = decisions.of(one);
  const values = decisions.values(one);
  const choice = (key, decision, text) =>
    button(keyed(key, text), () => decide(decision), {
      class: `choice choice-${decision}`,
      "aria-pressed": String(state === decision),
      "aria-keyshortcuts": key,
    });
  const accept = Object.keys(values).length ? "Accept the suggestion" : "Accept: it is an error";
  return [
    html(
      "p",
      { class: "controls" },
      html("strong", {}, `${grouped(at + 1)} of ${grouped(all.length)}`),
      html("code", {}, one.sent_id),
      html("span", { class: "count kind" }, one.kind.replaceAll("+", " + ")),
      state ? html("span", { class: `badge ${state}` }, NAMES[state]) : null,
    ),
    html("p", { class: "sentence-line" }, markedText(bank, one.at, marks(one))),
    html("div", { class: "drawing" }, treeOf(one, values)),
    html("p", { class: "suggestion" }, isolated(suggestionOf(one, values))),
    html("p", { class: "reason" }, isolated(one.reason)),
    html(
      "p",
      { class: "controls" },
      choice("a", "accept", accept),
      choice("r", "reject", "Reject: keep the annotation"),
      choice("s", "skip", "Skip"),
      state ? button(keyed("u", "Undo"), () => decide(null)) : null,
      button(keyed("k", "←"), () => go(at - 1), { "aria-label": "Previous item" }),
      button(keyed("j", "→"), () => go(at + 1), { "aria-label": "Next item" }),
    ),
    html(
      "div",
      { class: "controls edit" },
      one.word ? editFields(one, own) : null,
      textField("c", "Comment", decisions.full(one).comment, "comment"),
      textField(null, "Your name", decisions.who, "who"),
      html("span", { class: "count" }, "Enter keeps a change, Escape leaves the field."),
    ),
  ];
};

// How many items are decided, and the files that decisions can be exported to.
export const progressPart = ({ list, all, decisions }, clear) => {
  const counts = decisions.counts(all);
  const done = all.length - counts.open;
  const said = [...Object.keys(NAMES), "open"].map((key) => `${counts[key]} ${NAMES[key] || key}`);
  const name = list.treebank.replace(/[^\w-]+/g, "_");
  const tsv = () => save(`${name}-decisions.tsv`, "text/plain", toTsv(all, decisions, list.others));
  const { text, refused } = toPatch(all, decisions, list);
  const patch = () => save(`${name}.patch`, "text/plain", text);
  const files = list.files.map(([file]) => file).join(", ");
  return [
    html("progress", { max: all.length, value: done, "aria-label": "Items decided" }),
    html(
      "p",
      { class: "controls" },
      html("span", { class: "count" }, said.join(", ")),
      button("Export decisions", tsv),
      button("Export patch", patch, { disabled: !text }),
      button("Clear decisions", clear),
    ),
    html(
      "p",
      { class: "count" },
      `The patch is a unified diff with the changes you accepted. Apply it in the folder of ${files}: `,
      html("code", {}, `git apply ${name}.patch`),
      list.files.length === 1 ? [" or ", html("code", {}, `patch ${files} ${name}.patch`)] : null,
      ". The command review takes the decisions, alone or with those of others (--decisions), and what you rejected does not come back.",
    ),
    refused.length
      ? html("p", { class: "badge bad" }, `Left out, since the heads would not be a tree: ${refused.join(", ")}`)
      : null,
    decisions.kept
      ? null
      : html(
          "p",
          { class: "badge bad" },
          "This browser cannot store your decisions. Export them before you close the page.",
        ),
  ];
};

export const candidateTable = ({ all, decisions, bank }, wanted, { show, choose }) => {
  const rows = all
    .map((one, at) => ({ ...one, place: at, state: decisions.of(one), told: decisions.values(one) }))
    .filter((one) => !wanted || (one.state || "open") === wanted);
  const link = (one) => button(one.form || "sentence", () => choose(one.place), { class: "link" });
  return [
    html("h3", {}, "All items"),
    html("p", { class: "controls" }, select("Show", SHOWN, wanted, show)),
    dataTable({
      label: "Items to check",
      filter: "form, relation …",
      first: 15,
      data: rows,
      columns: [
        { name: "no.", number: true, value: (one) => one.place + 1 },
        { name: "kind", value: (one) => one.kind },
        { name: "word", value: (one) => one.form, show: link },
        {
          name: "in context",
          value: (one) => one.at,
          show: (one) => markedText(bank, one.at, one.word ? [one.word] : [1], { part: 5 }),
        },
        {
          name: "annotated → suggested",
          value: (one) => suggestionOf(one, one.told, true),
          show: (one) =>
            html("span", { class: "long" }, isolated(suggestionOf(one, one.told, true))),
        },
        {
          name: "score",
          title: "orders the list: how strongly the annotation is contradicted",
          number: true,
          value: (one) => one.score,
          show: (one) => one.score.toFixed(2),
        },
        { name: "decision", value: (one) => NAMES[one.state] || "open" },
      ],
    }),
  ];
};

// What the fields make of an item: nothing if they have what is annotated or proposed.
export const editOf = (one, values) => {
  const text = writeValues(values);
  return text === one.proposed ? "" : text;
};
