// Rankings: a slider over sizes of subsets, probabilities of pairs, outliers, treebanks by hand.

import { button, fill, html, responsive, select } from "../shell/dom.js";
import { grouped, percent, plural, range } from "../shell/format.js";
import { unpack } from "../shell/packed.js";
import { pairMatrix, rankBoxes } from "./ranking_drawings.js";
import { byRank, picker, ranker } from "./ranking_picker.js";

const mount = (root, page) => {
  const data = page.data("ranking");
  const n = data.systems.length;
  const held = data.treebanks.length;
  const bytes = Math.ceil(held / 8);
  const [means, above, boxes] = [data.means, data.above, data.boxes].map(unpack);
  const masks = { best: unpack(data.best), worst: unpack(data.worst) };
  const meanOver = ranker(data);
  const order = byRank(data.systems, meanOver(new Array(held).fill(true)).ranks);
  const state = { at: data.usual, a: order[0], b: order[Math.min(1, n - 1)], system: order[0] };
  const record = () =>
    page.set({
      size: data.sizes[state.at],
      a: data.systems[state.a],
      b: data.systems[state.b],
      system: data.systems[state.system],
      pick: byHand.link(),
    });
  const p = (i, j) => above[(state.at * n + i) * n + j];
  const mean = (s) => means[state.at * n + s];
  const box = (s) => boxes.slice((state.at * n + s) * 5, (state.at * n + s) * 5 + 5);
  const sorted = () => range(n).sort((a, b) => mean(a) - mean(b) || a - b);
  const choices = order.map((s) => [s, data.systems[s]]);

  // The slider and what it moves.
  const size = html("output", { id: "ranking-size" });
  const slider = html("input", {
    type: "range",
    min: 0,
    max: data.sizes.length - 1,
    step: 1,
    value: state.at,
    "aria-describedby": "ranking-size",
    oninput: () => {
      state.at = Number(slider.value);
      moved();
      record();
    },
  });
  const agreement = html("p", { role: "status" });
  const chart = html("div", { class: "drawing" });
  const matrix = html("div", { class: "drawing" });
  const drawBoxes = responsive(chart, (width) =>
    rankBoxes({ width, data, systems: sorted(), box, mean, size: data.sizes[state.at] }),
  );
  const drawMatrix = responsive(matrix, (width) =>
    pairMatrix({
      width,
      data,
      systems: sorted(),
      p,
      chosen: [state.a, state.b],
      onchoose: (a, b) => pairTo({ a, b }),
    }),
  );
  const pairTo = (pair) => {
    Object.assign(state, pair);
    sayPair();
    drawMatrix();
    record();
  };
  const pair = html("p", { class: "result", id: "ranking-pair", role: "status" });
  const choiceA = select("Is", choices, state.a, (v) => pairTo({ a: Number(v) }));
  const choiceB = select("above", choices, state.b, (v) => pairTo({ b: Number(v) }));
  const sayPair = () => {
    const share = p(state.a, state.b);
    const other = p(state.b, state.a);
    const equal = Math.max(0, 1 - share - other);
    const subsets = `${data.exact ? "all " : ""}${grouped(data.numbers[state.at])} subsets`;
    fill(
      pair,
      html("strong", {}, data.systems[state.a]),
      " is above ",
      html("strong", {}, data.systems[state.b]),
      ` in ${percent(share)} % of ${subsets} of ${data.sizes[state.at]}, `,
      `below in ${percent(other)} %, equal in ${percent(equal)} %.`,
    );
    choiceA.querySelector("select").value = state.a;
    choiceB.querySelector("select").value = state.b;
  };

  // Outliers: the subsets behind the best and worst rank of a system.
  const outlier = html("div", { id: "ranking-outliers" });
  const systemTo = (v) => {
    state.system = Number(v);
    outliers();
    record();
  };
  const choiceSystem = select("System", choices, state.system, systemTo);
  const subsetOf = (which) => {
    const from = (state.at * n + state.system) * bytes;
    return range(held).map((t) => Boolean((masks[which][from + (t >> 3)] >> (t & 7)) & 1));
  };
  const over = (found) => {
    const upto = found.upto === found.rank ? "" : ` to ${found.upto}`;
    const classes = found.over.map(
      (o) => `${o.class} ${percent(o.found, 0)} % instead of ${percent(o.expected, 0)} %`,
    );
    return html(
      "p",
      { class: "count" },
      `More frequent than in random subsets, over ${plural(found.samples, "subset")} with rank `,
      `${found.rank}${upto}: ${classes.join("; ")}.`,
    );
  };
  const end = (which, rank) => {
    const subset = subsetOf(which);
    const codes = data.treebanks.filter((_, t) => subset[t]).map((t) => t.code);
    const found =
      state.at === data.usual && data.classes[state.system].find((c) => c.which === which);
    const use = () => {
      byHand.pick(subset);
      record();
      byHand.node.scrollIntoView({ block: "nearest" });
    };
    return html(
      "div",
      {},
      html(
        "p",
        {},
        html("strong", {}, `${which} rank ${rank}`),
        " on ",
        html("span", { class: "codes" }, codes.join(" ")),
        " ",
        button("Rank by these", use, { "data-outlier": which }),
      ),
      found && found.over.length ? over(found) : null,
    );
  };
  const outliers = () => {
    const [low, , , , high] = box(state.system);
    fill(outlier, end("best", low), end("worst", high));
    choiceSystem.querySelector("select").value = state.system;
  };
  const moved = () => {
    const k = data.sizes[state.at];
    const number = data.numbers[state.at];
    slider.value = state.at;
    slider.setAttribute("aria-valuetext", `${k} treebanks`);
    const subsets = `${grouped(number)} subset${number === "1" ? "" : "s"}`;
    size.textContent = `${k} of ${held} treebanks, ${subsets}`;
    agreement.textContent =
      `Over ${plural(data.samples, "random subset")} of this size the ranking agrees with the ` +
      `full one by a Kendall's tau of ${data.tau[state.at].toFixed(3)} on average; the leader ` +
      `is the same in ${percent(data.top[state.at], 1)} %.`;
    drawBoxes();
    drawMatrix();
    sayPair();
    outliers();
  };
  const byHand = picker(data, meanOver, record);

  const paragraph = html("blockquote", { id: "ranking-claim" });
  const certificate = (at) => {
    const { text, signature } = data.claims[at];
    fill(paragraph, html("p", {}, text), html("p", {}, html("code", {}, signature)));
  };
  const claims = data.claims.map((c, i) => [i, c.claim]);
  const legend = "Line: best to worst rank. Box: quartiles and median. Dot: mean over all subsets.";
  const wide = { class: "wide", tabindex: "0", role: "region", "aria-label": "Matrix of pairs" };
  const slid = html("label", { class: "field grow" }, html("span", {}, "Treebanks in a subset"));
  slid.append(slider);
  root.append(
    html("p", { class: "controls" }, slid, size),
    agreement,
    html("h3", {}, "Where could each system end up?"),
    html("p", {}, legend),
    chart,
    html("h3", {}, "How probable is each order?"),
    html("p", { class: "controls" }, choiceA, choiceB),
    pair,
    html("div", wide, matrix),
    html("h3", {}, "Outlier subsets"),
    html("p", { class: "controls" }, choiceSystem),
    outlier,
    html("h3", {}, "Choose treebanks by hand"),
    byHand.node,
  );
  moved();
  if (claims.length) {
    const choice = select("Claim", claims, 0, (v) => certificate(Number(v)));
    const title = html("h3", {}, "How far does the claim hold?");
    root.append(title, html("p", { class: "controls" }, choice), paragraph);
    certificate(0);
  }
  const handlers = {
    update() {
      const { params } = page;
      const system = (name) => {
        const i = data.systems.indexOf(params[name]);
        return i < 0 ? state[name] : i;
      };
      const at = data.sizes.indexOf(Number(params.size));
      if (at >= 0) state.at = at;
      Object.assign(state, { a: system("a"), b: system("b"), system: system("system") });
      moved();
      byHand.follow(params.pick);
    },
  };
  handlers.update();
  return handlers;
};

export const view = {
  key: "ranking",
  title: "Ranking",
  lead: "Would the systems have the same order on other treebanks?",
  filters: [],
  shows: (page) => page.has("ranking"),
  mount,
};
