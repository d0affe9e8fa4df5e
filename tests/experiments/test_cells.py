"""The identity of cells."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.experiments import cells
from treegauge.experiments.cells import Cell, Setup

FILES = {"x-ud-train": "aa", "x-ud-test": "bb"}
BASE = Setup("curve", "/data/UD_X-Y", "beam", {"beam": 8, "epochs": 10}, {"nested": False}, FILES)
values = st.one_of(st.booleans(), st.integers(-9, 9), st.text(max_size=4))
mappings = st.dictionaries(st.text(max_size=4), values, max_size=4)
setups = st.builds(
    Setup, st.sampled_from(["curve", "score"]), st.sampled_from(["UD_X", "UD_Y"]),
    st.sampled_from(["beam", "mst"]), mappings, mappings, mappings,
)  # fmt: skip
points = st.tuples(st.none() | st.integers(1, 9), st.integers(0, 3), st.integers(0, 3))


def as_tuple(cell: Cell) -> str:
    """All that a result depends on, by another way: the order of names does not count."""
    mapped = [
        sorted((k, type(v).__name__, v) for k, v in m.items()) for m in (cell.options, cell.extra, cell.setup.files)
    ]
    return repr((cell.task, cell.setup.name, cell.parser, *mapped, cell.size, cell.sample, cell.seed))


@settings(max_examples=75, deadline=None)
@given(st.lists(st.tuples(setups, points), min_size=2, max_size=6))
def test_keys_are_equal_exactly_where_cells_are(drawn):
    made = [Cell(setup, *point) for setup, point in drawn]
    assert len({cell.key for cell in made}) == len({as_tuple(cell) for cell in made})


def test_where_it_lies_and_the_order_of_names_do_not_matter():
    other = Setup(
        "curve", "elsewhere/UD_X-Y/", "beam", {"epochs": 10, "beam": 8}, {"nested": False},
        dict(reversed(FILES.items())),
    )  # fmt: skip
    assert Cell(other, 5).key == Cell(BASE, 5).key


@pytest.mark.parametrize(
    "change",
    [
        {"options": {"beam": 16, "epochs": 10}}, {"options": {"beam": 8}}, {"task": "score"},
        {"parser": "mst"}, {"extra": {"nested": True}}, {"files": FILES | {"x-ud-test": "cc"}},
        {"treebank": "/data/UD_X-Z"},
    ],
)  # fmt: skip
def test_what_changes_a_key(change):
    assert Cell(replace(BASE, **change), 5).key != Cell(BASE, 5).key


def test_another_major_version_changes_a_key(monkeypatch):
    before = Cell(BASE, 5).key
    monkeypatch.setattr(cells, "__version__", "0.9.7")
    assert Cell(replace(BASE), 5).key == before
    monkeypatch.setattr(cells, "__version__", "7.0.0")
    assert Cell(replace(BASE), 5).key != before


def test_the_key_is_the_same_in_every_version():
    # Were it to change, no store would find its cells again.
    assert Cell(BASE, 100, 2, 3).key == "02882e8889bc06c74d51f96865b0b85d"


def test_it_travels():
    cell = Cell(BASE, 5, 1, 2)
    again = pickle.loads(pickle.dumps(cell))
    assert (again.key, again.name, dict(again.setup.files)) == (cell.key, cell.name, FILES)


def test_what_cannot_be_named_is_refused():
    with pytest.raises(TreegaugeError, match="numbers, texts, true or false"):
        Setup("score", "x", options={"f": object()}).digest  # noqa: B018
