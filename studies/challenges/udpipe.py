"""UDPipe with the options of its UD 2.0 models compared with preset ``fast``."""

import polars as pl

from studies.challenges.counts import PUBLISHED
from studies.challenges.tables import UD20, counts, with_arrows
from studies.parts import RESULTS, Part
from treegauge.learning.curves.class_counts import read_attachments


def udpipe() -> pl.DataFrame:
    """Return UAS of UDPipe with preset ud2.0 next to preset fast, where ud2.0 was run."""
    score = 100 * pl.col("correct") / pl.col("total")
    every = read_attachments(RESULTS / f"{PUBLISHED}.csv").frame.filter(pl.col("class") == "all", parser=UD20)
    published = every.group_by("treebank", "size", maintain_order=True).agg(
        pl.len().alias("samples"), score.mean().alias(UD20)
    )
    fast = counts().frame.filter(pl.col("class") == "all", parser="udpipe")
    own = fast.group_by("treebank", "size", maintain_order=True).agg(score.mean().alias("fast"))
    both = published.join(own, on=["treebank", "size"], how="left").sort("size", "treebank")
    return both.with_columns(difference=pl.col(UD20) - pl.col("fast")).select(
        "size", "treebank", "samples", UD20, "fast", "difference"
    )


def starts() -> pl.DataFrame:
    """Return where a class starts with each preset: with ten sentences, in % of all words.

    UAS with ten sentences divided by that with 500, in percent of the same ratio of all words;
    means over the treebanks that have both sizes with both presets, and 30 words of the class.
    """
    points = read_attachments(RESULTS / f"{PUBLISHED}.csv").select(parsers=[UD20]).frame
    both = pl.concat([points, counts().select(parsers=["udpipe"]).frame])
    keys = ["parser", "treebank", "class"]
    means = (
        both.filter(pl.col("size").is_in([10, 500]), pl.col("total") >= 30)
        .group_by(*keys, "size")
        .agg((pl.col("correct").sum() / pl.col("total").sum()).alias("score"))
        .pivot("size", index=keys, values="score")
        .drop_nulls()
    )
    ratios = means.select(*keys, ratio=pl.col("10") / pl.col("500"))
    overall = ratios.filter(pl.col("class") == "all").select(keys[:2], overall="ratio")
    wide = (
        ratios.filter(pl.col("class") != "all")
        .join(overall, on=keys[:2])
        .with_columns(ratio=100 * pl.col("ratio") / pl.col("overall"))
        .pivot("parser", index=keys[1:], values="ratio")
        .drop_nulls()
    )
    listed = wide.group_by("class").agg(
        pl.len().alias("treebanks"), pl.col(UD20).mean(), pl.col("udpipe").mean().alias("fast")
    )
    return with_arrows(listed).filter(pl.col("treebanks") > 2).sort(UD20, descending=True)


UDPIPE = (
    Part("challenges_udpipe", "UDPipe's presets ud2.0 and fast", udpipe, digits=1),
    Part("challenges_udpipe_starts", "Classes that UDPipe learns early, by preset", starts, digits=1),
)
