"""Learning curves: scores by size of the train set, overall and by class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.curves.attachments import ALL, Attachments
from treegauge.curves.grid import Bools, Floats, Grid, Over, averaged, grid_of, limits, uneven
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl

#: Test words a class must have in a treebank to count in averages (footnote 7 of the paper).
MIN_WORDS = 30
AVERAGE = "average"


@dataclass(frozen=True, eq=False)
class Curves(Analysis):
    """Learning curves, one row a parser, treebank, class and size.

    Attributes
    ----------
    frame
        parser, treebank (or ``average``), class, size; score with its interval; relative score
        (that of the largest size is 1) with its interval; test words of the class (in averages:
        mean number), share of the class in all words, number of treebanks.
    relative
        Whether tables for people show relative scores.
    """

    frame: "pl.DataFrame" = field(repr=False)
    relative: bool = False
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row a parser, treebank, class and size."""
        return self.frame

    def shown(self) -> "pl.DataFrame":
        """Return one row a curve and one column a size, in per cent."""
        import polars as pl

        value = pl.col("relative") * 100 if self.relative else pl.col("score")
        keys = ["parser", "treebank", "class", "share", "treebanks"]
        wide = self.frame.with_columns(value.alias("value"), pl.col("share") * 100).pivot(
            "size", index=keys, values="value"
        )
        idle = [name for name in ("parser", "treebank") if wide[name].n_unique() == 1]
        if wide["treebanks"].max() == 1:
            idle.append("treebanks")
        return wide.drop(idle)


def relative(means: Floats) -> Floats:
    r"""Divide by the score of the largest size: :math:`UAS_s[C] / UAS_{max}[C]`.

    Parameters
    ----------
    means
        (..., sizes, classes); a class of which nothing is learned at all has no relative curve.
    """
    last = means[..., -1:, :]
    return np.where(last > 0, means / np.where(last > 0, last, 1.0), np.nan)


def learning_curves(
    counts: Attachments,
    *,
    parsers: Sequence[str] = (),
    classes: Sequence[str] = (),
    sizes: Sequence[int] = (),
    each: bool = False,
    relative_scores: bool = False,
    min_words: int = MIN_WORDS,
    level: float = 0.95,
    resamples: int = 500,
    over: Over = "samplings",
    seed: int = 0,
) -> Curves:
    r"""Draw the curve of every class, averaged over treebanks or treebank by treebank.

    With :math:`UAS_s[C]` a treebank's share of words of class C with the right head, in the mean
    over samplings of s sentences, the relative curve is :math:`UAS_s[C] / UAS_{max}[C]`; the
    average is over treebanks with enough words of the class.

    Parameters
    ----------
    counts
        Right words by cell and class.
    parsers, classes, sizes
        Which ones, by default all.
    each
        A curve a treebank instead of the average.
    relative_scores
        Show relative scores in tables for people; the full table has both.
    min_words
        Treebanks with fewer test words of a class are left out of its average.
    level, resamples, over, seed
        Coverage of the bands; number and kind of the draws behind them: of samplings, treebanks,
        or both; their seed.

    Returns
    -------
    Curves
        Classes from the most frequent to the rarest, all words first.

    Examples
    --------
    >>> import polars as pl
    >>> from treegauge.curves.attachments import COLUMNS, attachments
    >>> rows = [("A", "beam", n, k, "all", 10 * i + k, 100) for i, n in enumerate((5, 10, 20), 4)
    ...         for k in (0, 1)]
    >>> found = learning_curves(attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row")))
    >>> found.table["score"].to_list()
    [40.5, 50.5, 60.5]
    """
    import polars as pl

    parts, notes = [], []
    grids = [grid_of(counts, parser, sizes=sizes) for parser in parsers or counts.parsers]
    for grid in grids:
        notes += [note for note in grid.left_out if note not in notes]
        draws = grid.draws(resamples, over=over, seed=seed)
        chosen = _chosen(grid, classes)
        if each:
            enough = grid.eligible(1)
            for t in range(len(grid.treebanks)):
                values, drawn = grid.means[[t]], draws.means[:, [t]]
                parts += _rows(grid, chosen, values, drawn, None, enough[[t]], [t], level)
        else:
            enough = grid.eligible(min_words)
            every = list(range(len(grid.treebanks)))
            parts += _rows(
                grid, chosen, grid.means, draws.means, draws.weights, enough, every, level
            )
            notes += _absent(grid, chosen, enough, min_words)
    if not parts:
        raise TreegaugeError("; ".join(notes))
    notes += [] if each else uneven(grids)
    signature = countersign(
        counts.signature, curves="each" if each else AVERAGE, min=min_words, level=level,
        resamples=resamples, over=over, seed=seed,
    )  # fmt: skip
    return Curves(signature, tuple(notes), pl.DataFrame(parts), relative_scores)


def _chosen(grid: Grid, classes: Sequence[str]) -> list[int]:
    if classes:
        return [grid.number(name) for name in classes]
    frequent = np.argsort(-grid.share.mean(axis=0), kind="stable")
    return [int(i) for i in frequent if grid.classes[i] == ALL] + [
        int(i) for i in frequent if grid.classes[i] != ALL
    ]


def _absent(grid: Grid, chosen: Sequence[int], enough: Bools, min_words: int) -> list[str]:
    rare = [grid.classes[c] for c in chosen if not enough[:, c].any()]
    if not rare:
        return []
    return [f"no treebank has {min_words} test words of: {', '.join(rare)}"]


def _rows(
    grid: Grid,
    chosen: Sequence[int],
    means: Floats,
    drawn: Floats,
    weights: Floats | None,
    enough: Bools,
    treebanks: Sequence[int],
    level: float,
) -> list[dict[str, Any]]:
    score = averaged(means, enough)
    low, high = limits(averaged(drawn, enough, weights), level)
    ratio = averaged(relative(means), enough)
    ratio_low, ratio_high = limits(averaged(relative(drawn), enough, weights), level)
    share, total = grid.share[treebanks].mean(axis=0), grid.total[treebanks].mean(axis=0)
    name = AVERAGE if weights is not None else grid.treebanks[treebanks[0]]
    rows = []
    for c in chosen:
        if not enough[:, c].any():
            continue
        for s, size in enumerate(grid.sizes.tolist()):
            numbers = {
                "score": score, "low": low, "high": high, "relative": ratio,
                "relative_low": ratio_low, "relative_high": ratio_high,
            }  # fmt: skip
            rows.append(
                {"parser": grid.parser, "treebank": name, "class": grid.classes[c]}
                | {"size": int(size)}
                | {key: _known(value[s, c]) for key, value in numbers.items()}
                | {"words": float(total[c]), "share": float(share[c])}
                | {"treebanks": int(enough[:, c].sum())}
            )
    return rows


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def check_one(counts: Attachments, treebank: str | None) -> Attachments:
    """Keep one treebank, or refuse a name that is not there."""
    if treebank is None:
        return counts
    if treebank not in counts.treebanks:
        raise ChoiceError("treebank", treebank, counts.treebanks)
    return counts.select(treebanks=[treebank])
