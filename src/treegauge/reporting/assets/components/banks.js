// All sentences on the page, in banks: scored sentences, and those of maps and candidates.

import { range } from "../shell/format.js";
import { column, unpack } from "../shell/packed.js";

const EMPTY = { values: ["_"], codes: { at: () => 0 }, at: () => "_" };

// A system's analysis of the words of a bank: heads as packed (plus one), relations as a column.
const parse = (packed, offsets) => {
  const head = unpack(packed.head);
  const deprel = column(packed.deprel);
  const upos = packed.upos ? column(packed.upos) : null;
  const of = (s) => {
    const places = range(offsets[s + 1] - offsets[s]).map((w) => offsets[s] + w);
    return {
      head: places.map((i) => head[i] - 1),
      deprel: places.map((i) => deprel.at(i)),
      upos: upos && places.map((i) => upos.at(i)),
    };
  };
  return { head, deprel, upos, of };
};

// A bank of packed trees. `parsed` is one packed parse per system.
export const makeBank = ({ name, treebank, trees, systems = [], parsed = [] }) => {
  const offsets = unpack(trees.offsets);
  const head = unpack(trees.head);
  const count = offsets.length - 1;
  const columns = Object.fromEntries(
    ["form", "lemma", "upos", "feats", "deprel"].map((key) => [
      key,
      trees[key] ? column(trees[key]) : EMPTY,
    ]),
  );
  const glued = trees.glued ? unpack(trees.glued) : null;
  const numbers = trees.number ? unpack(trees.number) : null;
  const parses = new Map();
  const owner = { of: null };
  const sentenceOf = (i) => {
    if (!owner.of) {
      owner.of = new Uint32Array(offsets[count]);
      for (let s = 0; s < count; s += 1) owner.of.fill(s, offsets[s], offsets[s + 1]);
    }
    return owner.of[i];
  };
  const sentence = (s) => {
    const from = offsets[s];
    const places = range(offsets[s + 1] - from).map((w) => from + w);
    const each = (key) => places.map((i) => columns[key].at(i));
    return {
      id: trees.id[s],
      number: numbers ? numbers[s] : s + 1,
      from,
      form: each("form"),
      lemma: each("lemma"),
      upos: each("upos"),
      feats: each("feats"),
      deprel: each("deprel"),
      head: places.map((i) => head[i] - 1),
    };
  };
  // The text of a sentence, and where each word is in it.
  const spelled = (s) => {
    let text = "";
    const words = [];
    for (let i = offsets[s]; i < offsets[s + 1]; i += 1) {
      const form = columns.form.at(i);
      words.push([text.length, text.length + form.length]);
      text += form;
      if (i + 1 < offsets[s + 1] && !(glued && glued[i])) text += " ";
    }
    return { text, words };
  };
  const system = (called) => {
    const at = systems.indexOf(called);
    if (at < 0) return null;
    if (!parses.has(called)) parses.set(called, parse(parsed[at], offsets));
    return parses.get(called);
  };
  const find = (address) => {
    const at = trees.id.indexOf(address);
    return at >= 0 ? at : null;
  };
  const rest = { offsets, head, count, systems, id: trees.id };
  return { name, treebank, ...columns, ...rest, sentenceOf, sentence, spelled, system, find };
};

const made = new WeakMap();

const bankOf = (owner, describe) => {
  if (!made.has(owner)) made.set(owner, makeBank(describe()));
  return made.get(owner);
};

export const scoredBank = (part) =>
  bankOf(part, () => ({
    name: part.name,
    treebank: part.treebank,
    trees: part.gold,
    systems: part.systems,
    parsed: part.parsed,
  }));

export const mapBank = (map) =>
  bankOf(map, () => ({ name: map.name, treebank: map.treebank, trees: map.words }));

export const candidateBank = (list) =>
  bankOf(list, () => ({ name: list.name, treebank: list.treebank, trees: list.words }));

// The banks of a page, scored sentences first; those of one treebank if one is chosen. Sentences
// with candidates are among those of the maps, if there are maps.
export const pageBanks = (page) => {
  const scored = page.has("scores") ? page.data("scores").treebanks.map(scoredBank) : [];
  const mapped = page.has("maps") ? page.data("maps").maps.map(mapBank) : [];
  const listed =
    page.has("candidates") && !mapped.length
      ? page.data("candidates").lists.map(candidateBank)
      : [];
  const all = [...scored, ...mapped, ...listed];
  return page.treebank ? all.filter((one) => one.treebank === page.treebank) : all;
};
