"""Queries in Python find what the page's search finds: counted by hand, and compared with its script."""

import json
import random
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.tree_queries import parse_query, query_mask

JS = Path(__file__).parents[1] / "reporting" / "js"
ASSETS = Path(__file__).parents[2] / "src" / "treegauge" / "reporting" / "assets"
# The sentences of tests/reporting/js/helpers.js, whose counts by hand are those of search.test.js.
ROWS = """The the DET Definite=Def 2 det
dogs dog NOUN Number=Plur 3 nsubj
chased chase VERB Tense=Past 0 root
a a DET Definite=Ind 6 det
black black ADJ _ 6 amod
cat cat NOUN Case=Acc,Nom|Number=Sing 3 obj
. . PUNCT _ 3 punct

Cats cat NOUN Number=Plur 2 nsubj:pass
slept sleep VERB Tense=Past 0 root"""


def treebank():
    text = ""
    for block in ROWS.split("\n\n"):
        for number, row in enumerate(block.split("\n"), 1):
            form, lemma, upos, feats, head, deprel = row.split()
            text += f"{number}\t{form}\t{lemma}\t{upos}\tx{upos}\t{feats}\t{head}\t{deprel}\t_\t_\n"
        text += "\n"
    return parse_conllu(text)


def found(query, gold=None):
    gold = treebank() if gold is None else gold
    words = np.flatnonzero(query_mask(parse_query(query), gold))
    return [(int(gold.sentence_of[word]), int(gold.positions[word])) for word in words]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("upos=NOUN", [(0, 2), (0, 6), (1, 1)]), ("CATS", [(1, 1)]), ('form="CATS"', []),
        ("upos=NOUN|ADJ deprel=obj|amod", [(0, 5), (0, 6)]), ("upos!=NOUN form=c*", [(0, 3)]),
        ("deprel=nsubj", [(0, 2), (1, 1)]), ('deprel="nsubj"', [(0, 2)]), ("rel=nsubj:pass", [(1, 1)]),
        ("Case=Nom", [(0, 6)]), ("Number!=Plur upos=NOUN", [(0, 6)]), ("xpos=xADJ", [(0, 5)]),
        ("upos=NOUN deprel=obj > upos=ADJ", [(0, 6)]), ("upos=ADJ < upos=NOUN", [(0, 5)]),
        ("upos=VERB >> upos=ADJ", [(0, 3)]), ("upos=ADJ << upos=VERB", [(0, 5)]),
        ("upos=VERB > deprel=nsubj !> deprel=obj", [(1, 2)]), ("upos=VERB > (upos=NOUN > upos=ADJ)", [(0, 3)]),
        ("[] . upos=PUNCT", [(0, 6)]), ("the .. cat", [(0, 1)]), ("head=right upos=NOUN", [(0, 2), (1, 1)]),
        ("head=root", [(0, 3), (1, 2)]), ("head!=root|left", [(0, 1), (0, 2), (0, 4), (0, 5), (1, 1)]),
    ],
)  # fmt: skip
def test_counted_by_hand(query, expected):
    assert found(query) == expected


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "found the end at character 1 of '', expected a word"),
        ("upos=", "found the end at character 6 of 'upos=', expected a value"),
        ("upos=VERB >", "expected a word, such as upos=NOUN"),
        ("(upos=VERB", "found the end at character 11 of .*, expected '\\)'"),
        ("uops=VERB", "found 'uops' at character 1 .* expected one of form, lemma"),
        ("wrong=head", "found 'wrong' at character 1"),
        ("head=up", "found 'up' at character 6 .* expected one of left, right, root"),
        ('a "b', "found '\"' at character 3 .* expected a second quotation mark"),
        ("a [b", "expected \\[\\] for any word"),
        ("a ) b", "expected a relation such as > or the end"),
        ("a ! b", "expected one of > >> < << \\. \\.\\."),
        (" > ".join("a" * 17), "at most 16 words"),
        ("(" * 9 + "a" + ")" * 9, "8 parentheses"),
        ("a" * 401, "401 characters, expected a query of at most 400"),
    ],
)
def test_mistakes_name_the_place(query, message):
    with pytest.raises(TreegaugeError, match=message):
        parse_query(query)


