// Decisions about candidates for annotation errors: kept in the browser, exported as CSV and as a unified diff.

export const DECISIONS = ["accept", "reject", "skip"];

// The identifier of a candidate; it does not depend on the place in the list.
export const idOf = (one) => `${one.id} ${one.line} ${one.of}`;

// Decisions by candidate; `storage()` returns the browser's storage, and throws if that is blocked.
export const makeDecisions = (key, storage) => {
  const name = `treegauge candidates ${key}`;
  let made = {};
  let kept = true;
  try {
    const found = JSON.parse(storage().getItem(name) || "{}");
    for (const [id, decision] of Object.entries(found || {}))
      if (DECISIONS.includes(decision)) made[id] = decision;
  } catch {
    kept = false;
  }
  const write = () => {
    try {
      storage().setItem(name, JSON.stringify(made));
      kept = true;
    } catch {
      kept = false;
    }
  };
  return {
    // Whether the browser keeps decisions after the page is closed.
    get kept() {
      return kept;
    },
    of: (one) => (Object.hasOwn(made, idOf(one)) ? made[idOf(one)] : null),
    set(one, decision) {
      if (decision) made[idOf(one)] = decision;
      else delete made[idOf(one)];
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

// A leading = + - @ would be a formula in a spreadsheet.
const cell = (value) => {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const number = (value, digits) => (value === null ? "" : value.toFixed(digits));

const COLUMNS = [
  ["treebank", (one) => cell(one.treebank)],
  ["sent_id", (one) => cell(one.id)],
  ["word", (one) => one.word],
  ["form", (one) => cell(one.form)],
  ["contradicted", (one) => (one.of === "head" ? "head" : "deprel")],
  ["annotated", (one) => cell(one.annotated)],
  ["suggested", (one) => cell(one.instead)],
  ["p_annotated", (one) => number(one.p_gold, 4)],
  ["p_suggested", (one) => number(one.p_instead, 4)],
  ["score", (one) => number(one.score, 3)],
];

// All candidates with their decisions, as CSV.
export const toCsv = (candidates, decisions) => {
  const lines = candidates.map((one) =>
    [...COLUMNS.map(([, value]) => value(one)), decisions.of(one) || ""].join(","),
  );
  return [[...COLUMNS.map(([name]) => name), "decision"].join(","), ...lines, ""].join("\n");
};

const FIELDS = { head: 6, relation: 7 };

// The accepted candidates as a unified diff of their file, for `git apply` and `patch`.
// `excerpts` has the lines around all candidates: the number of the first, and the lines with ends.
export const toPatch = (candidates, decisions, { file, context, excerpts }) => {
  const accepted = candidates.filter((one) => decisions.of(one) === "accept");
  if (!accepted.length) return "";
  const texts = new Map(excerpts.flatMap(([first, lines]) => lines.map((line, i) => [first + i, line])));
  const changed = new Map();
  for (const one of accepted) {
    const fields = (changed.get(one.line) ?? texts.get(one.line)).split("\t");
    fields[FIELDS[one.of]] = one.instead;
    changed.set(one.line, fields.join("\t"));
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
  return `--- a/${name}\n+++ b/${name}\n${parts.join("")}`;
};
