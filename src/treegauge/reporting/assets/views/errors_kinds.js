// Kinds of errors: only the head, only the relation, or both; stacked bars whose parts open sentences.

import { scoredBank } from "../components/banks.js";
import { shade } from "../components/chart.js";
import { dataTable } from "../components/table.js";
import { button, html } from "../shell/dom.js";
import { grouped, plural, points } from "../shell/format.js";
import { classWords } from "./errors_confusion.js";

export const ALL = "all words";
//: In the order of Python's counts.
export const KINDS = ["head", "relation", "both"];
export const KIND_TEXTS = {
  head: "only the head is incorrect",
  relation: "only the relation is incorrect",
  both: "head and relation are incorrect, or no word matches",
};

const plain = (relation) => relation.split(":")[0];

// The kind of error of the word `i` of a bank, or null if it is correct.
export const kindOf = (bank, parsed, i, { subtypes = false } = {}) => {
  const name = subtypes ? (text) => text : plain;
  const head = parsed.head[i] === bank.head[i];
  const relation = name(parsed.deprel.at(i)) === name(bank.deprel.at(i));
  if (head) return relation ? null : "relation";
  return relation ? "head" : "both";
};

// Found words, [{sentence, words}], of one kind of error; all of them without a kind.
export const ofKind = (bank, system, found, kind, convention) => {
  const parsed = bank.system(system);
  if (!kind || !parsed) return found;
  const fits = (s, word) => kindOf(bank, parsed, bank.offsets[s] + word - 1, convention) === kind;
  return found
    .map((one) => ({ ...one, words: one.words.filter((word) => fits(one.sentence, word)) }))
    .filter((one) => one.words.length);
};

// All incorrect words of a system in the page's sentences.
export const incorrectWords = (bank, system, { punct = true, subtypes = false } = {}) => {
  const parsed = bank.system(system);
  const found = [];
  for (let s = 0; parsed && s < bank.count; s += 1) {
    const words = [];
    for (let i = bank.offsets[s]; i < bank.offsets[s + 1]; i += 1)
      if ((punct || bank.upos.at(i) !== "PUNCT") && kindOf(bank, parsed, i, { subtypes }))
        words.push(i - bank.offsets[s] + 1);
    if (words.length) found.push({ sentence: s, words });
  }
  return found;
};

// The sentences of a class: for relations, tags and all words all that the page has, for others a few.
export const classItems = (by, row, system, kind) =>
  row.places.flatMap(([part, examples]) => {
    const bank = scoredBank(part);
    const found =
      row.class === ALL
        ? incorrectWords(bank, system, part.convention)
        : by === "relation" || by === "upos"
          ? classWords(bank, system, by, row.class, part.convention)
          : examples.map(([sentence, words]) => ({ sentence, words }));
    return ofKind(bank, system, found, kind, part.convention).map((one) => ({ bank, ...one }));
  });

const share = (count, words) => `${points((100 * count) / Math.max(1, words), 1)} %`;

export const kindsText = ({ kinds, gold }) =>
  KINDS.map((kind, k) => `${kind} ${grouped(kinds[k])} (${share(kinds[k], gold)})`).join(", ");

// A bar of the shares of kinds, as wide as `most` percent; clicks are a shortcut to the counts beside it.
const stack = (row, most, few, onopen) =>
  html(
    "span",
    { class: `stack${few ? " few" : ""}`, "aria-hidden": "true" },
    KINDS.map((kind, k) => {
      if (!row.kinds[k]) return null;
      const width = (10000 * row.kinds[k]) / Math.max(1, row.gold) / most;
      return html("span", {
        class: `kind-${kind}`,
        style: `width:${width.toFixed(2)}%`,
        title: `${kind}: ${plural(row.kinds[k], "word")}`,
        onclick: () => onopen(row, kind),
      });
    }),
  );

export const kindLegend = (least) =>
  html(
    "p",
    { class: "controls count" },
    KINDS.map((kind) => html("span", { class: `kind-key kind-${kind}` }, `${kind}: ${KIND_TEXTS[kind]}`)),
    least ? html("span", { class: "kind-key few" }, `hollow, at the end: fewer than ${least} words`) : null,
  );

// Columns of a table of kinds: a bar, and a count of each kind that opens its sentences. Rows are
// {gold, kinds}; `few(row)` are those with too few words to compare.
export const kindColumns = (rows, few, onopen) => {
  const rate = (row) => (100 * row.kinds.reduce((a, b) => a + b, 0)) / Math.max(1, row.gold);
  const most = Math.max(1, ...rows.filter((row) => !few(row)).map(rate));
  return [
    {
      name: "% of words incorrect, by kind",
      value: rate,
      number: true,
      show: (row) => [html("span", {}, `${points(rate(row), 1)} `), stack(row, most, few(row), onopen)],
    },
    ...KINDS.map((kind, k) => ({
      name: kind,
      title: KIND_TEXTS[kind],
      number: true,
      value: (row) => row.kinds[k],
      show: (row) =>
        row.kinds[k]
          ? button(grouped(row.kinds[k]), () => onopen(row, kind), {
              class: "link",
              "aria-label": `Read: ${row.class}, ${KIND_TEXTS[kind]}, ${plural(row.kinds[k], "word")}`,
            })
          : "0",
    })),
  ];
};

// How certain the share of a class is, by its words: the same steps as in `breakdown --plot`.
const certainty = (words, [sure, unsure]) => (words >= sure ? 1 : words >= unsure ? 0.45 : 0);

// Errors by class and system: a cell is paler where fewer words stand behind it. Rows are
// {class, gold, cells: [{gold, wrong, kinds} or null]}.
export const errorHeat = ({ label, by, rows, systems, sure, onopen, sort, onsort }) => {
  const rate = (cell) => (100 * cell.wrong) / Math.max(1, cell.gold);
  const large = rows.flatMap((row) => row.cells.filter((cell) => cell && cell.gold >= sure[1]));
  const most = Math.max(1, ...large.map(rate));
  const cellButton = (row, s) => {
    const cell = row.cells[s];
    const weight = certainty(cell.gold, sure);
    const drawn = shade(Math.sqrt((weight * rate(cell)) / most));
    const said = `${systems[s]}, ${by} ${row.class}: ${grouped(cell.wrong)} of ${plural(cell.gold, "word")} incorrect; ${kindsText(cell)}`;
    return button(points(rate(cell), 1), () => onopen(row, s), {
      class: weight ? "heat-cell" : "heat-cell few",
      title: said,
      "aria-label": said,
      style: weight ? `background:${drawn.fill};color:${drawn.ink}` : "",
    });
  };
  return dataTable({
    label,
    filter: "class",
    data: rows,
    last: (row) => row.gold < sure[1],
    sort,
    onsort,
    columns: [
      { name: by, value: (row) => row.class },
      { name: "words", number: true, value: (row) => row.gold },
      ...systems.map((name, s) => ({
        name,
        title: "% of the words of the class that are incorrect",
        number: true,
        value: (row) => (row.cells[s] ? rate(row.cells[s]) : null),
        show: (row) => (row.cells[s] ? cellButton(row, s) : "–"),
      })),
    ],
  });
};
