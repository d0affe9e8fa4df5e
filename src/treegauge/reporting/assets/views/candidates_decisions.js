// Decisions about candidates for annotation errors: kept in the browser, exported as CSV and patch.

export const DECISIONS = ["accept", "reject", "skip"];

// The identifier of a candidate; it does not depend on the place in the list.
export const idOf = (one) => `${one.address} ${one.word} ${one.of}`;

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

// Fields of patches: a backslash and a carriage return are escaped, as by treegauge diff --patch.
const field = (value) => String(value).replaceAll("\\", "\\\\").replaceAll("\r", "\\r");

// The accepted candidates of one file as a patch for treegauge convert --apply.
export const toPatch = (candidates, decisions, file = null) => {
  const accepted = candidates.filter((one) => decisions.of(one) === "accept");
  const sentences = new Map();
  for (const one of accepted)
    sentences.set(one.address, [...(sentences.get(one.address) || []), one]);
  const lines = ["treegauge patch 1"];
  if (file) lines.push(["file", file, file, "-", "-"].join("\t"));
  for (const [address, own] of sentences) {
    lines.push(`sentence\t${address}`);
    for (const one of [...own].sort((a, b) => a.word - b.word)) {
      const column = one.of === "head" ? "head" : "deprel";
      const values = [one.form, column, one.annotated, one.instead].map(field);
      lines.push([one.word, ...values].join("\t"));
    }
  }
  return `${lines.join("\n")}\n`;
};
