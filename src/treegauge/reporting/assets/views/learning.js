// Learning: curves by class, the gain from more sentences, complexity, and data-size equivalents.

import { info } from "../components/info.js";
import { fill, html, responsive, select } from "../shell/dom.js";
import { plural, signed } from "../shell/format.js";
import { advicePanel, aheadOf } from "./learning_advice.js";
import { complexityChart, curveChart } from "./learning_curves.js";
import { sentencesFor } from "./learning_equivalents.js";

const CURVE = "parser treebank name size score low high relative share".split(" ");

const mount = (root, page) => {
  const data = page.data("learning");
  const points = data.curves.map((row) => Object.fromEntries(CURVE.map((n, i) => [n, row[i]])));
  const parsers = [...new Set(points.map((p) => p.parser))];
  const treebanks = [...new Set(points.map((p) => p.treebank))];
  const state = {
    parser: parsers[0],
    treebank: treebanks[0],
    relative: false,
    classes: null,
    score: String(data.score ?? ""),
    of: "all",
    budget: null,
  };
  const live = html("div");
  const record = () =>
    page.set({
      parser: state.parser,
      relative: state.relative ? 1 : null,
      classes: state.classes && state.classes.join(","),
      score: state.score,
      of: state.of === "all" ? null : state.of,
      budget: state.budget,
    });
  // The curves of the parser and treebank chosen, by class, the most frequent first.
  const curves = () => {
    const found = new Map();
    for (const p of points) {
      if (p.parser !== state.parser || p.treebank !== state.treebank || p.score === null) continue;
      if (!found.has(p.name)) found.set(p.name, []);
      found.get(p.name).push(p);
    }
    for (const list of found.values()) list.sort((a, b) => a.size - b.size);
    return found;
  };
  const drawn = (all) => state.classes || [...all.keys()].slice(0, 6);

  const where = () =>
    state.treebank === data.average ? `on average over ${plural(data.treebanks.length, "treebank")}` : `on ${state.treebank}`;
  // The end of the curve of all words, in a sentence.
  const answer = html("p", { class: "result", id: "learning-answer" });
  const sayAnswer = (all) => {
    const list = all.get("all") || [...all.values()][0];
    if (!list) return fill(answer);
    const [last, before] = [list.at(-1), list.at(-2)];
    const more = before
      ? ` (${signed(last.score - before.score, 1)} points compared with ${before.size} sentences)`
      : "";
    const reached = `${data.metric} ${last.score.toFixed(1)} ${where()}${more}`;
    return fill(answer, `With ${last.size} sentences, ${state.parser} reaches ${reached}.`);
  };

  const chart = html("div", { class: "drawing" });
  const redraw = responsive(chart, (width) => {
    const all = curves();
    const shown = drawn(all).flatMap((name) => (all.has(name) ? [all.get(name)] : []));
    if (!shown.length) return html("p", {}, "No class is chosen.");
    const ahead = state.relative || !shown.some(([p]) => p.name === "all") ? [] : aheadOf(outlooks(), state.budget);
    return curveChart(width, shown, state.relative, data.metric, ahead);
  });
  // What Python predicts for the chosen parser: of the chosen treebank, or of all.
  const outlooks = () =>
    data.advice.filter(
      (one) =>
        one.parser === state.parser && (state.treebank === data.average || one.treebank === state.treebank),
    );
  const advice = html("div");
  const advised = () =>
    fill(
      advice,
      advicePanel({
        outlooks: outlooks(),
        metric: data.metric,
        budget: state.budget,
        href: (name) => page.href("learning", { treebank: name, parser: state.parser }),
        onbudget: (value) => {
          state.budget = value;
          redraw();
          record();
        },
      }),
    );
  const ticksOf = html("div", { class: "ticks", role: "group", "aria-label": "Classes" });
  const tick = (name, chosen) => {
    const onchange = () => {
      state.classes = [...ticksOf.querySelectorAll("input:checked")].map((b) => b.value);
      redraw();
      record();
    };
    const box = html("input", { type: "checkbox", checked: chosen, value: name, onchange });
    return html("label", { class: "tick" }, box, name);
  };

  const worth = html("p", { class: "result", id: "learning-worth", role: "status" });
  const equal = () => {
    const list = curves().get(state.of);
    if (state.score === "" || !list) {
      worth.textContent = "Enter a score to see how many annotated sentences reach it.";
      return;
    }
    const sizes = list.map((p) => p.size);
    const scores = list.map((p) => p.score);
    const n = sentencesFor(sizes, scores, Number(state.score));
    let said = n.toFixed(0);
    if (n === 0) said = `fewer than ${sizes[0]}`;
    if (n === Infinity) said = `more than ${sizes.at(-1)}`;
    const words = state.of === "all" ? "all words" : state.of;
    const place = where();
    const first = `${place[0].toUpperCase()}${place.slice(1)}`;
    worth.textContent = `${first}, ${data.metric} ${state.score} on ${words} corresponds to ${said} annotated sentences.`;
  };
  const field = html("input", {
    type: "number",
    step: 0.1,
    min: 0,
    max: 100,
    oninput: () => {
      state.score = field.value;
      equal();
      record();
    },
  });

  const complex = html("div");
  const complexity = () => {
    const mine = (c) => c.parser === state.parser && c.group === "";
    const list = data.complexity.filter(mine);
    if (!list.length) {
      fill(complex);
      return;
    }
    const found = data.correlations.find(mine);
    const rho =
      found && found.rho !== null
        ? ` Spearman's correlation with the final score: ${found.rho.toFixed(2)}.`
        : "";
    const holder = html("div", { class: "drawing" });
    fill(
      complex,
      html("h3", {}, "Which classes are learned late? ", info("complexity")),
      html("p", {}, `Above 0: learned later than all words together${data.treebanks.length > 1 ? `, over all ${data.treebanks.length} treebanks` : ""}. Lines: 95 % confidence intervals.`, rho),
      holder,
    );
    responsive(holder, (width) => complexityChart(width, list));
  };

  const controls = html("div");
  const of = html("span");
  const change = (what) => {
    Object.assign(state, what);
    show();
    record();
  };
  const show = () => {
    const all = curves();
    const names = [...all.keys()];
    const chosen = new Set(drawn(all));
    if (!all.has(state.of)) state.of = names[0];
    fill(
      ticksOf,
      names.map((name) => tick(name, chosen.has(name))),
    );
    const relative = html("input", {
      type: "checkbox",
      checked: state.relative,
      onchange: () => change({ relative: relative.checked }),
    });
    fill(
      controls,
      html(
        "p",
        { class: "controls" },
        parsers.length > 1
          ? select("Parser", parsers, state.parser, (v) => change({ parser: v }))
          : html("strong", {}, state.parser),
        html("label", { class: "tick" }, relative, "relative to the final score"),
      ),
    );
    const onchange = (v) => {
      state.of = v;
      equal();
      record();
    };
    sayAnswer(all);
    fill(title, `Learning curves of ${state.parser} ${where()} `, info("learning_curves"));
    advised();
    fill(of, select("on", names, state.of, onchange));
    field.value = state.score;
    redraw();
    complexity();
    equal();
  };
  const asked = html("label", { class: "field" }, html("span", {}, data.metric), field);
  const title = html("h3");
  const none = html("p", { class: "result", hidden: true });
  live.append(
    controls,
    answer,
    title,
    chart,
    html(
      "p",
      { class: "count" },
      "Bands: 95 % bootstrap confidence intervals. Dashed: predicted, with the 95 % interval of the prediction. The name at the end of a curve is its class.",
    ),
    html("details", {}, html("summary", {}, "Classes of words"), ticksOf),
    advice,
    html("h3", {}, "How many sentences is a score worth? ", info("equivalents")),
    html("p", { class: "controls" }, asked, of),
    worth,
    complex,
  );
  if (data.notes.length) {
    const notes = data.notes.map((note) => html("li", {}, note));
    const summary = html("summary", {}, plural(notes.length, "note"));
    live.append(html("details", {}, summary, html("ul", {}, notes)));
  }
  root.append(none, live);
  const handlers = {
    update() {
      const { params } = page;
      const among = (name, known) =>
        known.includes(params[name]) ? params[name] : known[0];
      const unknown = page.treebank && !treebanks.includes(page.treebank);
      live.hidden = Boolean(unknown);
      none.hidden = !unknown;
      if (unknown) {
        const known = data.treebanks.map((name) => [" ", html("a", { href: page.href("learning", { treebank: name }) }, name)]);
        return fill(none, `No parser was trained on parts of ${page.treebank}. There are curves of:`, known);
      }
      state.parser = among("parser", parsers);
      state.treebank = among("treebank", treebanks);
      state.relative = params.relative === "1";
      state.classes = params.classes ? params.classes.split(",") : null;
      state.score = params.score || String(data.score ?? "");
      state.of = params.of || "all";
      state.budget = Number(params.budget) || null;
      return show();
    },
  };
  handlers.update();
  return handlers;
};

export const view = {
  key: "learning",
  title: "Learning",
  lead: "Which words do parsers learn late, and how much would more annotated sentences gain?",
  filters: ["treebank"],
  shows: (page) => page.has("learning") && page.data("learning").curves.length > 0,
  mount,
};
