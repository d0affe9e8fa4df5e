"""What annotating more would bring, to whom, and where it stops paying."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.curves.attachments import Attachments
from treegauge.curves.fits import held_out, size_weights, unidentified
from treegauge.curves.grid import Floats, Grid, grid_of, limits
from treegauge.curves.laws import PARAMETERS, Fitted, Law, fit_law, operator
from treegauge.curves.learning import MIN_WORDS, check_one
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Advice(Analysis):
    """The gain to expect from more sentences.

    Attributes
    ----------
    frame
        class, share of words, score now and then, gain within the class with its interval, and its
        part of the overall gain (``contribution``) with its interval; all words first, then the
        classes that profit most. Contributions of classes that part all words add up to the gain,
        unless a note says that a class was cut at 100.
    have, budget
        Sentences there are, and sentences to come.
    law
        Which law the part beyond the sizes measured follows.
    settled
        Whether the sizes measured determine that law.
    doubling
        Points that doubling what is there would bring, by the law.
    flat, flat_low, flat_high
        Sentences from which on a doubling brings less than `worth` points, and the interval;
        missing where the law never gets there or does not say.
    """

    frame: "pl.DataFrame" = field(repr=False)
    parser: str
    treebank: str
    have: int
    budget: int
    law: str
    settled: bool
    doubling: float
    worth: float
    flat: float | None
    flat_low: float | None
    flat_high: float | None
    digits: ClassVar[int] = 2

    @property
    def table(self) -> "pl.DataFrame":
        """One row a class, all words first."""
        return self.frame

    def shown(self) -> "pl.DataFrame":
        """Return the table with shares in per cent and intervals in one column each."""
        import polars as pl

        ends = {"gain": ("low", "high"), "contribution": ("contribution_low", "contribution_high")}
        frame = self.frame.with_columns(pl.col("share") * 100)
        for name, (low, high) in ends.items():
            interval = pl.concat_list(low, high).alias(f"{name} interval")
            frame = frame.with_columns(interval)
        return frame.select(
            "class", "share", "now", "then", "gain", "gain interval", "contribution",
            "contribution interval",
        )  # fmt: skip

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers of the whole."""
        row = self.frame.row(0, named=True)
        return {
            "have": self.have,
            "budget": self.budget,
            "now": row["now"],
            "then": row["then"],
            "gain": row["gain"],
            "gain_per_100": 100 * row["gain"] / self.budget,
            "doubling": self.doubling,
            "flat": self.flat,
        }

    def _summary_lines(self) -> list[str]:
        row = self.frame.row(0, named=True)
        lines = [
            f"{self.treebank}, {self.parser}: {self.budget} sentences more on top of {self.have} "
            f"take the score from {row['now']:.1f} to about {row['then']:.1f} "
            f"({row['gain']:+.1f}, {row['low']:+.1f} to {row['high']:+.1f}), "
            f"{100 * row['gain'] / self.budget:.2f} points per 100 sentences; doubling what there "
            f"is brings about {self.doubling:.1f}.",
        ]
        if self.flat is None:
            lines.append(
                f"No size is in sight from which on a doubling brings less than {self.worth:g}."
                if self.settled
                else "Where the curve flattens cannot be told from these sizes."
            )
        else:
            ends = f"{_round(self.flat_low)} to {_round(self.flat_high)}"
            lines.append(
                f"From about {_round(self.flat)} sentences ({ends}) on, a doubling brings less "
                f"than {self.worth:g}: the curve flattens there."
            )
        return lines


#: Sentences beyond which nobody will annotate: a law that flattens there does not flatten.
_FAR = 1e6


def _round(number: float | None) -> str:
    return "more than a million" if number is None else f"{float(f'{number:.2g}'):,.0f}"


