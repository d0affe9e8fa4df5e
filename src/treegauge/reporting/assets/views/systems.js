// Systems: how good each is, on one treebank or on all, what it gets wrong, and how calibrated it is.

import { colour } from "../components/chart.js";
import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { fill, html, responsive, select } from "../shell/dom.js";
import { plural, points, pValue, signed } from "../shell/format.js";
import { intervalChart, reliabilityChart, riskChart } from "./systems_charts.js";
import {
  averageTable,
  errorRows,
  errorTable,
  metricTable,
  testTable,
  treebankTable,
} from "./systems_tables.js";

//: With more treebanks than this, they are the rows of the table.
const FEW = 6;
const DRAWN = 24; // treebanks with a chart of their own

const drawing = (draw) => {
  const holder = html("div", { class: "drawing" });
  responsive(holder, draw);
  return holder;
};
const named = (metrics, name) =>
  metrics.find((m) => m.name === name || m.name.startsWith(`${name}[`));

const calibrationRows = (parts, systems) =>
  parts.flatMap((part) =>
    (part.calibration || []).flatMap((one, i) =>
      one && systems.includes(part.systems[i])
        ? [{ ...one, name: part.systems[i], treebank: part.treebank, number: i }]
        : [],
    ),
  );

const DROPPED = 20; // percent of the sentences

// How well calibrated a system is, in a sentence.
export const calibrationText = (row) => {
  const chance = row.by_chance === null ? "" : ` (a calibrated system: ${points(row.by_chance, 1)} %)`;
  const gain = row.dropped?.find((one) => one.percent === DROPPED)?.gain;
  const rest =
    gain === undefined || gain === null
      ? ""
      : `; leaving out the ${DROPPED} % least certain sentences changes ${row.metric} by ${signed(gain, 1)} points`;
  return `${row.name}: ECE ${points(row.ece, 1)} %${chance}${rest}.`;
};

// Scores in a sentence.
const scoresText = ({ title, items }, metric) => {
  const one = ({ name, f1, interval }) =>
    `${name} ${points(f1)}${interval ? ` (95 % interval ${interval.map((end) => points(end)).join(" to ")})` : ""}`;
  return `${metric} on ${title}: ${items.map(one).join(", ")}.`;
};

const calibration = (rows) => {
  const several = new Set(rows.map((row) => row.treebank)).size > 1;
  const number = (name, title, value, show) => ({
    name,
    title,
    info: "calibration",
    number: true,
    value,
    show,
  });
  const known = (name) => rows.some((row) => row[name] !== null && row[name] !== undefined);
  const dropped = (row) => row.dropped?.find((one) => one.percent === DROPPED);
  const keys = rows.map((row) =>
    html(
      "span",
      { class: "key", style: `--key: ${colour(row.number)}` },
      several ? `${row.name} on ${row.treebank}` : row.name,
    ),
  );
  return html(
    "div",
    { id: "systems-calibration" },
    html("h3", {}, "Can the systems' probabilities be trusted?", info("calibration")),
    html(
      "p",
      {},
      "A calibrated system is correct as often as it says: its points lie on the diagonal. ",
      "The expected calibration error (ECE) is the mean distance from the diagonal.",
    ),
    html(
      "p",
      {
        class: "result",
        "data-cited": rows.slice(0, 3).map((row) => `On ${row.treebank}, ${calibrationText(row)}`).join(" "),
        "data-method": "calibration",
      },
      rows.slice(0, 3).map(calibrationText).join(" "),
    ),
    dataTable({
      label: "Calibration",
      data: rows,
      columns: [
        { name: "system", value: (r) => r.name },
        ...(several ? [{ name: "treebank", value: (r) => r.treebank }] : []),
        number("ECE, %", "expected calibration error of labelled arcs", (r) => r.ece, (r) => points(r.ece)),
        known("by_chance") &&
          number(
            "ECE by chance, %",
            "ECE that a perfectly calibrated system would have on this text",
            (r) => r.by_chance,
            (r) => points(r.by_chance),
          ),
        known("p_value") &&
          number("p", "p-value of the hypothesis that the system is calibrated", (r) => r.p_value, (r) => pValue(r.p_value)),
        number("arcs", "labelled arcs", (r) => r.words),
        rows.some(dropped) &&
          number(
            `gain without the ${DROPPED} % least certain, points`,
            `change of LAS when the ${DROPPED} % of sentences with the lowest probabilities are left out`,
            (r) => dropped(r)?.gain ?? null,
            (r) => signed(dropped(r)?.gain ?? null, 1),
          ),
      ].filter(Boolean),
    }),
    several && rows.length > 6
      ? html("p", { class: "count" }, "Choose a treebank above to see its curves.")
      : [
          html("p", { class: "controls" }, keys),
          html(
            "div",
            { class: "cards" },
            html("div", {}, drawing((width) => reliabilityChart(width, rows))),
            html("div", {}, drawing((width) => riskChart(width, rows))),
          ),
        ],
  );
};

