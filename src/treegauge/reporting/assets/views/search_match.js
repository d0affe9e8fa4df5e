// The words of the page's sentences that match a query.

// Whether a text matches a pattern in which * is any characters: linear in both but for backtracking
// to the last star, so that no pattern takes long.
export const fits = (pattern, text) => {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === "*") {
      star = p;
      mark = t;
      p += 1;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      mark += 1;
      t = mark;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
};

const folded = (text) => text.normalize("NFC").toLowerCase();
const feature = (feats, name) => {
  for (const pair of feats.split("|"))
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1).split(",");
  return [];
};

// A test of one value of a column; quoted values are compared exactly, without wildcards.
const valueTest = (key, { text, exact }) => {
  if (key.startsWith("feats.")) {
    const name = key.slice(6);
    return (value) => feature(value, name).some((one) => exact ? one === text : fits(text, one));
  }
  if (key === "deprel" || key === "parsed")
    return exact
      ? (value) => value === text
      : (value) => fits(text, value) || fits(text, value.split(":")[0]);
  if (exact) return (value) => value === text;
  const pattern = folded(text);
  return (value) => fits(pattern, folded(value));
};

const plain = (relation) => relation.split(":")[0];

// Columns of a bank have {values, codes}: a condition is decided once per distinct value.
const columnMask = (column, condition) => {
  const tests = condition.values.map((one) => valueTest(condition.key, one));
  const kept = column.values.map((value) => tests.some((test) => test(value)));
  return (i) => kept[column.codes[i]];
};

const never = () => false;

// What holds of word i of a bank; `system` has the heads and relations to call wrong.
const conditionTest = (bank, system, condition) => {
  const { key, values, negated } = condition;
  const asked = new Set(values.map((one) => one.text));
  const tests = {
    head: (i) => {
      const head = bank.head[i] - 1;
      const word = i - bank.offsets[bank.sentenceOf(i)] + 1;
      if (head <= 0) return asked.has("root");
      return asked.has(head < word ? "left" : "right");
    },
    wrong: (i) => {
      const head = system.head[i] !== bank.head[i];
      const relation = plain(system.deprel.at(i)) !== plain(bank.deprel.at(i));
      return (
        (asked.has("head") && head) ||
        (asked.has("relation") && relation) ||
        (asked.has("any") && (head || relation)) ||
        (asked.has("none") && !head && !relation)
      );
    },
  };
  let test = tests[key];
  if ((key === "wrong" || key === "parsed") && !system) return never;
  if (key === "parsed") test = columnMask(system.deprel, condition);
  else if (!test) {
    const column = bank[key.startsWith("feats.") ? "feats" : key];
    test = column ? columnMask(column, condition) : never;
  }
  return negated ? (i) => !test(i) : test;
};

// Candidates for the other end of a relation of word w (from 0) in a sentence of n words.
const others = {
  ">": (w, n, head, each) => {
    for (let k = 0; k < n; k += 1) if (head(k) === w && each(k)) return true;
    return false;
  },
  ">>": (w, n, head, each) => {
    for (let k = 0; k < n; k += 1) {
      let up = head(k);
      for (let steps = 0; up >= 0 && up !== w && steps < n; steps += 1) up = head(up);
      if (up === w && k !== w && each(k)) return true;
    }
    return false;
  },
  "<": (w, n, head, each) => head(w) >= 0 && each(head(w)),
  "<<": (w, n, head, each) => {
    let up = head(w);
    for (let steps = 0; up >= 0 && steps < n; steps += 1) {
      if (each(up)) return true;
      up = head(up);
    }
    return false;
  },
  ".": (w, n, head, each) => w + 1 < n && each(w + 1),
  "..": (w, n, head, each) => {
    for (let k = w + 1; k < n; k += 1) if (each(k)) return true;
    return false;
  },
};

const compiled = (bank, system, query) => {
  const conditions = query.conditions.map((one) => conditionTest(bank, system, one));
  const relations = query.relations.map((one) => ({
    ...one,
    to: compiled(bank, system, one.to),
  }));
  // `seen` remembers this word of the query for one sentence: 0 unknown, 1 fits, 2 does not.
  const node = { seen: new Uint8Array(0), conditions, relations };
  return node;
};

const reset = (node, n) => {
  node.seen = new Uint8Array(n);
  for (const one of node.relations) reset(one.to, n);
};

const holds = (node, w, sentence) => {
  if (node.seen[w]) return node.seen[w] === 1;
  const { from, n, head } = sentence;
  const fitting =
    node.conditions.every((test) => test(from + w)) &&
    node.relations.every(
      (one) => others[one.name](w, n, head, (k) => holds(one.to, k, sentence)) !== one.negated,
    );
  node.seen[w] = fitting ? 1 : 2;
  return fitting;
};

// The words at the other ends of the relations of a word that fits, to be shown beside it.
const partners = (node, w, sentence, found) => {
  const { n, head } = sentence;
  for (const one of node.relations)
    if (!one.negated)
      others[one.name](w, n, head, (k) => {
        if (holds(one.to, k, sentence)) {
          found.add(k + 1);
          if (one.to.relations.length) partners(one.to, k, sentence, found);
        }
        return false;
      });
};

// The sentences of a bank with words that fit: [{sentence, words, partners}], positions from 1.
export const matches = (bank, query, { system = null } = {}) => {
  const root = compiled(bank, system, query);
  const found = [];
  for (let s = 0; s + 1 < bank.offsets.length; s += 1) {
    const from = bank.offsets[s];
    const n = bank.offsets[s + 1] - from;
    if (!mayFit(root, from, n)) continue;
    const head = (k) => (bank.head[from + k] - 2 < n ? bank.head[from + k] - 2 : -1);
    const sentence = { from, n, head };
    reset(root, n);
    const words = [];
    const also = new Set();
    for (let w = 0; w < n; w += 1)
      if (holds(root, w, sentence)) {
        words.push(w + 1);
        partners(root, w, sentence, also);
      }
    if (words.length) found.push({ sentence: s, words, partners: [...also].sort((a, b) => a - b) });
  }
  return found;
};

// Most sentences have no word that meets the conditions of the query's first word.
const mayFit = (root, from, n) => {
  for (let w = 0; w < n; w += 1) if (root.conditions.every((test) => test(from + w))) return true;
  return false;
};

// The sentences whose text contains what was typed, whatever its case.
export const textMatches = (bank, typed) => {
  const wanted = folded(typed.trim().replace(/\s+/g, " "));
  const found = [];
  if (!wanted) return found;
  for (let s = 0; s + 1 < bank.offsets.length; s += 1) {
    const { text, words } = bank.spelled(s);
    const at = folded(text).indexOf(wanted);
    if (at < 0) continue;
    const end = at + wanted.length;
    const hit = words.flatMap(([a, b], k) => (a < end && b > at ? [k + 1] : []));
    found.push({ sentence: s, words: hit, partners: [] });
  }
  return found;
};
