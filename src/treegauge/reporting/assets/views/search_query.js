// The query language of the search: words with conditions, and how they are related.
//
//   query     = word { relation word }
//   word      = condition { condition } | "(" query ")" | "[]"
//   condition = KEY ("=" | "!=") value { "|" value } | value
//   relation  = [ "!" ] ( ">" | ">>" | "<" | "<<" | "." | ".." )
//
// Every relation is about the first word of its query; parentheses begin another query. Nothing in
// a query is run as code or as a regular expression: * in a value matches any characters.

export const KEYS = ["form", "lemma", "upos", "deprel", "head", "wrong", "parsed"];
export const RELATIONS = {
  ">": "is the head of",
  ">>": "is above",
  "<": "depends on",
  "<<": "is below",
  ".": "comes right before",
  "..": "comes before",
};
const ALIASES = { rel: "deprel", relation: "deprel", tag: "upos", pos: "upos", word: "form" };
const CHOICES = {
  wrong: ["head", "relation", "any", "none"],
  head: ["left", "right", "root"],
};
const LONGEST = 400; // characters
const DEEPEST = 8; // parentheses
const MOST = 16; // words in a query
const SPECIAL = new Set(' \t\n"()=!|<>[]');

export class QueryError extends Error {
  constructor(message, at, length = 1) {
    super(message);
    this.at = at;
    this.length = Math.max(1, length);
  }
}

const isSpace = (c) => c === " " || c === "\t" || c === "\n";

// Cut a query into tokens: {kind, text, at, length}; quoted text is a value of its own.
export const tokens = (text) => {
  const found = [];
  let at = 0;
  const push = (kind, value, length) => {
    found.push({ kind, text: value, at, length });
    at += length;
  };
  const quoted = () => {
    let value = "";
    for (let end = at + 1; end < text.length; end += 1) {
      if (text[end] === '"') return push("value", { text: value, exact: true }, end + 1 - at);
      if (text[end] === "\\" && end + 1 < text.length) end += 1;
      value += text[end];
    }
    throw new QueryError("this quotation mark is never closed", at);
  };
  while (at < text.length) {
    const c = text[at];
    const two = text.slice(at, at + 2);
    if (isSpace(c)) at += 1;
    else if (c === '"') quoted();
    else if (two === "[]") push("any", two, 2);
    else if (two === "!=") push("!=", two, 2);
    else if (two === ">>" || two === "<<") push("relation", two, 2);
    else if (c === "<" || c === ">") push("relation", c, 1);
    else if ("()=!|".includes(c)) push(c, c, 1);
    else if (c === "[" || c === "]") throw new QueryError("expected [] for any word", at);
    else {
      let end = at;
      while (end < text.length && !SPECIAL.has(text[end])) end += 1;
      const bare = text.slice(at, end);
      if (bare === "." || bare === "..") push("relation", bare, bare.length);
      else push("value", { text: bare, exact: false }, bare.length);
    }
  }
  return found;
};

const said = (token) => {
  if (!token) return "the end of the query";
  return `'${token.kind === "value" ? token.text.text : token.text}'`;
};

// Parse a query: {conditions: [{key, values, negated, at}], relations: [{name, negated, to}]}.
export const parseQuery = (text) => {
  if (text.length > LONGEST)
    throw new QueryError(`a query has at most ${LONGEST} characters`, LONGEST, text.length);
  const list = tokens(text);
  let next = 0;
  let words = 0;
  const peek = () => list[next];
  const fail = (expected, token = peek()) => {
    const { at, length } = token || { at: text.length, length: 1 };
    throw new QueryError(`expected ${expected}, found ${said(token)}`, at, length);
  };
  const value = () => {
    const token = peek();
    if (!token || token.kind !== "value") fail("a value");
    next += 1;
    return token.text;
  };

  const values = (first) => {
    const all = [first];
    while (peek() && peek().kind === "|") {
      next += 1;
      all.push(value());
    }
    return all;
  };

  const keyOf = (token) => {
    const name = token.text.text;
    const key = ALIASES[name.toLowerCase()] || name;
    if (KEYS.includes(key)) return key;
    if (!token.text.exact && /^[A-Z]/.test(name)) return `feats.${name}`; // Case=Acc
    const known = [...KEYS, "a feature such as Case"].join(", ");
    throw new QueryError(`'${name}' is not a known key; expected ${known}`, token.at, token.length);
  };

  const condition = () => {
    const token = peek();
    const first = value();
    const sign = peek();
    if (!sign || (sign.kind !== "=" && sign.kind !== "!="))
      return { key: "form", values: values(first), negated: false, at: token.at };
    const key = keyOf(token);
    next += 1;
    const start = peek();
    const found = values(value());
    const wrong = CHOICES[key] && found.find((one) => !CHOICES[key].includes(one.text));
    if (wrong) {
      const expected = CHOICES[key].join(", ");
      throw new QueryError(
        `'${wrong.text}' is not a value of ${key}; expected one of ${expected}`,
        start.at,
        start.length,
      );
    }
    return { key, values: found, negated: sign.kind === "!=", at: token.at };
  };

  const word = (depth) => {
    words += 1;
    if (words > MOST) fail(`at most ${MOST} words in a query`);
    const token = peek();
    if (token && token.kind === "(") {
      if (depth >= DEEPEST) fail(`at most ${DEEPEST} parentheses inside each other`);
      next += 1;
      const inner = query(depth + 1);
      if (!peek() || peek().kind !== ")") fail("')'");
      next += 1;
      return inner;
    }
    if (token && token.kind === "any") {
      next += 1;
      return { conditions: [], relations: [] };
    }
    if (!token || token.kind !== "value") fail("a word, such as upos=NOUN");
    const conditions = [];
    while (peek() && peek().kind === "value") conditions.push(condition());
    return { conditions, relations: [] };
  };

  const query = (depth) => {
    const head = word(depth);
    while (peek() && (peek().kind === "relation" || peek().kind === "!")) {
      const negated = peek().kind === "!";
      if (negated) next += 1;
      const sign = peek();
      if (!sign || sign.kind !== "relation") fail(`one of ${Object.keys(RELATIONS).join(" ")}`);
      next += 1;
      head.relations.push({ name: sign.text, negated, to: word(depth) });
    }
    return head;
  };

  if (!list.length) throw new QueryError("an empty query finds nothing; try upos=NOUN", 0);
  const whole = query(0);
  if (peek()) fail("a relation such as > or the end of the query");
  return whole;
};

// The first condition about a system's output in a query, or null.
export const systemCondition = (query) =>
  query.conditions.find(({ key }) => key === "wrong" || key === "parsed") ||
  query.relations.reduce((found, one) => found || systemCondition(one.to), null);

// The query that asks one thing about a word; * is a wildcard in what was typed.
export const fieldQuery = (key, typed) => ({
  conditions: [{ key, values: [{ text: typed, exact: false }], negated: false, at: 0 }],
  relations: [],
});
