"""Tables 1 to 5 and Figs. 7 and 8 of the EDV paper, for UDPipe 1.2 and UD 2.5.

Rows without EDV or SLV come from all 94 treebanks, rows with them from those that have files here.
"""

from collections.abc import Mapping
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.edv.data import (
    DISTANCES,
    DRAWS,
    SIZES,
    SLV_VARIANTS,
    VARIANTS,
    at_hand,
    fewer,
    fewer_for_w,
    resampled,
    scored,
    unrounded,
)
from studies.edv.methods import needed_rows
from studies.parts import compared
from treegauge.papers.edv import Stage, normality, remove_background
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.correlation import Association, correlate
from treegauge.statistics.correlation_coefficients import Inference, inference
from treegauge.statistics.linear_model import Regression, regress
from treegauge.statistics.planning import correlation_power

GIVEN = ("train_words", "mean_test_length")
LOG = ("train_words",)
LESS = "<0.001"
# As printed: the coefficient and its p-value.
TABLE1 = {"las": ("0.920", LESS), "train_words": ("0.418", LESS), "edv": ("0.785", LESS),
          "mean_test_length": ("0.978", "0.121"), "slv": ("0.686", LESS),
          "test_words": ("0.350", LESS)}  # fmt: skip
TABLE2 = {"train_words": ("0.660", LESS), "train_sentences": ("0.535", LESS),
          "mean_train_length": ("0.376", LESS), "test_words": ("0.433", LESS),
          "test_sentences": ("0.208", "0.045"), "mean_test_length": ("0.351", "0.001"),
          "slv": ("-0.191", "0.065"), "edv": ("-0.492", LESS)}  # fmt: skip
TABLE3 = {
    ("train_words", "edv"): ("-0.480", LESS), ("mean_test_length", "edv"): ("-0.080", "0.443"),
    ("mean_train_length", "edv"): ("-0.089", "0.393"), ("test_words", "edv"): ("-0.523", LESS),
    ("slv", "edv"): ("0.617", LESS), ("test_words", "train_words"): ("0.772", LESS),
    ("mean_test_length", "train_words"): ("0.149", "0.153"),
}  # fmt: skip
STATISTICS = ("r", "low", "high", "r2", "adjusted_r2", "p_value", "power")
TABLE4 = {
    0: ("-0.492", "-0.63", "-0.32", "0.242", "0.234", None, "0.999"),
    1: ("-0.265", "-0.44", "-0.06", "0.070", "0.050", "0.010", "0.735"),
    2: ("-0.278", "-0.46", "-0.08", "0.077", "0.047", "0.007", "0.773"),
}
# Predictors, adjusted R2, shares in percent, p-values.
TABLE5: tuple[tuple[tuple[str, ...], str, tuple[str, ...], tuple[str, ...]], ...] = (
    (("train_words",), "0.475", ("100.0",), (LESS,)),
    (("train_words", "mean_test_length"), "0.503", ("87.8", "12.2"), (LESS, "0.015")),
    (("train_words", "edv"), "0.567", ("55.7", "44.3"), (LESS, LESS)),
    (("train_words", "mean_test_length", "edv"), "0.589", ("50.8", "8.6", "40.6"), (LESS, "0.018", LESS)),
)


def variants_of(variable: str) -> list[tuple[str, str | None]]:
    """Return the columns behind a variable with their variants: EDV and SLV have several."""
    known = {"edv": VARIANTS, "slv": SLV_VARIANTS}
    return [*known[variable].items()] if variable in known else [(variable, None)]


def _row(
    names: dict[str, Any], n: int, printed: str | None, p_printed: str | None, ours: float, p: float, why: str
) -> dict[str, object]:
    return names | {"treebanks": n, "printed": printed, "ours": ours, "why": why, "printed p": p_printed, "p": p}


def table1() -> pl.DataFrame:
    """Shapiro and Wilk's W of every variable."""
    found = {row["variable"]: row for row in normality(scored(), ["las", *SIZES, *DISTANCES])}
    rows = []
    for variable, (printed, p) in TABLE1.items():
        for column, variant in variants_of(variable):
            one = found[column]
            axis = found[f"{column}_axis"]["W"] if column.endswith("_masses") else None
            why = fewer_for_w(one["W"], printed, axis) if column in DISTANCES else "unexplained"
            names = {"variable": variable, "variant": variant}
            rows.append(_row(names, int(one["n"]), printed, p, one["W"], one["p_value"], why))
    return compared(rows)


def table2() -> pl.DataFrame:
    """Correlations of LAS with every variable, and the same on the treebanks at hand."""
    variables = [*SIZES, *DISTANCES]
    all_rows, some_rows = (
        {row.variable: row for row in correlate(frame, "las", variables, resamples=0, cluster="none").rows}
        for frame in (scored(), at_hand())
    )
    rows = []
    for variable, (printed, p) in TABLE2.items():
        for column, variant in variants_of(variable):
            one, some = all_rows[column], some_rows[column].inference
            found = one.inference
            if column in DISTANCES:
                why = fewer(found, printed, _over_all_bins(all_rows, column))
            else:
                why = unrounded(column, printed)
            names = {"variable": variable, "variant": variant}
            row = _row(names, one.n, printed, p, _known(found.r), _known(found.p_value), why)
            rows.append(row | {"at hand": some.r, "p at hand": some.p_value})
    return compared(rows)


