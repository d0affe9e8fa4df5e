// Scores: intervals, paired tests, of all metrics.

import { colour, rows } from "../components/chart.js";
import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { fill, html, responsive, select, svg } from "../shell/dom.js";
import { plural, points } from "../shell/format.js";

const intervalChart = (width, metric, systems, place) => {
  const ends = metric.systems.flatMap((s) => [s.f1, ...(s.interval || [])]);
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const pad = (high - low || 1) * 0.1;
  return rows(
    {
      width,
      names: systems,
      x: [Math.max(0, low - pad), Math.min(100, high + pad)],
      text: (v) => points(v, 1),
      name: `${metric.name}, 95 % interval`,
      label: `${metric.name} of ${systems.join(", ")} on ${place}`,
      step: 30,
    },
    (i, x, y) => {
      const { f1, interval } = metric.systems[i];
      const line = { y1: y, y2: y, stroke: colour(i), "stroke-width": 3 };
      return [
        interval ? svg("line", { ...line, x1: x(interval[0]), x2: x(interval[1]) }) : null,
        svg(
          "circle",
          { cx: x(f1), cy: y, r: 5, fill: colour(i) },
          svg("title", {}, `${systems[i]}: ${points(f1)}`),
        ),
      ];
    },
  );
};

const metricTable = (one) => {
  const within = ({ interval }) =>
    interval ? html("small", {}, ` ${points(interval[0])}–${points(interval[1])}`) : null;
  const systems = one.systems.map((name, i) => ({
    name,
    number: true,
    value: (m) => m.systems[i].f1,
    show: (m) => [points(m.systems[i].f1), within(m.systems[i])],
  }));
  return dataTable({
    label: `Scores on ${one.name}`,
    first: 50,
    data: one.metrics,
    columns: [{ name: "metric", value: (m) => m.name }, ...systems],
  });
};

const testTable = (tests) => {
  const number = (name, value, show) => ({ name, number: true, value, show });
  return dataTable({
    label: "Paired tests",
    data: tests,
    columns: [
      { name: "metric", value: (t) => t.metric },
      { name: "A", value: (t) => t.a },
      { name: "B", value: (t) => t.b },
      number(
        "A − B",
        (t) => t.difference,
        (t) => points(t.difference),
      ),
      number(
        "fewer errors than B, %",
        (t) => t.error_reduction,
        (t) => (t.error_reduction === null ? "" : t.error_reduction.toFixed(2)),
      ),
      number(
        "p",
        (t) => t.p_value,
        (t) => (t.p_value === null ? "" : t.p_value.toFixed(4)),
      ),
      number(
        "p, Holm",
        (t) => t.p_corrected,
        (t) => (t.p_corrected === null ? "" : t.p_corrected.toFixed(4)),
      ),
    ],
  });
};

const mount = (root, page) => {
  const data = page.data("scores");
  const current = () => data.treebanks.find((t) => t.treebank === page.treebank) || data.treebanks[0];
  const show = () => {
    const one = current();
    const named = (name) => one.metrics.find((m) => m.name === name || m.name.startsWith(`${name}[`));
    const metric = named(page.params.metric) || named("LAS") || one.metrics[0];
    const chart = html("div", { class: "drawing" });
    const metrics = one.metrics.map((m) => m.name);
    const size = `${one.name}: ${plural(one.sentences, "sentence")}, ${plural(one.words, "word")}`;
    const onchange = (v) => {
      page.set({ metric: v });
      show();
    };
    fill(
      root,
      html(
        "p",
        { class: "controls" },
        select("Metric", metrics, metric.name, onchange),
        html("span", { class: "count" }, size),
      ),
      chart,
      metricTable(one),
      one.tests.length
        ? [
            html("h3", {}, "Are the differences statistically significant?", info("paired_tests")),
            testTable(one.tests),
          ]
        : null,
    );
    responsive(chart, (width) => intervalChart(width, metric, one.systems, one.name));
  };
  show();
  return { update: show };
};

export const view = {
  key: "systems",
  title: "Systems",
  lead: "How good is each system, and are the differences statistically significant?",
  filters: ["treebank"],
  shows: (page) => page.has("scores"),
  mount,
};
