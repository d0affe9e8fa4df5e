// How to write queries about trees: the grammar in words, with examples to try.

import { button, html } from "../shell/dom.js";
import { RELATIONS } from "./search_query.js";

const EXAMPLES = [
  ["upos=NOUN deprel=obj > upos=ADJ", "an object that has an adjective"],
  ["upos=VERB > deprel=nsubj !> deprel=obj", "a verb with a subject and without an object"],
  ["deprel=nsubj head=left", "a subject after its verb"],
  ["upos=VERB >> (upos=NOUN > deprel=case)", "a verb above a noun with a case marker"],
  ["Number=Plur upos=NOUN|PROPN", "a noun or a name in the plural"],
  ["wrong=head deprel=obl", "an oblique that the chosen system attaches to an incorrect head"],
  ["deprel=obl parsed=nmod", "an oblique that the chosen system labels as nmod"],
];
const CONDITIONS = [
  ["form=walk* (or only walk*)", "the word form, in upper or lower case; * matches any characters"],
  ['form="Walk"', "exactly this form"],
  ["lemma=walk, upos=VERB", "the lemma, the UPOS tag"],
  ["deprel=nsubj", "the relation, with or without a subtype; deprel=\"nsubj\" without"],
  ["Case=Acc", "a morphological feature; names begin with a capital letter"],
  ["head=left, head=right, head=root", "where the head is"],
  ["wrong=head, wrong=relation, wrong=any, wrong=none", "what the chosen system got wrong"],
  ["parsed=nmod", "the relation predicted by the chosen system"],
  ["upos=NOUN|PROPN, upos!=VERB", "one of several values; any other value"],
  ["[]", "any word"],
];

export const queryHelp = (ask) =>
  html(
    "div",
    { class: "query-help" },
    html("h3", {}, "Tree queries"),
    html(
      "p",
      {},
      "A query describes a word by conditions and relates it to other words. All relations are about the ",
      "first word. Use parentheses for a word that has its own relations.",
    ),
    html(
      "ul",
      { class: "examples" },
      EXAMPLES.map(([query, meaning]) =>
        html("li", {}, button(query, () => ask(query), { class: "query" }), ` ${meaning}`),
      ),
    ),
    html(
      "details",
      {},
      html("summary", {}, "All conditions and relations"),
      html(
        "dl",
        { class: "grammar" },
        CONDITIONS.map(([query, meaning]) => [
          html("dt", {}, html("code", {}, query)),
          html("dd", {}, meaning),
        ]),
        Object.entries(RELATIONS).map(([sign, meaning]) => [
          html("dt", {}, html("code", {}, `A ${sign} B`)),
          html("dd", {}, `A ${meaning} B; A !${sign} B: there is no such B`),
        ]),
      ),
    ),
  );
