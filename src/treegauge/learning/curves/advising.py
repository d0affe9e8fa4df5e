"""The expected gain from annotating more sentences, by class, and where the curve flattens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import countersign
from treegauge.learning.curves.attachments import Attachments
from treegauge.learning.curves.extrapolation import WORDS, Mixture, factor, hit_rate, mix_laws, withheld
from treegauge.learning.curves.grid import Floats, ScoreGrid, grid_of, limits
from treegauge.learning.curves.learning import CurveAnalysis, of_treebank

if TYPE_CHECKING:
    from treegauge.learning.curves.settings import CurveBands


@dataclass(frozen=True, eq=False)
class Advice(CurveAnalysis):
    """The expected gain from more annotated sentences, all words first, then classes.

    Attributes
    ----------
    frame
        class, share of words, score now and then, gain within the class with its interval, and its
        contribution to the overall gain with its interval. Contributions of classes that cover all
        words add up to the gain, unless a note says that a class was cut at 100.
    doubling
        Points gained by doubling the data.
    flat
        Number of sentences from which a doubling gains less than `worth` points; missing if that is
        beyond the sizes for which predictions were checked.
    """

    parser: str
    treebank: str
    have: int
    budget: int
    doubling: float
    worth: float
    flat: float | None
    kind: ClassVar[str] = "advice"
    digits: ClassVar[int] = 2

    def shown(self) -> pl.DataFrame:
        """Return the table with shares in percent and intervals in one column each."""
        frame = self.frame.with_columns(pl.col("share") * 100)
        for name, prefix in (("gain", ""), ("contribution", "contribution_")):
            ends = pl.concat_list(f"{prefix}low", f"{prefix}high")
            known = pl.col(f"{prefix}low").is_not_null()
            frame = frame.with_columns(pl.when(known).then(ends).alias(f"{name} interval"))
        return frame.select(
            "class", "share", "now", "then", "gain", "gain interval", "contribution", "contribution interval"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The overall numbers."""
        row = self.frame.row(0, named=True)
        return {
            "have": self.have, "budget": self.budget, "now": row["now"], "then": row["then"],
            "gain": row["gain"], "gain_per_100": 100 * row["gain"] / self.budget,
            "doubling": self.doubling, "flat": self.flat,
        }  # fmt: skip

    def _lines(self) -> list[str]:
        row = self.frame.row(0, named=True)
        interval = "" if row["low"] is None else f", {row['low']:+.1f} to {row['high']:+.1f}"
        flat = f"These sizes do not show where a doubling gains less than {self.worth:g}."
        if self.flat is not None:
            number = f"{float(f'{self.flat:.2g}'):,.0f}"
            flat = (
                f"From about {number} sentences on, a doubling gains less than {self.worth:g}: the "
                "curve flattens there."
            )
        return [
            f"{self.treebank}, {self.parser}: {self.budget} more sentences in addition to "
            f"{self.have} raise {self.metric} from {row['now']:.1f} to about {row['then']:.1f} "
            f"({row['gain']:+.1f}{interval}), "
            f"{100 * row['gain'] / self.budget:.2f} points per 100 sentences; doubling the data "
            f"gains about {self.doubling:.1f}.",
            flat,
            *(f"note: {note}" for note in self.notes),
        ]