def advise(
    counts: Attachments,
    *,
    budget: int,
    have: int | None = None,
    parser: str | None = None,
    treebank: str | None = None,
    worth: float = 1.0,
    min_words: int = MIN_WORDS,
    level: float = 0.95,
    resamples: int = 500,
    seed: int = 0,
) -> Advice:
    """Say what annotating more sentences would bring.

    Between the sizes measured, a curve is taken to be linear in ln(size); beyond the largest, it
    goes on from there as the law does that predicted the largest size better from the smaller ones
    (:mod:`treegauge.curves.laws`). Classes follow the exponent of the overall curve, so that
    their contributions (share of words times gain within the class) add up, unless one is cut at
    100, which a note says.

    Parameters
    ----------
    counts
        Right words by cell and class.
    budget
        How many more sentences could be annotated.
    have
        How many there are, by default the largest size measured.
    parser, treebank
        Whose curve; needed where the table holds several.
    worth
        Points that a doubling must bring to be worth it.
    min_words
        Classes with fewer test words are not listed.
    level, resamples, seed
        Coverage of the intervals, draws of samplings behind them, their seed.

    Returns
    -------
    Advice
        The gain, overall and by class, and where the curve flattens.
    """
    import polars as pl

    grid = _one(counts, parser, treebank)
    now = int(grid.sizes[-1]) if have is None else have
    if budget < 1 or now < grid.sizes[0]:
        raise TreegaugeError(
            f"have {now} and budget {budget}; expected a budget of 1 or more and at least the "
            f"{grid.sizes[0]:g} sentences of the smallest size measured"
        )
    curve = grid.means[0]
    drawn = grid.draws(resamples, seed=seed).means[:, 0]
    weights = size_weights(drawn[:, :, 0])
    law, notes = _law(grid, curve[:, 0], weights)
    found = fit_law(law, grid.sizes, curve[:, 0], weights)
    spread = fit_law(law, grid.sizes, drawn[:, :, 0], weights)
    why = unidentified(found, spread, level)
    notes += [f"{law} law: {why}"] if why else []
    later = now + budget
    start, start_drawn = (_level(grid.sizes, one, weights, now) for one in (found, spread))
    end, end_drawn = (_level(grid.sizes, one, weights, later) for one in (found, spread))
    gain = (end - start) @ curve
    gains = np.einsum("bs,bsc->bc", end_drawn - start_drawn, drawn)
    before, drawn_before = start @ curve, np.einsum("bs,bsc->bc", start_drawn, drawn)
    share = grid.share[0]
    beyond = np.maximum(before + gain - 100, 0)
    gain, gains = gain - beyond, np.minimum(gains, 100 - drawn_before)
    low, high = limits(gains, level)
    notes += _cut(grid, beyond)
    rows: list[dict[str, Any]] = [
        {
            "class": grid.classes[c],
            "words": int(grid.total[0, c]),
            "share": float(share[c]),
            "now": float(before[c]),
            "then": float(before[c] + gain[c]),
            "gain": float(gain[c]),
            "low": float(low[c]),
            "high": float(high[c]),
            "contribution": float(share[c] * gain[c]),
            "contribution_low": float(share[c] * low[c]),
            "contribution_high": float(share[c] * high[c]),
        }
        for c in range(len(grid.classes))
        if c == 0 or grid.total[0, c] >= min_words
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row["contribution"])
    flat = _flattening(found, worth, grid.sizes[0])
    flats = [_flattening(_nth(spread, i), worth, grid.sizes[0]) for i in range(resamples)]
    flat_low, flat_high = _flat_limits(flats, level)
    doubling = found.at([2 * now])[0] - found.at([now])[0]
    if later > grid.sizes[-1]:
        far = f"{later} sentences are beyond the {grid.sizes[-1]:g} measured"
        notes.append(f"{far}: the gain there follows the {law} law")
    signature = countersign(
        counts.signature, advice=law, parser=grid.parser, on=grid.treebanks[0], have=now,
        budget=budget, worth=worth, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    return Advice(
        signature, tuple(notes), pl.DataFrame(rows), grid.parser, grid.treebanks[0], now, budget,
        law, not why, float(doubling), worth, None if why else flat,
        None if why else flat_low, None if why else flat_high,
    )  # fmt: skip


def _cut(grid: Grid, beyond: Floats) -> list[str]:
    """Name what the law would take beyond 100, where it is cut."""
    names = [grid.classes[c] for c in np.flatnonzero(beyond > 0.005).tolist()]
    if not names:
        return []
    lost = float(grid.share[0, 1:] @ beyond[1:])
    told = f"; contributions add up to {lost:.2f} less than the gain" if lost > 0.005 else ""
    return [f"cut at 100, which the law would pass: {', '.join(names)}{told}"]


def _one(counts: Attachments, parser: str | None, treebank: str | None) -> Grid:
    grid = grid_of(check_one(counts, treebank), parser)
    if len(grid.treebanks) > 1:
        raise TreegaugeError(
            f"several treebanks ({', '.join(grid.treebanks)}): say which one is meant"
        )
    return grid


def _law(grid: Grid, curve: Floats, weights: Floats) -> tuple[Law, list[str]]:
    """Choose the law that predicts the largest size better from the others."""
    if len(grid.sizes) <= PARAMETERS["log"]:
        raise TreegaugeError(
            f"advice needs at least {PARAMETERS['log'] + 1} sizes, found {len(grid.sizes)}"
        )
    power = held_out("power", grid.sizes, curve, weights)
    log = held_out("log", grid.sizes, curve, weights)
    if power is None or log is None:
        return "log", ["too few sizes to tell laws apart: the gain follows a logarithm"]
    told = (
        f"without the largest size, a power law misses it by {power:+.2f} points and a logarithm "
        f"by {log:+.2f}"
    )
    return ("power" if abs(power) < abs(log) else "log"), [told]


def _level(sizes: Floats, fitted: Fitted, weights: Floats, n: int) -> Floats:
    """Return the weights of the measured scores in the score at n sentences, (..., sizes)."""
    inside = min(float(n), float(sizes[-1]))
    x, at = np.log(sizes), np.log(inside)
    right = int(np.clip(np.searchsorted(x, at), 1, len(x) - 1))
    part = (at - x[right - 1]) / (x[right] - x[right - 1])
    level = np.zeros(len(sizes))
    level[right - 1 : right + 1] = 1 - part, part
    if n <= sizes[-1]:
        return np.broadcast_to(level, (*fitted.a.shape, len(sizes)))
    onwards = operator(fitted, sizes, weights, n) - operator(fitted, sizes, weights, sizes[-1])
    return np.asarray(level + onwards)


def _flattening(fitted: Fitted, worth: float, least: float) -> float | None:
    r"""Solve :math:`b n^{-c} (1 - 2^{-c}) = worth` for n; a logarithm gains the same for ever."""
    b, c = float(fitted.b), float(fitted.c)
    if fitted.law == "log":
        return least if b * np.log(2) < worth else None
    if b <= 0:
        return least
    power = np.log(b * (1 - 2**-c) / worth) / c
    return max(least, float(np.exp(power))) if power < np.log(_FAR) else None


def _nth(fitted: Fitted, i: int) -> Fitted:
    return Fitted(fitted.law, fitted.a[i], fitted.b[i], fitted.c[i])


def _flat_limits(flats: list[float | None], level: float) -> tuple[float | None, float | None]:
    ordered = np.sort([np.inf if one is None else one for one in flats])
    last = len(ordered) - 1
    low = ordered[int(np.floor((1 - level) / 2 * last))]
    high = ordered[int(np.ceil((1 + level) / 2 * last))]
    return (
        float(low) if np.isfinite(low) else None,
        float(high) if np.isfinite(high) else None,
    )
