import assert from "node:assert/strict";
import { test } from "node:test";
import {
  certainty,
  reasonOf,
  suggestionOf,
} from "../../../src/treegauge/reporting/assets/views/candidates_words.js";
import { bank } from "./helpers.js";

const gold = bank().sentence(0);

test("suggestions name words, not numbers", () => {
  assert.equal(
    suggestionOf({ gold, word: 5, of: "head", instead: "2" }),
    "‘black’ is annotated as amod of ‘cat’; suggested: amod of ‘dogs’.",
  );
  assert.equal(
    suggestionOf({ gold, word: 6, of: "relation", instead: "obl" }, true),
    "obj of ‘chased’ → obl of ‘chased’",
  );
  assert.match(suggestionOf({ gold, word: 6, of: "head", instead: "0" }), /suggested: the root\.$/);
  assert.match(
    suggestionOf({ gold, word: 3, of: "relation", instead: "dep" }),
    /annotated as the root; suggested: dep, still without a head\.$/,
  );
});

test("the reason says what the parser knew, and how sure it is", () => {
  assert.match(reasonOf({ of: "head", heldOut: true }), /never saw this sentence prefer another head/);
  assert.match(reasonOf({ of: "relation", heldOut: false }), /although it was trained on/);
  const numbers = { of: "head", p_gold: 0.0002, p_instead: 0.9, score: 5.5 };
  assert.match(certainty(numbers), /< 0\.1 %, the suggested one of 90\.0 %: more than 1,000 times/);
  assert.match(certainty({ ...numbers, p_gold: 0.3 }), /: 3\.0 times as likely \(suspicion score 5\.50\)/);
});
