import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestionOf } from "../../../src/treegauge/reporting/assets/views/candidates_words.js";
import { bank } from "./helpers.js";

const gold = bank().sentence(0);

test("suggestions name words, not numbers", () => {
  assert.equal(
    suggestionOf({ gold, word: 5 }, { head: "2" }),
    "‘black’ is annotated as amod of ‘cat’; suggested: amod of ‘dogs’.",
  );
  assert.equal(suggestionOf({ gold, word: 6 }, { deprel: "obl" }, true), "obj of ‘chased’ → obl of ‘chased’");
  assert.equal(
    suggestionOf({ gold, word: 6 }, { head: "2", deprel: "nmod" }, true),
    "obj of ‘chased’ → nmod of ‘dogs’",
  );
  assert.match(suggestionOf({ gold, word: 6 }, { head: "0" }), /suggested: the root\.$/);
  assert.match(
    suggestionOf({ gold, word: 3 }, { deprel: "dep" }),
    /annotated as the root; suggested: dep, still without a head\.$/,
  );
});

test("other columns, no proposal, and whole sentences", () => {
  const tag = { gold, word: 5, annotated: "upos=ADJ" };
  assert.equal(
    suggestionOf(tag, { upos: "NOUN" }),
    "‘black’ is annotated as upos=ADJ; suggested: UPOS NOUN.",
  );
  assert.equal(suggestionOf({ gold, word: 5 }, {}), "‘black’ is annotated as amod of ‘cat’; no proposal.");
  assert.equal(suggestionOf({ gold, word: 0 }, {}), "About the whole sentence.");
});