def _over_all_bins(rows: Mapping[str, Association], column: str) -> Inference | None:
    """Return the coefficient over all bins, for a column of masses over those seen."""
    return rows[f"{column}_axis"].inference if column.endswith("_masses") else None


def table3() -> pl.DataFrame:
    """Correlations of variables with each other."""
    pairs = {}
    for pair in correlation_matrix(scored(), [*SIZES, *DISTANCES], cluster="none").pairs:
        pairs[pair["x"], pair["y"]] = pairs[pair["y"], pair["x"]] = pair
    rows = []
    for (variable, target), (printed, p) in TABLE3.items():
        for column, variant in variants_of(target):
            # SLV goes with EDV of its own variant.
            other = column.replace("edv", "slv") if variable == "slv" else variable
            pair = pairs[other, column]
            why = "unexplained"
            if target == "edv":
                bins = None
                if column == "edv_masses":
                    of_bins = "slv_masses_axis" if variable == "slv" else variable
                    bins = _inference(pairs[of_bins, "edv_masses_axis"])
                why = fewer(_inference(pair), printed, bins)
            names = {"variable": variable, "with": target, "variant": variant}
            rows.append(_row(names, pair["n"], printed, p, pair["r"], pair["p_value"], why))
    pair = pairs["edv_masses", "edv"]
    names = {"variable": "edv, masses", "with": "edv", "variant": "distance"}
    rows.append(_row(names, pair["n"], None, None, pair["r"], pair["p_value"], ""))
    return compared(rows)


def _inference(pair: Mapping[str, Any]) -> Inference:
    return Inference(r=pair["r"], low=pair["low"], high=pair["high"])


def table4() -> pl.DataFrame:
    """Partial correlations of LAS and EDV, every cell."""
    found = correlate(at_hand(), "las", list(VARIANTS), GIVEN, resamples=0, cluster="none")
    bins = {len(one.given): one.inference for one in found.rows if one.variable.endswith("_axis")}
    rows: list[dict[str, object]] = []
    for one in found.rows:
        other = bins[len(one.given)] if one.variable == "edv_masses" else None
        for statistic, printed in zip(STATISTICS, TABLE4[len(one.given)], strict=True):
            rows.append(
                {"variant": VARIANTS[one.variable], "given": " + ".join(one.given) or "nothing",
                 "treebanks": one.n, "statistic": statistic, "printed": printed,
                 "ours": getattr(one.inference, statistic),
                 "why": _of_coefficient(statistic, printed, one.inference, other)}
            )  # fmt: skip
    return compared(rows)


def _of_coefficient(statistic: str, printed: str | None, found: Inference, other: Inference | None) -> str:
    if statistic == "r" and printed is not None:
        return fewer(found, printed, other)
    return f"follows from the coefficient and {at_hand().height} treebanks"


def powers() -> pl.DataFrame:
    """Return the power of the treebanks at hand, and the number needed, per printed coefficient."""
    n = at_hand().height
    rows = []
    for k, (coefficient, *_) in TABLE4.items():
        r = float(str(coefficient))
        rows.append(
            {"given": " + ".join(GIVEN[:k]) or "nothing", "printed coefficient": r,
             f"power of {n} treebanks": correlation_power(r, n - k),
             "treebanks for a power of 0.8": needed_rows(r) + k}
        )  # fmt: skip
    return pl.DataFrame(rows)


def partial() -> pl.DataFrame:
    """Return all that :func:`analyse` says about distances and LAS, with genera as clusters."""
    table = correlate(at_hand(), "las", ["edv", "edv_masses", "slv"], GIVEN, seed=0).table
    return table.drop("group", "target", "bca_low", "bca_high")


def table5() -> pl.DataFrame:
    """Linear models of LAS: adjusted R2, shares, p-values of the predictors."""
    rows: list[dict[str, object]] = []
    for predictors, adjusted, shares, p_values in TABLE5:
        for column, variant in variants_of("edv") if "edv" in predictors else [("edv", None)]:
            terms = [column if name == "edv" else name for name in predictors]
            model = regress(scored(), "las", terms, log=LOG, cluster="none")  # as the paper
            names = {"model": " + ".join(predictors), "variant": variant, "treebanks": model.summary["n"]}
            cells = _cells(names, model, adjusted, shares, p_values, "unexplained")
            rows += _with_intervals(cells, terms) if variant else cells
    for predictors, *_ in TABLE5[:2]:
        model = regress(at_hand(), "las", list(predictors), log=LOG, cluster="none")
        names = {"model": " + ".join(predictors), "variant": "at hand", "treebanks": model.summary["n"]}
        rows += _cells(names, model, None, (None,) * len(predictors), (LESS,) * len(predictors), "")
    return compared(rows)


