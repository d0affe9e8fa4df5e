"""Counts from runs do not depend on interruptions."""

import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.pools import PoolSettings
from treegauge.experiments.run import run
from treegauge.experiments.training import run_expansion
from treegauge.learning.curves.class_counts import collect
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

CELLS = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A treebank of 20 training sentences, and one of 6, which is too small for size 12."""
    home = tmp_path_factory.mktemp("treebanks")
    for name, sentences in (("UD_Greek-Made", 20), ("UD_Latin-Made", 6)):
        place = home / name
        place.mkdir()
        for part, number in (("train", sentences), ("test", 8)):
            made = synthetic(number, seed=len(name) + number)
            write_conllu(made, place / f"xx_made-ud-{part}.conllu")
    return home


@pytest.fixture(scope="module")
def plan(folder):
    options = {"name": "beam", "options": {"epochs": 1, "beam": 1, "labelled": False}}
    shared = {"parsers": [options], "parameters": {"train_limit": 20, "dev_limit": 0}}
    both = [str(folder / "UD_*")]
    return Plan((grid("curve", both, sizes=[3, 6, 12], samples=2, **shared),), "made")


def gathered(store, folder):
    kept = Store(store)

    def gold(name):
        return read_conllu(folder / name, split="test", name=name)

    return collect(kept.results(task="curve"), kept.words, gold, metric="UAS").frame


@pytest.fixture(scope="module")
def whole(plan, folder, tmp_path_factory):
    store = tmp_path_factory.mktemp("whole")
    expanded = plan.expand()
    done = run(expanded, store, pool="inline")
    # Two of the ten cells ask for more sentences than there are; they are named, not run.
    assert (done.done, expanded.refused_cells) == (CELLS + 2, 2)
    assert expanded.refused == ("UD_Latin-Made has 6 training sentences, too few for size 12",)
    return gathered(store, folder)


@pytest.mark.parametrize("after", range(1, CELLS + 2))
def test_interrupted_anywhere_and_resumed_the_table_is_the_same(after, plan, folder, whole, tmp_path):
    def stop(done, total):
        if done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_expansion(plan.expand(), Store(tmp_path / "store"), PoolSettings("inline"), progress=stop)
    assert len(Store(tmp_path / "store")) == after
    part = gathered(tmp_path / "store", folder)
    assert part.height < whole.height
    again = run(plan, tmp_path / "store", pool="inline")
    assert again.reused == after
    assert gathered(tmp_path / "store", folder).equals(whole)


def test_a_treebank_too_small_is_left_out_by_name(whole):
    from treegauge.learning.curve import curve
    from treegauge.learning.curves.class_counts import attachments

    found = curve(attachments(whole), min_words=1)
    assert found.notes[0] == "UD_Latin-Made is left out: it has no size 12; its largest is 6"
    assert found.table.filter(pl.col("class") == "all")["treebanks"].to_list() == [1, 1, 1]


def fake(**columns):
    row = {
        "key": "k", "treebank": "T", "data": "d", "parser": "beam", "options": "",
        "parameters": "", "size": 5, "sample": 0, "seed": 0,
    }  # fmt: skip
    lists = [value for value in columns.values() if isinstance(value, list)]
    n = len(lists[0]) if lists else 1
    full = row | columns
    return pl.DataFrame({name: value if isinstance(value, list) else [value] * n for name, value in full.items()})


GOLD = synthetic(5, seed=1)


def words(key):
    return pl.DataFrame({"head": GOLD.head, "deprel": GOLD["deprel"]})


def test_samples_and_seeds_are_numbered_together():
    cells = fake(size=[5, 5, 9, 9], sample=[0, 1, 0, 0], seed=[0, 0, 3, 7])
    found = collect(cells, words, lambda name: GOLD).frame.filter(pl.col("class") == "all")
    assert found.select("size", "sample").rows() == [(5, 0), (5, 1), (9, 0), (9, 1)]


def test_a_parser_with_several_options_has_several_names():
    cells = fake(parser=["beam", "beam", "mst"], options=["", "beam=1", "epochs=2"])
    found = collect(cells, words, lambda name: GOLD)
    assert found.parsers == ["beam", "beam beam=1", "mst"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (fake(data=["a", "b"], sample=[0, 1]), "several releases: 'a' and 'b'"),
        (fake(parameters=["", "nested=true"], sample=[0, 1]), "several parameters"),
        (fake().drop("seed"), "lack seed"),
        (fake().clear(), "no cells of task curve are done"),
    ],
)
def test_results_that_do_not_go_together_are_refused(cells, message):
    with pytest.raises(TreegaugeError, match=message):
        collect(cells, words, lambda name: GOLD)


def test_cells_without_words_are_refused():
    with pytest.raises(TreegaugeError, match="no words of this cell"):
        collect(fake(), lambda key: None, lambda name: GOLD)
