"""What a measure needs of a treebank, and sums of values per sentence."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.measures.registry import Additive, FloatArray, MissingError, register
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank

#: Above this share of ``_`` a column counts as not annotated.
MOSTLY = 0.5
#: Possible values for which a table is kept whatever the number of keys.
SMALL = 1 << 16


def blank(treebank: Treebank, column: str) -> npt.NDArray[np.bool_]:
    r"""Say of each word whether a column has nothing for it.

    In running text ``_`` is a word like others, and its own lemma. Where most forms are ``_``, as
    in treebanks that may not show their text, it is neither.
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
    """Ask for at least one word."""
    if treebank.n_words == 0:
        raise MissingError(f"{treebank.name} has no words")


def need_column(treebank: Treebank, column: str) -> None:
    """Ask for a column that is filled in for most words, or FEATS for at least one."""
    need_words(treebank)
    share = blank(treebank, column).mean()
    if share == 1 or (column != "feats" and share > MOSTLY):
        raise MissingError(
            f"{treebank.name} has no {column.upper()}: it is '_' for {share:.0%} of words"
        )


def ratio(table: npt.NDArray[np.generic], treebank: Treebank, of: str) -> float:
    """Divide the sums of two columns; `of` names the things that the second column counts."""
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
    """Register a measure that divides two sums over sentences, which gives it an interval.

    The function below it returns the table (sentences, 2) of what is divided; it is replaced by a
    function that returns the ratio. `of` says what the second column counts (a treebank without it
    has no value), `columns` what must be filled in.
    """

    def add(table: Callable[..., FloatArray]) -> Callable[..., float]:
        @wraps(table)
        def value(*treebanks: Treebank) -> float:
            for treebank in treebanks[:-1]:
                need_words(treebank)
            for treebank in treebanks:
                for column in columns:
                    need_column(treebank, column)
            return ratio(table(*treebanks), treebanks[-1], of)

        sums = Additive(lambda *treebanks: [table(*treebanks)], ratio_of_sums)
        return register(name, family, meaning, additive=sums, **traits)(value)

    return add


def per_sentence(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Sum a value of each word over the sentences."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(treebank.sentence_of, weights, len(treebank)).astype(np.float64, copy=False)


def arc_table(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Give each sentence the sum of a value of its words and the number of its arcs."""
    arcs = trees.displacement(treebank.head, treebank.offsets) != 0
    return np.column_stack([per_sentence(values, treebank), per_sentence(arcs, treebank)])


def with_ones(values: npt.NDArray[np.generic]) -> FloatArray:
    """Pair a value of each sentence with a 1, so that the ratio is the mean."""
    return np.column_stack([values, np.ones(len(values))])


def renumber(keys: npt.NDArray[np.integer], possible: int) -> npt.NDArray[np.intp]:
    """Give the distinct values among keys below `possible` the numbers from 0 on, in their order.

    The inverse of ``numpy.unique``, but linear in the keys where there are fewer possible values.

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
