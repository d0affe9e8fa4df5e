"""Sentence lengths: EDV by length (Fig. 3), EDV and LAS by length (Fig. 10), samples (App. D)."""

from collections.abc import Iterator
from itertools import product
from statistics import fmean, median, stdev

import numpy as np
import polars as pl

from studies.content.data import parsed
from studies.edv.data import RELEASE
from studies.edv.methods import BinnedCorrelations, correlate_lengths
from studies.parts import compared, read_result
from studies.treebanks import treebank_folders
from treegauge.experiments.builtin import sampled
from treegauge.measures.displacement import LENGTHS, SAMPLES, edv_by_length, edv_masses, edv_samples
from treegauge.measures.registry import MissingError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

VARIANTS = {"edv": "distance", "edv_masses": "masses"}
# Fewer sentences of a length on either side say nothing about its displacements.
LEAST = 5
# The paper's smallest sample is 2,000 sentences; no available treebank has 20,000 to draw from.
SIZES = (250, 500, 1000, 2000)
PRINTED_SIZES = (2000, 4000, 6000, 8000)
TABLE_D1 = """
Czech-PDT 3.8 0.7 3.4 0.5 3.2 0.3 3.3 0.4
Estonian-EDT 5.8 0.7 5.9 0.6 5.6 0.4 5.4 0.3
German-HDT 4.1 0.7 3.6 0.5 3.3 0.4 3.3 0.3
Japanese-BCCWJ 9.9 0.9 10.0 0.7 9.6 0.5 9.8 0.5
Korean-Kaist 5.4 0.5 5.3 0.5 5.2 0.3 5.0 0.2
Persian-PerDT 6.2 0.8 5.8 0.5 5.8 0.5 5.9 0.3
"""


def _masses_by_length(train: Treebank, test: Treebank) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for length in LENGTHS:
        pair = [one.take(np.flatnonzero(one.lengths == length)) for one in (train, test)]
        try:
            found[str(length)] = edv_masses(*pair)
        except MissingError:
            found[str(length)] = None
    return found


def _of_lengths(train: Treebank, test: Treebank) -> Iterator[dict[str, object]]:
    """Give both variants of EDV for every length that both parts have sentences enough of."""
    distances, masses = edv_by_length(train, test), _masses_by_length(train, test)
    for length in LENGTHS:
        sides = [int((one.lengths == length).sum()) for one in (train, test)]
        if min(sides) >= LEAST:
            yield {
                "length": length, "train_words": train.n_words,
                "train_words_of_length": length * sides[0], "test_sentences": sides[1],
                "edv": distances[str(length)],
                "edv_masses": masses[str(length)],
            }  # fmt: skip


def by_length() -> pl.DataFrame:
    """Measure EDV among sentences of the same length in all available treebanks of UD 2.5."""
    rows = []
    for folder in treebank_folders(RELEASE):
        parts = read_splits(folder)
        name = {"treebank": folder.name.removeprefix("UD_")}
        rows += [name | row for row in _of_lengths(parts["train"], parts["test"])]
    return pl.DataFrame(rows)


def figure3() -> pl.DataFrame:
    """Sum up EDV by length: mean and quartiles over treebanks."""
    long = read_result("edv_by_length").unpivot(list(VARIANTS), index=["length", "treebank"], variable_name="variant")
    value = pl.col("value")
    return (
        long.group_by("variant", "length")
        .agg(
            value.count().alias("treebanks"), value.mean().alias("mean"),
            *(value.quantile(q, "linear").alias(name)
              for q, name in ((0.25, "lower quarter"), (0.5, "median"), (0.75, "upper quarter"))),
        )
        .with_columns(pl.col("variant").replace(VARIANTS))
        .sort("variant", "length")
    )  # fmt: skip


def scores() -> pl.DataFrame:
    """Score sentences of each length apart, on official splits of UD 2.9, and measure EDV.

    Reads what the runs of ``studies/content/all_treebanks_*.toml`` kept.
    """
    rows = []
    for one in parsed():
        right = (one.output.head == one.gold.head) & (one.output["deprel"] == one.gold["deprel"]).to_numpy()
        by_sentence = np.add.reduceat(right.astype(np.int64), one.gold.offsets[:-1])
        for row in _of_lengths(one.parts["train"], one.gold):
            chosen = one.gold.lengths == row["length"]
            words = int(one.gold.lengths[chosen].sum())
            las = 100 * int(by_sentence[chosen].sum()) / words
            name = {"treebank": one.treebank.removeprefix("UD_"), "parser": one.parser}
            rows.append(name | row | {"las": las})
    return pl.DataFrame(rows)


def binned(parser: str, column: str, given: str = "train_words") -> BinnedCorrelations:
    """Correlate EDV and LAS within each length, given the size of the training set."""
    frame = read_result("edv_length_scores").filter(parser=parser)
    return correlate_lengths(frame, "las", column, [given])


def _cases() -> list[tuple[str, str, str]]:
    """Return parsers, variants of EDV, and covariates: all train words, or those of a length."""
    parsers = read_result("edv_length_scores")["parser"].unique(maintain_order=True)
    return list(product(parsers, VARIANTS, ("train_words", "train_words_of_length")))


