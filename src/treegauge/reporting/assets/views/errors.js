// Errors: scores by class of words, and the sentences behind a cell.

import { heatMap } from "../components/heat.js";
import { treeBox, centre } from "../components/tree.js";
import { button, fill, html, select } from "../shell/dom.js";
import { grouped, plural, range } from "../shell/format.js";
import { column, treebank, unpack } from "../shell/packed.js";

// What a system made of the words of a sentence.
const parsedBy = (one, system, s) => {
  const packed = one.parsed[system];
  packed.own = packed.own || { head: unpack(packed.head), deprel: column(packed.deprel) };
  const places = range(s.form.length).map((w) => s.from + w);
  return {
    head: places.map((p) => packed.own.head[p] - 1),
    deprel: places.map((p) => packed.own.deprel.at(p)),
  };
};

const mount = (root, page) => {
  const data = page.data("scores");
  const holder = html("div");
  const panel = html("div", {
    class: "panel",
    id: "errors-sentences",
    role: "region",
    "aria-label": "Sentences behind a cell",
    "aria-live": "polite",
  });
  const current = () => data.treebanks.find((t) => t.treebank === page.treebank) || data.treebanks[0];
  const by = () => {
    const kinds = current().breakdowns.map((b) => b.by);
    return kinds.includes(page.params.by) ? page.params.by : kinds[0];
  };
  const classes = () => current().breakdowns.find((b) => b.by === by()).rows;
  const choose = (changes) => {
    page.set(changes, { push: true });
    show();
  };
  const close = () => choose({ class: null, of: null });

  const show = () => {
    const one = current();
    const map = heatMap({
      by: by(),
      systems: one.systems,
      rows: classes(),
      pressed: (row, i) => row.class === page.params.class && one.systems[i] === page.params.of,
      onchoose: (row, i) => {
        page.set({ class: row.class, of: one.systems[i] }, { push: true });
        sentences();
        panel.scrollIntoView({ block: "nearest" });
      },
    });
    const kinds = one.breakdowns.map((b) => b.by);
    const size = `${one.name}: ${plural(one.sentences, "sentence")}, ${plural(one.words, "word")}`;
    fill(
      holder,
      html(
        "p",
        { class: "controls" },
        select("By", kinds, by(), (v) => choose({ by: v, class: null, of: null })),
        html("span", { class: "count" }, size),
      ),
      map,
      panel,
    );
    sentences();
  };
  const sentences = () => {
    const one = current();
    const row = classes().find((r) => r.class === page.params.class);
    const number = one.systems.indexOf(page.params.of);
    if (!row || number < 0) {
      fill(panel);
      return;
    }
    one.words_ = one.words_ || treebank(one.gold);
    const system = one.systems[number];
    const { correct, examples } = row.systems[number];
    const wrong = plural(row.gold - correct, "word");
    const legend =
      `Gold above, ${system} below; words in question in bold, the system's wrong heads dashed, ` +
      "wrong relations dotted.";
    fill(
      panel,
      html(
        "p",
        { class: "controls" },
        html("strong", {}, `${system}, ${by()} ${row.class}: ${wrong} of ${grouped(row.gold)} wrong`),
        button("Close", close),
      ),
      html("p", {}, examples.length ? legend : "Nothing went wrong here."),
      examples.map(([i, chosen]) => {
        const s = one.words_.sentence(i);
        return treeBox(s, { chosen, parsed: parsedBy(one, number, s) });
      }),
      examples.length
        ? html("p", { class: "count" }, `${plural(examples.length, "sentence")} shown`)
        : null,
    );
    centre(panel);
  };
  root.append(holder);
  show();
  return {
    update: show,
    close() {
      if (page.params.class) close();
    },
  };
};

export const view = {
  key: "errors",
  title: "Errors",
  lead: "What do the systems get wrong?",
  filters: ["treebank"],
  shows: (page) => page.has("scores"),
  mount,
};
