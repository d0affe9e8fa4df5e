"""Sentences to annotate next: those about which parsers disagree, each once, with reasons."""

from functools import partial

import numpy as np
import pytest

from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.learning.curve import advise
from treegauge.learning.curves.advising import committee_view, greedy_choice, next_sentences, sentence_keys
from treegauge.parsing.registry import fit_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


def pool_of(*sentences):
    text = ""
    for words in sentences:
        for number, form in enumerate(words.split(), 1):
            head, relation = (0, "root") if number == 1 else (1, "dep")
            text += f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
        text += "\n"
    return parse_conllu(text)


def test_the_rate_of_doubt_decides_and_short_sentences_do_not_win_by_it():
    pool = pool_of("a", "b c d e f g", "h i j k l m")
    doubt = np.array([1, *[0.5] * 6, *[0.9] * 6], float)
    chosen, benefits = greedy_choice(pool, doubt, 3, allowed=np.ones(3, bool))
    assert chosen == [2, 1, 0]
    assert benefits == pytest.approx([5.4 / 9, 3 / 9, 1 / 4])


def test_forms_chosen_before_count_less_and_copies_not_at_all():
    pool = pool_of("a b c", "a b c", "d e f", "a b g")
    doubt = np.array([*[0.5] * 6, *[0.45] * 3, *[0.5] * 3])
    chosen, benefits = greedy_choice(pool, doubt, 4, allowed=np.ones(4, bool))
    assert chosen == [0, 2, 3]
    assert benefits[2] == pytest.approx((2 * 0.5 * 2**-0.25 + 0.5) / 6)
    assert sentence_keys(pool).tolist() == [0, 0, 1, 2]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Parsers of one learner and few epochs: how good they are does not matter here."""
    fit = partial(fit_parser, options={"epochs": 3, "learners": 1})
    monkeypatch.setattr("treegauge.learning.curves.advising.fit_parser", fit)


@pytest.fixture(scope="module")
def train():
    return synthetic(12, seed=1)


@pytest.fixture(scope="module")
def pool():
    return synthetic(20, seed=2)


def test_parsers_differ_more_about_sentences_they_did_not_learn_from(train, pool):
    known, new = (committee_view(train, part).uncertainty.mean() for part in (train, pool))
    assert 0 < known < new < 1


def test_sentences_are_ranked_with_reasons_and_the_known_left_out(train, pool):
    both = concat([train[:5], pool])
    made = next_sentences(train, both, number=10)
    assert len(made.rows) == 10
    benefits = [row["benefit"] for row in made.rows]
    assert benefits == sorted(benefits, reverse=True)
    assert all(row["reason"].startswith("parsers disagree on") for row in made.rows)
    names = {pool[i].id for i in range(len(pool))}
    assert {row["sent_id"] for row in made.rows} <= names
    assert "left out: 5 sentences that are in the training set" in str(made)
    assert made.rows == next_sentences(train, both, number=10).rows  # same seed, same choice
    unknown = {form.lower() for form in pool["form"]} - {form.lower() for form in train["form"]}
    first = next(i for i in range(len(pool)) if pool[i].id == made.rows[0]["sent_id"])
    assert made.rows[0]["unknown"] == sum(form.lower() in unknown for form in pool[first].form)


def test_trees_of_the_sentences_are_not_used(train, pool):
    bare = pool.with_columns({"deprel": ["dep"] * pool.n_words})
    one, two = (next_sentences(train, part, number=5).rows for part in (pool, bare))
    assert one == two


def test_the_command(tmp_path, train, pool):
    paths = [tmp_path / "train.conllu", tmp_path / "new.conllu"]
    for part, path in zip((train, pool), paths, strict=True):
        write_conllu(part, path)
    out = tmp_path / "next.csv"
    command = ["curve", "advise", str(paths[0]), "--sentences", str(paths[1]), "-n", "3", "-o", str(out)]
    done = invoke(command)
    assert done.exit_code == 0
    chosen = out.read_text("utf-8")
    assert len(chosen.splitlines()) == 4
    lines = [line.split("\t") for line in paths[1].read_text("utf-8").split("\n")]
    bare = ["\t".join([*f[:6], "_", "_", *f[8:]] if len(f) == 10 else f) for f in lines]
    paths[1].write_text("\n".join(bare), "utf-8")  # as sentences come that nobody has annotated
    assert invoke(command).exit_code == 0
    assert out.read_text("utf-8") == chosen


def test_what_cannot_be_chosen_from_is_refused(train, pool):
    with pytest.raises(TreegaugeError, match="has no UPOS; expected tagged sentences"):
        next_sentences(train, pool.with_columns({"upos": ["_"] * pool.n_words}), number=2)
    with pytest.raises(TreegaugeError, match="budget: expected a whole number of at least 1"):
        next_sentences(train, pool, number=0)
    with pytest.raises(TreegaugeError, match="needs one treebank to train on; found 0"):
        advise(sentences=pool, budget=2)
    many = next_sentences(train, pool[:3], number=9)
    assert "3 different sentences to choose from, 9 were requested" in str(many)
