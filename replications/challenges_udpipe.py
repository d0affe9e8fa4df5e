"""UDPipe with the options of its UD 2.0 models beside preset ``fast``, where both were run."""

import polars as pl

from replications.challenges_counts import PUBLISHED
from replications.challenges_tables import UD20, counts
from replications.parts import RESULTS, Part, read_result
from treegauge.curves.attachments import read_attachments


def udpipe() -> pl.DataFrame:
    """Return UAS of UDPipe with preset ud2.0 beside preset fast, where ud2.0 was run."""
    kept = read_result("preset_scores").filter(preset=UD20, release="r2.9")
    kept = kept.filter(pl.col("sentences") > 0).select(
        pl.format("UD_{}", "treebank").alias("treebank"), size="sentences", sample="seed",
        score="uas",
    )  # fmt: skip
    score = 100 * pl.col("correct") / pl.col("total")
    every = read_attachments(RESULTS / f"{PUBLISHED}.csv").frame.filter(
        pl.col("class") == "all", parser=UD20
    )
    more = every.select("treebank", "size", "sample", score=score)
    more = more.join(kept, on=["treebank", "size"], how="anti")
    published = pl.concat([kept, more]).group_by("treebank", "size", maintain_order=True).agg(
        pl.len().alias("samples"), pl.col("score").mean().alias(UD20)
    )  # fmt: skip
    fast = counts().frame.filter(pl.col("class") == "all", parser="udpipe")
    own = fast.group_by("treebank", "size", maintain_order=True).agg(score.mean().alias("fast"))
    both = published.join(own, on=["treebank", "size"], how="left").sort("size", "treebank")
    return both.with_columns(difference=pl.col(UD20) - pl.col("fast")).select(
        "size", "treebank", "samples", UD20, "fast", "difference"
    )


UDPIPE = (Part("challenges_udpipe", "UDPipe's presets ud2.0 and fast", udpipe, digits=1),)
