"""Measures that correlate with LAS, controlled for size and sentence length.

Treebanks of one genus resemble each other, so genera are the units of all intervals and p-values.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.content.data import chosen
from studies.joined.data import table
from studies.parts import read_result
from studies.transfer.pairs import genus
from treegauge.measures.registry import measures
from treegauge.statistics.correlation import correlate
from treegauge.statistics.linear_model import regress

GIVEN = ("train_words", "mean_test_length")
LOG = ("train_words",)
TARGETS = ("beam", "mst", "udpipe", "biaffine")
#: The parsers that were run on all treebanks.
EVERYWHERE = ("beam", "mst")
#: Predictors that a paper or a definition suggests, named before any of them was tried.
NAMED = (
    "edv", "edv_excess", "oov", "klcpos3", "tree_overlap", "word_order_freedom", "hpe",
    "nonprojective_sentences", "mdd", "content", "form_entropy",
)  # fmt: skip


def tried() -> list[str]:
    """Return the measures to correlate: all that are one number, but for sizes and lengths."""
    known = measures()
    kept = [name for name in read_result("joined_measures").columns if name in known]
    return [n for n in kept if known[n].family != "lengths" or n == "one_word_sentences"]


def rows_of(choice: str) -> pl.DataFrame:
    """Return the joined table of some treebanks."""
    return table().filter(pl.col("treebank").is_in(chosen(choice)))


def partial() -> pl.DataFrame:
    """Correlate every measure with LAS by ranks, alone and given size and length.

    Treebanks with 100 training sentences or more, in genera. Adjusted p-values are Benjamini and
    Hochberg's over all measures of a parser.
    """
    found = []
    for target in TARGETS:
        rows = correlate(rows_of("enough"), target, tried(), GIVEN, resamples=0).table
        both = pl.col("given").is_in(["", " + ".join(GIVEN)])
        found.append(
            rows.filter(both).select(
                pl.lit(target).alias("parser"),
                pl.col("variable").alias("measure"),
                (pl.col("given") != "").alias("given"),
                "n", "r", "low", "high", "p_value", "p_adjusted", "detectable_r",
            )
        )  # fmt: skip
    return pl.concat(found)


def findings() -> pl.DataFrame:
    """Return the measures that go along with LAS given size and length, for both parsers.

    Listed are those with an adjusted p-value of at most 0.05 for both; ``low`` and ``high`` are the
    outer limits of the two intervals, ``p_adjusted`` is the larger one.
    """
    cells = read_result("joined_partial").filter(pl.col("parser").is_in(EVERYWHERE))
    rows = []
    for (name,), some in cells.filter(pl.col("given")).group_by("measure", maintain_order=True):
        if not (some["p_adjusted"].fill_null(1.0) <= 0.05).all():
            continue
        row: dict[str, Any] = {"measure": name, "meaning": measures()[str(name)].meaning}
        row |= dict(some.select("parser", "r").iter_rows())
        alone = cells.filter(pl.col("measure") == name, ~pl.col("given"))
        row |= {f"{parser}, alone": r for parser, r in alone.select("parser", "r").iter_rows()}
        row |= {"low": some["low"].min(), "high": some["high"].max()}
        row |= {"p_adjusted": some["p_adjusted"].max()}
        rows.append(row)
    rows.sort(key=lambda row: (row["p_adjusted"], row["measure"]))
    return pl.DataFrame(rows or {"measure": []})


def strongest() -> pl.DataFrame:
    """Return the strongest measure of each parser, corrected for selection.

    Of all measures that every treebank has, and of those that were named beforehand, given size and
    length.
    """
    frame = rows_of("enough")
    complete = [name for name in tried() if not frame[name].null_count()]
    rows = []
    for target in EVERYWHERE:
        for which, names in (("all", complete), ("named before", list(NAMED))):
            found = correlate(frame, target, names, GIVEN, resamples=0)
            best = found.selected
            rows.append(
                {"parser": target, "chosen from": which, "measures": best["selected_from"],
                 "strongest": best["strongest"], "r": best["observed_r"],
                 "corrected": best["selected_r"], "low": best["selected_low"],
                 "high": best["selected_high"]}
            )  # fmt: skip
    return pl.DataFrame(rows)


def regressions() -> pl.DataFrame:
    """Explain LAS by size, length and one measure more; LMG shares, and errors on new genera."""
    rows = []
    for target in EVERYWHERE:
        frame = rows_of("enough")
        for name in ("", *NAMED):
            terms = [*GIVEN, *([name] if name else [])]
            some = frame.drop_nulls(terms)
            base, model = (regress(some, target, GIVEN, log=LOG), regress(some, target, terms, log=LOG))
            last = model.rows[-1] if name else {}
            error, without = (genus_error(some, target, own) for own in (terms, GIVEN))
            rows.append(
                {"parser": target, "added": name or "(nothing)", "n": some.height,
                 "adj_r2": model.fit["adj_r2"],
                 "gain": model.fit["adj_r2"] - base.fit["adj_r2"],  # type: ignore[operator]
                 "error": error, "error_gain": without - error,
                 "share": last.get("importance"), "standardised": last.get("standardised")}
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def genus_error(frame: pl.DataFrame, target: str, terms: tuple[str, ...] | list[str]) -> float:
    """Return the mean absolute error of least squares on treebanks of a genus left out."""
    columns = [np.log(frame[name].to_numpy()) if name in LOG else frame[name].to_numpy() for name in terms]
    design = np.column_stack([np.ones(frame.height), *columns])
    scores: npt.NDArray[np.float64] = frame[target].to_numpy()
    genera = np.array([genus(name) for name in frame["treebank"]])
    errors = np.empty(frame.height)
    for one in np.unique(genera):
        new = genera == one
        weights = np.linalg.lstsq(design[~new], scores[~new])[0]
        errors[new] = np.abs(design[new] @ weights - scores[new])
    return float(errors.mean())
