"""Section 6 of the EDV paper: the loss of parsers on splits with a high EDV.

``python -m studies edv_splits`` collects scores from the stores of ``studies/edv/splits_*.toml``,
looked for under ``TREEGAUGE_RUNS`` (``../runs``); the tables are made of what it keeps.
``python -m studies edv_graded`` trains on splits at five levels of EDV.
"""

import os
from collections.abc import Mapping
from functools import cache
from math import atanh, tanh
from pathlib import Path
from statistics import median

import polars as pl
from scipy import stats

import treegauge as tg
from studies.edv.data import MARGIN, allows
from studies.edv.methods import SkewNormal, fit_skew_normal
from studies.edv.splitting import KINDS
from studies.parts import compared, read_result
from studies.treebanks import release_folder
from studies.verdicts import Why
from treegauge.experiments.cell_store import Store
from treegauge.papers.edv import slopes_on_edv
from treegauge.statistics.correlation import correlate
from treegauge.statistics.correlation_coefficients import Inference, inference

PARSERS = ("udpipe", "beam", "mst")
METHODS = ("sampler", "optimised")
FEWEST = 8
PRINTED_TREEBANKS, SIGNIFICANT = 103, 0.05
EDV = {"distance": "dEDV", "masses": "dEDV masses"}
FIGURES = ("uas", "las", "train_sentences", "train_words", "test_words", "mean_test_length", "edv", "edv_masses", "slv")
# Variable, what it is correlated with, given: coefficient and p-value as printed in Table 7.
TABLE7: dict[tuple[str, str, str], tuple[str | None, str | None]] = {
    ("words", "dLAS", ""): ("0.104", "0.295"),
    ("length", "dLAS", ""): ("0.507", "<0.001"),
    ("dwords", "dLAS", ""): ("0.067", "0.502"),
    ("dlength", "dLAS", ""): ("-0.037", "0.713"),
    ("dSLV", "dLAS", ""): ("0.139", "0.161"),
    ("dEDV", "dLAS", ""): ("-0.478", "<0.001"),
    ("length", "dEDV", ""): ("-0.847", "<0.001"),
    ("dSLV", "dEDV", ""): ("0.088", "0.379"),
    ("dEDV", "dLAS", "length"): ("-0.105", "0.295"),
    ("dEDV", "dLAS", "dSLV"): ("-0.497", "<0.001"),
    ("words", "length", ""): (None, None),
}


def collected() -> pl.DataFrame:
    """Read scores, sizes and distances of all splits that were run."""
    root = Path(os.environ.get("TREEGAUGE_RUNS", "../runs"))
    frames = []
    for parser in PARSERS:
        done = Store(root / f"splits_{parser}").results()
        kind = pl.col("parameters").str.extract(r"kind=(\w+(?:, \w+)?)").alias("kind")
        frames.append(done.select(pl.col("treebank").str.strip_prefix("UD_"), "parser", kind, *FIGURES))
    order = pl.col("kind").replace_strict({kind: i for i, kind in enumerate(KINDS)})
    return pl.concat(frames).sort("treebank", "parser", order)


# The smallest treebanks of UD 2.9 with 100 training sentences, one of each genus.
GRADED = ("Marathi-UFAL", "Lithuanian-HSE", "Telugu-MTG", "Tamil-TTB", "Turkish-FrameNet", "Galician-TreeGal")


def graded() -> pl.DataFrame:
    """Return scores of splits at five levels of EDV, three samples of each."""
    folders = [release_folder("r2.9") / f"UD_{name}" for name in GRADED]
    made = tg.study("edv", *folders, "ud25", parser="mst epochs=5", out=None)
    return pl.DataFrame(made["Graded EDV"].rows)


def graded_slopes() -> pl.DataFrame:
    """Return the change of LAS per unit of EDV, by treebank and over treebanks."""
    return pl.DataFrame(slopes_on_edv(read_result("edv_graded").to_dicts()))


