// How much more sentences would gain: a slider over budgets for which Python has the prediction.

import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { fill, html } from "../shell/dom.js";
import { grouped, plural, points, signed } from "../shell/format.js";

const POINT = ["budget", "then", "gain", "low", "high"];
const pointsOf = (outlook) =>
  outlook.points.map((row) => Object.fromEntries(POINT.map((name, i) => [name, row[i]])));

// The budgets of all outlooks, and the one that is shown: the wanted one, or a doubling of the first.
const budgetsOf = (outlooks) =>
  [...new Set(outlooks.flatMap((one) => pointsOf(one).map((p) => p.budget)))].sort((a, b) => a - b);
const chosenBudget = (outlooks, wanted) => {
  const all = budgetsOf(outlooks);
  const target = wanted ?? outlooks[0].have;
  return all.reduce((best, n) => (Math.abs(n - target) < Math.abs(best - target) ? n : best), all[0]);
};

// The predicted points of the one treebank chosen, up to a budget, for the chart.
export const aheadOf = (outlooks, wanted) => {
  if (outlooks.length !== 1) return [];
  const [one] = outlooks;
  const budget = chosenBudget(outlooks, wanted);
  return pointsOf(one)
    .filter((p) => p.budget <= budget && (p.budget >= one.have / 10 || p.budget === budget))
    .map((p) => ({
      name: "all, predicted",
      size: one.have + p.budget,
      score: p.then,
      low: p.low === null ? null : one.now + p.low,
      high: p.high === null ? null : one.now + p.high,
      relative: null,
    }));
};

// The prediction for one treebank, in a sentence.
export const adviceText = (one, budget, metric) => {
  const p = pointsOf(one).find((point) => point.budget === budget);
  const place = `On ${one.treebank} (${plural(one.words, "test word")}), `;
  if (!p) return `${place}no gain was predicted for ${plural(budget, "more sentence")}.`;
  const ends = p.low === null ? "no interval" : `95 % interval ${signed(p.low, 1)} to ${signed(p.high, 1)}`;
  const flat =
    one.flat === null
      ? ""
      : ` From about ${grouped(Number(one.flat.toPrecision(2)))} sentences on, a doubling gains less than ${one.worth} point.`;
  return (
    `${place}${plural(budget, "more sentence")} in addition to ${grouped(one.have)} raise ${one.parser}'s ${metric} ` +
    `from ${points(one.now, 1)} to about ${points(p.then, 1)} (${signed(p.gain, 1)}, ${ends}). ` +
    `Doubling the data gains about ${points(one.doubling, 1)}.${flat}`
  );
};

const treebankTable = (outlooks, budget, href) => {
  const at = (one) => pointsOf(one).find((p) => p.budget === budget) ?? null;
  const number = (name, value, show) => ({ name, number: true, info: "advice", value, show });
  return dataTable({
    label: `Gain from ${plural(budget, "more sentence")}`,
    data: outlooks,
    filter: outlooks.length > 12 ? "treebank" : null,
    columns: [
      { name: "treebank", value: (one) => one.treebank, show: (one) => html("a", { href: href(one.treebank) }, one.treebank) },
      { name: "sentences now", number: true, value: (one) => one.have },
      { name: "test words", number: true, value: (one) => one.words },
      number("now", (one) => one.now, (one) => points(one.now, 1)),
      number("then", (one) => at(one)?.then ?? null, (one) => points(at(one)?.then, 1)),
      {
        ...number("gain, points", (one) => at(one)?.gain ?? null, (one) => {
          const p = at(one);
          if (!p) return "not predicted";
          return [signed(p.gain, 1), p.low === null ? null : html("small", {}, ` ${signed(p.low, 1)} to ${signed(p.high, 1)}`)];
        }),
        ends: (one) => at(one) && [at(one).low, at(one).high],
      },
    ],
  });
};

// The slider with what it says; `onbudget` gets the new budget.
export const advicePanel = ({ outlooks, metric, budget, href, onbudget }) => {
  const heading = html("h3", {}, "How much would more sentences gain? ", info("advice"));
  if (!outlooks.length)
    return [heading, html("p", {}, "A prediction needs a curve of three training set sizes or more.")];
  const all = budgetsOf(outlooks);
  const said = html("p", { class: "result", id: "learning-advice", role: "status" });
  const table = html("div");
  const field = html("output", { class: "count" });
  const show = (value) => {
    field.textContent = plural(value, "more sentence");
    fill(said, outlooks.length === 1
      ? adviceText(outlooks[0], value, metric)
      : `Each treebank alone, with ${plural(value, "more sentence")}; choose one above to see its curve.`);
    fill(table, outlooks.length > 1 ? treebankTable(outlooks, value, href) : null);
  };
  const first = chosenBudget(outlooks, budget);
  const slider = html("input", {
    type: "range",
    min: 0,
    max: all.length - 1,
    value: all.indexOf(first),
    "aria-label": "Budget of further sentences",
    oninput: () => {
      const value = all[Number(slider.value)];
      slider.setAttribute("aria-valuetext", plural(value, "more sentence"));
      show(value);
      onbudget(value);
    },
  });
  show(first);
  const notes = [...new Set(outlooks.flatMap((one) => one.notes))];
  return [
    heading,
    html("p", { class: "controls" }, html("label", { class: "field grow" }, html("span", {}, "Budget"), slider), field),
    said,
    table,
    notes.length ? html("p", { class: "count" }, `For doubled data: ${notes.join("; ")}.`) : null,
  ];
};
