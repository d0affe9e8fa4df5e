"""Section 6 on whole treebanks with predicted tags, from the rows of ``edv_runs``.

Every value is the mean over the seeds of a treebank; a seed is another split and another training.
"""

from collections.abc import Mapping
from functools import cache
from itertools import product
from statistics import fmean, median, stdev

import polars as pl
from scipy import stats

from studies.edv.methods import SkewNormal, fit_skew_normal
from studies.edv.runs import STEERED, THIRTY_SIX, sets_of
from studies.edv.splits import FEWEST, PRINTED_TREEBANKS, TABLE7, coefficient, reason
from studies.edv.splitting import SAME_LENGTHS, described
from studies.parts import compared, read_result
from studies.verdicts import Why

PARSERS = ("udpipe ud2.0", "udpipe fast", "beam")
KINDS = ("random", SAME_LENGTHS, *STEERED)
VARIANTS: dict[str, Mapping[str, str]] = {
    "distance": {"dEDV": "dEDV", "dSLV": "dSLV"},
    "masses": {"dEDV": "dEDV masses", "dSLV": "dSLV masses"},
}
BEFORE = {"edv": "dEDV", "edv_masses": "dEDV masses", "slv": "dSLV", "slv_masses": "dSLV masses",
          "train_words": "dwords", "mean_test_length": "dlength", "las": "dLAS"}  # fmt: skip
FIGURE12 = {
    "mean delta LAS": "-4.26", "its sd over treebanks": "2.17",
    "mean of the skewed curve": "-4.18", "sd of the skewed curve": "2.68",
    "p of chi-square": "0.820", "median LAS, low": "75.40", "median LAS, high": "70.77",
}  # fmt: skip


@cache
def runs() -> pl.DataFrame:
    """Return the rows that are kept, with short names of treebanks."""
    return read_result("edv_runs").with_columns(pl.col("treebank").str.replace(r"^.*/UD_", ""))


@cache
def by_seed() -> pl.DataFrame:
    """Return high minus low for each parser, treebank and seed, and means of the two."""
    las = [pl.col("las").alias("las low"), pl.col("las high")]
    return _high_less_low(runs(), ["parser", "treebank", "seed"], las)


def _high_less_low(frame: pl.DataFrame, keys: list[str], more: list[pl.Expr]) -> pl.DataFrame:
    low, high = (frame.filter(kind=kind) for kind in STEERED)
    both = low.join(high, on=keys, suffix=" high", maintain_order="left")
    deltas = {name: delta for name, delta in BEFORE.items() if name in frame.columns}
    return both.select(
        *keys,
        *more,
        *((pl.col(f"{name} high") - pl.col(name)).alias(delta) for name, delta in deltas.items()),
        ((pl.col("train_words") + pl.col("train_words high")) / 2).alias("words"),
        ((pl.col("mean_test_length") + pl.col("mean_test_length high")) / 2).alias("length"),
    )


def distances() -> pl.DataFrame:
    """Split all 36 treebanks with three seeds and measure the splits; nothing is trained."""
    rows = []
    for treebank, seed, kind in product(THIRTY_SIX, range(3), STEERED):
        job = {"treebank": treebank, "seed": seed, "kind": kind}
        sets = sets_of(job)
        rows.append(job | described(sets["train"], sets["test"]))
    frame = pl.DataFrame(rows)
    return _high_less_low(frame, ["treebank", "seed"], []).with_columns(pl.col("treebank").str.replace(r"^.*/UD_", ""))


@cache
def deltas() -> pl.DataFrame:
    """Return means over the seeds of each parser and treebank, and the sd of dLAS over seeds."""
    values = [name for name in by_seed().columns if name not in {"parser", "treebank", "seed"}]
    return (
        by_seed()
        .group_by("parser", "treebank", maintain_order=True)
        .agg(pl.len().alias("seeds"), *(pl.col(name).mean() for name in values),
             pl.col("dLAS").std().alias("sd over seeds"))
        .sort("parser", "treebank")
    )  # fmt: skip


def run_parsers() -> list[str]:
    """Return the parsers that enough treebanks were run with."""
    return [name for name in PARSERS if deltas().filter(parser=name).height >= FEWEST]


def shape(parser: str) -> SkewNormal:
    """Fit the skewed curve of Fig. 12."""
    return fit_skew_normal(deltas().filter(parser=parser)["dLAS"])


def _seed_interval(parser: str, value: str) -> dict[str, float]:
    """Return the 95 % interval over our seeds of a mean, sd or median over treebanks."""
    frame = by_seed().filter(parser=parser)
    complete = frame.group_by("seed").len().filter(pl.col("len") == frame["treebank"].n_unique())
    found = []
    for seed in complete["seed"].sort():
        some = frame.filter(seed=seed)
        columns = {"mean delta LAS": "dLAS", "its sd over treebanks": "dLAS",
                   "median LAS, low": "las low", "median LAS, high": "las high"}  # fmt: skip
        numbers = some[columns[value]].to_list()
        how = fmean if value.startswith("mean") else median if "median" in value else stdev
        found.append(how(numbers))
    if len(found) < 2:
        return {}
    reach = float(stats.t.ppf(0.975, len(found) - 1)) * stdev(found) / len(found) ** 0.5
    return {"seed low": fmean(found) - reach, "seed high": fmean(found) + reach}


