import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fieldQuery,
  parseQuery,
  QueryError,
} from "../../../src/treegauge/reporting/assets/views/search_query.js";
import {
  fits,
  matches,
  textMatches,
} from "../../../src/treegauge/reporting/assets/views/search_match.js";
import { search } from "../../../src/treegauge/reporting/assets/views/search.js";
import { bank, parsedAs } from "./helpers.js";

const found = (text, options = {}, own = bank()) =>
  matches(own, parseQuery(text), options).map(({ sentence, words }) => [sentence, words]);

const system = [
  [2, "det"], [3, "obl"], [0, "root"], [6, "det"], [3, "amod"], [3, "obj"], [3, "punct"],
  [2, "nsubj"], [0, "root"],
]; // prettier-ignore
const parsed = bank({ systems: ["alpha"], parsed: [parsedAs(system)] });

test("conditions on one word", () => {
  assert.deepEqual(found("upos=NOUN"), [[0, [2, 6]], [1, [1]]]);
  assert.deepEqual(found("cat"), [[0, [6]]]);
  assert.deepEqual(found("lemma=cat"), [[0, [6]], [1, [1]]]);
  assert.deepEqual(found("CATS"), [[1, [1]]]);
  assert.deepEqual(found('form="CATS"'), []);
  assert.deepEqual(found("upos=NOUN|ADJ deprel=obj|amod"), [[0, [5, 6]]]);
  assert.deepEqual(found("upos!=NOUN form=c*"), [[0, [3]]]);
});

test("a relation finds its subtypes, a quoted one does not", () => {
  assert.deepEqual(found("deprel=nsubj"), [[0, [2]], [1, [1]]]);
  assert.deepEqual(found('deprel="nsubj"'), [[0, [2]]]);
  assert.deepEqual(found("rel=nsubj:pass"), [[1, [1]]]);
});

test("features by name, one of several values is enough", () => {
  assert.deepEqual(found("Case=Nom"), [[0, [6]]]);
  assert.deepEqual(found("Number=Plur"), [[0, [2]], [1, [1]]]);
  assert.deepEqual(found("Number!=Plur upos=NOUN"), [[0, [6]]]);
});

test("heads and dependents", () => {
  assert.deepEqual(found("upos=NOUN deprel=obj > upos=ADJ"), [[0, [6]]]);
  assert.deepEqual(found("upos=ADJ < upos=NOUN"), [[0, [5]]]);
  assert.deepEqual(found("upos=VERB >> upos=ADJ"), [[0, [3]]]);
  assert.deepEqual(found("upos=ADJ << upos=VERB"), [[0, [5]]]);
  assert.deepEqual(found("upos=VERB > deprel=nsubj !> deprel=obj"), [[1, [2]]]);
  assert.deepEqual(found("upos=VERB > (upos=NOUN > upos=ADJ)"), [[0, [3]]]);
  assert.deepEqual(found("[] . upos=PUNCT"), [[0, [6]]]);
  assert.deepEqual(found("the .. cat"), [[0, [1]]]);
  assert.deepEqual(found("head=right upos=NOUN"), [[0, [2]], [1, [1]]]);
  assert.deepEqual(found("head=root"), [[0, [3]], [1, [2]]]);
});

test("the other ends of relations are given, too", () => {
  const [one] = matches(bank(), parseQuery("upos=VERB > (upos=NOUN > upos=ADJ)"));
  assert.deepEqual(one, { sentence: 0, words: [3], partners: [5, 6] });
});

test("what a system got wrong", () => {
  const options = { system: parsed.system("alpha") };
  assert.deepEqual(found("wrong=head", options, parsed), [[0, [5]]]);
  assert.deepEqual(found("wrong=relation", options, parsed), [[0, [2]]]);
  assert.deepEqual(found("wrong=any", options, parsed), [[0, [2, 5]]]);
  assert.deepEqual(found("parsed=obl deprel=nsubj", options, parsed), [[0, [2]]]);
  assert.deepEqual(found("wrong=any"), []);
});

test("errors say where they are and what was expected", () => {
  const fails = (text, at, message) =>
    assert.throws(
      () => parseQuery(text),
      (error) => {
        assert.ok(error instanceof QueryError, String(error));
        assert.equal(error.at, at, error.message);
        assert.match(error.message, message);
        return true;
      },
    );
  fails("", 0, /empty/);
  fails("upos=", 5, /expected a value, found the end/);
  fails("upos=NOUN >", 11, /expected a word/);
  fails("upos=NOUN > (cat", 16, /expected '\)'/);
  fails("colour=red", 0, /'colour' is not a known key; expected form/);
  fails("upos=NOUN > wrong=size", 18, /expected one of head, relation/);
  fails('form="cat', 5, /never closed/);
  fails("cat ! dog", 6, /expected one of > >>/);
  fails("cat )", 4, /expected a relation/);
  fails("[cat", 0, /\[\] for any word/);
  fails("(".repeat(40) + "a", 8, /at most 8 parentheses/);
  fails("a" + " > b".repeat(30), 64, /at most 16 words/);
  fails("a".repeat(500), 400, /at most 400 characters/);
});

test("no pattern takes long, and patterns are not regular expressions", () => {
  assert.ok(fits("a*b*c", "a--b--c"));
  assert.ok(!fits("a.c", "abc"));
  assert.ok(fits("*", ""));
  assert.ok(!fits("", "a"));
  assert.ok(!fits("*a".repeat(150) + "b", "a".repeat(20000)));
});

test("questions about a system need one", () => {
  assert.throws(() => search([bank()], "tree", "upos=VERB > wrong=head", "alpha"), (error) => {
    assert.equal(error.at, 12);
    assert.match(error.message, /'wrong' needs the output of a system/);
    return true;
  });
  assert.equal(search([parsed, bank()], "tree", "wrong=head", "alpha").length, 1);
  assert.equal(search([bank()], "text", "wrong=head").length, 0);
});

test("text is found across words, whatever its case", () => {
  assert.deepEqual(textMatches(bank(), " BLACK  cat "), [
    { sentence: 0, words: [5, 6], partners: [] },
  ]);
  assert.deepEqual(textMatches(bank(), "  "), []);
});

test("a field is asked without a query", () => {
  const own = matches(bank(), fieldQuery("lemma", "c*"));
  assert.deepEqual(own.map((one) => one.words), [[3, 6], [1]]);
});
