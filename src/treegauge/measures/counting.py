"""Requirements of measures, and sums of values per sentence."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.measures.registry import Additive, FloatArray, MissingError, register
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank

#: A column with a larger share of ``_`` counts as not annotated.
MOSTLY = 0.5
#: Number of possible values up to which a table is used whatever the number of keys.
SMALL = 1 << 16


def blank(treebank: Treebank, column: str) -> npt.NDArray[np.bool_]:
    r"""Return which words have no value in a column.

    In running text ``_`` is an ordinary form and its own lemma. If most forms are ``_``, as in
    treebanks whose text may not be distributed, it means that the value is missing.
    """
    codes, values = treebank.codes(column)
    if "_" not in values:
        return np.zeros(treebank.n_words, bool)
    empty: npt.NDArray[np.bool_] = codes == values.index("_")
    if column in {"form", "lemma"}:
        forms, names = treebank.codes("form")
        underscores = forms == (names.index("_") if "_" in names else -1)
        if underscores.mean() <= MOSTLY:
            empty &= ~underscores
    return empty


def need_words(treebank: Treebank) -> None:
    """Raise an error unless there is at least one word."""
    if treebank.n_words == 0:
        raise MissingError(f"{treebank.name} has no words")


def need_column(treebank: Treebank, column: str) -> None:
    """Raise an error unless a column is filled for most words, or FEATS for at least one."""
    need_words(treebank)
    share = blank(treebank, column).mean()
    if share == 1 or (column != "feats" and share > MOSTLY):
        raise MissingError(f"{treebank.name} has no {column.upper()}: it is '_' for {share:.0%} of words")


def ratio_of_columns(table: npt.NDArray[np.generic], treebank: Treebank, of: str) -> float:
    """Divide the sums of two columns; `of` names what the second column counts."""
    part, whole = table.sum(axis=0, dtype=np.float64)
    if whole == 0:
        raise MissingError(f"{treebank.name} has no {of}")
    return float(part / whole)


def ratio_of_sums(sums: FloatArray) -> FloatArray:
    """Divide the first column sum by the second, for resampling."""
    return sums[..., 0] / sums[..., 1]


def register_ratio(
    name: str, family: str, meaning: str, of: str, *, columns: Sequence[str] = (), **traits: Any
) -> Callable[[Callable[..., FloatArray]], Callable[..., float]]:
    """Register a measure that is a ratio of two sums over sentences, with an interval.

    The decorated function returns a table (sentences, 2) of numerators and denominators; it is
    replaced by a function that returns the ratio. `of` names what the second column counts (without
    any, the treebank has no value), `columns` the columns that must be filled.
    """

    def add(table: Callable[..., FloatArray]) -> Callable[..., float]:
        @wraps(table)
        def value(*treebanks: Treebank) -> float:
            for treebank in treebanks[:-1]:
                need_words(treebank)
            for treebank in treebanks:
                for column in columns:
                    need_column(treebank, column)
            return ratio_of_columns(table(*treebanks), treebanks[-1], of)

        sums = Additive(lambda *treebanks: [table(*treebanks)], ratio_of_sums)
        return register(name, family, meaning, additive=sums, **traits)(value)

    return add


def sentence_sums(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Return the sum of the words' values in each sentence."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(treebank.sentence_of, weights, len(treebank.lengths)).astype(np.float64, copy=False)


def arc_table(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Return the sum of the words' values and the number of arcs for each sentence."""
    arcs = trees.displacement(treebank.head, treebank.offsets) != 0
    return np.column_stack([sentence_sums(values, treebank), sentence_sums(arcs, treebank)])


def with_ones(values: npt.NDArray[np.generic]) -> FloatArray:
    """Return the values of sentences with a column of ones, so that the ratio is the mean."""
    return np.column_stack([values, np.ones(len(values))])


def renumber(keys: npt.NDArray[np.integer], possible: int) -> npt.NDArray[np.intp]:
    """Return the rank of each key (below `possible`) among the distinct keys, from 0.

    Equals the inverse of ``numpy.unique``, but takes linear time if there are few possible values.

    Examples
    --------
    >>> renumber(np.array([7, 2, 7, 5]), 10).tolist()
    [2, 0, 2, 1]
    """
    if possible > max(len(keys), SMALL):
        return np.asarray(np.unique(keys, return_inverse=True)[1])
    seen = np.zeros(possible, bool)
    seen[keys] = True
    places = np.cumsum(seen, dtype=np.intp) - 1
    return np.asarray(places[keys])
