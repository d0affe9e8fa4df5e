// Data maps in words: the main result of one, and a table of all.

import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { html } from "../shell/dom.js";
import { grouped, plural, points } from "../shell/format.js";

// The main result of a map, in a sentence.
export const answerOf = (map, layer) => {
  const { easy = 0, hard = 0, ambiguous = 0, confidence } = map.values[layer];
  const what = layer === "head" ? "head" : "relation";
  const number = Math.round((hard / 100) * map.total);
  const share = (value) => (value > 0 && value < 0.05 ? "less than 0.1 %" : `${value.toFixed(1)} %`);
  const check = ["None stayed hard.", `One word of ${grouped(map.total)} stayed hard: check it first.`][number];
  return (
    `The parser gave the annotated ${what} a probability of ${(100 * confidence).toFixed(1)} % on ` +
    `average. ${share(easy)} of the ${plural(map.total, "word")} were easy, ${share(ambiguous)} ambiguous. ` +
    (check ?? `${grouped(number)} words (${share(hard)}) stayed hard: check them first.`)
  );
};

const ofTreebank = (maps, treebank) => maps.filter((map) => map.treebank === treebank);

// Whether no single map is chosen: several treebanks have one, or the chosen treebank has none.
export const showsAll = (maps, page) => {
  if (page.treebank) return !ofTreebank(maps, page.treebank).length;
  return new Set(maps.map((map) => map.treebank)).size > 1 && !maps.some((map) => map.name === page.params.map);
};

const LAYERS = { head: "head", relation: "relation" };

// One row per map and layer, with a link to its picture.
export const allMaps = (maps, page) => {
  const rows = maps.flatMap((map) =>
    Object.keys(LAYERS).filter((layer) => map.values[layer]).map((layer) => ({ map, layer, ...map.values[layer] })),
  );
  const number = (name, value, digits) => ({ name, info: "data_map", number: true, value, show: (row) => points(value(row), digits) });
  const href = ({ map, layer }) => page.href("maps", { treebank: map.treebank, map: map.name, layer });
  return [
    html("p", { class: "result" },
      page.treebank ? `No words of ${page.treebank} were recorded. ` : "",
      `There are maps of ${plural(new Set(maps.map((map) => map.treebank)).size, "treebank")}; open one to see its words.`),
    html("h3", {}, "All data maps ", info("data_map")),
    dataTable({
      label: "All data maps",
      filter: rows.length > 12 ? "map" : null,
      data: rows,
      columns: [
        { name: "map", value: (row) => row.map.name, show: (row) => html("a", { href: href(row) }, row.map.name) },
        { name: "layer", value: (row) => LAYERS[row.layer] },
        { name: "words", number: true, value: (row) => row.map.total },
        number("easy, %", (row) => row.easy ?? 0, 1),
        number("ambiguous, %", (row) => row.ambiguous ?? 0, 1),
        number("hard, %", (row) => row.hard ?? 0, 1),
        number("mean confidence", (row) => row.confidence, 3),
        number("mean variability", (row) => row.variability, 3),
      ],
    }),
  ];
};
