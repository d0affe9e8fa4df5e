"""Fitted learning curves: where they lead, how sure that is, and whether a fit says anything."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.curves.attachments import ALL, Attachments
from treegauge.curves.grid import Floats, Over, averaged, grid_of, limits
from treegauge.curves.laws import EXPONENTS, LAWS, PARAMETERS, Fitted, Law, check_law, fit_law
from treegauge.curves.learning import AVERAGE, MIN_WORDS, check_one
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Fits(Analysis):
    """Laws fitted to curves, and scores at further sizes.

    Attributes
    ----------
    frame
        treebank (or ``average``), class, law, parameters a, b, c with intervals, rms (of the
        residuals), held_out (error at the largest size when it is not fitted), identified.
    predictions
        treebank, class, law, size, score and its interval.
    """

    frame: "pl.DataFrame" = field(repr=False)
    predictions: "pl.DataFrame" = field(repr=False)
    parser: str
    digits: ClassVar[int] = 2

    @property
    def table(self) -> "pl.DataFrame":
        """One row a curve and law."""
        return self.frame

    def shown(self) -> "pl.DataFrame":
        """Return parameters and predicted scores; no asymptote where none is identified."""
        import polars as pl

        frame = self.frame.select("class", "law", "a", "b", "c", "rms", "held_out", "identified")
        unsure = ~pl.col("identified") & (pl.col("law") == "power")
        frame = frame.with_columns(
            pl.when(unsure).then(None).otherwise(pl.col("a")).alias("a"),
            pl.when(pl.col("identified")).then(pl.lit("yes")).otherwise(pl.lit("no"))
            .alias("identified"),
        )  # fmt: skip
        for size in self.predictions["size"].unique(maintain_order=True).to_list():
            rows = self.predictions.filter(size=size)
            told = [f"{s:.1f} ({a:.1f}–{b:.1f})" for s, a, b in rows["score", "low", "high"].rows()]
            frame = frame.with_columns(pl.Series(f"at {size}", told))
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return parameters, notes and predictions."""
        return super().to_dict() | {"predictions": self.predictions.to_dicts()}


def size_weights(drawn: Floats) -> Floats:
    """Weigh sizes by how sure their scores are: 1 / (variance + mean variance).

    A variance from five samplings is itself a rough guess, and that of the largest size may be
    nought; adding the mean keeps any size from ruling the fit.

    Parameters
    ----------
    drawn
        (resamples, sizes).
    """
    variance = drawn.var(axis=0)
    mean = variance.mean()
    return np.ones(len(variance)) if mean <= 0 else np.asarray(mean / (variance + mean))


