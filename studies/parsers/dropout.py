"""Dropout of single elements: the preset sl-S+19 and its ablations, and the default parsers."""

import polars as pl
from scipy.stats import t

from studies.parsers.dropout_gpu import CHOSEN
from studies.parts import Part, kept, read_result

RUN = (
    "GPU: python -m studies.parsers.dropout_gpu encode, train and table; about 20 min on one H200 that others used, too"
)


def labels() -> pl.DataFrame:
    """Return mean LAS on test of the preset's variants by treebank, gold tags, and of all six."""
    frame = read_result("dropout_labels")
    before = read_result("preset_scores_before").select("treebank", "las").with_columns(
        masks=pl.lit("shared"), first=pl.lit("orthogonal"), clip=pl.lit(5.0), dense=pl.lit(value=True)
    )  # fmt: skip
    keys = ["masks", "first", "clip", "dense"]
    every = pl.concat([before, frame.select(before.columns)], how="vertical_relaxed")
    wide = every.group_by(*keys, "treebank").agg(pl.col("las").mean()).pivot("treebank", index=keys, values="las")
    names = sorted(set(wide.columns) - set(keys))
    whole = pl.all_horizontal(pl.col(name).is_not_null() for name in names)
    mean = pl.when(whole).then(pl.mean_horizontal(names)).alias("mean of six")
    return wide.select(*keys, *names, mean).sort(keys)


def defaults() -> pl.DataFrame:
    """Return LAS on test of the default parsers with either dropout, and what single elements gain.

    Over the treebanks that may decide, and over those that judge; the interval is over treebanks.
    """
    frame = read_result("dropout_defaults").group_by("parser", "treebank", "masks").agg(pl.col("las").mean())
    wide = frame.pivot("masks", index=["parser", "treebank"], values="las").drop_nulls()
    made = wide.with_columns(
        gain=pl.col("single") - pl.col("shared"),
        of=pl.when(pl.col("treebank").is_in(CHOSEN)).then(pl.lit("chosen on")).otherwise(pl.lit("judged on")),
    )
    rows = []
    for (parser, of), own in made.group_by("parser", "of"):
        gains = own["gain"].to_numpy()
        half = float(t.ppf(0.975, len(gains) - 1)) * gains.std(ddof=1) / len(gains) ** 0.5
        rows.append((
            parser, of, len(gains), own["shared"].mean(), own["single"].mean(), gains.mean(),
            gains.mean() - half, gains.mean() + half, int((gains > 0).sum()),
        ))  # fmt: skip
    names = [
        "parser",
        "of",
        "treebanks",
        "LAS, shared",
        "LAS, single",
        "mean gain",
        "low",
        "high",
        "treebanks that gain",
    ]
    return pl.DataFrame(rows, schema=names, orient="row").sort("parser", "of")


PARTS = (
    kept("dropout_labels", "The preset sl-S+19 with other dropout, first weights, layers and clipping, by seed", RUN),
    kept("dropout_defaults", "Default neural parsers with either dropout, by seed", RUN),
    kept("preset_scores_before", "The preset sl-S+19 with shared masks, gold tags, by seed",
         "GPU: python -m studies.parsers.preset_gpu train, with option masks=shared"),
    Part("dropout_variants", "The preset sl-S+19 and its ablations", labels),
    Part("dropout_gains", "What dropout of single elements does to the default parsers", defaults),
)  # fmt: skip
