// An item in words: the annotation and the proposal.

const quoted = (form) => `‘${form}’`;

const attached = (form, head, relation) =>
  head === 0 ? "the root" : `${relation} of ${quoted(form[head - 1] ?? "?")}`;

const attachedAs = ({ form, head }, i, relation) => {
  if (head[i] === 0) return `${relation}, still without a head`;
  return `${relation} of ${quoted(form[head[i] - 1] ?? "?")}`;
};

// The head and relation of a word with these values.
const treeWords = (gold, i, values) => {
  const { form, deprel } = gold;
  if (!("head" in values)) return attachedAs(gold, i, values.deprel);
  return attached(form, Number(values.head), values.deprel ?? deprel[i]);
};

const listed = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name.toUpperCase()} ${value}`)
    .join(", ");

// "‘dog’ is annotated as nmod of ‘house’; suggested: nmod of ‘sees’." `values` are proposed, `annotated` now.
export const suggestionOf = ({ gold, word, annotated }, values, brief = false) => {
  if (!word) return brief ? "the sentence" : "About the whole sentence.";
  const { form, head, deprel } = gold;
  const i = word - 1;
  const known = Object.keys(values);
  const tree = known.some((name) => name === "head" || name === "deprel");
  const now = known.length && !tree ? annotated : attached(form, head[i], deprel[i]);
  if (!known.length) return brief ? now : `${quoted(form[i])} is annotated as ${now}; no proposal.`;
  const then = tree ? treeWords(gold, i, values) : listed(values);
  if (brief) return `${now} → ${then}`;
  return `${quoted(form[i])} is annotated as ${now}; suggested: ${then}.`;
};