def figure10() -> pl.DataFrame:
    """Return the coefficient of every length, parser, variant of EDV and covariate."""
    frames = []
    for parser, column, given in _cases():
        some = binned(parser, column, given).table.select("length", "n", "r", "low", "high", "p_value", "p_adjusted")
        names = {"parser": parser, "variant": VARIANTS[column], "given": given}
        frames.append(some.select(*(pl.lit(v).alias(k) for k, v in names.items()), pl.all()))
    return pl.concat(frames)


def figure10_summary() -> pl.DataFrame:
    """Sum up Fig. 10: trend over lengths, mean coefficient, what is left after adjusting."""
    rows = []
    for parser, column, given in _cases():
        found = binned(parser, column, given)
        table = found.table.drop_nulls("r")
        rows.append(
            {"parser": parser, "variant": VARIANTS[column], "given": given,
             "lengths": table.height, "treebanks, mean": table["n"].mean(),
             "mean r": table["r"].mean(),
             "mean r, 3 to 9": table.filter(pl.col("length") < 10)["r"].mean(),
             "mean r, 21 to 30": table.filter(pl.col("length") > 20)["r"].mean(),
             "p < 0.05": int((table["p_value"] < 0.05).sum()),
             "adjusted p < 0.05": int((table["p_adjusted"] < 0.05).sum()),
             "trend": found.trend.r, "p of trend": found.trend.p_value}
        )  # fmt: skip
    return pl.DataFrame(rows)


def _sampled_masses(train: Treebank, test: Treebank, size: int) -> list[float]:
    drawn = (sampled(len(train), size, sample) for sample in range(SAMPLES))
    return [edv_masses(train.take(some), test) for some in drawn]


def samples() -> pl.DataFrame:
    """Draw train sentences 20 times and measure EDV each time (App. D), both variants."""
    rows = []
    for folder in treebank_folders(RELEASE):
        parts = read_splits(folder)
        train, test = parts["train"], parts["test"]
        if len(train) < max(SIZES):
            continue
        found = edv_samples(train, test, sizes=SIZES)
        for size in SIZES:
            masses = _sampled_masses(train, test, size)
            pairs = {"distance": (found[str(size)], found[f"{size}:sd"]), "masses": (fmean(masses), stdev(masses))}
            for variant, (mean, sd) in pairs.items():
                if mean is None or sd is None:
                    raise ValueError(f"{folder.name} has no EDV of samples")
                rows.append(
                    {"treebank": folder.name.removeprefix("UD_"), "train_sentences": len(train),
                     "variant": variant, "sample": size, "mean": mean, "sd": sd,
                     "sd in % of the mean": 100 * sd / mean}
                )  # fmt: skip
    return pl.DataFrame(rows)


def samples_summary() -> pl.DataFrame:
    """Sum up samples by size, and what the paper's own Table D.1 gives."""
    whole = read_result("edv_treebanks").rename(VARIANTS)
    whole = whole.unpivot(list(VARIANTS.values()), index="treebank", variable_name="variant")
    joined = read_result("edv_samples").join(whole, on=["treebank", "variant"])
    found = {
        "sd in % of the mean": pl.col("sd in % of the mean"),
        "mean in % of EDV of the whole training set": 100 * pl.col("mean") / pl.col("value"),
    }
    rows: list[dict[str, object]] = []
    for what, value in found.items():
        averages = joined.group_by("variant", "sample").agg(pl.len(), value.mean().alias("ours"))
        rows += [
            {"what": f"{what}, {row['variant']}", "sentences": row["sample"],
             "treebanks": row["len"], "printed": None, "ours": row["ours"]}
            for row in averages.sort("variant", "sample").iter_rows(named=True)
        ]  # fmt: skip
    return compared([*rows, *_printed_samples()])


def _printed_samples() -> Iterator[dict[str, object]]:
    """Sum up the cells of Table D.1 as its text does."""
    cells = [
        (size, float(mean), float(sd))
        for line in TABLE_D1.strip().splitlines()
        for size, mean, sd in zip(PRINTED_SIZES, line.split()[1::2], line.split()[2::2], strict=True)
    ]
    row: dict[str, object] = {"treebanks": 6, "printed": None}
    for size in PRINTED_SIZES:
        ours = fmean(100 * sd / mean for one, mean, sd in cells if one == size)
        yield row | {"what": "Table D.1 as printed", "sentences": size, "ours": ours}
    shares = [100 * sd / mean for _, mean, sd in cells]
    sums = [sum(values) for values in list(zip(*cells, strict=True))[1:]]
    least = fmean(100 * (sd - 0.05) / (mean + 0.05) for _, mean, sd in cells)
    rounded = "its cells are rounded to one decimal"
    for what, printed, ours, why in (
        ("smallest", "3.7", min(shares), rounded), ("largest", "17.1", max(shares), rounded),
        ("mean", "5.6", fmean(shares),
         f"unexplained: tried rounding ({least:.1f} at the least), the median "
         f"({median(shares):.1f}), sums ({100 * sums[1] / sums[0]:.1f}) and each column (6.8 at "
         "the least)"),
    ):  # fmt: skip
        yield row | {"what": f"Table D.1, {what}", "sentences": None, "printed": printed, "ours": ours, "why": why}
