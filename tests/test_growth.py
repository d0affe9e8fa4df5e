"""Work grows in proportion to a treebank: what is computed over all words is computed once.

Counted, not timed: the items that compiled functions get, and the words of the arrays that a
treebank derives from its columns.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.corrections.injected_errors import inject_errors
from treegauge import kernels
from treegauge.ranking.stability.rank_counts import ScoreSums
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

from .commands import invoke

SMALL = 150
MORE = 4
VERBS = {
    "check": ["gold"],
    "agree": ["gold", "system", "--disagreements"],
    "audit": ["gold", "--only", "consistency"],
    "diff": ["gold", "system"],
    "review": ["gold"],
    "measure": ["all", "gold"],
    "split": ["gold", "--out", "sets"],
    "show": ["gold", "--limit", "1"],
    "convert": ["gold", "--out", "table.csv"],
    "score": ["gold", "system"],
    "report": ["gold", "--out", "page.html"],
}


def arrays_of(treebank: Treebank) -> dict[str, Any]:
    """Return the attributes that a treebank derives and that are arrays."""
    derived = [name for name, one in vars(Treebank).items() if isinstance(one, property | cached_property)]
    found = {name: getattr(treebank, name) for name in derived}
    return {name: one for name, one in found.items() if isinstance(one, np.ndarray)}


def test_arrays_are_derived_once_and_cannot_be_changed():
    treebank = synthetic(5, seed=1)
    arrays = arrays_of(treebank)
    assert {"sentence_of", "positions", "parents", "lengths"} <= set(arrays)
    for name, array in arrays.items():
        assert getattr(treebank, name) is array, f"Treebank.{name} is computed at each use"
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count the items of arrays that are derived or given to compiled functions from now on."""
    items = [0]

    def counting(function: Any) -> Any:
        def run(*given: Any, **named: Any) -> Any:
            items[0] += max((len(one) for one in given if isinstance(one, np.ndarray)), default=0)
            return function(*given, **named)

        return run

    for module in pkgutil.iter_modules(kernels.__path__):
        kernel = importlib.import_module(f"{kernels.__name__}.{module.name}")
        for name, function in list(vars(kernel).items()):
            if type(function).__name__ == "cython_function_or_method":
                monkeypatch.setattr(kernel, name, counting(function))
    for name in arrays_of(synthetic(2, seed=1)):
        attribute: Any = vars(Treebank)[name]
        compute = getattr(attribute, "func", None) or attribute.fget

        def derive(treebank: Treebank, compute: Callable[[Any], Any] = compute) -> Any:
            found = compute(treebank)
            items[0] += len(found)
            return found

        replaced = type(attribute)(derive)
        if isinstance(replaced, cached_property):
            replaced.__set_name__(Treebank, name)
        monkeypatch.setattr(Treebank, name, replaced)
    return lambda: items[0]


def written(folder: Path, sentences: int) -> dict[str, str]:
    """Write a treebank whose second half repeats the first with errors, and a system's output."""
    folder.mkdir()
    half = synthetic(sentences // 2, seed=4)
    wrong = inject_errors(half, 0.1, seed=5).treebank.to_bytes()
    again = wrong.replace(b"sent_id = syn", b"sent_id = again")
    (folder / "gold.conllu").write_bytes(half.to_bytes() + again)
    gold = read_conllu(folder / "gold.conllu")
    write_conllu(inject_errors(gold, 0.2, seed=6).treebank, folder / "system.conllu")
    return {name: str(folder / f"{name}.conllu") for name in ("gold", "system")}


@pytest.mark.parametrize("verb", VERBS)
def test_work_grows_no_faster_than_the_treebank(verb, tmp_path, monkeypatch):
    work = counted(monkeypatch)
    done = []
    for sentences in (SMALL, MORE * SMALL):
        files = written(tmp_path / str(sentences), sentences)
        monkeypatch.chdir(tmp_path / str(sentences))
        before = work()
        ran = invoke([verb, *(files.get(word, word) for word in VERBS[verb])])
        assert ran.exit_code in {0, 1}, ran.output
        done.append(work() - before)
    assert 0 < done[0] < done[1] <= 1.1 * MORE * done[0]


def test_new_columns_need_fewer_calls_than_words():
    treebank = synthetic(200, seed=2)
    columns = {"head": treebank.head.copy(), "deprel": treebank["deprel"].to_list()}
    calls = []
    sys.setprofile(lambda _frame, event, _argument: calls.append(event))
    try:
        changed = treebank.with_columns(columns)
    finally:
        sys.setprofile(None)
    assert changed == treebank
    assert calls.count("call") + calls.count("c_call") < treebank.n_words


def test_distinct_values_need_fewer_calls_than_there_are():
    treebank = synthetic(200, seed=2)
    calls = []
    sys.setprofile(lambda _frame, event, _argument: calls.append(event))
    try:
        values = treebank.codes("form").values
    finally:
        sys.setprofile(None)
    assert values == list(dict.fromkeys(treebank["form"].to_list()))
    assert calls.count("call") + calls.count("c_call") < len(values)


@pytest.mark.parametrize("systems", [26, 208])
def test_sums_of_scores_are_products_too_small_for_threads_of_their_own(systems, monkeypatch):
    random = np.random.default_rng(0)
    numbers = random.integers(0, 10_000, (systems, 82)).astype(np.float32)
    mask = random.integers(0, 2, (82, 200), dtype=np.uint8)
    table = ScoreSums(np.arange(systems), numbers, numbers.sum(axis=1).astype(np.int64))
    sizes, multiply = [], np.matmul

    def recording(left, right, **named):
        sizes.append(left.size * right.shape[-1])
        return multiply(left, right, **named)

    monkeypatch.setattr(np, "matmul", recording)
    sums = table.sums(mask)
    assert sums.tolist() == (numbers.astype(np.int64) @ mask).tolist()
    assert 0 < max(sizes) <= 2**18
