// The words of a data map: their numbers, their sentences, and exports of a selection.

import { csvText } from "../components/export_text.js";
import { html } from "../shell/dom.js";
import { range } from "../shell/format.js";
import { treebank, unpack } from "../shell/packed.js";

export const mapWords = (map, steps) => {
  const words = treebank(map.words);
  const sentenceOf = new Uint32Array(words.head.length);
  for (let i = 0; i + 1 < words.offsets.length; i += 1)
    sentenceOf.fill(i, words.offsets[i], words.offsets[i + 1]);
  const layers = Object.fromEntries(
    Object.entries(map.layers).map(([name, l]) => [
      name,
      {
        confidence: unpack(l.confidence),
        variability: unpack(l.variability),
        region: unpack(l.region),
        correctness: l.correctness && unpack(l.correctness),
      },
    ]),
  );

  // The numbers of the words in a frame, in their order.
  const inside = (layer, box, relation) => {
    const { confidence, variability } = layers[layer];
    const found = [];
    const [low, high, down, up] = [box.x0, box.x1, box.y0, box.y1].map((v) => v * steps);
    const code = relation ? words.deprel.values.indexOf(relation) : -1;
    for (let i = 0; i < confidence.length; i += 1) {
      const v = variability[i];
      const c = confidence[i];
      const framed = v >= low && v <= high && c >= down && c <= up;
      if (framed && (code < 0 || words.deprel.codes[i] === code)) found.push(i);
    }
    return found;
  };

  const row = (layer, i) => {
    const one = layers[layer];
    const s = sentenceOf[i];
    return {
      i,
      sentence: s,
      id: words.id[s],
      word: i - words.offsets[s] + 1,
      form: words.form.at(i),
      upos: words.upos.at(i),
      deprel: words.deprel.at(i),
      head: words.head[i] - 1,
      confidence: one.confidence[i] / steps,
      variability: one.variability[i] / steps,
      correctness: one.correctness ? one.correctness[i] : null,
      region: map.regions[one.region[i]],
    };
  };

  // A word among its neighbours.
  const context = (r) => {
    const from = words.offsets[r.sentence];
    const to = words.offsets[r.sentence + 1];
    const left = Math.max(from, r.i - 6);
    const right = Math.min(to, r.i + 7);
    const some = (a, b) =>
      range(Math.max(0, b - a))
        .map((k) => words.form.at(a + k))
        .join(" ");
    return html(
      "span",
      {},
      left > from ? "… " : "",
      some(left, r.i),
      " ",
      html("strong", {}, r.form),
      " ",
      some(r.i + 1, right),
      right < to ? " …" : "",
    );
  };

  const listed = (layer, found) => ({
    columns: "sent_id,word,form,upos,head,deprel,confidence,variability,region".split(","),
    rows: found.map((i) => {
      const r = row(layer, i);
      const numbers = [r.confidence, r.variability].map((v) => Number(v.toFixed(5)));
      return [r.id, r.word, r.form, r.upos, r.head, r.deprel, ...numbers, r.region];
    }),
  });
  const csv = (layer, found) => csvText(listed(layer, found));
  // All words of a layer, or those with a relation, for exports of the whole map.
  const points = (layer, relation) =>
    listed(layer, inside(layer, { x0: 0, x1: 1, y0: 0, y1: 1 }, relation));

  const conllu = (layer, found) => {
    const marked = new Set(found);
    const lines = [];
    for (const number of new Set(found.map((i) => sentenceOf[i]))) {
      const s = words.sentence(number);
      lines.push(`# sent_id = ${s.id}`, `# text = ${s.form.join(" ")}`);
      s.form.forEach((form, k) => {
        const r = row(layer, s.from + k);
        const misc = `Confidence=${r.confidence.toFixed(5)}|Region=${r.region}|Variability=${r.variability.toFixed(5)}`;
        const note = marked.has(s.from + k) ? misc : "_";
        lines.push(
          [k + 1, form, "_", s.upos[k], "_", "_", s.head[k], s.deprel[k], "_", note].join("\t"),
        );
      });
      lines.push("");
    }
    return `${lines.join("\n")}\n`;
  };
  return { words, sentenceOf, layers, inside, row, context, csv, points, conllu };
};
