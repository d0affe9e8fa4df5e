// Errors: what a system gets wrong, the most frequent confusions first, with their sentences.

import { scoredBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { showSentences } from "../components/sentence_list.js";
import { dataTable } from "../components/table.js";
import { button, fill, html, select } from "../shell/dom.js";
import { grouped, plural, points } from "../shell/format.js";
import {
  cellsOf,
  cellText,
  cellWords,
  classWords,
  errorCount,
  matrixOf,
  merged,
  shownText,
} from "./errors_confusion.js";
import { confusionMatrix } from "./errors_matrix.js";

const LISTED = 8;
const LIMIT = 14;
const OF = { relation: "relations", upos: "UPOS tags" };

// The scored treebanks with confusions of the chosen system, and this system.
const chosenParts = (page) => {
  const all = page.data("scores").treebanks;
  const parts = page.treebank ? all.filter((one) => one.treebank === page.treebank) : all;
  const system = page.system || parts[0]?.systems[0] || null;
  return { system, parts: parts.filter((one) => one.systems.includes(system)) };
};

// The most runs that the system has on a treebank: counts are means over them.
const runsOf = (parts, system) =>
  Math.max(1, ...parts.map((one) => one.runs?.[one.systems.indexOf(system)] ?? 1));

const confusionOf = (parts, system, of) => {
  const found = parts
    .map((one) => one.confusion?.[one.systems.indexOf(system)]?.[of])
    .filter(Boolean);
  return found.length ? merged(found) : null;
};

// Words by class over all chosen treebanks: [{class, gold, wrong, items}].
const classRows = (parts, system, by) => {
  const rows = new Map();
  for (const part of parts) {
    const at = part.systems.indexOf(system);
    for (const row of part.breakdowns.find((one) => one.by === by)?.rows || []) {
      const own = row.systems[at];
      if (own?.correct === undefined) continue;
      const one = rows.get(row.class) || { class: row.class, gold: 0, wrong: 0, places: [] };
      one.gold += row.gold;
      one.wrong += row.gold - own.correct;
      one.places.push([part, own.examples || []]);
      rows.set(row.class, one);
    }
  }
  return [...rows.values()];
};

// The sentences of a class: for relations and tags all that the page has, for others a few.
const classItems = (by, row, system) =>
  row.places.flatMap(([part, examples]) => {
    const bank = scoredBank(part);
    const found =
      by === "relation" || by === "upos"
        ? classWords(bank, system, by, row.class, part.convention)
        : examples.map(([sentence, words]) => ({ sentence, words }));
    return found.map((one) => ({ bank, ...one }));
  });

export const view = {
  key: "errors",
  title: "Errors",
  lead: "What does a system get wrong?",
  filters: ["treebank", "system"],
  single: (page) => ({ system: chosenParts(page).system }),
  shows: (page) => page.has("scores"),
  mount(root, page) {
    const cellItems = (parts, system, of, cell) =>
      parts.flatMap((part) => {
        const bank = scoredBank(part);
        return cellWords(bank, system, of, cell, part.convention).map((one) => ({ bank, ...one }));
      });

    const cellDrawer = (parts, system, of, cell, confusion) => {
      const items = cellItems(parts, system, of, cell);
      const words = confusion.words[confusion.names.indexOf(cell.gold)];
      const text = cellText(cell, system, of, { words, errors: errorCount(confusion) });
      const title = [text, html("small", {}, ` ${shownText(cell, items, runsOf(parts, system))}.`)];
      return { title, items, systems: [system] };
    };

    const summary = (parts, system, relations, errors) => {
      const words = relations.words.reduce((sum, count) => sum + count, 0);
      const runs = runsOf(parts, system);
      const where = parts.length === 1 ? parts[0].name : plural(parts.length, "treebank");
      const right = (count, wrong) => (100 * (count - wrong)) / Math.max(1, count);
      const sum = (counts) => counts.reduce((a, b) => a + b, 0);
      const each = parts.map((part) => {
        const own = confusionOf([part], system, "relation");
        return right(sum(own.words), errorCount(own));
      });
      const macro = points(sum(each) / each.length);
      return html(
        "p",
        { class: "result" },
        `On ${where}, ${system} makes errors in ${grouped(errors)} of ${plural(words, "word")}` +
          (runs > 1 ? `, the mean of ${runs} runs; ` : "; ") +
          `${points(right(words, errors))} % have the correct head and relation` +
          (parts.length > 1
            ? ` (micro average: every word counts alike; the mean over treebanks, the macro average, is ${macro} %).`
            : "."),
      );
    };

    const costly = (parts, system, of, confusion) => {
      const errors = errorCount(confusion);
      const words = (name) => confusion.words[confusion.names.indexOf(name)];
      return html(
        "ol",
        { class: "costly" },
        cellsOf(confusion)
          .slice(0, LISTED)
          .map((cell) =>
            html(
              "li",
              {},
              cellText(cell, system, of, { words: words(cell.gold), errors }),
              " ",
              button("Read", () => openCell(parts, system, of, cell, confusion), {
                class: "link",
                "aria-label": `Read sentences with ${cell.gold} as ${cell.system}`,
              }),
            ),
          ),
      );
    };

    const showCell = (...what) =>
      showSentences(page, {
        ...cellDrawer(...what),
        onclose: () => page.set({ gold: "", given: "" }),
      });
    const openCell = (parts, system, of, cell, confusion) => {
      page.set({ gold: cell.gold, given: cell.system, class: "", open: "" }, { push: true });
      showCell(parts, system, of, cell, confusion);
    };
    const showClass = (...what) =>
      showSentences(page, { ...classDrawer(...what), onclose: () => page.set({ class: "" }) });
    const openClass = (by, row, system) => {
      page.set({ by, class: row.class, gold: "", given: "", open: "" }, { push: true });
      showClass(by, row, system);
    };
    const classDrawer = (by, row, system) => {
      const items = classItems(by, row, system);
      const wrong = `${grouped(row.wrong)} of ${plural(row.gold, "word")} incorrect`;
      return {
        title: [
          `${system}, ${by} ${row.class}: ${wrong}`,
          html("small", {}, `; ${shownText({ count: row.wrong }, items, runsOf(page.data("scores").treebanks, system))}.`),
        ],
        items,
        systems: [system],
      };
    };

    const classTable = (parts, system, by, errors) => {
      const rows = classRows(parts, system, by);
      const column = (name, value) => ({ name, number: true, value });
      const share = (name, value) => ({
        ...column(name, value),
        show: (row) => points(value(row), 1),
      });
      return dataTable({
        label: `Errors by ${by}`,
        filter: "class",
        data: rows,
        sort: { by: page.params.sort || "incorrect", down: page.params.up !== "1" },
        onsort: (name, down) => page.set({ sort: name, up: down ? "" : 1 }),
        columns: [
          {
            name: by,
            value: (row) => row.class,
            show: (row) => button(row.class, () => openClass(by, row, system), { class: "link" }),
          },
          column("words", (row) => row.gold),
          column("incorrect", (row) => row.wrong),
          share("incorrect, % of class", (row) => (100 * row.wrong) / row.gold),
          share("% of all errors", (row) => (100 * row.wrong) / Math.max(1, errors)),
        ],
      });
    };

    const show = () => {
      const { parts, system } = chosenParts(page);
      const relations = confusionOf(parts, system, "relation");
      if (!relations) {
        const text = "This system was not scored on this treebank. Choose another treebank or system.";
        fill(root, html("p", {}, text));
        return;
      }
      const kinds = Object.keys(OF).filter((of) => confusionOf(parts, system, of));
      const of = kinds.includes(page.params.of) ? page.params.of : "relation";
      const confusion = confusionOf(parts, system, of);
      const errors = errorCount(relations);
      const classes = parts[0].breakdowns.map((one) => one.by);
      const by = classes.includes(page.params.by) ? page.params.by : classes[0];
      const change = (what) => {
        page.set(what);
        show();
      };
      const confused = [
        html("h3", {}, "Most frequent confusions ", info("confusions")),
        html(
          "p",
          { class: "controls" },
          kinds.length > 1
            ? select(
                "Confusions of",
                kinds.map((one) => [one, OF[one]]),
                of,
                (v) => change({ of: v === "relation" ? "" : v }),
              )
            : null,
        ),
        costly(parts, system, of, confusion),
        html("h3", {}, "Confusion matrix"),
        html(
          "p",
          {},
          `Rows: gold ${OF[of]}. Columns: ${OF[of]} predicted by ${system}. Numbers are word counts. `,
          of === "relation"
            ? "On the diagonal, the relation is correct but the head is not. "
            : null,
          "Click a cell to read its sentences.",
        ),
        confusionMatrix({
          matrix: matrixOf(confusion, page.params.values === "all" ? Infinity : LIMIT),
          label: `Confusion matrix of ${OF[of]}, ${system}`,
          onchoose: (cell) => openCell(parts, system, of, cell, confusion),
          onall: () => change({ values: "all" }),
        }),
      ];
      const classed = [
        html("h3", {}, "Errors by class of words ", info("heat_maps")),
        html("p", { class: "controls" }, select("By", classes, by, (v) => change({ by: v }))),
        classTable(parts, system, by, errors),
      ];
      fill(
        root,
        summary(parts, system, relations, errors),
        html("div", { class: "two" }, html("div", {}, confused), html("div", {}, classed)),
      );
      follow(parts, system, of, by, confusion);
    };

    // Open what the URL names: a cell of the matrix, or a class.
    const follow = (parts, system, of, by, confusion) => {
      const { gold, given, class: name } = page.params;
      const cell = cellsOf(confusion).find((one) => one.gold === gold && one.system === given);
      const row = name && classRows(parts, system, by).find((one) => one.class === name);
      if (cell) showCell(parts, system, of, cell, confusion);
      else if (row) showClass(by, row, system);
      else page.drawer.close(false);
    };

    show();
    return { update: show };
  },
};
