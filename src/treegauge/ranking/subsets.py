"""Average scores over named subsets of treebanks, with error reductions (Fragility, Table 1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import READING, LeaderboardReading, Missing, leaderboard_of
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.messages import note
from treegauge.results.result import Result, countersign
from treegauge.results.verbs import verb

if TYPE_CHECKING:
    import polars as pl

Absent = Literal["leave-out", "error"]


def error_reduction(reference: NDArray[np.float64], system: NDArray[np.float64]) -> float:
    r"""Return the mean over treebanks of the share of errors that a system removes, in percent.

    .. math:: \frac{1}{n} \sum_t 100 \cdot \frac{s_t - r_t}{100 - r_t}

    This is not the error reduction of the mean scores: every treebank counts alike, easy or hard.

    Parameters
    ----------
    reference, system
        Scores in percent of the reference and of the other system on the same treebanks.

    Returns
    -------
    float
        Positive where the system makes fewer errors than the reference.

    Examples
    --------
    From 98 to 99 half the errors go, from 50 to 90 four fifths:

    >>> error_reduction(np.array([98.0, 50.0]), np.array([99.0, 90.0]))
    65.0
    """
    if (reference >= 100).any() or (system > 100).any():
        raise TreegaugeError(
            "error reduction needs scores in percent and a reference that makes errors: found "
            f"{max(reference.max(), system.max()):g}, expected less than 100"
        )
    return float(np.mean(100 * (system - reference) / (100 - reference)))


@dataclass(frozen=True, eq=False)
class SubsetAverages(Result):
    """Macro averages and error reductions over subsets of treebanks.

    Attributes
    ----------
    rows
        One row per subset: its name, how many of its treebanks have scores, each system's macro
        average (named after the system) and each pair's mean error reduction (``E(reference,
        system)``).
    absent
        For each subset, members without a score; they are left out of its row.
    signature
        All choices, in one line.
    """

    rows: "pl.DataFrame"
    absent: dict[str, tuple[str, ...]]
    signature: str
    kind: ClassVar[str] = "subsets"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per subset."""
        return self.rows

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the treebanks that each of them leaves out."""
        absent = {name: list(codes) for name, codes in self.absent.items()}
        return {**super().json_fields(), "absent": absent}


def subset_averages(
    board: Leaderboard,
    subsets: Mapping[str, Sequence[str]] | Iterable[str] | None = None,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    absent: Absent = "leave-out",
) -> SubsetAverages:
    """Return mean scores over named subsets, and mean error reductions between systems.

    Parameters
    ----------
    board
        The leaderboard, in percent.
    subsets
        Your own subsets as a mapping from name to treebanks, or names among the packaged eight;
        None means all eight.
    pairs
        (reference, system) pairs for error reductions; None means every pair of systems, the one
        with the lower mean score as reference.
    absent
        What to do with members of a subset that have no score: leave them out (named in the
        result) or raise an error.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> result = subset_averages(
    ...     read_leaderboard("fragility_exp1"), ["Ma18"], pairs=[("sl-S+19", "gb-DM17")]
    ... )
    >>> print([round(value, 2) for value in result.table.row(0)[2:]])
    [87.74, 87.77, 83.96, 23.92]
    """
    import polars as pl

    if absent not in ("leave-out", "error"):
        raise ChoiceError("policy for absent treebanks", absent, ["leave-out", "error"])
    members = _members(subsets)
    if pairs is None:
        means = board.values.mean(axis=1)
        ordered = sorted(range(len(means)), key=lambda a: means[a])
        chosen = [(board.systems[a], board.systems[b]) for a, b in combinations(ordered, 2)]
    else:
        chosen = list(pairs)
    rows, left_out = [], {}
    for name, codes in members.items():
        columns, missing = _columns(board, codes)
        if missing and (absent == "error" or not columns):
            raise TreegaugeError(
                f"subset {name}: no score for {', '.join(missing)}; treebanks with scores: "
                f"{', '.join(board.treebanks)}"
            )
        part = board.values[:, columns]
        row: dict[str, object] = {"subset": name, "treebanks": len(columns)}
        row |= dict(zip(board.systems, part.mean(axis=1).tolist(), strict=True))
        for reference, system in chosen:
            both = part[board.system(reference)], part[board.system(system)]
            row[f"E({reference}, {system})"] = error_reduction(*both)
        rows.append(row)
        if missing:
            left_out[name] = tuple(missing)
    signature = countersign(board.signature, subsets=",".join(members))
    return SubsetAverages(pl.DataFrame(rows), left_out, signature)


def restrict(
    board: Leaderboard, subset: str | Sequence[str] | None, *, missing: Missing = "error"
) -> Leaderboard:
    """Keep only the treebanks of a named subset, or of codes separated by commas.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> restrict(read_leaderboard("conll18"), "Ma18").values.shape
    (26, 12)
    """
    from treegauge import data

    if subset is None:
        return board
    given = subset.split(",") if isinstance(subset, str) else subset
    own = [code.strip() for code in given if code.strip()]
    packaged = {} if isinstance(subset, list | tuple) else data.subsets()
    if subset not in packaged and len(own) == 1 and _columns(board, own)[1]:
        raise ChoiceError("subset or treebank", subset, [*packaged, *board.treebanks])
    columns, absent = _columns(board, packaged.get(str(subset), own))
    if absent and (missing == "error" or not columns):
        raise TreegaugeError(
            f"subset {subset}: no score for {', '.join(absent)}; leave such treebanks out with "
            "missing: drop-treebank"
        )
    chosen = board.select(treebanks=[board.treebanks[column] for column in columns])
    if not absent:
        return chosen
    signature = countersign(chosen.signature, absent=" ".join(absent))
    return replace(chosen, signature=signature, dropped=(*chosen.dropped, *absent))


def _members(subsets: Mapping[str, Sequence[str]] | Iterable[str] | None) -> dict[str, list[str]]:
    from treegauge import data

    if isinstance(subsets, Mapping):
        return {name: list(codes) for name, codes in subsets.items()}
    packaged = data.subsets()
    chosen = packaged if subsets is None else list(subsets)
    for name in chosen:
        if name not in packaged:
            raise ChoiceError("subset", name, packaged)
    return {name: list(packaged[name]) for name in chosen}


def _columns(board: Leaderboard, codes: Sequence[str]) -> tuple[list[int], list[str]]:
    columns, missing = [], []
    for code in codes:
        try:
            columns.append(board.treebank(code))
        except ChoiceError:
            missing.append(code)
    return columns, missing


@verb
def subsets(
    *scores: Any,
    subset: Sequence[str] | Mapping[str, Sequence[str]] = (),
    pair: Sequence[str | tuple[str, str]] = (),
    all: bool = False,
    reading: LeaderboardReading = READING,
) -> SubsetAverages:
    """Average scores over named subsets, with the mean of per-treebank error reductions.

    Members of a named subset without scores are left out and named.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results.
    subset
        A named subset (Ma18) or your own (mine=cs_pdt,en_ewt); default: the eight of Fragility,
        Table 10.
    pair
        Error reduction of SYSTEM over REFERENCE, as REFERENCE,SYSTEM; default: every pair, if
        there are three systems at most.
    all
        Give the error reductions of all pairs of systems, however many there are.
    """
    board = leaderboard_of(scores, reading)
    members = subset if isinstance(subset, Mapping) else _own_subsets(subset)
    given = [_pair(one) for one in ([pair] if isinstance(pair, str) else pair)]
    pairs = given if given or (len(board.systems) > 3 and not all) else None
    averages = subset_averages(board, members or None, pairs=pairs)
    for name, absent in averages.absent.items():
        note(f"{name}: no scores for {', '.join(absent)}")
    return averages


def _own_subsets(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    from treegauge import data

    packaged, members = data.subsets(), {}
    for text in [given] if isinstance(given, str) else given:
        name, equals, codes = text.partition("=")
        if equals:
            members[name] = tuple(part.strip() for part in codes.split(",") if part.strip())
        elif name in packaged:
            members[name] = packaged[name]
        else:
            raise ChoiceError("subset", name, [*packaged, "NAME=treebank,treebank,..."])
    return members


def _pair(given: str | tuple[str, str]) -> tuple[str, str]:
    parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else list(given)
    if len(parts) != 2 or not all(parts):
        raise TreegaugeError(f"pair {given!r}: expected REFERENCE,SYSTEM")
    return parts[0], parts[1]