def _with_intervals(cells: list[dict[str, Any]], terms: list[str]) -> list[dict[str, object]]:
    """Give the reasons of a model's cells: a bootstrap over the treebanks at hand."""
    draws = drawn_fits(terms)
    for cell in cells:
        statistic, printed = cell["statistic"], cell["printed"]
        if printed is not None and statistic in draws:
            cell["why"] = resampled(draws[statistic], printed, 1 if "%" in statistic else 2)
        elif printed is not None:
            cell["why"] = f"follows from the model and {at_hand().height} treebanks"
    return cells


def drawn_fits(terms: list[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Return adjusted R2 and shares (LMG, percent) of models of resampled treebanks."""
    frame = at_hand().with_columns(pl.col(LOG).log())
    values = frame.select("las", *terms).to_numpy().astype(np.float64)
    n, k = len(values), len(terms)
    rows = np.random.default_rng(0).integers(n, size=(DRAWS, n))
    drawn = values[rows] - values[rows].mean(axis=1, keepdims=True)
    cross = np.einsum("dni,dnj->dij", drawn, drawn)

    @cache
    def r2(chosen: tuple[int, ...]) -> npt.NDArray[np.float64]:
        if not chosen:
            return np.zeros(DRAWS)
        own = np.array(chosen)
        inner, outer = cross[:, own[:, None], own], cross[:, own, 0]
        fitted = np.linalg.solve(inner, outer[..., None])[..., 0]
        return np.asarray((fitted * outer).sum(axis=1) / cross[:, 0, 0])

    orders = list(permutations(range(1, k + 1)))
    gains = {term: np.zeros(DRAWS) for term in terms}
    for order in orders:
        for place, i in enumerate(order):
            before, after = (tuple(sorted(order[:end])) for end in (place, place + 1))
            gains[terms[i - 1]] += (r2(after) - r2(before)) / len(orders)
    whole = r2(tuple(range(1, k + 1)))
    names = {term: f"log({term})" if term in LOG else term for term in terms}
    found = {f"share of {names[term]}, %": 100 * share / whole for term, share in gains.items()}
    return found | {"adjusted R2": 1 - (1 - whole) * (n - 1) / (n - k - 1)}


def _cells(
    names: dict[str, Any], model: Regression, adjusted: str | None,
    shares: tuple[str | None, ...], p_values: tuple[str, ...], why: str,
) -> list[dict[str, object]]:  # fmt: skip
    cells: list[tuple[str, str | None, float | None]] = [("adjusted R2", adjusted, model.fit["adj_r2"])]
    for row, share, p in zip(model.rows, shares, p_values, strict=True):
        name = row["predictor"]
        cells += [(f"share of {name}, %", share, row["importance"]),
                  (f"p of {name}", None if p == LESS else p, row["p_value"])]  # fmt: skip
    return [
        names | {"statistic": statistic, "printed": printed, "ours": ours, "why": why}
        for statistic, printed, ours in cells
    ]


def backgrounds() -> pl.DataFrame:
    """Correlate with what is left of LAS after dividing covariates out (Figs. 7 and A.6)."""
    rows: list[dict[str, object]] = []
    figures = (
        ("7", "test_words", GIVEN[:1], ("0.433", "-0.123"), (LESS, "0.236")),
        ("A.6", "edv", GIVEN, ("-0.492", "-0.186", "-0.249"), (LESS, "0.072", "0.015")),
    )
    for figure, variable, given, printed, p_values in figures:
        stages = {
            column: remove_background(scored(), "las", column, given, log=LOG).stages
            for column, _ in variants_of(variable)
        }
        for column, variant in variants_of(variable):
            for i, (value, p) in enumerate(zip(printed, p_values, strict=True)):
                stage, one = stages[column][i], _of_stage(stages[column][i])
                masses = column == "edv_masses"
                bins = _of_stage(stages["edv_masses_axis"][i]) if masses else None
                why = unrounded(column, value) if variable != "edv" else fewer(one, value, bins)
                names = {"figure": figure, "variable": variable, "variant": variant, "divided out last": stage.removed}
                n = len(stage.values)
                rows.append(_row(names, n, value, p, _known(one.r), _known(one.p_value), why))
    one = correlate(scored(), "las", ["test_words"], GIVEN[:1], resamples=0, cluster="none").rows[1].inference
    rows.append(
        _row({"figure": "7, text: partial", "variable": "test_words", "variant": None,
              "divided out last": None}, 94, "-0.325", "0.001", _known(one.r), _known(one.p_value),
             "the printed value ranks residuals of raw counts; ranked first, as in Table 4, "
             "little is left (tests/published/test_edv_statistics.py makes both)")
    )  # fmt: skip
    return compared(rows)


def _of_stage(stage: Stage) -> Inference:
    """Return what the paper infers from a coefficient, as if nothing had been divided out."""
    return inference(_known(stage.inference.r), len(stage.values))


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("a coefficient is missing")
    return value
