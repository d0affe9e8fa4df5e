"""Named subsets of treebanks with their averages (Fragility, Table 1), and constraints on subsets."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import countersign
from treegauge.ranking.leaderboard import Leaderboard, Ranks
from treegauge.ranking.reading import Missing

_WIDE = 10  # the largest number of columns that fit on a screen


def mean_error_reduction(reference: NDArray[np.float64], system: NDArray[np.float64]) -> float:
    r"""Return the mean over treebanks of the share of errors that a system removes, in percent.

    .. math:: \frac{1}{n} \sum_t 100 \cdot \frac{s_t - r_t}{100 - r_t}

    This is not the error reduction of the mean scores: every treebank has the same weight.
    """
    if (reference >= 100).any() or (system > 100).any():
        raise TreegaugeError(
            "error reduction needs scores in percent and a reference that makes errors: found "
            f"{max(reference.max(), system.max()):g}, expected less than 100"
        )
    return float(np.mean(100 * (system - reference) / (100 - reference)))


@dataclass(frozen=True, eq=False)
class SubsetAverages(Ranks, kind="subsets", unit="percent"):
    """Macro averages and error reductions over subsets; `absent` are members without a score."""

    rows: "pl.DataFrame"
    absent: dict[str, tuple[str, ...]]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per subset: treebanks, each system's average, ``E(reference, system)``."""
        return self.rows

    def shown(self) -> "pl.DataFrame":
        """Return one row per subset, or one row per system if that is too wide."""
        if self.rows.width <= _WIDE:
            return self.rows
        means = self.rows.drop("treebanks")
        return means.transpose(include_header=True, header_name="system", column_names="subset")

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the treebanks that each of them leaves out."""
        absent = {name: list(codes) for name, codes in self.absent.items()}
        return {**super().json_fields(), "absent": absent}


def restrict(board: Leaderboard, treebanks: Sequence[str] | str, *, missing: Missing = "error") -> Leaderboard:
    """Keep only the given treebanks: names of subsets, or codes (separated by commas); all if none."""
    from treegauge import data

    given, packaged = [treebanks] if isinstance(treebanks, str) else list(treebanks), data.named_subsets()
    if not given:
        return board
    codes: dict[str, None] = {}
    for text in given:
        own = [code.strip() for code in text.split(",") if code.strip()]
        if text not in packaged and len(own) == 1 and len(given) == 1 and subset_columns(board, own)[1]:
            raise ChoiceError("subset or treebank", text, [*packaged, *board.treebanks])
        codes |= dict.fromkeys(packaged.get(text, own))
    columns, absent = subset_columns(board, list(codes))
    if absent and (missing == "error" or not columns):
        raise TreegaugeError(
            f"treebanks {' '.join(given)}: no score for {', '.join(absent)}; leave such treebanks out "
            "with missing: drop-treebank"
        )
    chosen = board.select(treebanks=[board.treebanks[column] for column in columns])
    if not absent:
        return chosen
    signature = countersign(chosen.signature, absent=" ".join(absent))
    return replace(chosen, signature=signature, dropped=(*chosen.dropped, *absent))


def subset_columns(board: Leaderboard, codes: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the columns of treebanks, and the names of those without scores."""
    columns, missing = [], []
    for code in codes:
        try:
            columns.append(board.treebank(code))
        except ChoiceError:
            missing.append(code)
    return columns, missing


def average_subsets(
    board: Leaderboard,
    treebanks: Sequence[str] | Mapping[str, Sequence[str]] = (),
    *,
    pairs: Sequence[tuple[str, str]] = (),
) -> SubsetAverages:
    """Average scores over named subsets, with the mean of per-treebank error reductions.

    Members of a subset without scores are left out and named.

    Parameters
    ----------
    board
        The scores.
    treebanks
        Named subsets (Ma18) or your own (mine=cs_pdt,en_ewt). Default: the eight subsets of
        Fragility, Table 10.
    pairs
        Pairs of reference and system for error reductions. Default: every pair, if there are at
        most three systems; the system with the lower mean is the reference.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> board = read_leaderboard("fragility_exp1")
    >>> table = average_subsets(board, ["Ma18"], pairs=[("sl-S+19", "gb-DM17")]).table
    >>> print([round(value, 2) for value in table.row(0)[2:]])
    [87.74, 87.77, 83.96, 23.92]
    """
    members = own_subsets(treebanks)
    if not pairs and len(board.systems) <= 3:
        pairs = [*combinations([board.systems[i] for i in board.by_mean()[::-1]], 2)]
    rows, left_out = [], {}
    for name, codes in members.items():
        columns, absent = subset_columns(board, codes)
        if not columns:
            raise TreegaugeError(
                f"subset {name}: no score for {', '.join(absent)}; treebanks with scores: {', '.join(board.treebanks)}"
            )
        part = board.values[:, columns]
        row: dict[str, object] = {"subset": name, "treebanks": len(columns)}
        row |= dict(zip(board.systems, part.mean(axis=1).tolist(), strict=True))
        for reference, system in pairs:
            both = part[board.system(reference)], part[board.system(system)]
            row[f"E({reference}, {system})"] = mean_error_reduction(*both)
        rows.append(row)
        if absent:
            left_out[name] = tuple(absent)
            note(f"{name}: no scores for {', '.join(absent)}")
    signature = countersign(board.signature, subsets=",".join(members))
    return SubsetAverages(pl.DataFrame(rows), left_out, signature)


