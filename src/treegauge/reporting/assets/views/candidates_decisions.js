// Decisions about items of a work list: kept in the browser, exported as TSV and as a unified diff.

export const DECISIONS = ["accept", "reject", "skip"];

// The identifier of an item; it does not depend on its place in the list or in the file.
export const idOf = (one) => `${one.sent_id} ${one.key}`;

// "head=3 deprel=obl" as an object: head and relation together, other columns alone.
export const parseValues = (cell) => {
  const parts = /^(head|deprel)=/.test(cell) ? cell.split(" ") : cell ? [cell] : [];
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );
};
export const writeValues = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

const OWN = ["decision", "edit", "comment", "who"];
const valid = (made) =>
  made && typeof made === "object" && OWN.every((name) => typeof made[name] === "string");

// Decisions by item; `storage()` returns the browser's storage, and throws if that is blocked. Items
// bring the decisions that were made elsewhere.
export const makeDecisions = (key, storage) => {
  const name = `treegauge work ${key}`;
  let made = {};
  let kept = true;
  let who = "";
  try {
    who = storage().getItem("treegauge who") || "";
    const found = JSON.parse(storage().getItem(name) || "{}");
    for (const [id, one] of Object.entries(found || {}))
      if (valid(one) && ["", ...DECISIONS].includes(one.decision)) made[id] = one;
  } catch {
    kept = false;
  }
  const write = () => {
    try {
      storage().setItem(name, JSON.stringify(made));
      storage().setItem("treegauge who", who);
      kept = true;
    } catch {
      kept = false;
    }
  };
  const full = (one) => {
    const id = idOf(one);
    if (Object.hasOwn(made, id)) return made[id];
    return Object.fromEntries(OWN.map((field) => [field, one[field] || ""]));
  };
  return {
    // Whether the browser keeps decisions after the page is closed.
    get kept() {
      return kept;
    },
    get who() {
      return who;
    },
    set who(text) {
      who = text;
      write();
    },
    full,
    of: (one) => full(one).decision || null,
    // The values to write if the item is accepted.
    values: (one) => parseValues(full(one).edit || one.proposed),
    set(one, decision, changes = {}) {
      const edit = decision === "accept" ? full(one).edit : "";
      made[idOf(one)] = { ...full(one), edit, decision: decision || "", who, ...changes };
      write();
    },
    clear() {
      made = {};
      write();
    },
    counts(all) {
      const counts = { accept: 0, reject: 0, skip: 0, open: 0 };
      for (const one of all) counts[this.of(one) || "open"] += 1;
      return counts;
    },
  };
};

// A leading = + - @ would be a formula in a spreadsheet; single characters and numbers are none.
// The bytes are those that treegauge writes, so that git merges the files of two people line by line.
const cell = (value, name) => {
  if (value === null || value === undefined || value === "") return '""';
  const text = name === "score" && Number.isInteger(value) ? value.toFixed(1) : String(value);
  const runs = /^'*[=+\-@\t\r]/.test(text) && text.length > 1 && !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text);
  const safe = runs ? `'${text}` : text;
  return /["\t\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const COLUMNS = [
  ..."kind file line sentence sent_id text key word form annotated proposed".split(" "),
  ..."reason score decision edit who comment".split(" "),
];

// All items with their decisions, and the decisions about what is not listed now, as TSV: what
// `treegauge review --decisions` reads.
export const toTsv = (items, decisions, others = []) => {
  const rows = [...items.map((one) => ({ ...one, ...decisions.full(one) })), ...others];
  return [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => cell(row[name], name)))]
    .map((line) => `${line.join("\t")}\n`)
    .join("");
};

const FIELDS = { lemma: 2, upos: 3, xpos: 4, feats: 5, head: 6, deprel: 7 };

// Whether every word leads to one root.
export const isTree = (head) => {
  if (head.filter((one) => one === 0).length !== 1) return false;
  return head.every((_, i) => {
    let at = i + 1;
    for (let steps = 0; at > 0 && steps <= head.length; steps += 1) at = head[at - 1] ?? -1;
    return at === 0;
  });
};

// Lines with the accepted values, and the sentences that are left out: their heads would not be a tree.
const accepted = (items, decisions) => {
  const sentences = new Map();
  for (const one of items) {
    if (decisions.of(one) !== "accept" || !one.word) continue;
    if (!sentences.has(one.at)) sentences.set(one.at, { gold: one.gold, id: one.sent_id, words: [] });
    sentences.get(one.at).words.push({ one, values: decisions.values(one) });
  }
  const changed = new Map();
  const refused = [];
  for (const { gold, id, words } of sentences.values()) {
    const head = gold ? [...gold.head] : null;
    const given = new Map();
    let twice = false;
    for (const { one, values } of words)
      for (const [name, value] of Object.entries(values)) {
        const place = `${one.line} ${name}`;
        twice ||= given.has(place) && given.get(place) !== value;
        given.set(place, value);
        if (head && name === "head") head[one.word - 1] = Number(value);
      }
    if (twice || (head && isTree(gold.head) && !isTree(head))) refused.push(id);
    else
      for (const { one, values } of words)
        changed.set(one.line, { ...changed.get(one.line), ...values });
  }
  return { changed, refused };
};

// The accepted items of one file as a unified diff, for `git apply` and `patch`, and the sentences left out.
// `excerpts` has the lines around all items: the number of the first, and the lines with ends.
const filePatch = (items, decisions, { file, context, excerpts }) => {
  const { changed: values, refused } = accepted(items, decisions);
  if (!values.size) return { text: "", refused };
  const texts = new Map(excerpts.flatMap(([first, lines]) => lines.map((line, i) => [first + i, line])));
  const changed = new Map();
  for (const [line, given] of values) {
    const fields = texts.get(line).split("\t");
    for (const [name, value] of Object.entries(given)) fields[FIELDS[name]] = value;
    changed.set(line, fields.join("\t"));
  }
  const marked = (mark, line) =>
    line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
  const near = (line) => [...changed.keys()].some((one) => Math.abs(one - line) <= context);
  const shown = [...texts.keys()].sort((a, b) => a - b).filter(near);
  const hunks = [];
  for (const line of shown) {
    if (hunks.at(-1)?.at(-1) === line - 1) hunks.at(-1).push(line);
    else hunks.push([line]);
  }
  const parts = hunks.map((lines) => {
    const place = `${lines[0]},${lines.length}`;
    const body = lines.map((line) =>
      changed.has(line)
        ? marked("-", texts.get(line)) + marked("+", changed.get(line))
        : marked(" ", texts.get(line)),
    );
    return `@@ -${place} +${place} @@\n${body.join("")}`;
  });
  const name = file.includes(" ") ? `${file}\t` : file;
  return { text: `--- a/${name}\n+++ b/${name}\n${parts.join("")}`, refused };
};

// The diffs of all files of a list, and the sentences that are left out.
export const toPatch = (items, decisions, { files, context }) => {
  const parts = files.map(([file, excerpts]) =>
    filePatch(
      items.filter((one) => one.file === file),
      decisions,
      { file, context, excerpts },
    ),
  );
  return { text: parts.map((one) => one.text).join(""), refused: parts.flatMap((one) => one.refused) };
};
