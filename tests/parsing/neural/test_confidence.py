"""Probabilities of the neural parsers' trees."""

import numpy as np
import pytest

pytest.importorskip("torch")

from treegauge.parsing.probabilities.evidence import gather_evidence, head_marginals
from treegauge.parsing.probabilities.fit_confidence import fit_calibration
from treegauge.parsing.probabilities.word_confidence import probable_trees, with_confidence
from treegauge.parsing.registry import make_parser
from treegauge.testing.synthetic import synthetic

from ..all_trees import all_trees, summed

SMALL = {
    "hidden": 8, "layers": 1, "word_size": 8, "char_size": 4, "tag_size": 8, "batch": 8,
    "rate": 0.02, "device": "cpu", "epochs": 2, "arc_size": 8, "relation_size": 8,
}  # fmt: skip
TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((40, 1), (40, 2), (20, 3)))


@pytest.fixture(scope="module", params=["biaffine", "pointer", "labelling"])
def model(request):
    return make_parser(request.param, **SMALL).fit(TRAIN, seed=0)


def test_every_word_has_probabilities_and_the_parse_comes_first(model):
    parsed = model.parse(TEST)
    calibration = fit_calibration(model, DEV, "dev")
    made = with_confidence(model, parsed, calibration)
    assert made.to_bytes().count(b"HeadProb=") == TEST.n_words
    assert (made.head == parsed.head).all()
    for number, tree in enumerate(probable_trees(model, parsed, calibration)):
        assert len(tree.heads) == len(tree.relations) == parsed.lengths[number]
        assert 0 < tree.tree <= (tree.heads * tree.relations).min()


@pytest.mark.parametrize("decoder", ["spanning", "projective"])
def test_marginals_and_trees_of_the_biaffine_parser(decoder):
    model = make_parser("biaffine", **SMALL, decoder=decoder).fit(TRAIN, seed=0)
    projective = decoder == "projective"
    assert model.projective == projective
    short = DEV.take(np.flatnonzero(DEV.lengths <= 5)[:2])
    assert len(short) == 2
    for evidence in gather_evidence(model, model.parse(short)):
        logs = evidence.head_logs
        n = len(logs)
        finite = np.where(np.isfinite(logs), logs, -1e3)
        wanted, total = summed(finite, projective=projective)
        shares, log_total = head_marginals(logs, decoder)
        np.testing.assert_allclose(shares, wanted, atol=1e-8)
        assert log_total == pytest.approx(np.log(total))
        best = max(finite[np.arange(n), heads].sum() for heads in all_trees(n, projective=projective))
        assert finite[np.arange(n), evidence.tree.heads].sum() == pytest.approx(best)