@cache
def deltas() -> pl.DataFrame:
    """Return high minus low for each treebank, parser and method, and means of the two."""
    frame = read_result("edv_splits")
    rows = []
    for (treebank, parser), cells in frame.group_by("treebank", "parser", maintain_order=True):
        of = {row["kind"]: row for row in cells.iter_rows(named=True)}
        for method in METHODS:
            low, high = of.get(f"low, {method}"), of.get(f"high, {method}")
            if low is None or high is None:
                continue
            random = of.get("random", {}).get("las")
            rows.append(
                {"treebank": treebank, "parser": parser, "method": method,
                 "las low": low["las"], "las high": high["las"], "las random": random,
                 "dLAS": high["las"] - low["las"],
                 "words": (high["train_words"] + low["train_words"]) / 2,
                 "length": (high["mean_test_length"] + low["mean_test_length"]) / 2,
                 "dwords": high["train_words"] - low["train_words"],
                 "dlength": high["mean_test_length"] - low["mean_test_length"],
                 "dSLV": high["slv"] - low["slv"], "dEDV": high["edv"] - low["edv"],
                 "dEDV masses": high["edv_masses"] - low["edv_masses"]}
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def some(parser: str, method: str) -> pl.DataFrame:
    """Return the deltas of one parser and method."""
    return deltas().filter(parser=parser, method=method)


def run() -> list[tuple[str, str]]:
    """Return parsers and methods that there are treebanks enough of."""
    pairs = [(parser, method) for parser in PARSERS for method in METHODS]
    return [pair for pair in pairs if some(*pair).height >= FEWEST]


def shape(parser: str, method: str) -> SkewNormal:
    """Fit the skewed curve of Fig. 12."""
    return fit_skew_normal(some(parser, method)["dLAS"])


def figure12() -> pl.DataFrame:
    """Sum up delta LAS next to what is printed with Figs. 12 and 13."""
    rows: list[dict[str, object]] = []
    for parser, method in run():
        frame, curve = some(parser, method), shape(parser, method)
        why = f"{frame.height} of our treebanks, 1,000 sentences at most, gold tags; there 103"
        cells: list[tuple[str, str | None, float | None]] = [
            ("mean delta LAS", "-4.26", float(curve.values.mean())),
            ("its sd over treebanks", "2.17", float(curve.values.std(ddof=1))),
            ("mean of the skewed curve", "-4.18", curve.mean),
            ("sd of the skewed curve", "2.68", curve.sd),
            ("p of chi-square", "0.820", None),
            ("median LAS, low", "75.40", median(frame["las low"].to_list())),
            ("median LAS, high", "70.77", median(frame["las high"].to_list())),
            ("treebanks that lose", None, float((frame["dLAS"] < 0).sum())),
        ]
        rows += [
            {"parser": parser, "method": method, "treebanks": frame.height, "value": value,
             "printed": printed if method == "sampler" else None, "ours": ours, "why": why}
            for value, printed, ours in cells
        ]  # fmt: skip
    return compared(rows)


def beside_random() -> pl.DataFrame:
    """Return the distance of low and high splits from random ones of the same sentences."""
    frame = read_result("edv_splits")
    random = frame.filter(kind="random").select("treebank", "parser", las_random="las", edv_random="edv")
    joined = frame.join(random, on=["treebank", "parser"], maintain_order="left")  # UDPipe has none
    gap = (pl.col("las") - pl.col("las_random")).alias("gap")
    return (
        joined.with_columns(gap)
        .group_by("parser", "kind", maintain_order=True)
        .agg(
            pl.len().alias("treebanks"), pl.col("edv").mean(), pl.col("edv_masses").mean(),
            pl.col("las").mean(), gap.mean().alias("LAS less random"),
            gap.std().alias("its sd"), (gap < 0).sum().alias("below random"),
        )
        .sort("parser", pl.col("kind").replace_strict({kind: i for i, kind in enumerate(KINDS)}))
    )  # fmt: skip


def table7() -> pl.DataFrame:
    """Correlate differences of splits, with both variants of EDV."""
    rows: list[dict[str, object]] = []
    for parser, method in run():
        frame = some(parser, method)
        names: dict[str, object] = {"parser": parser, "method": method, "treebanks": frame.height}
        for key, (printed, p) in TABLE7.items():
            variable, target, given = key
            found = {variant: coefficient(frame, key, {"dEDV": column}) for variant, column in EDV.items()}
            concerned = "dEDV" in key
            for variant, one in found.items() if concerned else [(None, found["masses"])]:
                rows.append(
                    names | {"variant": variant, "variable": variable, "with": target,
                             "given": given or None, "printed p": p, "p": one.p_value,
                             "printed": printed if method == "sampler" else None, "ours": one.r,
                             "why": reason(key, one, found["masses"], printed)}
                )  # fmt: skip
    return compared(rows)


def coefficient(frame: pl.DataFrame, key: tuple[str, str, str], columns: Mapping[str, str]) -> Inference:
    """Correlate two columns, given a third if there is one; nothing for a constant column.

    `columns` names the columns behind dEDV and dSLV.
    """
    variable, target, *given = (columns.get(name, name) for name in key if name)
    if any(frame[name].n_unique() == 1 for name in (variable, target, *given)):
        return Inference()
    return correlate(frame, target, [variable], given, resamples=0, cluster="none").rows[-1].inference


def reason(
    key: tuple[str, str, str], found: Inference, masses: Inference, printed: str | None, *, sampled: bool = True
) -> str:
    """Return whether chance allows a difference; if not, whether the masses variant has none."""
    ours = interval(found)
    if printed is None:
        return ours
    if not ours:
        return "too few treebanks for an interval"
    other = inference(float(printed), PRINTED_TREEBANKS, int(key[2] != ""))
    p = chance(found, other)
    text = f"two samples of treebanks differ as much with p = {p:.2g} (Fisher's z); {ours}"
    if allows(masses, printed) and not allows(found, printed):
        text = f"the printed values are not of the distance, see masses; {text}"
    if key[0] == "words" and sampled:
        text = f"of at most 1,000 sentences, words measure their length; {text}"
    place, _, reach = _apart(found, other)
    return Why(text, least=tanh(place - reach), most=tanh(place + reach), margin=MARGIN)


def chance(one: Inference, other: Inference) -> float:
    """Return how often two samples differ as much by chance, from both coefficients' intervals.

    Examples
    --------
    >>> round(chance(inference(0.74, 36), inference(0.51, 103)), 2)
    0.05
    """
    first, second, reach = _apart(one, other)
    return 2 * float(stats.norm.sf(abs(first - second) / reach * stats.norm.ppf(0.975)))


def _apart(one: Inference, other: Inference) -> tuple[float, float, float]:
    """Return two coefficients by Fisher's z, and how far apart they may be by chance (95 %)."""
    places, variance = [], 0.0
    for found in (one, other):
        low, middle, high = (atanh(value or 0.0) for value in (found.low, found.r, found.high))
        places.append(middle)
        variance += ((high - low) / 2) ** 2
    return places[0], places[1], variance**0.5


def interval(found: Inference) -> str:
    """Return the interval of a coefficient as text; nothing where there is none."""
    known = found.low is not None and found.high is not None
    return f"95 % interval of ours: {found.low:.2f} to {found.high:.2f}" if known else ""
