"""The expected gain from annotating more sentences, by class, and where the curve flattens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import countersign
from treegauge.curves.attachments import Attachments
from treegauge.curves.fits import (
    PARAMETERS,
    Fitted,
    Law,
    fit_law,
    held_out,
    operator,
    size_weights,
    unidentified,
)
from treegauge.curves.grid import Floats, ScoreGrid, grid_of, limits, order_limits
from treegauge.curves.learning import CurveAnalysis, of_treebank

if TYPE_CHECKING:
    import polars as pl

    from treegauge.curves.curve import CurveBands


@dataclass(frozen=True, eq=False)
class Advice(CurveAnalysis):
    """The expected gain from more annotated sentences.

    Attributes
    ----------
    frame
        class, share of words, score now and then, gain within the class with its interval, and its
        contribution to the overall gain with its interval; all words first, then classes by
        contribution. Contributions of classes that cover all words add up to the gain, unless a
        note says that a class was cut at 100.
    have, budget
        Number of sentences now, and of further sentences.
    law
        The law that predicts scores beyond the sizes measured.
    settled
        Whether the sizes measured identify that law.
    doubling
        Points gained by doubling the data, by the law.
    flat, flat_low, flat_high
        Number of sentences from which a doubling gains less than `worth` points, and its interval;
        missing where the law never gets there or is not identified.
    """

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
    kind: ClassVar[str] = "advice"
    digits: ClassVar[int] = 2

    def shown(self) -> "pl.DataFrame":
        """Return the table with shares in percent and intervals in one column each."""
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
            "have": self.have, "budget": self.budget, "now": row["now"], "then": row["then"],
            "gain": row["gain"], "gain_per_100": 100 * row["gain"] / self.budget,
            "doubling": self.doubling, "flat": self.flat,
        }  # fmt: skip

    def _lines(self) -> list[str]:
        row = self.frame.row(0, named=True)
        lines = [
            f"{self.treebank}, {self.parser}: {self.budget} more sentences in addition to "
            f"{self.have} raise {self.metric} from {row['now']:.1f} to about {row['then']:.1f} "
            f"({row['gain']:+.1f}, {row['low']:+.1f} to {row['high']:+.1f}), "
            f"{100 * row['gain'] / self.budget:.2f} points per 100 sentences; doubling the data "
            f"gains about {self.doubling:.1f}.",
        ]
        if self.flat is not None:
            ends = f"{_round(self.flat_low)} to {_round(self.flat_high)}"
            lines.append(
                f"From about {_round(self.flat)} sentences ({ends}), a doubling gains less than "
                f"{self.worth:g}: the curve flattens there."
            )
        elif self.settled:
            lines.append(f"At every size in reach a doubling gains at least {self.worth:g}.")
        else:
            lines.append("These sizes do not show where the curve flattens.")
        return [*lines, *(f"note: {note}" for note in self.notes)]


#: A law that flattens beyond this number of sentences counts as one that does not flatten.
_FAR = 1e6


def _round(number: float | None) -> str:
    return "more than a million" if number is None else f"{float(f'{number:.2g}'):,.0f}"


def advise(
    counts: Attachments, bands: "CurveBands", *, budget: int, have: int | None = None,
    treebank: str | None = None, worth: float = 1.0,
) -> Advice:  # fmt: skip
    """Return the expected gain from more sentences; see :func:`treegauge.curve.advise`."""
    import polars as pl

    grid = grid_of(of_treebank(counts, treebank))
    if len(grid.treebanks) > 1:
        raise TreegaugeError(
            f"several treebanks ({', '.join(grid.treebanks)}): choose one with treebank"
        )
    now = int(grid.sizes[-1]) if have is None else have
    if budget < 1 or now < grid.sizes[0]:
        raise TreegaugeError(
            f"have {now} and budget {budget}; expected a budget of 1 or more and at least the "
            f"{grid.sizes[0]:g} sentences of the smallest size measured"
        )
    curve = grid.means[0]
    drawn = grid.draws(bands).means[:, 0]
    weights = size_weights(drawn[:, :, 0])
    law, notes = _law(grid, curve[:, 0], weights)
    fitted = fit_law(law, grid.sizes, curve[:, 0], weights)
    spread = fit_law(law, grid.sizes, drawn[:, :, 0], weights)
    why = unidentified(fitted, spread, bands.level)
    notes += [f"{law} law: {why}"] if why else []
    later = now + budget
    start, start_drawn = (_level(grid.sizes, law_fit, weights, now) for law_fit in (fitted, spread))
    end, end_drawn = (_level(grid.sizes, law_fit, weights, later) for law_fit in (fitted, spread))
    gain = (end - start) @ curve
    gains = np.einsum("bs,bsc->bc", end_drawn - start_drawn, drawn)
    before, drawn_before = start @ curve, np.einsum("bs,bsc->bc", start_drawn, drawn)
    share = grid.share[0]
    beyond = np.maximum(before + gain - 100, 0)
    gain, gains = gain - beyond, np.minimum(gains, 100 - drawn_before)
    low, high = limits(gains, bands.level)
    notes += _cut(grid, beyond)
    columns = {
        "share": share, "now": before, "then": before + gain, "gain": gain, "low": low,
        "high": high, "contribution": share * gain, "contribution_low": share * low,
        "contribution_high": share * high,
    }  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"class": grid.classes[c], "words": int(grid.total[0, c])}
        | {name: float(values[c]) for name, values in columns.items()}
        for c in range(len(grid.classes))
        if c == 0 or grid.total[0, c] >= bands.min_words
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row["contribution"])
    flat = _flattening(fitted, worth, grid.sizes[0])
    each = (Fitted(law, *values) for values in zip(spread.a, spread.b, spread.c, strict=True))
    flats = [_flattening(one, worth, grid.sizes[0]) for one in each]
    ends = order_limits([np.inf if one is None else one for one in flats], bands.level)
    flat_low, flat_high = (end if np.isfinite(end) else None for end in ends)
    doubling = fitted.at([2 * now])[0] - fitted.at([now])[0]
    if later > grid.sizes[-1]:
        notes.append(
            f"{later} sentences are more than the {grid.sizes[-1]:g} measured: the gain there "
            f"follows the {law} law"
        )
    signature = countersign(
        counts.signature, advice=law, parser=grid.parser, on=grid.treebanks[0], have=now,
        budget=budget, worth=worth, **bands.signed,
    )  # fmt: skip
    return Advice(
        signature, tuple(notes), pl.DataFrame(rows), counts.metric, grid.parser,
        grid.treebanks[0], now, budget, law, not why, float(doubling), worth, None if why else flat,
        None if why else flat_low, None if why else flat_high,
    )  # fmt: skip


def _cut(grid: ScoreGrid, beyond: Floats) -> list[str]:
    """Note the classes that the law predicts beyond 100, where they are cut."""
    names = [grid.classes[c] for c in np.flatnonzero(beyond > 0.005).tolist()]
    if not names:
        return []
    lost = float(grid.share[0, 1:] @ beyond[1:])
    less = f"; contributions add up to {lost:.2f} less than the gain" if lost > 0.005 else ""
    return [f"cut at 100, which the law exceeds: {', '.join(names)}{less}"]


def _law(grid: ScoreGrid, curve: Floats, weights: Floats) -> tuple[Law, list[str]]:
    """Choose the law that predicts the score at the largest size better from the other sizes."""
    if len(grid.sizes) <= PARAMETERS["log"]:
        raise TreegaugeError(
            f"advice needs at least {PARAMETERS['log'] + 1} sizes; got {len(grid.sizes)}"
        )
    power = held_out("power", grid.sizes, curve, weights)
    log = held_out("log", grid.sizes, curve, weights)
    if power is None or log is None:
        return "log", ["too few sizes to compare laws: the gain follows a logarithm"]
    errors = (
        f"without the largest size, a power law misses it by {power:+.2f} points and a logarithm "
        f"by {log:+.2f}"
    )
    return ("power" if abs(power) < abs(log) else "log"), [errors]


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
    r"""Solve :math:`b n^{-c} (1 - 2^{-c}) = worth` for n; a logarithm always gains the same."""
    b, c = float(fitted.b), float(fitted.c)
    if fitted.law == "log":
        return least if b * np.log(2) < worth else None
    if b <= 0:
        return least
    power = np.log(b * (1 - 2**-c) / worth) / c
    return max(least, float(np.exp(power))) if power < np.log(_FAR) else None
