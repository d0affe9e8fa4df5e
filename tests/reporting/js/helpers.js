// Sentences for tests: rows of [form, lemma, upos, feats, head, deprel], packed as Python packs them.

import { makeBank } from "../../../src/treegauge/reporting/assets/components/banks.js";

const numbers = (values) => ({
  u8: btoa(String.fromCharCode(...values)),
});

const texts = (values) => {
  const distinct = [...new Set(values)];
  return { values: distinct, codes: numbers(values.map((one) => distinct.indexOf(one))) };
};

export const packed = (sentences) => {
  const rows = Object.values(sentences).flat();
  const offsets = [0];
  for (const one of Object.values(sentences)) offsets.push(offsets.at(-1) + one.length);
  const at = (k) => rows.map((row) => row[k]);
  return {
    offsets: numbers(offsets),
    id: Object.keys(sentences),
    form: texts(at(0)),
    lemma: texts(at(1)),
    upos: texts(at(2)),
    feats: texts(at(3)),
    head: numbers(at(4).map((head) => head + 1)),
    deprel: texts(at(5)),
  };
};

export const parsedAs = (rows) => ({
  head: numbers(rows.map(([head]) => head + 1)),
  deprel: texts(rows.map(([, deprel]) => deprel)),
});

export const SENTENCES = {
  first: [
    ["The", "the", "DET", "Definite=Def", 2, "det"],
    ["dogs", "dog", "NOUN", "Number=Plur", 3, "nsubj"],
    ["chased", "chase", "VERB", "Tense=Past", 0, "root"],
    ["a", "a", "DET", "Definite=Ind", 6, "det"],
    ["black", "black", "ADJ", "_", 6, "amod"],
    ["cat", "cat", "NOUN", "Case=Acc,Nom|Number=Sing", 3, "obj"],
    [".", ".", "PUNCT", "_", 3, "punct"],
  ],
  second: [
    ["Cats", "cat", "NOUN", "Number=Plur", 2, "nsubj:pass"],
    ["slept", "sleep", "VERB", "Tense=Past", 0, "root"],
  ],
};

export const bank = (options = {}) =>
  makeBank({ name: "A/test", treebank: "A", trees: packed(SENTENCES), ...options });