RUNNER = """
import { readFileSync } from "node:fs";
const { packed } = await import(process.argv[1] + "/helpers.js");
const { makeBank } = await import(process.argv[2] + "/components/banks.js");
const { matches } = await import(process.argv[2] + "/views/search_match.js");
const { parseQuery } = await import(process.argv[2] + "/views/search_query.js");
const { sentences, queries } = JSON.parse(readFileSync(0, "utf8"));
const bank = makeBank({ name: "a", treebank: "a", trees: packed(sentences) });
const answer = (query) =>
  matches(bank, parseQuery(query)).flatMap(({ sentence, words }) => words.map((word) => [sentence, word]));
console.log(JSON.stringify(queries.map(answer)));
"""


def drawn_query(draw, gold, depth=0):
    """Draw a query whose values are in the treebank, often shortened to a pattern."""

    def value(key):
        text = draw.choice(gold[key].to_list())
        if not text.replace(":", "").isalnum():  # a full stop is a relation
            return f'"{text}"'
        return draw.choice([text, text, f"{text[:2]}*", f'"{text}"', f"*{text[-1:]}"])

    conditions = []
    for _ in range(draw.randint(1, 2)):
        key = draw.choice(["upos", "deprel", "form", "lemma", "head", "Number", "Case"])
        options = {"head": ["left", "right", "root"], "Number": ["Sing", "Plur"], "Case": ["Nom", "A*", "Gen"]}
        values = [draw.choice(options[key]) if key in options else value(key) for _ in range(draw.randint(1, 2))]
        conditions.append(f"{key}{draw.choice(['=', '=', '!='])}{'|'.join(values)}")
    query = "[]" if draw.random() < 0.2 else " ".join(conditions)
    for _ in range(draw.choice([0, 1, 1, 2]) if depth < 2 else 0):
        sign = draw.choice(["", "", "!"]) + draw.choice([">", ">>", "<", "<<", ".", ".."])
        inner = drawn_query(draw, gold, depth + 1)
        query += f" {sign} {f'({inner})'}"
    return query if len(query) < 300 or depth else "[]"


def test_the_page_finds_the_same_words():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path: apt-get install nodejs")
    draw, compared = random.Random(3), 0
    for seed in range(5):
        gold = synthetic(14, seed=seed)
        columns = [gold[name].to_list() for name in ("form", "lemma", "upos", "feats")]
        rows = list(zip(*columns, gold.head.tolist(), gold["deprel"].to_list(), strict=True))
        assert len(rows) < 256  # the page's packing in its tests is of bytes
        sentences = {str(i): rows[a:b] for i, (a, b) in enumerate(zip(gold.offsets, gold.offsets[1:], strict=False))}
        queries = [drawn_query(draw, gold) for _ in range(80)]
        words = [node, "--input-type=module", "-e", RUNNER, JS.as_uri(), ASSETS.as_uri()]
        done = subprocess.run(
            words, input=json.dumps({"sentences": sentences, "queries": queries}), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        for query, answer in zip(queries, json.loads(done.stdout), strict=True):
            assert found(query, gold) == [tuple(place) for place in answer], query
            compared += bool(answer)
    assert compared > 150


def test_time_grows_with_the_words_and_not_with_the_depth():
    """A chain of 40,000 words, which naive following of heads would take a billion steps for."""
    rows = [f"{n}\ta\ta\tX\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_" for n in range(1, 40_001)]
    gold = parse_conllu("\n".join(rows) + "\n\n")
    start = time.process_time()
    assert len(found("[] << deprel=root", gold)) == 39_999
    assert len(found("[] >> deprel=dep", gold)) == 39_999
    assert time.process_time() - start < 20
