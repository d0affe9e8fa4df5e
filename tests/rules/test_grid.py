"""Sizes x samples x seeds: every verb that trains and every plan of ours trains each model once."""

from pathlib import Path

import pytest

from tests.rules.training_verbs import SIZE, calls, make_world, storing_verbs
from treegauge.experiments.builtin import sampled
from treegauge.experiments.cell_store import Store
from treegauge.experiments.grid import available_sentences
from treegauge.experiments.results import read_cells
from treegauge.experiments.run import read_plan

PLANS = sorted((Path(__file__).parents[2] / "studies").rglob("*.toml"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """A store filled by each verb that trains."""
    home = make_world(tmp_path_factory.mktemp("grid"))
    return {name: _filled(call, home / f"{name}.store") for name, call in calls(home).items()}


def _filled(call, path):
    call(store=path)
    return Store(path)


def test_every_verb_with_a_store_is_here(tmp_path):
    assert set(calls(tmp_path)) == storing_verbs()


@pytest.mark.parametrize("name", ["map", "difficulty", "curve counts", "curve advise", "transfer", "run"])
def test_no_verb_trains_a_model_twice(stores, name):
    with stores[name].reading() as ledger:
        cells = read_cells(ledger, "cells.done", {}, ["scalars"])
    assert cells.height
    assert not cells["repeated"].any()
    points = cells.select("setup", "size", "sample", "seed")
    assert points.n_unique() == cells.height


@pytest.mark.parametrize("name", ["curve counts", "run"])
def test_a_size_of_all_sentences_varies_the_seed(stores, name):
    """A curve by the verb and by a plan has the same grid."""
    results = stores[name].results(task="curve").select("size", "sample", "seed").sort("size", "sample", "seed")
    assert results.rows() == [(8, 0, 0), (8, 1, 0), (8, 2, 0), (SIZE, 0, 0), (SIZE, 0, 1), (SIZE, 0, 2)]


def test_there_are_plans():
    assert len(PLANS) >= 10


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_no_plan_of_ours_trains_a_model_twice(path, ud):
    cells = list(read_plan(path, trust=True).plan.expand(ud).cells())
    trained = {
        (cell.setup.digest, cell.seed,
         sampled(available_sentences(cell.setup.sentences, cell.extra), cell.size, cell.sample)
         .tobytes() if cell.size else cell.sample)
        for cell in cells
    }  # fmt: skip
    assert len(trained) == len(cells)
    if path.stem == "curve300":
        assert len(cells) == 300
