// Confusions of relations or tags: how frequent they are, in a sentence, and the words in a cell.

import { grouped, plural } from "../shell/format.js";

export const MISSING = "(no such word)";

// The cells of one system with names: {gold, system, count, heads}; the most frequent first.
export const cellsOf = ({ names, cells }) =>
  cells.map(([gold, system, count, heads]) => ({
    gold: names[gold],
    system: system < 0 ? MISSING : names[system],
    count,
    heads,
  }));

export const errorCount = (confusion) => confusion.cells.reduce((sum, cell) => sum + cell[2], 0);

// Rows and columns of the matrix: the values with most errors, as many as `limit`.
export const matrixOf = (confusion, limit) => {
  const cells = cellsOf(confusion);
  const costs = new Map();
  for (const one of cells)
    for (const name of new Set([one.gold, one.system]))
      if (name !== MISSING) costs.set(name, (costs.get(name) || 0) + one.count);
  const all = [...costs.keys()].sort((a, b) => costs.get(b) - costs.get(a) || (a < b ? -1 : 1));
  const names = all.slice(0, limit);
  const kept = new Set(names);
  const missing = cells.some((one) => one.system === MISSING && kept.has(one.gold));
  const counts = new Map(cells.map((one) => [`${one.gold} ${one.system}`, one]));
  const words = new Map(confusion.names.map((name, i) => [name, confusion.words[i]]));
  return {
    names,
    columns: missing ? [...names, MISSING] : names,
    hidden: all.length - names.length,
    cell: (gold, system) => counts.get(`${gold} ${system}`) || null,
    words: (name) => words.get(name) || 0,
  };
};

const share = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

// What a cell means, in a sentence.
export const cellText = (one, system, of, { words, errors }) => {
  const [own, all] = [share(one.count, words), share(one.count, errors)];
  const shares = `${own} of ${one.gold}; ${all} of its errors`;
  const some = `${grouped(one.count)} ${one.gold} ${one.count === 1 ? "word" : "words"}`;
  if (one.system === MISSING) return `${system} has no word that matches ${some} (${shares}).`;
  if (of === "upos") return `${system} tags ${some} as ${one.system} (${shares}).`;
  if (one.gold === one.system)
    return `${system} attaches ${some} to an incorrect head, with the correct relation (${shares}).`;
  const both = one.heads ? `; the head is incorrect, too, in ${grouped(one.heads)}` : "";
  return `${system} labels ${some} as ${one.system} (${shares})${both}.`;
};

const plain = (relation) => relation.split(":")[0];

// The words of a cell that are in sentences on the page: [{sentence, words}].
export const cellWords = (bank, system, of, cell, { punct = true, subtypes = false } = {}) => {
  const parsed = bank.system(system);
  if (!parsed || (of === "upos" && !parsed.upos)) return [];
  const name = subtypes ? (value) => value : plain;
  const own = of === "upos" ? bank.upos : bank.deprel;
  const theirs = of === "upos" ? parsed.upos : parsed.deprel;
  const value = of === "upos" ? (text) => text : name;
  const gold = own.values.map((text) => value(text) === cell.gold);
  const given = cell.system === MISSING ? "–" : cell.system;
  const other = theirs.values.map((text) => value(text) === given);
  const found = [];
  for (let s = 0; s < bank.count; s += 1) {
    const words = [];
    for (let i = bank.offsets[s]; i < bank.offsets[s + 1]; i += 1) {
      if (!gold[own.codes[i]] || !other[theirs.codes[i]]) continue;
      if (cell.gold === cell.system && parsed.head[i] === bank.head[i]) continue;
      if (!punct && bank.upos.at(i) === "PUNCT") continue;
      words.push(i - bank.offsets[s] + 1);
    }
    if (words.length) found.push({ sentence: s, words });
  }
  return found;
};

// The incorrect words of a relation or tag in the page's sentences: [{sentence, words}].
export const classWords = (bank, system, by, name, { punct = true, subtypes = false } = {}) => {
  const parsed = bank.system(system);
  const value = subtypes ? (text) => text : plain;
  const own = by === "upos" ? bank.upos : bank.deprel;
  const inClass = own.values.map((text) => (by === "upos" ? text : plain(text)) === name);
  const found = [];
  for (let s = 0; s < bank.count; s += 1) {
    const words = [];
    for (let i = bank.offsets[s]; i < bank.offsets[s + 1]; i += 1) {
      if (!inClass[own.codes[i]] || (!punct && bank.upos.at(i) === "PUNCT")) continue;
      const correct =
        parsed.head[i] === bank.head[i] && value(parsed.deprel.at(i)) === value(bank.deprel.at(i));
      if (!correct) words.push(i - bank.offsets[s] + 1);
    }
    if (words.length) found.push({ sentence: s, words });
  }
  return found;
};

// How many of a cell's words are in sentences of the page; of several runs, as the first has them.
export const shownText = (cell, found, runs = 1) => {
  if (runs > 1) return `mean of ${runs} runs; below, sentences as the first run has them`;
  const words = found.reduce((sum, one) => sum + one.words.length, 0);
  if (words === cell.count)
    return `all ${plural(words, "word")} in ${plural(found.length, "sentence")}`;
  return `this page has the sentences of ${grouped(words)} of the ${plural(cell.count, "word")}`;
};

// The confusions of several treebanks added up.
export const merged = (all) => {
  if (all.length === 1) return all[0];
  const place = new Map();
  const names = [];
  const words = [];
  const numberOf = (name) => {
    if (!place.has(name)) {
      place.set(name, names.length);
      names.push(name);
      words.push(0);
    }
    return place.get(name);
  };
  const cells = new Map();
  for (const one of all) {
    one.names.forEach((name, i) => {
      words[numberOf(name)] += one.words[i];
    });
    for (const [gold, system, count, heads] of one.cells) {
      const pair = [numberOf(one.names[gold]), system < 0 ? -1 : numberOf(one.names[system])];
      const cell = cells.get(pair.join()) || [...pair, 0, 0];
      cell[2] += count;
      cell[3] += heads;
      cells.set(pair.join(), cell);
    }
  }
  return { names, words, cells: [...cells.values()].sort((a, b) => b[2] - a[2]) };
};