def expected_gain(
    counts: Attachments, bands: "CurveBands", *, budget: int, have: int | None = None,
    treebank: str | None = None, worth: float = 1.0,
) -> Advice:  # fmt: skip
    """Return the expected gain from more sentences; see :func:`treegauge.curve.advise`."""
    grid = grid_of(of_treebank(counts, treebank))
    if len(grid.treebanks) > 1:
        raise TreegaugeError(f"several treebanks ({', '.join(grid.treebanks)}): choose one with treebank")
    if len(grid.sizes) < 3:
        raise TreegaugeError(f"advice needs at least 3 sizes; got {len(grid.sizes)}")
    now = int(grid.sizes[-1]) if have is None else have
    if budget < 1 or now < grid.sizes[0]:
        raise TreegaugeError(
            f"have {now} and budget {budget}; expected a budget of 1 or more and at least the "
            f"{grid.sizes[0]:g} sentences of the smallest size measured"
        )
    later, curve, share = now + budget, grid.means[0], grid.share[0]
    mixture = mix_laws(grid.sizes, curve[:, 0], grid.variance[0, :, 0], grid.total[0, 0])
    before = mixture.level(now) @ curve
    gain = mixture.level(later) @ curve - before
    beyond = np.maximum(before + gain - 100, 0)
    gain = gain - beyond
    low, high, notes = _interval(grid, mixture, bands, now, later)
    low, high = np.maximum(low + gain, -before), np.minimum(high + gain, 100 - before)
    notes += _cut(grid, beyond)
    columns = {
        "share": share, "now": before, "then": before + gain, "gain": gain, "low": low,
        "high": high, "contribution": share * gain, "contribution_low": share * low,
        "contribution_high": share * high,
    }  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"class": grid.classes[c], "words": int(grid.total[0, c])}
        | {name: float(values[c]) if np.isfinite(values[c]) else None for name, values in columns.items()}
        for c in range(len(grid.classes))
        if c == 0 or grid.total[0, c] >= bands.min_words
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row["contribution"])
    doubling = (mixture.level(2 * now) - mixture.level(now)) @ curve[:, 0]
    signature = countersign(
        counts.signature, advice="mixture", parser=grid.parser, on=grid.treebanks[0], have=now,
        budget=budget, worth=worth, **bands.signed,
    )  # fmt: skip
    return Advice(
        signature, tuple(notes), pl.DataFrame(rows, infer_schema_length=None), counts.metric,
        grid.parser, grid.treebanks[0], now, budget, float(doubling), worth,
        mixture.flattening(curve[:, 0], worth),
    )  # fmt: skip


def _interval(
    grid: ScoreGrid, mixture: Mixture, bands: "CurveBands", now: int, later: int
) -> tuple[Floats, Floats, list[str]]:
    """Return the half-width of the interval of each class's gain (NaN if unknown), and notes."""
    curve = grid.means[0]
    nothing = np.full(curve.shape[1], np.nan)
    if later <= grid.sizes[-1]:
        step = mixture.level(later) - mixture.level(now)
        off = np.einsum("s,bsc->bc", step, grid.draws(bands).means[:, 0] - curve)
        return *limits(off, bands.level), [grid.withheld()] if grid.withheld() else []
    notes = [
        f"{later} sentences are more than the {grid.sizes[-1]:g} measured: the gain is "
        "extrapolated (mixture of power laws and the logarithm), for further sentences like these"
    ]
    if why := withheld(grid, later, bands.level):
        return nothing, nothing, [*notes, why]
    error = mixture.error(later, curve, grid.variance[0], np.maximum(grid.total[0], 1))
    half = factor(bands.level, "classes") * error
    half[0] = factor(bands.level) * error[0]
    half[1:][grid.total[0, 1:] < WORDS] = np.nan
    notes.append(f"intervals were {hit_rate()}")
    rare = (grid.total[0, 1:] >= bands.min_words) & (grid.total[0, 1:] < WORDS)
    if rare.any():
        notes.append(f"no interval for classes of fewer than {WORDS} test words")
    return -half, half, notes


def _cut(grid: ScoreGrid, beyond: Floats) -> list[str]:
    """Return a note on the classes whose predictions are cut at 100."""
    names = [grid.classes[c] for c in np.flatnonzero(beyond > 0.005).tolist()]
    if not names:
        return []
    lost = float(grid.share[0, 1:] @ beyond[1:])
    less = f"; contributions add up to {lost:.2f} less than the gain" if lost > 0.005 else ""
    return [f"predicted above 100, so set to 100: {', '.join(names)}{less}"]
