// Errors: what systems get wrong, by kind, by class and by confusion, with their sentences.

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
  errorCount,
  matrixOf,
  shownText,
} from "./errors_confusion.js";
import { confusionMatrix } from "./errors_matrix.js";
import {
  allWords,
  classRows,
  confusionOf,
  correctText,
  heatRows,
  runsOf,
  scoredParts,
  systemRows,
} from "./errors_data.js";
import { ALL, classItems, errorHeat, KIND_TEXTS, kindColumns, kindLegend } from "./errors_kinds.js";

const LISTED = { one: 8, all: 4 };
const LIMIT = { one: 14, all: 6 };
const CARDS = 6; // systems with a card of confusions, under "all systems"
const OF = { relation: "relations", upos: "UPOS tags" };

export const view = {
  key: "errors",
  title: "Errors",
  lead: "What do the systems get wrong?",
  filters: ["treebank", "system"],
  shows: (page) => page.has("scores"),
  mount(root, page) {
    const data = page.data("scores");
    const few = (row) => row.gold < data.sure[1];
    // What is shown: the treebanks, and one system or all.
    const chosen = () => {
      const all = scoredParts(page);
      const fits = (part) => !page.system || part.systems.includes(page.system);
      const parts = all.filter(fits);
      const systems = page.systems.filter((name) => parts.some((part) => part.systems.includes(name)));
      return { parts, systems: page.system ? systems.filter((name) => name === page.system) : systems };
    };
    const partsOf = (parts, system) => parts.filter((part) => part.systems.includes(system));

    // Drawers: the sentences of a cell of confusions, or of a class and kind of errors.
    const cellDrawer = (all, system, of, cell) => {
      const parts = partsOf(all, system);
      const confusion = confusionOf(parts, system, of);
      const items = parts.flatMap((part) => {
        const bank = scoredBank(part);
        return cellWords(bank, system, of, cell, part.convention).map((one) => ({ bank, ...one }));
      });
      const words = confusion.words[confusion.names.indexOf(cell.gold)];
      const text = cellText(cell, system, of, { words, errors: errorCount(confusion) });
      const title = [text, html("small", {}, ` ${shownText(cell, items, runsOf(parts, system))}.`)];
      return { title, items, systems: [system] };
    };
    const classDrawer = (all, by, row, system, kind) => {
      const items = classItems(by, row, system, kind);
      const count = kind ? row.kinds[Object.keys(KIND_TEXTS).indexOf(kind)] : row.wrong;
      const where = row.class === ALL ? ALL : `${by} ${row.class}`;
      const what = kind ? `, ${KIND_TEXTS[kind]}` : "";
      return {
        title: [
          `${system}, ${where}: ${grouped(count)} of ${plural(row.gold, "word")} incorrect${what}`,
          html("small", {}, `; ${shownText({ count }, items, runsOf(partsOf(all, system), system))}.`),
        ],
        items,
        systems: [system],
      };
    };
    const CLOSED = { gold: "", given: "", class: "", kind: "", of_system: "" };
    const openCell = (parts, system, of, cell) => {
      page.set({ ...CLOSED, gold: cell.gold, given: cell.system, of_system: system, open: "" }, { push: true });
      showSentences(page, { ...cellDrawer(parts, system, of, cell), onclose: () => page.set(CLOSED) });
    };
    const openClass = (parts, by, row, system, kind = "") => {
      page.set({ ...CLOSED, by, class: row.class, kind, of_system: system, open: "" }, { push: true });
      showSentences(page, { ...classDrawer(parts, by, row, system, kind), onclose: () => page.set(CLOSED) });
    };

    const summary = (parts, systems) => {
      const where = parts.length === 1 ? parts[0].name : plural(parts.length, "treebank");
      const rows = systemRows(page, parts, systems);
      if (systems.length === 1) return html("p", { class: "result" }, correctText(rows[0], where, page));
      const [best, worst] = [rows[0], rows.at(-1)];
      const ends = ({ score, interval }) =>
        interval ? ` (LAS ${points(score)}, 95 % interval ${points(interval[0])} to ${points(interval[1])})` : "";
      const rate = (row) => `${points(100 - row.micro, 1)} % of ${plural(row.gold, "word")}${ends(row)}`;
      return html(
        "p",
        { class: "result" },
        `On ${where}, ${best.class} makes the fewest errors, in ${rate(best)}, and ${worst.class} the most, in ${rate(worst)}.`,
      );
    };

    const systemTable = (parts, systems) => {
      const rows = systemRows(page, parts, systems);
      const several = parts.length > 1;
      const number = (name, title, value) => ({ name, title, number: true, value, show: (row) => points(value(row)) });
      const within = (row) => row.interval && html("small", {}, ` ${row.interval.map((v) => points(v)).join("–")}`);
      const open = (row, kind) => openClass(parts, "relation", { ...row, class: ALL }, row.class, kind);
      const score = several ? "LAS, macro average" : "LAS";
      return [
        html("h3", {}, "Errors by kind ", info("confusions")),
        kindLegend(null),
        dataTable({
          label: "Errors by kind and system",
          data: rows,
          columns: [
            { name: "system", value: (row) => row.class, show: (row) => html("a", { href: page.href("errors", { system: row.class }) }, row.class) },
            ...kindColumns(rows, () => false, open),
            { name: "treebanks", number: true, value: (row) => row.places.length },
            { name: "words", number: true, value: (row) => row.gold },
            { name: "incorrect", number: true, value: (row) => row.wrong },
            several && number("% correct, micro average", "every word counts alike", (row) => row.micro),
            {
              ...number(score, "with its 95 % interval; every treebank counts alike in a macro average", (row) => row.score),
              show: (row) => [points(row.score), within(row)],
              ends: (row) => row.interval,
            },
          ].filter(Boolean),
        }),
      ];
    };

    const costly = (parts, system, of, listed) => {
      const confusion = confusionOf(parts, system, of);
      const errors = errorCount(confusion);
      const words = (name) => confusion.words[confusion.names.indexOf(name)];
      return html(
        "ol",
        { class: "costly" },
        cellsOf(confusion)
          .slice(0, listed)
          .map((cell) =>
            html(
              "li",
              {},
              cellText(cell, system, of, { words: words(cell.gold), errors }),
              " ",
              button("Read", () => openCell(parts, system, of, cell), {
                class: "link",
                "aria-label": `Read sentences of ${system} with ${cell.gold} as ${cell.system}`,
              }),
            ),
          ),
      );
    };
    const matrix = (parts, system, of, limit) =>
      confusionMatrix({
        matrix: matrixOf(confusionOf(parts, system, of), page.params.values === "all" ? Infinity : limit),
        label: `Confusion matrix of ${OF[of]}, ${system}`,
        onchoose: (cell) => openCell(parts, system, of, cell),
        onall: () => change({ values: "all" }),
      });

    // Frequent confusions and their matrix: of one system, or a card for each.
    const confused = (parts, systems, kinds, of) => {
      const one = systems.length === 1;
      const size = one ? "one" : "all";
      const having = systems.filter((name) => confusionOf(partsOf(parts, name), name, of));
      const shown = having.slice(0, CARDS);
      const about = [
        `Rows: gold ${OF[of]}. Columns: predicted ${OF[of]}. Numbers are word counts. `,
        of === "relation" ? "On the diagonal, the relation is correct but the head is not. " : null,
        "Click a cell to read its sentences.",
      ];
      const card = (name) => {
        const own = partsOf(parts, name);
        return html("div", { class: one ? null : "card" }, one ? null : html("h4", {}, name),
          costly(own, name, of, LISTED[size]), matrix(own, name, of, LIMIT[size]));
      };
      return [
        html("h3", {}, "Most frequent confusions ", info("confusions")),
        html("p", { class: "controls" },
          kinds.length > 1
            ? select("Confusions of", kinds.map((kind) => [kind, OF[kind]]), of, (v) => change({ of: v === "relation" ? "" : v }))
            : null),
        html("p", {}, about),
        one ? shown.map(card) : html("div", { class: "cards" }, shown.map(card)),
        having.length > CARDS
          ? html("p", { class: "count" }, `${CARDS} of ${having.length} systems, those with the fewest errors; choose another above.`)
          : null,
      ];
    };

    const byClass = (parts, systems, by) => {
      const sort = { by: page.params.sort || (systems.length > 1 ? "words" : "incorrect"), down: page.params.up !== "1" };
      const onsort = (name, down) => page.set({ sort: name, up: down ? "" : 1 });
      if (systems.length > 1)
        return errorHeat({
          label: `Errors by ${by} and system`,
          by,
          rows: heatRows(parts, systems, by),
          systems,
          sure: data.sure,
          sort,
          onsort,
          onopen: (row, s) => openClass(parts, by, row.cells[s], systems[s]),
        });
      const [system] = systems;
      const rows = classRows(parts, system, by);
      const errors = rows.reduce((sum, row) => sum + row.wrong, 0);
      const column = (name, value) => ({ name, number: true, value });
      return [
        kindLegend(rows.some(few) ? data.sure[1] : null),
        dataTable({
          label: `Errors by ${by}`,
          filter: "class",
          data: rows,
          last: few,
          sort,
          onsort,
          columns: [
            {
              name: by,
              value: (row) => row.class,
              show: (row) => button(row.class, () => openClass(parts, by, row, system), { class: "link" }),
            },
            column("words", (row) => row.gold),
            column("incorrect", (row) => row.wrong),
            ...kindColumns(rows, few, (row, kind) => openClass(parts, by, row, system, kind)),
            {
              ...column("% of all errors", (row) => (100 * row.wrong) / Math.max(1, errors)),
              show: (row) => points((100 * row.wrong) / Math.max(1, errors), 1),
            },
          ],
        }),
      ];
    };

    const change = (what) => {
      page.set(what);
      show();
    };
    const show = () => {
      const { parts, systems } = chosen();
      if (!systems.length) {
        fill(root, html("p", {}, "This system was not scored on this treebank. Choose another treebank or system."));
        return;
      }
      const ranked = systemRows(page, parts, systems).map((row) => row.class);
      const kinds = Object.keys(OF).filter((of) => ranked.some((name) => confusionOf(partsOf(parts, name), name, of)));
      const of = kinds.includes(page.params.of) ? page.params.of : "relation";
      const classes = parts[0].breakdowns.map((one) => one.by);
      const by = classes.includes(page.params.by) ? page.params.by : classes[0];
      const classed = [
        html("h3", {}, "Errors by class of words ", info("heat_maps")),
        html("p", { class: "controls" }, select("By", classes, by, (v) => change({ by: v }))),
        ranked.length > 1
          ? html("p", { class: "count" },
              `% of the words of a class that are incorrect. Paler: fewer than ${data.sure[0]} words; dashed and at the end: fewer than ${data.sure[1]}.`)
          : null,
        byClass(parts, ranked, by),
      ];
      fill(
        root,
        summary(parts, ranked),
        ranked.length > 1 ? systemTable(parts, ranked) : null,
        ranked.length > 1
          ? html("div", { class: "two narrow-first" }, html("div", {}, classed), html("div", {}, confused(parts, ranked, kinds, of)))
          : html("div", { class: "two" }, html("div", {}, confused(parts, ranked, kinds, of)), html("div", {}, classed)),
      );
      follow(parts, ranked, of, by);
    };

    // Open what the URL names: a cell of a matrix, or a class.
    const follow = (parts, systems, of, by) => {
      const { gold, given, class: name, kind, of_system: own } = page.params;
      const system = systems.includes(own) ? own : systems[0];
      const mine = partsOf(parts, system);
      const cells = gold ? cellsOf(confusionOf(mine, system, of)) : [];
      const cell = cells.find((one) => one.gold === gold && one.system === given);
      const rows = name ? [...classRows(mine, system, by), allWords(mine, system, ALL)] : [];
      const row = rows.find((one) => one.class === name);
      const onclose = () => page.set(CLOSED);
      if (cell) showSentences(page, { ...cellDrawer(parts, system, of, cell), onclose });
      else if (row) showSentences(page, { ...classDrawer(parts, by, row, system, kind in KIND_TEXTS ? kind : ""), onclose });
      else page.drawer.close(false);
    };

    show();
    return { update: show };
  },
};
