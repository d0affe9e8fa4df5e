"""Easy, ambiguous and hard halves of a data map as training sets, compared with random halves.

Treebanks are the units: the seeds of each are averaged first. Intervals are Student's; p-values are
of the exact signed-rank test, adjusted by Holm's method over the six halves of a parser.
"""

import numpy as np
import polars as pl

from studies.parts import Part, kept, read_result
from studies.selection.halves import HALVES, TREEBANKS
from studies.selection.runs import WHOLE
from treegauge.statistics.multiple import adjust
from treegauge.statistics.student_intervals import signed_rank, student_mean

PARSERS = ("beam", "mst", "biaffine")


def means() -> pl.DataFrame:
    """Return LAS by treebank, parser and half, means over seeds."""
    frame = read_result("selection_scores")
    return frame.group_by("treebank", "parser", "half").agg(
        pl.len().alias("seeds"), pl.col("las", "sentences", "words").mean()
    )


def halves() -> pl.DataFrame:
    """Return LAS of each half, and the difference from random halves with its interval."""
    rows = []
    frame = means()
    for parser in PARSERS:
        own = frame.filter(parser=parser)
        if own.is_empty():
            continue
        wide = own.pivot("half", index="treebank", values="las").sort("treebank")
        sizes = own.group_by("half").agg(pl.col("words").sum() / pl.col("sentences").sum())
        lengths = dict(sizes.iter_rows())
        chosen = [half for half in HALVES[1:] if half in wide.columns]
        gaps = {half: (wide[half] - wide["random"]).to_numpy() for half in chosen}
        adjusted = adjust([signed_rank(gap).p_value for gap in gaps.values()])
        p_values = dict(zip(chosen, adjusted.tolist(), strict=True))
        for half in ("random", *chosen, *(name for name in (WHOLE,) if name in wide.columns)):
            row = {
                "parser": parser, "half": half, "treebanks": wide.height,
                "words per sentence": lengths[half], "LAS": wide[half].mean(),
            }  # fmt: skip
            if half in gaps:
                low, high = student_mean(gaps[half]).interval()
                row |= {
                    "less random": float(np.mean(gaps[half])), "low": float(low),
                    "high": float(high), "p": p_values[half],
                    "better on": int((gaps[half] > 0).sum()),
                }  # fmt: skip
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def by_treebank() -> pl.DataFrame:
    """Return the difference from random halves, in LAS, by treebank and parser."""
    wide = means().pivot("half", index=["treebank", "parser"], values="las")
    order = {name: place for place, name in enumerate(TREEBANKS)}
    place = pl.col("treebank").replace_strict(order, return_dtype=pl.Int64)
    return wide.sort(place, "parser").select(
        "treebank", "parser", "random", *(pl.col(half) - pl.col("random") for half in HALVES[1:])
    )


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


PARTS = (
    kept(
        "selection_scores",
        "Scores of parsers trained on halves of ten training sets",
        "long: python -m studies.selection.runs; beam, seeds 0 and 1, 2,334 s of one core; mst, seed 0, 457 s",
    ),
    Part("selection_halves", "Halves of a data map and random halves", halves),
    Part("selection_treebanks", "Halves less random halves, by treebank", by_treebank, shown=_plain),
)
