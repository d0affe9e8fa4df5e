"""Named subsets: macro averages and mean error reductions, as in Table 1 of Fragility."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.scores import Scores
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result

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
class Reduction(Result):
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

    @property
    def table(self) -> "pl.DataFrame":
        """One row per subset."""
        return self.rows

    def to_dict(self) -> dict[str, object]:
        """Return the rows, and the treebanks each of them had to do without."""
        absent = {name: list(codes) for name, codes in self.absent.items()}
        return {**super().to_dict(), "absent": absent}


def reduction(
    scores: Scores,
    subsets: Mapping[str, Sequence[str]] | Iterable[str] | None = None,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    absent: Absent = "leave-out",
) -> Reduction:
    """Average scores over named subsets and reduce errors between systems.

    Parameters
    ----------
    scores
        The table, in percent.
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
    >>> from treegauge.ranking.scores import read_scores
    >>> result = reduction(
    ...     read_scores("fragility_exp1"), ["Ma18"], pairs=[("sl-S+19", "gb-DM17")]
    ... )
    >>> print([round(value, 2) for value in result.table.row(0)[2:]])
    [87.74, 87.77, 83.96, 23.92]
    """
    import polars as pl

    if absent not in ("leave-out", "error"):
        raise ChoiceError("policy for absent treebanks", absent, ["leave-out", "error"])
    members = _members(subsets)
    if pairs is None:
        means = scores.values.mean(axis=1)
        ordered = sorted(range(len(means)), key=lambda a: means[a])
        chosen = [(scores.systems[a], scores.systems[b]) for a, b in combinations(ordered, 2)]
    else:
        chosen = list(pairs)
    rows, left_out = [], {}
    for name, codes in members.items():
        columns, missing = _columns(scores, codes)
        if missing and (absent == "error" or not columns):
            raise TreegaugeError(
                f"subset {name}: no score for {', '.join(missing)}; treebanks with scores: "
                f"{', '.join(scores.treebanks)}"
            )
        part = scores.values[:, columns]
        row: dict[str, object] = {"subset": name, "treebanks": len(columns)}
        row |= dict(zip(scores.systems, part.mean(axis=1).tolist(), strict=True))
        for reference, system in chosen:
            both = part[scores.system(reference)], part[scores.system(system)]
            row[f"E({reference}, {system})"] = error_reduction(*both)
        rows.append(row)
        if missing:
            left_out[name] = tuple(missing)
    return Reduction(
        pl.DataFrame(rows), left_out, f"{scores.signature}|subsets:{','.join(members)}"
    )


def restrict(scores: Scores, subset: str, *, absent: Absent = "error") -> Scores:
    """Keep only the treebanks of a named subset, or of codes separated by commas.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> restrict(read_scores("conll18"), "Ma18").values.shape
    (26, 12)
    """
    from treegauge import data

    own = [code.strip() for code in subset.split(",") if code.strip()]
    packaged = data.subsets()
    if subset not in packaged and len(own) == 1 and _columns(scores, own)[1]:
        raise ChoiceError("subset or treebank", subset, [*packaged, *scores.treebanks])
    columns, missing = _columns(scores, packaged.get(subset, own))
    if missing and (absent == "error" or not columns):
        raise TreegaugeError(
            f"subset {subset}: no score for {', '.join(missing)}; leave such treebanks out with "
            "missing: drop-treebank"
        )
    chosen = scores.select(treebanks=[scores.treebanks[column] for column in columns])
    if not missing:
        return chosen
    signature = f"{chosen.signature}|absent:{' '.join(missing)}"
    return replace(chosen, signature=signature, dropped=(*chosen.dropped, *missing))


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


def _columns(scores: Scores, codes: Sequence[str]) -> tuple[list[int], list[str]]:
    columns, missing = [], []
    for code in codes:
        try:
            columns.append(scores.treebank(code))
        except ChoiceError:
            missing.append(code)
    return columns, missing
