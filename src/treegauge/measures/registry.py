"""Registry of measures: meaning, range, documentation and resampling of each."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from numbers import Real
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.plugins import PluginError, load_plugins, naming_errors, origin_of
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import MOSTLY, Treebank

FloatArray = npt.NDArray[np.float64]
Values = dict[str, float | None]
Value = float | int | Values
F = TypeVar("F", bound=Callable[..., Any])

#: The families in listing order; each is a module and a page in the documentation.
FAMILIES = (
    "lengths", "displacement", "structure", "word_order", "vocabulary", "morphology", "relations", "similarity",
)  # fmt: skip
_MODULES = tuple(f"treegauge.measures.{module}" for module in ("displacement", "structure", "vocabulary", "similarity"))
GROUP = "treegauge.measures"


class MissingError(TreegaugeError):
    """A measure is undefined for this treebank; the message says why."""


@dataclass(frozen=True)
class Additive:
    """A measure as a function of sums over sentences, for resampling.

    `tables` returns the tables (sentences, columns) to resample: one, or one per treebank of a
    pair. `statistic` takes their column sums (..., columns). Sampling noise biases distances
    between distributions upwards and entropies downwards. `least` is the smallest number of
    sentences for which :func:`~treegauge.measures.intervals.measure_interval` holds its level;
    `stretch` is the factor by which bootstrap deviations are too small. A ``"binary"`` measure is
    the entropy of a share, whose interval it transforms.
    """

    tables: Callable[..., Sequence[npt.NDArray[Any]]]
    statistic: Callable[..., FloatArray]
    kind: Literal["mean", "binary", "entropy", "distance"] = "mean"
    least: int = 50
    units: str = "sentences"
    stretch: float = 1.0


@dataclass(frozen=True)
class Measure:
    """A function of a treebank, or of a training set and a test set, with its description.

    Attributes
    ----------
    function
        Returns a number, or several by name; raises :class:`MissingError` if it is undefined.
    bounds
        The smallest and the largest possible value.
    additive
        How to resample it; None if an interval from resampled sentences would mislead.
    watched
        Columns in which a noticeable share of ``_`` is reported with the value.
    empty
        Whether it is defined for a treebank without words.
    average
        How to combine the values of several treebanks, if that is part of the definition.
    needs_punct
        Why it is undefined without punctuation, if it is.
    """

    name: str
    family: str
    meaning: str
    function: Callable[..., Value]
    pair: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    additive: Additive | None = None
    watched: tuple[str, ...] = ()
    empty: bool = False
    average: Callable[[list[dict[str, float]]], Mapping[str, float]] | None = None
    needs_punct: str = ""

    @property
    def docs(self) -> str:
        """Page of the documentation that explains it."""
        return f"measures/{self.family}.md#{self.name}"

    @property
    def seeded(self) -> bool:
        """Whether it depends on a seed."""
        return "seed" in inspect.signature(self.function).parameters

    def naming_errors(self) -> AbstractContextManager[None]:
        """Return a context in which errors of a measure that is not built in name it."""
        if self.function.__module__ in _MODULES:
            return nullcontext()
        return naming_errors(f"measure {self.name!r}", GROUP, self.function)

    def __call__(self, *treebanks: Treebank, seed: int = 0) -> Value:
        """Compute it."""
        for treebank in treebanks:
            if treebank.n_words == 0 and not self.empty:
                raise MissingError(f"{treebank.name} has no words")
        with self.naming_errors():
            value = self.function(*treebanks, **({"seed": seed} if self.seeded else {}))
        for number in value.values() if isinstance(value, dict) else [value]:
            if not _is_value(number):
                raise PluginError(
                    f"measure {self.name!r}{origin_of(GROUP, self.function)} gave "
                    f"{str(number)[:80]!r}; expected a number, or several by name"
                )
            if number is not None and not math.isfinite(number):
                raise MissingError(f"{self.name} of {treebanks[0].name} came out as {number}")
        return value


def _is_value(value: object) -> bool:
    return value is None or (isinstance(value, Real) and not isinstance(value, bool))


_MEASURES: dict[str, Measure] = {}


def register(name: str, family: str, meaning: str, **traits: Any) -> Callable[[F], F]:
    """Register the decorated function as a measure; `traits` are fields of :class:`Measure`.

    Built-in measures keep their names; a function that is defined again replaces itself.
    """

    def add(function: F) -> F:
        if function.__module__ not in _MODULES:
            _check_new(name, family, function)
        _MEASURES[name] = Measure(name, family, meaning, function, **traits)
        return function

    return add


def _check_new(name: str, family: str, function: Callable[..., Any]) -> None:
    """Refuse a measure with the name of another, or of an unknown family."""
    for module in _MODULES:
        import_module(module)
    if family not in FAMILIES:
        raise ChoiceError(f"family of measure {name!r}", family, FAMILIES)
    if name in {"all", *FAMILIES}:
        raise TreegaugeError(f"{name!r} selects several measures; choose another name")
    known = _MEASURES.get(name)
    if known and (known.function.__module__, known.function.__qualname__) != (
        function.__module__,
        function.__qualname__,
    ):
        raise TreegaugeError(f"there is already a measure called {name!r}; choose another name")


@cache
def measures() -> dict[str, Measure]:
    """Return all measures by name, sorted by family, module and definition.

    Other packages add measures by an entry point in the group ``treegauge.measures`` that names a
    module with registered functions.

    Examples
    --------
    >>> measures()["edv"].meaning
    'distance between the displacements of train and test'
    """
    for module in _MODULES:
        import_module(module)
    load_plugins(GROUP)

    # Modules register on first import, which may happen in any order; measures
    # of plug-ins come last in their family.
    def place(measure: Measure) -> tuple[int, bool]:
        return FAMILIES.index(measure.family), measure.function.__module__ not in _MODULES

    return {measure.name: measure for measure in sorted(_MEASURES.values(), key=place)}


def selected_measures(names: str | Sequence[str]) -> list[Measure]:
    """Return the measures selected by names, families, or ``"all"``.

    Examples
    --------
    >>> [measure.name for measure in selected_measures("slv,edv")]
    ['slv', 'edv']
    >>> selected_measures("edvv")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.ChoiceError: unknown measure 'edvv'; did you mean 'edv'? ...
    """
    known = measures()
    chosen: dict[str, Measure] = {}
    for name in names.split(",") if isinstance(names, str) else names:
        if name in known:
            chosen[name] = known[name]
        elif name == "all" or name in FAMILIES:
            chosen |= {m.name: m for m in known.values() if name in {"all", m.family}}
        else:
            raise ChoiceError("measure", name, ["all", *FAMILIES, *known])
    return list(chosen.values())


#: Number of possible values up to which a table is used whatever the number of keys.
SMALL = 1 << 16


def need_words(treebank: Treebank) -> None:
    """Raise an error unless there is at least one word."""
    if treebank.n_words == 0:
        raise MissingError(f"{treebank.name} has no words")


def need_column(treebank: Treebank, column: str) -> None:
    """Raise an error unless a column is filled for most words, or FEATS for at least one."""
    need_words(treebank)
    share = treebank.blank_shares[column]
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
