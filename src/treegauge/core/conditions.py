"""Conditions on the columns of any table, such as ``words >= 30000`` or ``input = raw text``."""

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import parse_number

_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_SHOWN = 12
_CONDITION = re.compile(r"\s*([^<>=!]*[^<>=!\s])\s*(>=|<=|!=|=|>|<)(?!=)\s*(.*\S)\s*")


class Condition(NamedTuple):
    """A condition on one column: a bound for numbers, or the texts that a cell may be.

    Examples
    --------
    >>> Condition.parse("words >= 30000", ["words"])
    Condition(column='words', sign='>=', value='30000')
    >>> Condition.parse("release=2.5,2.6", ["release"]).holds("2.6")
    True
    >>> Condition.parse("metric = LAS[challenges]", ["metric"]).holds("LAS[challenges]")
    True
    >>> Condition.parse("word >= 30000", ["words"])
    Traceback (most recent call last):
    ...
    treegauge.core.errors.ChoiceError: unknown column 'word'; did you mean 'words'? choices: words
    """

    column: str
    sign: str
    value: str

    @classmethod
    def parse(cls, text: str, columns: Iterable[str]) -> "Condition":
        """Read a condition on one of these columns."""
        match = _CONDITION.fullmatch(text)
        if not match:
            raise TreegaugeError(
                f"found the condition {text!r}, expected for example 'words >= 30000' or 'release = 2.5' with one "
                f"of {', '.join(_BOUNDS)}, =, !="
            )
        column, sign, value = match.groups()
        known = {name.casefold(): name for name in columns}
        if column.casefold() not in known:
            raise ChoiceError("column", column, known.values())
        if sign in _BOUNDS and math.isnan(math.nan if (bound := parse_number(value)) is None else bound):
            raise TreegaugeError(f"found {value!r} in {text!r}, expected a number")
        return cls(known[column.casefold()], sign, value)

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.value}"

    def holds(self, cell: object) -> bool:
        """Whether a cell meets the condition; an empty one meets only ``!=``.

        ``=`` and ``!=`` compare texts, upper or lower case, also with several separated by commas
        and with ``*``: a release 2.1 is not 2.10. The other signs compare numbers.
        """
        if self.sign in _BOUNDS:
            number = parse_number(cell)
            return number is not None and _BOUNDS[self.sign](number, float(self.value))
        text = "" if cell is None else f"{cell:.15g}" if isinstance(cell, float) else str(cell).strip()
        alternatives = [self.value, *map(str.strip, self.value.split(","))]
        return (self.sign == "=") == any(
            text.casefold() == one or fnmatchcase(text.casefold(), one) for one in map(str.casefold, alternatives)
        )


def frame_where(frame: "pl.DataFrame", source: str, where: Sequence[str], *, empty: bool = False) -> "pl.DataFrame":
    """Return the rows of a table that meet all conditions; unless `empty`, there must be some.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"treebank": ["A", "B"], "release": ["2.5", "2.10"]})
    >>> frame_where(table, "t.csv", ["release = 2.10"]).rows()
    [('B', '2.10')]
    """
    for text in where:
        condition = Condition.parse(text, frame.columns)
        column = frame[condition.column]
        frame = frame.filter([condition.holds(cell) for cell in column])
        if frame.is_empty() and not empty:
            found = [str(value) for value in dict.fromkeys(column)]
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise TreegaugeError(
                f"{source}: no row meets {condition}; {condition.column} has {', '.join(found[:_SHOWN])}{more}"
            )
    return frame


def told_apart(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a long table of scores in which further columns name the systems that they tell apart.

    A system with several versions, releases or kinds of input becomes several systems, such as
    ``Stanza 1.0`` and ``Stanza 1.1.1``; one with a single version keeps its name.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("A", "1", "x"), ("A", "2", "x"), ("B", "1", "x")]
    >>> told_apart(pl.DataFrame(rows, ["system", "version", "treebank"], orient="row"))["system"].to_list()
    ['A 1', 'A 2', 'B']
    """
    for name in (name for name in ("version", "release", "input") if name in frame.columns):
        several = pl.col(name).n_unique().over("system") > 1
        longer = pl.col("system") + " " + pl.col(name).cast(pl.String).fill_null("")
        keys = [key for key in ("system", "treebank", "metric", "seed") if key in frame.columns]
        if frame.select(keys).is_duplicated().any():
            frame = frame.with_columns(system=pl.when(several).then(longer).otherwise(pl.col("system")))
    return frame
