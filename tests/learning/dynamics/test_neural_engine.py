"""Models trained in lockstep equal the parser trained alone."""

from functools import partial

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.candidates import error_candidates
from treegauge.learning.dynamics.description_length import description_length
from treegauge.learning.dynamics.jobs import NeuralEngine, TrainingJob, cross_fit, relation_names
from treegauge.learning.dynamics.recorder import make_engine, record
from treegauge.learning.dynamics.usable_information import NULLS, null_input
from treegauge.parsing.registry import make_parser
from treegauge.testing.synthetic import synthetic

information = partial(tg.difficulty, measure="vinfo")

SMALL = {
    "epochs": 3, "hidden": 8, "layers": 1, "word_size": 8, "char_size": 4, "tag_size": 4,
    "arc_size": 8, "relation_size": 4, "batch": 8, "rate": 0.02, "device": "cpu",
}  # fmt: skip
WORDS = [f"{name}={value}" for name, value in SMALL.items()]


@pytest.fixture(scope="module")
def parts():
    return synthetic(30, seed=4), synthetic(12, seed=5)


@pytest.mark.parametrize("name", ["biaffine", "pointer"])
def test_recordings_are_those_of_the_parser_itself(parts, name):
    train, dev = parts
    job = TrainingJob(train, {"train": train, "dev": dev}, 3, relation_names(train, dev), decode=True)
    engine = make_engine(name, options=WORDS)
    assert isinstance(engine, NeuralEngine)
    found = engine([job])[0]
    alone = record(make_parser(name, **SMALL), job, engine.label)
    for part, one in found.items():
        other = alone[part]
        assert one.signature == other.signature
        assert one.epochs == other.epochs
        for layer in ("head", "relation"):
            np.testing.assert_allclose(one.logp(layer), other.logp(layer), rtol=1e-3, atol=1e-4)
            logs = one.rival_logp(layer), other.rival_logp(layer)
            np.testing.assert_allclose(*logs, rtol=1e-3, atol=1e-4)
            assert (one.rival(layer) == other.rival(layer)).mean() > 0.99
        parsed, alike = one.parsed(job.read[part]), other.parsed(job.read[part])
        assert (parsed.head == alike.head).mean() > 0.99
        assert (parsed["deprel"] == alike["deprel"]).mean() > 0.99


def test_jobs_side_by_side_keep_their_own_words(parts, monkeypatch):
    """As on a GPU: all jobs over one pool, in one call."""
    train, dev = parts
    names = relation_names(train, dev)
    jobs = [
        TrainingJob(train, {"dev": dev}, 1, names),
        TrainingJob(null_input(train), {"dev": null_input(dev)}, 1, names),
        TrainingJob(train[:7], {"dev": dev}, 2, names, every=False),
    ]
    engine = make_engine("biaffine", options=[*WORDS, "dropout=0"])
    monkeypatch.setattr(NeuralEngine, "at_once", 64)
    seen, blind, few = (one["dev"] for one in engine(jobs))
    assert seen.head_logp.shape == blind.head_logp.shape == (3, dev.n_words)
    assert few.epochs == (3,)
    assert seen.head_logp[-1].mean() > blind.head_logp[-1].mean()
    lacking = ~np.isin(dev["deprel"].to_list(), train[:7].codes("deprel").values)
    assert lacking.any()
    assert len(np.unique(few.relation_logp[0, lacking])) == 1
    # Without input, words at the same place in sentences as long are all the same.
    sizes = dev.lengths[dev.sentence_of]
    keys = list(zip(sizes.tolist(), dev.positions.tolist(), dev.head.tolist(), strict=True))
    groups = {key: [i for i, own in enumerate(keys) if own == key] for key in keys}
    for same in groups.values():
        np.testing.assert_allclose(blind.head_logp[-1, same], blind.head_logp[-1, same[0]], 1e-3)


@pytest.mark.parametrize("null", list(NULLS))
def test_information_against_every_null_input(parts, null):
    train, dev = parts
    found = information(train, dev=dev, null=null, parser="biaffine", option=SMALL | {"epochs": 1})[0]
    assert np.isfinite(found.pvi("head")).all()
    assert np.isfinite(found.pvi("relation")).all()


def test_lengths_and_candidates(parts):
    train, _ = parts
    engine = make_engine("biaffine", options=WORDS)
    told = []
    found = description_length(
        train, engine=engine, blocks=[5, 10, 15], orders=2, progress=lambda *step: told.append(step)
    )
    assert told[-1] == (4, 4)
    assert found.values["head"]["bits_per_word"] > 0
    again = description_length(train, engine=engine, blocks=[5, 10, 15], orders=2)
    assert again.values == found.values
    held_out = cross_fit(train, engine=engine, folds=2)
    assert len(error_candidates(held_out, train, count=5)) == 5


def test_relations_outside_the_inventory_are_named(parts):
    train, dev = parts
    engine = make_engine("biaffine", options=WORDS)
    with pytest.raises(TreegaugeError, match="unknown relation"):
        engine([TrainingJob(train[:2], {"dev": dev})])


def test_a_device_that_is_none_is_named(parts):
    engine = make_engine("biaffine", options=[*WORDS[:-1], "device=abacus"])
    with pytest.raises(TreegaugeError, match=r"abacus.*expected auto, cpu"):
        engine([TrainingJob(parts[0], {"train": parts[0]})])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("name", ["biaffine", "pointer"])
def test_lockstep_on_a_gpu_says_what_each_parser_alone_says_there(parts, name):
    train, dev = parts
    names = relation_names(train, dev)
    jobs = [TrainingJob(train, {"train": train, "dev": dev}, seed, names) for seed in (1, 2, 3)]
    # Then chance is in the beginning alone, which is a matter of the seed and of who is known.
    given = {**SMALL, "device": "cuda", "dropout": 0, "min_count": 1}
    engine = make_engine(name, options=[f"{key}={value}" for key, value in given.items()])
    assert isinstance(engine, NeuralEngine)
    assert engine.at_once == 64
    for job, found in zip(jobs, engine(jobs), strict=True):
        alone = record(make_parser(name, **given), job, engine.label)
        for part, one in found.items():
            assert one.head_logp.shape == (3, job.read[part].n_words)
            for layer in ("head", "relation"):
                shares = np.exp(one.logp(layer)), np.exp(alone[part].logp(layer))
                np.testing.assert_allclose(*shares, atol=0.02)
    mixed = [
        TrainingJob(train, {"dev": dev}, 1, names),
        TrainingJob(null_input(train), {"dev": null_input(dev)}, 1, names),
        TrainingJob(train[:7], {"dev": dev}, 2, names, every=False),
    ]
    seen, blind, few = (one["dev"] for one in engine(mixed))
    assert seen.head_logp[-1].mean() > blind.head_logp[-1].mean()
    assert few.head_logp.shape == (1, dev.n_words)
    assert np.isfinite(few.head_logp).all()
