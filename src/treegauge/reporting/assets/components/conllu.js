// Sentences of the page as CoNLL-U; columns that the page does not have are "_".

const clean = (value) => String(value).replace(/[\t\r\n]+/g, " ");

// `parsed` replaces heads and relations; `source` says where they are from.
export const toConllu = (sentence, { text = null, parsed = null, source = null } = {}) => {
  const { head, deprel } = parsed || sentence;
  const lines = [`# sent_id = ${clean(sentence.id)}`];
  if (source) lines.push(`# source = ${clean(source)}`);
  if (text) lines.push(`# text = ${clean(text)}`);
  sentence.form.forEach((form, i) => {
    const known = head[i] >= 0;
    const annotation = [known ? head[i] : "_", known ? deprel[i] : "_"];
    const word = [i + 1, form, sentence.lemma[i], sentence.upos[i], "_", sentence.feats[i]];
    lines.push([...word, ...annotation, "_", "_"].map(clean).join("\t"));
  });
  return `${lines.join("\n")}\n\n`;
};
