// A candidate in words: the annotation, the suggestion, the reason, and how certain it is.

const quoted = (form) => `‘${form}’`;

const attached = (form, head, relation) =>
  head === 0 ? "the root" : `${relation} of ${quoted(form[head - 1] ?? "?")}`;

// "‘dog’: annotated as nmod of ‘house’ → suggested: nmod of ‘sees’".
export const suggestionOf = ({ gold, word, of, instead }, brief = false) => {
  const { form, head, deprel } = gold;
  const i = word - 1;
  const now = attached(form, head[i], deprel[i]);
  const then =
    of === "head" ? attached(form, Number(instead), deprel[i]) : attachedAs(gold, i, instead);
  if (brief) return `${now} → ${then}`;
  return `${quoted(form[i])} is annotated as ${now}; suggested: ${then}.`;
};

const attachedAs = ({ form, head }, i, relation) => {
  if (head[i] === 0) return `${relation}, still without a head`;
  return `${relation} of ${quoted(form[head[i] - 1] ?? "?")}`;
};

export const reasonOf = ({ of, heldOut }) => {
  const what = of === "head" ? "another head" : "another relation";
  return heldOut
    ? `Parsers that never saw this sentence prefer ${what}.`
    : `The parser prefers ${what}, although it was trained on this sentence.`;
};

const percent = (p) => (p < 0.001 ? "< 0.1 %" : `${(100 * p).toFixed(1)} %`);

// The parser's probabilities of both; their ratio says how strongly it disagrees.
export const certainty = ({ of, p_gold: annotated, p_instead: suggested, score }) => {
  const ratio = suggested / Math.max(annotated, 1e-6);
  const times = ratio >= 1000 ? "more than 1,000" : ratio.toFixed(ratio < 10 ? 1 : 0);
  const what = of === "head" ? "head" : "relation";
  return (
    `The annotated ${what} has a probability of ${percent(annotated)}, the suggested one of ` +
    `${percent(suggested)}: ${times} times as likely (suspicion score ${score.toFixed(2)}).`
  );
};