def fit_curves(
    counts: Attachments,
    *,
    parser: str | None = None,
    treebank: str | None = None,
    classes: Sequence[str] = (ALL,),
    laws: Sequence[Law] = LAWS,
    at: Sequence[int] = (),
    min_words: int = MIN_WORDS,
    level: float = 0.95,
    resamples: int = 500,
    over: Over = "samplings",
    seed: int = 0,
) -> Fits:
    """Fit laws of growth and follow them beyond the sizes measured.

    Parameters
    ----------
    counts
        Right words by cell and class.
    parser, treebank, classes
        Which curves; without a treebank the average over all.
    laws
        ``"power"``: a - b n^-c, which levels off at a; ``"log"``: a + b ln n, which never does.
    at
        Sizes to predict scores for, by default two and four times the largest. A score is cut at
        100.
    min_words, level, resamples, over, seed
        As for :func:`treegauge.curves.learning.learning_curves`. Every draw is fitted anew.
        Intervals hold if the law does; how far the two laws disagree says more about that.

    Returns
    -------
    Fits
        ``identified`` is false, and a note says why, where the data do not settle a power law:
        its exponent runs to the end of the range in more draws than the level allows, or its
        asymptote is beyond 100.
    """
    import polars as pl

    grid = grid_of(check_one(counts, treebank), parser)
    sizes = grid.sizes
    for law in laws:
        check_law(law, len(sizes))
    mask = grid.eligible(1 if treebank else min_words)
    draws = grid.draws(resamples, over=over, seed=seed)
    curve = averaged(grid.means, mask)
    drawn = averaged(draws.means, mask, None if treebank else draws.weights)
    targets = [int(one) for one in at] or [int(sizes[-1]) * times for times in (2, 4)]
    if min(targets) < 1:
        raise TreegaugeError(f"sizes to predict are {targets}; expected 1 or more")
    rows, predictions, notes = [], [], list(grid.left_out)
    for name in classes:
        c = grid.number(name)
        if not np.isfinite(curve[:, c]).all():
            notes.append(f"no treebank has {min_words} test words of {name}")
            continue
        known = drawn[np.isfinite(drawn[:, :, c]).all(axis=1), :, c]
        weights = size_weights(known)
        for law in laws:
            key = {"treebank": treebank or AVERAGE, "class": name, "law": law}
            found = fit_law(law, sizes, curve[:, c], weights)
            spread = fit_law(law, sizes, known, weights)
            why = unidentified(found, spread, level)
            notes += [f"{name}, {law} law: {why}"] if why else []
            residual = found.at(sizes) - curve[:, c]
            rows.append(
                key
                | _with_limits(found, spread, level)
                | {"rms": float(np.sqrt(np.mean(residual**2)))}
                | {"held_out": held_out(law, sizes, curve[:, c], weights), "identified": not why}
            )
            low, high = limits(np.minimum(spread.at(targets), 100), level)
            scores = np.minimum(found.at(targets), 100)
            predictions += [
                key | {"size": n, "score": float(s), "low": float(a), "high": float(b)}
                for n, s, a, b in zip(targets, scores, low, high, strict=True)
            ]
    if not rows:
        raise TreegaugeError("; ".join(notes))
    signature = countersign(
        counts.signature, fit="+".join(laws), parser=grid.parser, on=treebank or AVERAGE,
        level=level, resamples=resamples, over=over, seed=seed,
    )  # fmt: skip
    schema = {"held_out": pl.Float64, "c": pl.Float64, "c_low": pl.Float64, "c_high": pl.Float64}
    return Fits(
        signature, tuple(notes), pl.DataFrame(rows, schema_overrides=schema),
        pl.DataFrame(predictions), grid.parser,
    )  # fmt: skip


def held_out(law: Law, sizes: Floats, curve: Floats, weights: Floats) -> float | None:
    """Fit without the largest size and return predicted minus measured score there."""
    if len(sizes) - 1 <= PARAMETERS[law]:
        return None
    found = fit_law(law, sizes[:-1], curve[:-1], weights[:-1])
    return float(found.at(sizes[-1:])[0] - curve[-1])


def unidentified(found: Fitted, spread: Fitted, level: float) -> str:
    """Say why the data do not settle a law; nothing if they do."""
    share = float(np.mean(spread.at_bound))
    why = ""
    if float(found.b) <= 0:
        why = "the curve does not rise"
    elif bool(found.at_bound) and float(found.c) < 1:
        why = (
            f"the exponent runs to {EXPONENTS[0]}, where a power law is a logarithm and has no "
            "asymptote"
        )
    elif bool(found.at_bound):
        why = f"the exponent runs to {EXPONENTS[1]}, a step at the first size"
    elif share > 1 - level:
        why = f"in {100 * share:.0f} % of the draws the exponent runs to the end of its range"
    elif found.law == "power" and float(found.a) > 100:
        why = f"it levels off at {float(found.a):.1f}, beyond 100"
    return f"not identified: {why}" if why else ""


def _with_limits(found: Fitted, spread: Fitted, level: float) -> dict[str, float | None]:
    row: dict[str, float | None] = {}
    for name in ("a", "b", "c"):
        value, (low, high) = getattr(found, name), limits(getattr(spread, name), level)
        for key, number in ((name, value), (f"{name}_low", low), (f"{name}_high", high)):
            row[key] = float(number) if np.isfinite(number) else None
    return row
