// Changes: two releases of a treebank, or two outputs for one text: what changed, in numbers and trees.

import { makeBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { openSentences, reopenSentences } from "../components/sentence_list.js";
import { dataTable } from "../components/table.js";
import { button, fill, html, select } from "../shell/dom.js";
import { grouped, plural, points, signed } from "../shell/format.js";

const TABLES = {
  rules: "Systematic changes",
  summary: "What changed, most words first",
  words: "Words by UPOS",
  layers: "Words by layer of annotation",
  patterns: "Single corrections, by pattern",
  classes: "Changed words by old UPOS",
  sentences: "Sentences",
};
const OPEN = ["rules", "summary"];
const FEW = 12; // rows shown at first
const NAMES = {
  covered: "% so far",
  percent: "% of places",
  where: "where",
  changed: "words changed",
  places: "places",
};
const ANNOTATED = ["head", "deprel", "upos", "feats", "lemma"];

const title = ({ treebank, treebanks, releases, facts }) =>
  `${facts.words === undefined ? treebank : treebanks[0]}: ${releases[0]} to ${releases[1]}`;

const layersOf = ({ tables }) => Object.fromEntries(tables.layers.map((row) => [row.layer, row]));

const tableOf = (name, rows) => {
  const columns = Object.keys(rows[0]).map((key) => {
    const number = rows.some((row) => typeof row[key] === "number");
    const share = key === "percent" || key === "covered";
    const name_ = key === "percent" && name === "summary" ? "% of changed words" : NAMES[key] || key;
    return { name: name_, number, value: (row) => row[key], ...(share && { show: (row) => points(row[key], 1) }) };
  });
  return html(
    "details",
    { open: OPEN.includes(name) },
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

// How the correctness of two outputs differs, in a sentence; nothing of releases.
export const correctnessText = ({ releases, facts }) => {
  if (facts.words === undefined) return "";
  const ends =
    facts.low === null || facts.low === undefined
      ? ""
      : `; LAS ${signed(facts.difference)} points (95 % interval ${signed(facts.low)} to ${signed(facts.high)})`;
  return (
    `From ${releases[0]} to ${releases[1]}, of ${plural(facts.words, "gold word")}, ` +
    `${grouped(facts.fixed)} become correct and ${grouped(facts.broken)} incorrect${ends}. `
  );
};

// The number of changes, in a sentence.
export const changesText = (pair) => {
  const layers = layersOf(pair);
  const count = (layer) => {
    const { changed = 0, percent = 0 } = layers[layer] ?? {};
    return `${grouped(changed)} ${layer}${changed ? ` (${points(percent, 1)} %)` : ""}`;
  };
  const counted = pair.facts.words === undefined ? " All words are counted, so there is no interval." : "";
  return (
    `${correctnessText(pair)}Of ${plural(layers.head.words, "word")}, ${count("head")}, ${count("deprel")} and ` +
    `${count("upos")} values changed, in ${plural(pair.changed, "sentence")}; ` +
    `${plural(pair.rules, "systematic change")}.${counted}`
  );
};

const banks = new WeakMap();
const drawerOf = (pair) => {
  const [before, after] = pair.releases;
  if (!banks.has(pair)) {
    const parts = { name: title(pair), treebank: pair.treebank, trees: pair.trees };
    banks.set(pair, { ...makeBank({ ...parts, systems: [before], parsed: [pair.was] }), reference: after });
  }
  const bank = banks.get(pair);
  return {
    title: `Changed sentences, ${title(pair)}`,
    items: Array.from({ length: bank.count }, (_, sentence) => ({ bank, sentence })),
    systems: [before],
  };
};

// One row per pair: what changed, and a link to the details.
const pairTable = (pairs, page) => {
  const scored = pairs.some((pair) => pair.facts.words !== undefined);
  const number = (name, value, show) => ({ name, number: true, value, show: show ?? ((pair) => grouped(value(pair))) });
  return dataTable({
    label: "Changes of all pairs",
    data: pairs,
    filter: pairs.length > FEW ? "name" : null,
    columns: [
      { name: "from, to", value: title, show: (pair) => html("a", { href: page.href("changes", { pair: title(pair) }) }, title(pair)) },
      number("words", (pair) => layersOf(pair).head.words),
      ...ANNOTATED.map((layer) =>
        number(`${layer} changed, %`, (pair) => layersOf(pair)[layer]?.percent ?? 0, (pair) => points(layersOf(pair)[layer]?.percent ?? 0, 1)),
      ),
      number("systematic", (pair) => pair.rules),
      ...(scored
        ? [
            number("become correct", (pair) => pair.facts.fixed ?? null, (pair) => grouped(pair.facts.fixed ?? "")),
            number("become incorrect", (pair) => pair.facts.broken ?? null, (pair) => grouped(pair.facts.broken ?? "")),
            {
              ...number("LAS, points", (pair) => pair.facts.difference ?? null, (pair) => [
                signed(pair.facts.difference),
                pair.facts.low === null || pair.facts.low === undefined
                  ? null
                  : html("small", {}, ` ${signed(pair.facts.low)} to ${signed(pair.facts.high)}`),
              ]),
              ends: (pair) => [pair.facts.low ?? null, pair.facts.high ?? null],
            },
          ]
        : []),
    ],
  });
};

const details = (pair, page) => {
  const drawer = drawerOf(pair);
  return [
    html("h3", {}, title(pair), " ", info("diff")),
    drawer.items.length
      ? html("p", { class: "controls" },
          button(`Read ${plural(drawer.items.length, "changed sentence")}`, () => openSentences(page, drawer)))
      : null,
    html("p", { class: "result" }, changesText(pair)),
    Object.keys(TABLES)
      .filter((name) => pair.tables[name]?.length)
      .map((name) => tableOf(name, pair.tables[name])),
  ];
};

const mount = (root, page) => {
  const { pairs } = page.data("changes");
  const show = () => {
    const fits = (pair) =>
      (!page.treebank || pair.treebanks.includes(page.treebank)) &&
      (!page.system || pair.facts.words === undefined || pair.releases.some((name) => name.startsWith(page.system)));
    const fitting = pairs.filter(fits);
    const chosen = fitting.length === 1 ? fitting[0] : fitting.find((pair) => title(pair) === page.params.pair);
    if (chosen && page.params.open) reopenSentences(page, drawerOf(chosen));
    fill(
      root,
      fitting.length ? null : html("p", {}, "There are no two versions to compare. Choose another treebank or system."),
      fitting.length > 1
        ? [
            html("h3", {}, `${plural(fitting.length, "pair")} of versions `, info("diff")),
            pairTable(fitting, page),
            html("p", { class: "controls" },
              select("Details of", [["", "no pair"], ...fitting.map(title)], chosen ? title(chosen) : "", (name) => {
                page.set({ pair: name });
                show();
              })),
          ]
        : null,
      chosen ? details(chosen, page) : null,
    );
  };
  show();
  return { update: show };
};

export const view = {
  key: "changes",
  title: "Changes",
  lead: "What changed between two releases of a treebank, or between two outputs?",
  filters: ["treebank", "system"],
  shows: (page) => page.has("changes"),
  mount,
};