def own_subsets(given: Sequence[str] | Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the members of subsets given by name or as ``NAME=treebank,treebank``."""
    from treegauge import data

    if isinstance(given, Mapping):
        return dict(given)
    packaged = data.named_subsets()
    members: dict[str, Sequence[str]] = {}
    for text in [given] if isinstance(given, str) else given or packaged:
        name, equals, codes = text.partition("=")
        if not equals and name not in packaged:
            raise ChoiceError("subset", name, [*packaged, "NAME=treebank,treebank,..."])
        own = [part.strip() for part in codes.split(",") if part.strip()]
        chosen = own if equals else packaged[name]
        if list(members.setdefault(name, chosen)) != list(chosen):
            raise TreegaugeError(f"two subsets are called {name!r}; give each its own name")
    return members


GROUPINGS = ("language", "family", "stock", "genus", "resource")
"""Columns of metadata that group treebanks."""
_FORMS = (
    "COLUMN:MOST (such as language:1 or family:2), COLUMN=VALUE:MOST (such as genus=Slavic:2), "
    f"COLUMN:stratified (such as resource:stratified); COLUMN is one of {', '.join(GROUPINGS)}"
)


@dataclass(frozen=True)
class Constraint:
    """A bound on the number of treebanks in a subset that share a value of a metadata column.

    `most` is the largest number per value; None means stratified, that is in proportion to the
    whole collection (largest remainders). `value` is the only value with a bound; None: all values.

    Examples
    --------
    >>> Constraint.parse("language:1")
    Constraint(column='language', most=1, value=None)
    """

    column: str
    most: int | None = None
    value: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Constraint":
        """Parse ``COLUMN:MOST``, ``COLUMN=VALUE:MOST`` or ``COLUMN:stratified``."""
        match = re.fullmatch(r"(\w+)(?:=(.+))?:(\d+|stratified)", text.strip())
        if match is None or (match[2] and match[3] == "stratified"):
            raise TreegaugeError(f"constraint {text!r} is not understood; expected {_FORMS}")
        column, value, most = match.groups()
        if column not in GROUPINGS:
            raise ChoiceError("column of a constraint", column, GROUPINGS)
        return cls(column, None if most == "stratified" else int(most), value)

    def __str__(self) -> str:
        value = "" if self.value is None else f"={self.value}"
        return f"{self.column}{value}:{'stratified' if self.most is None else self.most}"


def constraints_of(constraints: "str | Iterable[str | Constraint]") -> tuple[Constraint, ...]:
    """Return constraints given as text or as objects."""
    constraints = [constraints] if isinstance(constraints, str) else constraints
    return tuple(c if isinstance(c, Constraint) else Constraint.parse(c) for c in constraints)


def shares(counts: Sequence[int], size: int) -> list[int]:
    """Divide `size` places in proportion to `counts`, the largest remainders rounded up."""
    total = sum(counts)
    floors = [size * count // total for count in counts]
    by_remainder = sorted(range(len(counts)), key=lambda i: (-(size * counts[i] % total), -counts[i], i))
    for i in by_remainder[: size - sum(floors)]:
        floors[i] += 1
    return floors


class GroupBounds(NamedTuple):
    """A constraint on one table: the group of each treebank, and the bounds by size and group."""

    text: str
    codes: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


def group_bounds(
    constraint: Constraint, board: Leaderboard, sizes: Sequence[int], *, least: bool = False
) -> GroupBounds:
    """Return the bounds of a constraint, whose number is an upper or a lower bound per group."""
    values = board.metadata[constraint.column].to_list()
    unknown = [name for name, v in zip(board.treebanks, values, strict=True) if v is None]
    if unknown and constraint.value is None:
        raise TreegaugeError(
            f"constraint {constraint}: {constraint.column} is not known for {', '.join(unknown)}; "
            "give it in a metadata table or leave these treebanks out"
        )
    names = sorted({value for value in values if value is not None})
    if constraint.value is not None:
        if constraint.value not in names:
            raise ChoiceError(constraint.column, constraint.value, names)
        names = [constraint.value]
    # One group more for treebanks that the constraint does not name.
    codes = np.array([names.index(v) if v in names else len(names) for v in values])
    counts = np.bincount(codes, minlength=len(names) + 1)
    lows = np.zeros((len(sizes), len(counts)), dtype=np.int64)
    highs = np.tile(counts, (len(sizes), 1))
    if constraint.most is None and least:
        raise TreegaugeError(f"{constraint}: stratified is not a least number; use it as at most")
    if constraint.most is None:
        lows[:] = highs[:] = [shares(counts.tolist(), size) for size in sizes]
    elif least:
        lows[:, :-1] = constraint.most
    else:
        highs[:, :-1] = np.minimum(highs[:, :-1], constraint.most)
    return GroupBounds(f"at least {constraint}" if least else str(constraint), codes, lows, highs)
