"""No two cells of a grid train the same model: where all sentences are used, the seed varies."""

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.builtin import sampled
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell
from treegauge.experiments.grid import repeated_cells
from treegauge.experiments.plans import Plan, grid, make_setup
from treegauge.experiments.training import run_cells

FAST = {"name": "beam", "options": {"beam": 1, "epochs": 1}}


def points(room, task, **given):
    cells = Plan((grid(task, "UD_A-X", **given),), root=str(room)).expand().cells()
    return sorted((cell.size or 0, cell.sample, cell.seed) for cell in cells)


def test_a_size_of_all_sentences_varies_the_seed(room):
    (available,) = {len(tg.read_conllu(room / "UD_A-X", split="train"))}
    wanted = [(10, 0, 0), (10, 1, 0), (10, 2, 0), (available, 0, 0), (available, 0, 1)]
    wanted.append((available, 0, 2))
    assert points(room, "curve", parsers="beam", sizes=[10, available], samples=3) == wanted
    limited = points(room, "curve", parsers="beam", sizes=[10], samples=3, parameters={"train_limit": 10})
    assert limited == [(10, 0, 0), (10, 0, 1), (10, 0, 2)]


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("score", {"parsers": "beam"}), ("map", {"parsers": "mst"}),
        ("mdl", {"parsers": "mst"}), ("measure", {"parameters": {"measures": "edv"}}),
        ("transfer", {"parsers": "beam", "parameters": {"source": "UD_B-X"}}),
    ],
)  # fmt: skip
def test_tasks_that_use_all_sentences_vary_the_seed(room, task, given):
    assert points(room, task, samples=3, **given) == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]
    assert points(room, task, samples=2, seeds=[4, 5], **given) == [(0, 0, seed) for seed in (4, 5, 6, 7)]


def test_samples_of_tasks_that_split_again_stay(room):
    assert points(room, "split", parsers="beam", samples=2) == [(0, 0, 0), (0, 1, 0)]


def test_a_seed_that_no_ledger_can_hold_is_refused(room):
    with pytest.raises(TreegaugeError, match="need a seed above 2\\^63"):
        points(room, "score", parsers="beam", samples=2, seeds=[(1 << 63) - 1])


def test_results_of_one_model_count_once(room, tmp_path, caplog, command):
    """Stores of earlier versions have several samples of all sentences with one seed."""
    setup = make_setup("score", room / "UD_A-X", FAST["name"], options=FAST["options"])
    run_cells([Cell(setup, None, sample, 0) for sample in range(3)], tmp_path / "old")
    run_cells([Cell(setup, None, 0, 1)], tmp_path / "old")
    store = Store(tmp_path / "old")
    assert len(store.results(task="score")) == 4
    with caplog.at_level("INFO", "treegauge"):
        kept = store.results(task="score", distinct=True)
    assert kept.select("sample", "seed").rows() == [(0, 0), (0, 1)]
    assert "2 of 4 cells use all sentences with the same seed as another" in caplog.text
    assert "2 of 4 cells use all sentences" in command("results", tmp_path / "old").err


def test_samples_of_some_sentences_are_not_repeated():
    import polars as pl

    rows = [(1, 10, sample, seed, available) for available in (10, 30, None) for sample in (0, 1) for seed in (0, 1)]
    names = ["setup", "size", "sample", "seed", "available"]
    masks = [
        repeated_cells(pl.DataFrame(rows[start : start + 4], names, orient="row")).to_list() for start in (0, 4, 8)
    ]
    assert masks == [[False, False, True, True], [False] * 4, [False] * 4]
    assert np.array_equal(sampled(10, 10, 0), sampled(10, 10, 1))
