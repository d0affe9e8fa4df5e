// Differences between systems and gold in a sentence, in words.

const plain = (relation) => relation.split(":")[0];
const quoted = (form) => `‘${form}’`;

// The kind of a difference: "head" (the relation may be wrong, too), "label", or null.
export const differenceOf = (gold, parsed, i) => {
  if (parsed.head[i] !== gold.head[i]) return "head";
  return plain(parsed.deprel[i]) === plain(gold.deprel[i]) ? null : "label";
};

export const wrongWords = (gold, parsed) =>
  gold.head.map((_, i) => i + 1).filter((word) => differenceOf(gold, parsed, word - 1));

// "obj of ‘read’", "the root"; a head of -1 is outside the sentence's words.
export const analysisOf = (form, head, deprel) => {
  if (head === 0) return "the root";
  if (head < 0 || head > form.length) return `${deprel} of a word that gold does not have`;
  return `${deprel} of ${quoted(form[head - 1])}`;
};

const attached = (gold, parsed, i) => {
  const { form } = gold;
  const head = parsed.head[i];
  const relation = parsed.deprel[i];
  const word = quoted(form[i]);
  if (relation === "–") return `have no word that matches ${word}`;
  if (differenceOf(gold, parsed, i) === "label") return `label ${word} as ${relation}`;
  if (head === 0) return `make ${word} the root`;
  if (head < 0) return `attach ${word} to a word that gold does not have, as ${relation}`;
  return `attach ${word} to ${quoted(form[head - 1])} as ${relation}`;
};

const conjugated = (text, number) => {
  if (number > 1) return text;
  const [verb, ...rest] = text.split(" ");
  const singular = { have: "has", attach: "attaches" }[verb] || `${verb}s`;
  return [singular, ...rest].join(" ");
};

const joined = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

// Sentences about the words that systems got wrong: [{word, systems, text}]; systems that made the
// same mistake share one. `parses` are [{name, head, deprel}]; `reference` is the name of gold.
export const worded = (gold, parses, reference = "gold") => {
  const found = [];
  gold.form.forEach((_, i) => {
    const groups = new Map();
    for (const one of parses) {
      if (!differenceOf(gold, one, i)) continue;
      const text = attached(gold, one, i);
      groups.set(text, [...(groups.get(text) || []), one.name]);
    }
    for (const [text, systems] of groups) {
      const own = parses.find((one) => one.name === systems[0]);
      const label = differenceOf(gold, own, i) === "label";
      const head = gold.head[i] > 0 ? quoted(gold.form[gold.head[i] - 1]) : "the root";
      const right = label
        ? `${gold.deprel[i]} (same head, ${head})`
        : analysisOf(gold.form, gold.head[i], gold.deprel[i]);
      const given = `${joined(systems)} ${conjugated(text, systems.length)}`;
      found.push({ word: i + 1, systems, text: `${given}; ${reference}: ${right}.` });
    }
  });
  return found;
};
