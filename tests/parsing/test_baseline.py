"""Baselines as parsers."""

import numpy as np
import pytest

import treegauge as tg
from treegauge.parsing.registry import load_model, make_parser
from treegauge.scoring.metrics.baselines import BASELINES
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

TOY = """1	the	_	DET	_	_	2	det	_	_
2	dog	_	NOUN	_	_	3	nsubj	_	_
3	sees	_	VERB	_	_	0	root	_	_
4	a	_	DET	_	_	5	det	_	_
5	cat	_	NOUN	_	_	3	obj	_	_

"""


def test_pairs_of_tags_are_counted() -> None:
    model = make_parser("baseline").fit(parse_conllu(TOY * 3), seed=0)
    parsed = model.parse(parse_conllu(TOY))
    assert parsed.head.tolist() == [2, 3, 0, 5, 3]
    assert parsed["deprel"].to_list() == ["det", "nsubj", "root", "det", "obj"]


@pytest.mark.parametrize("kind", ["tag-pairs", *BASELINES])
def test_saved_and_loaded(kind: str, tmp_path) -> None:
    train, test = synthetic(60, seed=1), synthetic(20, seed=2)
    model = make_parser("baseline", kind=kind).fit(train, seed=0)
    model.save(tmp_path / "model")
    parsed = load_model(tmp_path / "model").parse(test)
    assert parsed == model.parse(test)
    assert np.bincount(parsed.sentence_of[parsed.head == 0]).tolist() == [1] * 20


def test_tag_pairs_beat_what_looks_at_nothing() -> None:
    train, test = synthetic(200, seed=1), synthetic(60, seed=2)
    las = {
        kind: tg.score(test, make_parser("baseline", kind=kind).fit(train, seed=0).parse(test), resamples=0)
        .systems[0]["LAS"]
        .f1
        for kind in ("tag-pairs", *BASELINES)
    }
    assert max(las, key=las.__getitem__) == "tag-pairs"
