"""Ensembles: averaged probabilities, one tree, one file."""

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import Probabilistic
from treegauge.parsing.ensemble import (
    EnsembleModel,
    EnsembleParser,
    SearchMember,
    average_relations,
    expected_tree,
    legal_relations,
)
from treegauge.parsing.parse import parse
from treegauge.parsing.registry import find_parser, load_model, make_parser
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import parse_conllu

TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((40, 1), (10, 2), (10, 3)))
SMALL = {
    "beam": {"epochs": 2, "learners": 1},
    "mst": {"epochs": 2, "label_epochs": 2, "bits": 14, "label_bits": 12},
    "biaffine": {"epochs": 2, "hidden": 8, "layers": 1, "arc_size": 8, "relation_size": 4,
                 "word_size": 8, "char_size": 8, "tag_size": 8, "device": "cpu"},
}  # fmt: skip


def words(treebank):
    return treebank.head.tolist(), treebank["deprel"].to_list()


def ensemble(parser, members=2, **options):
    entry = find_parser(parser)
    chosen = EnsembleParser(entry, entry.options(**SMALL[parser], **options), members)
    return chosen.fit(TRAIN, DEV, seed=3)


def test_the_tree_has_the_most_expected_heads():
    """Two models that disagree: each word's best heads are a cycle, which the tree avoids."""
    shares = np.array([[0.1, 0.0, 0.9], [0.45, 0.55, 0.0]])
    assert expected_tree(shares).tolist() == [2, 0]
    assert expected_tree(np.zeros((0, 1))).tolist() == []
    of_roots = np.array([True, False, False])
    legal = legal_relations(of_roots, np.array([2, 0], np.int32))
    tables = [np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0]]), np.array([[0.5, 0.1, 0.4]] * 2)]
    assert average_relations(tables, legal).tolist() == [2, 0]


@pytest.mark.parametrize("parser", SMALL)
def test_members_are_those_of_single_seeds_and_are_averaged(parser, tmp_path):
    model = ensemble(parser)
    single = [make_parser(parser, **SMALL[parser]).fit(TRAIN, DEV, seed=seed) for seed in (3, 4)]
    for member, own in zip(model.members, single, strict=True):
        assert words(member.parse(TEST)) == words(own.parse(TEST))
    assert isinstance(model, Probabilistic)
    tables = [member.head_probabilities(TEST) for member in model.members]
    for mean, first, second in zip(model.head_probabilities(TEST), *tables, strict=True):
        np.testing.assert_allclose(mean, (first + second) / 2)
        np.testing.assert_allclose(mean.sum(1), 1, rtol=1e-5)
    parsed = model.parse(TEST)
    assert trees.is_tree(parsed.head, parsed.offsets).all()
    assert [name == "root" for name in parsed["deprel"]] == (parsed.head == 0).tolist()
    model.save(tmp_path / "e.model")
    again = load_model(tmp_path / "e.model")
    assert words(again.parse(TEST)) == words(parsed)
    np.testing.assert_array_equal(again.relation_probabilities(TEST), model.relation_probabilities(TEST))


@pytest.mark.parametrize("parser", ["biaffine", "labelling"])
def test_neural_seeds_learn_side_by_side(parser):
    """As on a GPU: each seed has weights of its own, and keeps its own best epoch."""
    small = {**SMALL["biaffine"], "arc_size": 16, "relation_size": 8}
    chosen = make_parser(parser, **small, dropout=0.0)
    models = chosen.fit_seeds(TRAIN, DEV, seeds=(3, 4), lockstep=True)
    alone = chosen.fit_seeds(TRAIN, DEV, seeds=(3, 4), lockstep=False)
    for together, single in zip(models, alone, strict=True):
        for mean, own in zip(together.head_probabilities(TEST), single.head_probabilities(TEST), strict=True):
            np.testing.assert_allclose(mean, own, atol=1e-3)
    first, second = (model.head_probabilities(TEST)[0] for model in models)
    assert not np.allclose(first, second)


def test_equal_members_change_nothing():
    model = make_parser("mst", training="loglinear", projective=False, **SMALL["mst"])
    member = model.fit(TRAIN, seed=0)
    both = EnsembleModel((member, member))
    for mean, own in zip(both.head_probabilities(TEST), member.head_probabilities(TEST), strict=True):
        np.testing.assert_allclose(mean, own)


def test_relations_of_a_search_are_weighed_at_the_head_asked_for():
    member = SearchMember(make_parser("beam", **SMALL["beam"]).fit(TRAIN, seed=0))
    parsed = member.parse(TEST)
    shares = member.relation_probabilities(parsed)
    np.testing.assert_allclose(shares.sum(1), 1)
    best = [member.relations[number] for number in shares.argmax(1)]
    assert np.mean([a == b for a, b in zip(best, parsed["deprel"], strict=True)]) > 0.9


def test_train_parse_and_confidence(tmp_path):
    out = tmp_path / "e.model"
    trained = train("mst", TRAIN, dev=DEV, out=out, ensemble=2, option={"tags": "predicted", **SMALL["mst"]})
    assert trained.table["ensemble"].to_list() == [2]
    assert "dev_las_predicted_tags" in trained.table.columns
    assert "|ensemble:2" in trained.signature
    raw = TEST.with_columns({"upos": ["_"] * TEST.n_words})
    done = parse(out, raw, confidence=True, write_tags=True).treebank
    assert words(done) == words(parse(trained, TEST).treebank)
    assert "HeadProb=" in done["misc"][0]
    assert "_" not in set(done["upos"])


def test_what_cannot_be_averaged_is_refused(tmp_path):
    with pytest.raises(TreegaugeError, match="baseline gives no probabilities"):
        train("baseline", TRAIN, out=tmp_path / "m", ensemble=2)
    with pytest.raises(TreegaugeError, match="ensemble: expected a whole number of at least 1"):
        train("mst", TRAIN, out=tmp_path / "m", ensemble=0)
    with pytest.raises(ValueError, match="without members"):
        EnsembleModel.from_archive({"members": [], "tag_source": "gold"}, {})
    model = ensemble("mst")
    empty = parse_conllu("")
    assert len(model.parse(empty)) == 0
