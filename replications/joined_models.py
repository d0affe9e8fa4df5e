"""Which measures go along with LAS once size and length are accounted for."""

from typing import Any

import polars as pl

from replications.content_data import chosen
from replications.joined_data import table
from replications.parts import read_result
from treegauge.measures.registry import measures
from treegauge.statistics.analyse import analyse
from treegauge.statistics.background import remove_background
from treegauge.statistics.coefficients import inference
from treegauge.statistics.power import plan_power
from treegauge.statistics.regression import regress

GIVEN = ("train_words", "mean_test_length")
LOG = ("train_words",)
#: Treebanks with 100 train sentences, and of each language the largest of them.
SETS = ("enough", "language")
TARGETS = ("beam", "mst", "udpipe", "biaffine")
#: The parsers that were run on all treebanks.
EVERYWHERE = ("beam", "mst")
#: Predictors that a paper or a definition suggests, named before any of them was tried.
NAMED = (
    "edv", "oov", "klcpos3", "tree_overlap", "word_order_freedom", "hpe", "nonprojective_sentences",
    "mdd", "content", "form_entropy",
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

    Adjusted p-values are Benjamini and Hochberg's over all measures of a parser and a choice of
    treebanks.
    """
    found = []
    for choice in ("all", *SETS):
        frame = rows_of(choice)
        for target in TARGETS if choice == "enough" else EVERYWHERE:
            rows = analyse(frame, target, tried(), GIVEN, seed=0, cluster="none").table
            both = pl.col("given").is_in(["", " + ".join(GIVEN)])
            found.append(
                rows.filter(both).select(
                    pl.lit(target).alias("parser"), pl.lit(choice).alias("treebanks"),
                    pl.col("variable").alias("measure"),
                    (pl.col("given") != "").alias("given"),
                    "n", "r", "low", "high", "bca_low", "bca_high", "p_value", "p_adjusted",
                )
            )  # fmt: skip
    return pl.concat(found)


def findings() -> pl.DataFrame:
    """Return the measures that go along with LAS given size and length, whichever way one looks.

    Listed are those with p-values of at most 0.05 for both parsers and both choices of treebanks;
    ``holds`` counts, of the four, those that are still so when adjusted for their number.
    """
    cells = read_result("joined_partial").filter(
        pl.col("parser").is_in(EVERYWHERE), pl.col("treebanks").is_in(SETS)
    )
    rows = []
    for (name,), some in cells.filter(pl.col("given")).group_by("measure", maintain_order=True):
        if not (some["p_value"] <= 0.05).all():
            continue
        row: dict[str, Any] = {"measure": name, "meaning": measures()[str(name)].meaning}
        row["holds"] = int((some["p_adjusted"] <= 0.05).sum())
        for one in some.iter_rows(named=True):
            where = "" if one["treebanks"] == "enough" else ", one a language"
            row[f"{one['parser']}{where}"] = one["r"]
        here = (pl.col("measure") == name) & (pl.col("treebanks") == "enough")
        alone = cells.filter(here, ~pl.col("given"))
        row |= {f"{parser}, alone": r for parser, r in alone.select("parser", "r").iter_rows()}
        row |= {"low": some["low"].min(), "high": some["high"].max()}
        row |= {"p_adjusted": some["p_adjusted"].max()}
        rows.append(row)
    rows.sort(key=lambda row: (row["p_adjusted"], row["measure"]))
    return pl.DataFrame(rows or {"measure": []})


def regressions() -> pl.DataFrame:
    """Explain LAS by size, length and one measure more; LMG shares, and errors on new treebanks."""
    rows = []
    for choice in SETS:
        for target in EVERYWHERE:
            frame = rows_of(choice)
            for name in ("", *NAMED):
                terms = [*GIVEN, *([name] if name else [])]
                some = frame.drop_nulls(terms)
                base = regress(some, target, GIVEN, log=LOG).fit
                model = regress(some, target, terms, log=LOG)
                last = model.rows[-1] if name else {}
                shares = [row["importance"] for row in model.rows]
                rows.append(
                    {"parser": target, "treebanks": choice, "added": name or "(nothing)",
                     "n": some.height, "adj_r2": model.fit["adj_r2"],
                     "gain": _less(model.fit["adj_r2"], base["adj_r2"]),
                     "error": model.fit["loo_mae"],
                     "error_gain": _less(base["loo_mae"], model.fit["loo_mae"]),
                     "size_share": shares[0], "length_share": shares[1],
                     "share": last.get("importance"),
                     "standardised": last.get("standardised"), "p_value": last.get("p_value"),
                     "vif": last.get("vif"), "without": base["baseline_mae"]}
                )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _less(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one - two


def background() -> pl.DataFrame:
    """Divide size and length out of LAS, then correlate what is left with each named measure."""
    rows = []
    for choice in SETS:
        for target in EVERYWHERE:
            for name in NAMED:
                found = remove_background(rows_of(choice), target, name, GIVEN, log=LOG, seed=0)
                low, high = found.bca or (None, None)
                left = float(found.stages[-1].inference.r or 0)
                last = inference(left, len(found.sample.values))
                rows.append(
                    {"parser": target, "treebanks": choice, "measure": name,
                     "alone": found.stages[0].inference.r, "size_out": found.stages[1].inference.r,
                     "both_out": last.r, "bca_low": low, "bca_high": high,
                     "p_value": last.p_value}
                )  # fmt: skip
    return pl.DataFrame(rows)


def power() -> pl.DataFrame:
    """Say how strong a partial coefficient must be for so few treebanks to find it."""
    count = len(tried())
    rows = []
    for choice in ("all", *SETS):
        n = len(chosen(choice))
        one = plan_power(n=n, covariates=len(GIVEN))
        many = plan_power(n=n, covariates=len(GIVEN), level=1 - 0.05 / count)
        rows.append(
            {"treebanks": choice, "n": n, "measures": count, "one_measure": one.detectable_r,
             "all_measures": many.detectable_r,
             "power_of_0.3": plan_power(n=n, r=0.3, covariates=len(GIVEN)).power}
        )  # fmt: skip
    needed = plan_power(r=0.3, covariates=len(GIVEN)).rows_needed
    return pl.DataFrame(rows).with_columns(pl.lit(needed).alias("needed_for_0.3"))
