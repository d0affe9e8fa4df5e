// Two releases of one treebank: what changed, in numbers and in trees.

import { makeBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { openSentences, reopenSentences } from "../components/sentence_list.js";
import { dataTable } from "../components/table.js";
import { button, html, select } from "../shell/dom.js";
import { grouped, plural, points } from "../shell/format.js";

const TABLES = {
  summary: "What changed, most words first",
  words: "Words by UPOS",
  layers: "Words by layer of annotation",
  rules: "Systematic changes",
  patterns: "Single corrections, by pattern",
  classes: "Changed words by old UPOS",
  sentences: "Sentences",
};
const FEW = 12; // rows shown at first
const NAMES = { covered: "% so far", percent: "% of places", where: "where", changed: "words changed" };

const title = ({ treebank, releases }) =>
  `${treebank.replace(/@.*/, "")}: ${releases[0]} to ${releases[1]}`;

const tableOf = (name, rows) => {
  const columns = Object.keys(rows[0]).map((key) => {
    const number = rows.some((row) => typeof row[key] === "number");
    const show = key === "percent" || key === "covered" ? (row) => points(row[key], 1) : undefined;
    return { name: NAMES[key] || key, number, value: (row) => row[key], ...(show && { show }) };
  });
  return html(
    "details",
    { open: name === "summary" || name === "words" },
    html("summary", {}, `${TABLES[name]} (${grouped(rows.length)})`),
    dataTable({
      label: TABLES[name],
      filter: rows.length > FEW ? "value" : null,
      first: FEW,
      data: rows,
      columns,
    }),
  );
};

// The number of changes, in a sentence.
export const changesText = ({ tables, changed }) => {
  const layers = Object.fromEntries(tables.layers.map((row) => [row.layer, row]));
  const count = (layer) => `${grouped(layers[layer]?.changed ?? 0)} ${layer}`;
  return (
    `Of ${plural(layers.head.words, "word")}, ${count("head")}, ${count("deprel")} and ` +
    `${count("upos")} values changed, in ${plural(changed, "sentence")}; ` +
    `${plural(tables.rules.length, "systematic change")}.`
  );
};

export const changesPanel = (pairs, page, again) => {
  const fitting = pairs.filter((one) => !page.treebank || one.treebanks.includes(page.treebank));
  if (!fitting.length) return null;
  const pair = fitting.find((one) => title(one) === page.params.pair) || fitting[0];
  const [before, after] = pair.releases;
  const bank = {
    ...makeBank({
      name: title(pair),
      treebank: pair.treebank,
      trees: pair.trees,
      systems: [before],
      parsed: [pair.was],
    }),
    reference: after,
  };
  const drawer = {
    title: `Changed sentences, ${title(pair)}`,
    items: Array.from({ length: bank.count }, (_, sentence) => ({ bank, sentence })),
    systems: [before],
  };
  if (page.params.open) reopenSentences(page, drawer);
  return [
    html("h3", {}, "Changes between releases ", info("diff")),
    html(
      "p",
      { class: "controls" },
      fitting.length > 1
        ? select("Releases", fitting.map(title), title(pair), (v) => {
            page.set({ pair: v });
            again();
          })
        : html("strong", {}, title(pair)),
      bank.count
        ? button(`Read ${plural(bank.count, "changed sentence")}`, () =>
            openSentences(page, drawer),
          )
        : null,
    ),
    html("p", { class: "result" }, changesText(pair)),
    Object.keys(TABLES)
      .filter((name) => pair.tables[name]?.length)
      .map((name) => tableOf(name, pair.tables[name])),
  ];
};
