// Data maps: a frame on the map selects words, which are listed with their sentences below.

import { describe } from "../components/described.js";
import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { centre, treeBox } from "../components/tree.js";
import { button, fill, html, save, select } from "../shell/dom.js";
import { clamp, grouped, plural } from "../shell/format.js";
import { allMaps, answerOf, showsAll } from "./maps_all.js";
import { mapWords } from "./maps_data.js";
import { MAP, mapView, REGION_COLOURS, rounded } from "./maps_view.js";

const LISTED = 300;
const NO_BOX = { x0: null, x1: null, y0: null, y1: null };

const mount = (root, page) => {
  const data = page.data("maps");
  const state = { map: 0, layer: "head", relation: "", box: null, word: null };
  const loaded = [];
  const current = () => {
    const at = state.map;
    loaded[at] = loaded[at] || mapWords(data.maps[at], data.steps);
    return loaded[at];
  };
  const record = () =>
    page.set({ ...NO_BOX,
      map: data.maps.length > 1 ? data.maps[state.map].name : null,
      layer: state.layer,
      relation: state.relation,
      ...(state.box || {}),
      word: state.word,
    });
  const inside = () => {
    if (!state.box) return [];
    return current().inside(state.layer, state.box, state.relation);
  };
  const row = (i) => current().row(state.layer, i);

  const spot = html("p", { class: "count spot" }, "Point at a dot to see its word. Drag a frame over the map to list the words in it.");
  const view = mapView(
    () => {
      const { words, layers } = current();
      const code = state.relation ? words.deprel.values.indexOf(state.relation) : -1;
      const keep = (i) => code < 0 || words.deprel.codes[i] === code;
      return { layer: layers[state.layer], keep, steps: data.steps };
    },
    (box) => {
      state.box = box;
      summary(inside());
    },
    (box) => frameTo(box),
    (i) => {
      if (i === null) return fill(spot, "Point at a dot to see its word. Drag a frame over the map to list the words in it.");
      const r = row(i);
      const numbers = `confidence ${r.confidence.toFixed(3)}, variability ${r.variability.toFixed(3)}`;
      return fill(spot, html("strong", {}, r.form), ` ${r.upos}, ${r.deprel}, ${r.region}: ${numbers}`);
    },
  );
  describe(view.node, {
    title: `Data map, ${data.maps[0].name}`,
    data: () => current().points(state.layer, state.relation),
  });
  const frameTo = (box) => {
    state.box = box;
    state.word = null;
    chosen();
    record();
  };

  // The selection, in words and numbers.
  const count = html("strong", { id: "maps-count", role: "status" });
  const list = html("div", { id: "maps-words" });
  const trees = html("div", { class: "panel", id: "maps-tree", "aria-live": "polite" });
  const limit = (name) => (name[0] === "x" ? MAP.x1 : MAP.y1);
  const fields = Object.fromEntries(
    Object.keys(MAP).map((name) => {
      const onchange = () => {
        const value = rounded(clamp(Number(field.value), 0, limit(name)));
        frameTo({ ...MAP, ...state.box, [name]: value });
      };
      const field = html("input", {
        type: "number",
        min: 0,
        max: limit(name),
        step: 0.01,
        onchange,
      });
      return [name, field];
    }),
  );
  const labelled = (text, name) =>
    html("label", { class: "field" }, html("span", {}, text), fields[name]);
  const summary = (found) => {
    const total = current().words.head.length;
    count.textContent = state.box
      ? `${plural(found.length, "word")} of ${grouped(total)} in the frame`
      : `${plural(total, "word")}; drag a frame over the map to select some`;
    for (const name of Object.keys(fields)) fields[name].value = state.box ? state.box[name] : "";
  };
  // Show a word's sentence.
  const read = (i) => {
    const { words, sentenceOf } = current();
    const s = words.sentence(sentenceOf[i]);
    const at = i - s.from;
    const r = row(i);
    const numbers = `confidence ${r.confidence.toFixed(3)}, variability ${r.variability.toFixed(3)}`;
    fill(trees, treeBox(s, { chosen: [at + 1] }, `${r.form}: ${numbers}`));
    centre(trees);
  };
  const opener = (r) =>
    button(r.form, () => {
      state.word = r.i;
      read(r.i);
      record();
      trees.scrollIntoView({ block: "nearest" });
    });
  const fixed = (name, title, value, digits = 3) => ({
    name,
    title,
    info: "data_map",
    number: true,
    value,
    show: (r) => value(r).toFixed(digits),
  });
  const chosen = () => {
    const found = inside();
    summary(found);
    view.place(state.box);
    fill(trees);
    fill(list, found.length ? listed(found) : null);
    if (state.word !== null) read(state.word);
  };
  const listed = (found) => [
    html(
      "p",
      { class: "controls" },
      button("Export CSV", () => save("words.csv", "text/csv", current().csv(state.layer, found))),
      button("Export CoNLL-U", () =>
        save("words.conllu", "text/plain", current().conllu(state.layer, found)),
      ),
      found.length > LISTED
        ? html("span", { class: "count" }, `The first ${LISTED} words are listed; exports contain all.`)
        : null,
    ),
    dataTable({
      label: "Words in the frame",
      filter: "form, relation, sentence …",
      data: found.slice(0, LISTED).map(row),
      columns: [
        { name: "word", value: (r) => r.form, show: (r) => opener(r) },
        { name: "in context", value: (r) => r.i, show: (r) => current().context(r) },
        { name: "part of speech", title: "upos", value: (r) => r.upos },
        { name: "relation", title: "deprel", value: (r) => r.deprel },
        { name: "region", value: (r) => r.region },
        fixed("confidence", "mean probability of the annotation over epochs", (r) => r.confidence),
        fixed("variability", "standard deviation of that probability", (r) => r.variability),
        {
          name: "epochs correct, %",
          title: "share of epochs after which the parser preferred the annotation",
          info: "data_map",
          number: true,
          value: (r) => r.correctness,
        },
        { name: "sentence", value: (r) => r.id },
      ],
    }),
  ];

  const controls = html("div");
  const answer = html("p", { class: "result", id: "maps-answer" });
  const show = () => {
    const map = data.maps[state.map];
    const values = map.values[state.layer];
    const names = data.maps.flatMap((m, i) => (m.treebank === map.treebank ? [[i, m.name]] : []));
    const change = (name, value) => {
      state[name] = value;
      if (name === "map") Object.assign(state, { box: null, relation: "", word: null });
      show();
      record();
    };
    const relations = [["", "all"], ...[...current().words.deprel.values].sort()];
    fill(
      controls,
      html(
        "p",
        { class: "controls" },
        names.length > 1
          ? select("Map", names, state.map, (v) => change("map", Number(v)))
          : html("strong", {}, map.name),
        select(
          "Layer",
          [
            ["head", "heads"],
            ["relation", "relations"],
          ],
          state.layer,
          (v) => change("layer", v),
        ),
        select("Relation", relations, state.relation, (v) => change("relation", v)),
      ),
      html(
        "p",
        { class: "controls" },
        map.regions.map((name, i) =>
          html(
            "span",
            { class: "key", style: `--key: var(${REGION_COLOURS[i]})` },
            values[name] === undefined ? name : `${name} ${values[name].toFixed(1)} %`,
          ),
        ),
        page.has("candidates")
          ? html("a", { href: page.href("candidates") }, "Which annotations should be checked first?")
          : null,
        html(
          "span",
          { class: "count" },
          `mean confidence ${values.confidence.toFixed(3)}, mean variability ${values.variability.toFixed(3)}`,
          current().words.head.length < map.total
            ? `; this page shows a random sample of sentences from ${plural(map.total, "word")}`
            : null,
        ),
      ),
    );
    fill(answer, answerOf(map, state.layer));
    answer.dataset.cited = `On ${map.name}: ${answerOf(map, state.layer).replace(/^The/, "the")}`;
    view.paint();
    chosen();
  };
  const region = (name, box) =>
    button(name, () => frameTo(box(data.maps[state.map].bounds)), { "data-region": name });
  const one = html("div");
  const all = html("div");
  root.append(all, one);
  one.append(
    controls,
    answer,
    html("h3", {}, "One point per word ", info("data_map")),
    view.node,
    spot,
    html(
      "p",
      { class: "controls" },
      html("span", { class: "count" }, "Frame"),
      region("easy", (b) => ({ ...MAP, x1: b.steady, y0: b.easy })),
      region("hard", (b) => ({ ...MAP, x1: b.steady, y1: b.hard })),
      region("ambiguous", (b) => ({ ...MAP, x0: b.wavering })),
      button("none", () => frameTo(null)),
      html("span", { class: "pair" }, labelled("variability from", "x0"), labelled("to", "x1")),
      html("span", { class: "pair" }, labelled("confidence from", "y0"), labelled("to", "y1")),
    ),
    html("p", {}, count),
    trees,
    list,
  );
  const handlers = {
    update() {
      const { params } = page;
      const fits = (m) => !page.treebank || m.treebank === page.treebank;
      one.hidden = showsAll(data.maps, page);
      fill(all, one.hidden ? allMaps(data.maps, page) : null);
      if (one.hidden) return;
      const named = data.maps.findIndex((m) => m.name === params.map && fits(m));
      state.map = Math.max(0, named < 0 ? data.maps.findIndex(fits) : named);
      if (params.layer in data.maps[state.map].layers) state.layer = params.layer;
      state.relation = params.relation || "";
      const box = Object.fromEntries(Object.keys(MAP).map((key) => [key, parseFloat(params[key])]));
      state.box = Object.values(box).every(Number.isFinite) ? box : null;
      const word = parseInt(params.word, 10);
      state.word = word >= 0 && word < current().words.head.length ? word : null;
      show();
    },
    close() {
      state.word = null;
      fill(trees);
      record();
    },
  };
  handlers.update();
  return handlers;
};

export const view = {
  key: "maps",
  title: "Data maps",
  lead: "Which words were easy, hard or ambiguous for a parser in training?",
  filters: ["treebank"],
  shows: (page) => page.has("maps"),
  mount,
};