def _why(value: str, frame: pl.DataFrame, printed: str | None) -> str:
    """Return why a value differs; for means, how often samples of treebanks differ as much."""
    n = frame.height
    if printed is None or not value.startswith("mean"):
        return f"{n} other treebanks, with small test sets; there {PRINTED_TREEBANKS}"
    spread, theirs = stdev(frame["dLAS"].to_list()), float(FIGURE12["its sd over treebanks"])
    errors = (spread**2 / n, theirs**2 / PRINTED_TREEBANKS)
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / (n - 1) + errors[1] ** 2 / (PRINTED_TREEBANKS - 1))
    gap = fmean(frame["dLAS"].to_list()) - float(FIGURE12["mean delta LAS"])
    p = 2 * float(stats.t.sf(abs(gap) / sum(errors) ** 0.5, freedom))
    reach = float(stats.t.ppf(0.975, freedom)) * sum(errors) ** 0.5
    ours = fmean(frame["dLAS"].to_list())
    text = f"{n} and {PRINTED_TREEBANKS} treebanks differ as much by chance (Welch's p = {p:.2f})"
    return Why(text, least=ours - reach, most=ours + reach, margin=0.5)


def figure12() -> pl.DataFrame:
    """Sum up delta LAS next to what is printed with Figs. 12 and 13."""
    rows: list[dict[str, object]] = []
    for parser in run_parsers():
        frame, curve = deltas().filter(parser=parser), shape(parser)
        ours: dict[str, float | None] = {
            "mean delta LAS": float(curve.values.mean()), "its sd over treebanks": float(curve.values.std(ddof=1)),
            "mean of the skewed curve": curve.mean, "sd of the skewed curve": curve.sd,
            "p of chi-square": None,
            "median LAS, low": median(frame["las low"].to_list()),
            "median LAS, high": median(frame["las high"].to_list()),
            "treebanks that lose": float((frame["dLAS"] < 0).sum()),
        }  # fmt: skip
        counts = sorted(set(frame["seeds"].to_list()))
        seeds = " to ".join(str(count) for count in {counts[0]: None, counts[-1]: None})
        for value, number in ours.items():
            printed = FIGURE12.get(value)
            simple = value in {*list(FIGURE12)[:2], *list(FIGURE12)[-2:]}
            rows.append(
                {"parser": parser, "treebanks": frame.height, "seeds": seeds, "value": value,
                 "printed": printed, "ours": number,
                 "why": _why(value, frame, printed)}
                | (_seed_interval(parser, value) if simple else {})
            )  # fmt: skip
    return compared(rows)


def beside_random() -> pl.DataFrame:
    """Compare low and high splits with random ones, and with random ones with the same lengths.

    Treebanks count that have low, high and length-stratified splits; some have no random one.
    """
    keys = ["parser", "treebank"]
    means = (
        runs()
        .filter(parser="beam")
        .group_by(*keys, "kind", maintain_order=True)
        .agg(pl.col("edv", "edv_masses", "slv", "las").mean())
    )
    enough = pl.col("kind").is_in([SAME_LENGTHS, *STEERED]).sum().over("treebank") == 3
    means = means.filter(enough)
    rows: list[dict[str, object]] = []
    for kind in KINDS:
        frame = means.filter(kind=kind)
        row: dict[str, object] = {"kind": kind, "treebanks": frame.height}
        row |= {name: fmean(frame[name]) for name in ("edv", "edv_masses", "slv", "las")}
        for other in KINDS[:2]:
            base = means.filter(kind=other).select(*keys, base="las")
            both = frame.join(base, on=keys)
            gaps = (both["las"] - both["base"]).to_list() if kind != other else []
            row |= {
                f"LAS less {other}": fmean(gaps) if gaps else None,
                f"sd, less {other}": stdev(gaps) if gaps else None,
                f"below {other}": f"{sum(gap < 0 for gap in gaps)} of {len(gaps)}" if gaps else "",
            }
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def table7() -> pl.DataFrame:
    """Correlate differences of splits: all rows of Table 7, with both variants of EDV and SLV.

    Rows without LAS come from the splits of all 36 treebanks, the others from those with scores.
    """
    seeds = read_result("edv_whole_distances")
    splits = seeds.group_by("treebank", maintain_order=True).mean().drop("seed")
    rows: list[dict[str, object]] = []
    for parser in ("none", *run_parsers()):
        frame = splits if parser == "none" else deltas().filter(parser=parser)
        for key, (printed, p) in TABLE7.items():
            if ("dLAS" in key) is (parser == "none"):
                continue
            variable, target, given = key
            found = {v: coefficient(frame, key, columns) for v, columns in VARIANTS.items()}
            concerned = any(name in {"dEDV", "dSLV"} for name in key)
            for variant, one in found.items() if concerned else [(None, found["masses"])]:
                rows.append(
                    {"parser": parser, "treebanks": frame.height, "variant": variant,
                     "variable": variable, "with": target, "given": given or None,
                     "printed p": p, "p": one.p_value, "printed": printed, "ours": one.r,
                     "why": reason(key, one, found["masses"], printed, sampled=False)}
                )  # fmt: skip
    return compared(rows)


def sizes() -> pl.DataFrame:
    """Return how low and high splits differ in size and length, and the caption of Table 7."""
    frame = read_result("edv_whole_distances")
    words, length = frame["dwords"].abs(), frame["dlength"].abs()
    gaps = {
        "mean |delta train words|": ("45.0", words.mean()),
        "its sd over treebanks": ("68.7", words.std()),
        "in % of train words": ("0.097", (100 * words / frame["words"]).mean()),
        "mean |delta mean test length|": ("0.059", length.mean()),
        "its sd over treebanks, length": ("0.172", length.std()),
        "in % of the length": ("0.25", (100 * length / frame["length"]).mean()),
    }
    why = f"{frame['treebank'].n_unique()} of our treebanks, smaller ones; there 103"
    return compared(
        {"value": value, "printed": printed, "ours": ours, "why": why} for value, (printed, ours) in gaps.items()
    )