const mount = (root, page) => {
  const data = page.data("scores");
  const chosenParts = () => {
    const mine = data.treebanks.filter((t) => !page.system || t.systems.includes(page.system));
    const one = mine.filter((t) => t.treebank === page.treebank);
    return one.length ? one : mine;
  };
  // Says so where there is nothing for the treebank that was chosen.
  const elsewhere = (parts) =>
    page.treebank && parts[0].treebank !== page.treebank
      ? html("p", { class: "count" }, `${page.system ?? "No system"} was ${page.system ? "not " : ""}scored on ${page.treebank}.`)
      : null;
  // One system on several treebanks, or all systems on one treebank.
  const scores = (parts, metricName) => {
    if (page.system && parts.length > 1) {
      const { systems } = page;
      const at = (part) => part.systems.indexOf(page.system);
      const items = parts.map((part) => ({
        name: part.treebank,
        ...(named(part.metrics, metricName) || part.metrics[0]).systems[at(part)],
        colour: systems.indexOf(page.system),
      }));
      const columns = parts.map((part) => ({
        name: part.treebank,
        of: (m) => named(part.metrics, m.name)?.systems[at(part)],
      }));
      return { title: `${page.system} on ${plural(parts.length, "treebank")}`, items, columns };
    }
    const part = parts[0];
    const systems = part.systems.filter((s) => !page.system || s === page.system || page.treebank);
    const metric = named(part.metrics, metricName) || part.metrics[0];
    const items = systems.map((name) => ({
      name,
      ...metric.systems[part.systems.indexOf(name)],
      colour: part.systems.indexOf(name),
    }));
    const columns = systems.map((name) => ({
      name,
      of: (m) => m.systems[part.systems.indexOf(name)],
    }));
    const size = `${plural(part.sentences, "sentence")}, ${plural(part.words, "word")}`;
    return { title: `${part.name}: ${size}`, items, columns };
  };
  const choice = (metrics, metric) =>
    html(
      "p",
      { class: "controls" },
      select("Metric", metrics.map((m) => m.name), metric, (v) => {
        page.set({ metric: v });
        show();
      }),
    );
  // All systems on all treebanks: averages, a chart per treebank, and all tests.
  const everything = (parts, metric) => {
    const { systems } = page;
    const common = parts.filter((part) => systems.every((name) => part.systems.includes(name)));
    const over = common.length ? common : parts;
    const board = page.has("overview") ? page.data("overview").board : null;
    const items = (part) =>
      part.systems.map((name, i) => ({
        name,
        ...(named(part.metrics, metric) || part.metrics[0]).systems[i],
        colour: systems.indexOf(name),
      }));
    const ends = parts.flatMap((part) => items(part).flatMap((one) => [one.f1, ...(one.interval || [])]));
    const shown = parts.slice(0, DRAWN);
    return [
      html("h3", { id: "systems-what" }, `${plural(systems.length, "system")} on ${plural(parts.length, "treebank")}`),
      html(
        "p",
        { class: "count" },
        common.length
          ? `Averages over the ${plural(over.length, "treebank")} with output of all systems. Macro: every treebank counts alike. Micro: every word counts alike.`
          : "No treebank has output of all systems; choose a treebank or a system above.",
      ),
      html("div", { class: "two narrow-first" },
        html("div", {}, common.length > 1 ? averageTable(over, systems, board) : null),
        html("div", {}, choice(parts[0].metrics, metric),
      html(
        "div",
        { class: "cards" },
        shown.map((part) =>
          html(
            "div",
            { class: "card" },
            html("h4", {}, html("a", { href: page.href("systems", { treebank: part.treebank }) }, part.treebank)),
            html("p", { class: "count" }, `${plural(part.sentences, "sentence")}, ${plural(part.words, "word")}`),
            drawing((width) => intervalChart(width, items(part), metric, `${metric}: ${part.name}`, ends)),
          ),
        ),
      ),
      )),
      parts.length > shown.length
        ? html("p", { class: "count" }, `${shown.length} of ${parts.length} treebanks are drawn; Overview has all.`)
        : null,
    ];
  };
  const show = () => {
    const parts = chosenParts();
    const { metrics } = parts[0];
    const all = parts.length > 1 && !page.system;
    const metric = (named(metrics, page.params.metric) || named(metrics, "LAS") || metrics[0]).name;
    const found = all ? null : scores(parts, metric);
    const shown = parts;
    const tests = shown
      .flatMap((part) => part.tests.map((test) => ({ ...test, treebank: part.treebank })))
      .filter((test) => !page.system || page.system === test.a || page.system === test.b);
    const names = page.system ? [page.system] : page.systems;
    const calibrated = calibrationRows(shown, names);
    fill(
      root,
      elsewhere(parts),
      all
        ? everything(parts, metric)
        : [
            html("h3", { id: "systems-what", "data-cited": scoresText(found, metric), "data-method": "scores" }, found.title),
            choice(metrics, metric),
            drawing((width) => intervalChart(width, found.items, metric, `${metric}: ${found.title}`)),
            html("h3", {}, "All metrics", info("scores")),
            shown.length > FEW
              ? treebankTable(metrics, found.columns, `Scores, ${found.title}`)
              : metricTable(metrics, found.columns, `Scores, ${found.title}`),
          ],
      tests.length
        ? [
            html("h3", {}, "Are the differences statistically significant?", info("paired_tests")),
            testTable(tests, (t) =>
              page.href("compare", { left: t.a, right: t.b, treebank: t.treebank, system: null }),
            ),
          ]
        : null,
      page.system
        ? [
            html("h3", {}, `What does ${page.system} get wrong?`, info("heat_maps")),
            errorTable(errorRows(shown, page.system), (r) =>
              page.href("errors", { by: "relation", class: r.class }),
            ),
          ]
        : null,
      calibrated.length ? calibration(calibrated) : null,
    );
  };
  show();
  return { update: show };
};

export const view = {
  key: "systems",
  title: "Systems",
  lead: "How good is each system, are the differences significant, and can its probabilities be trusted?",
  filters: ["treebank", "system"],
  shows: (page) => page.has("scores"),
  mount,
};
