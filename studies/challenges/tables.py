"""Tables 1 and 2 and Fig. 2 of the Challenges paper, from committed counts.

``ours`` are the published configurations (presets ``panparser``, ``mstparser`` and, with ten
sentences, ``ud2.0``); ``own options`` are ours of the same parsers, UDPipe's preset ``fast`` among
them; ``xpos`` is MSTParser's preset with XPOS for UPOS.
"""

from functools import cache
from math import erfc, sqrt

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.challenges.counts import BEAM, PUBLISHED, WHOLE
from studies.challenges.judged import Mean, by_chance
from studies.challenges.printed import CLASSES, PARSERS, SIDES, SPEARMAN, TABLE2
from studies.challenges.runs import FINE
from studies.parts import RESULTS, TESTED, Part, compared, read_result
from studies.verdicts import Why
from treegauge.learning.contribution import word_groups
from treegauge.learning.curve import complexity, curve
from treegauge.learning.curves.class_counts import Attachments, attachments, read_attachments
from treegauge.learning.curves.complexity import Complexities, Partition, composite_counts, partition
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES, correct_trees
from treegauge.statistics.correlation_coefficients import coefficients
from treegauge.treebanks.data.columns import Treebank

COUNTS = "challenges_attachments"
FULL = "challenges_full"
# Of the classes that a third of the treebanks have 30 test words of: all of the paper's are among
# them, which does not say how it chose them.
PRESENCE = 1 / 3
UD20 = "ud2.0"
UD29 = "challenges_table2_ud29"
ARROWS = {" × head right": " →", " × head left": " ←"}


@cache
def counts(published: bool = False) -> Attachments:
    """Return committed counts: of our own options, or of the published configurations.

    Whole curves of UDPipe exist with preset ``fast`` only; they are in both.
    """
    own = read_attachments(RESULTS / f"{COUNTS}.csv")
    if not published:
        return own
    frame = read_attachments(RESULTS / f"{PUBLISHED}.csv").frame.filter(pl.col("parser") != UD20)
    both = pl.concat([frame, own.select(parsers=["udpipe"]).frame])
    return attachments(both, sources=[f"{PUBLISHED}.csv", f"{COUNTS}.csv"])


@cache
def found(published: bool = False, over: str = "samples", least: int = 30) -> Complexities:
    """Return COMPLEXITY of the classes that enough treebanks have `least` words of."""
    return complexity(counts(published), min_presence=PRESENCE, over=over, min_words=least)


def with_arrows(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with arrows for the direction of the head."""
    return frame.with_columns(pl.col("class").str.replace_many(ARROWS))


@cache
def classes() -> pl.DataFrame:
    """Return every class: COMPLEXITY, its intervals over samples and treebanks, UAS."""
    frames = []
    for published in (True, False):
        named = (
            found(published)
            .table.select("parser", "class", "complexity", "low", "high", "score", "treebanks")
            .filter(pl.lit(published) | (pl.col("parser") != "udpipe"))
        )
        wide = found(published, "treebanks").table.select("parser", "class", treebanks_low="low", treebanks_high="high")
        frames.append(named.join(wide, on=["parser", "class"], maintain_order="left"))
    return with_arrows(pl.concat(frames))


@cache
def scores(published: bool, least: int = 30) -> pl.DataFrame:
    """Return scores by treebank and sample at the largest size, of classes of `least` words."""
    frame = counts(published).select(sizes=[500]).frame.filter(pl.col("total") >= least)
    return with_arrows(frame.with_columns(score=100 * pl.col("correct") / pl.col("total")))


@cache
def of_udpipe() -> tuple[str, ...]:
    """Return the treebanks on which UDPipe learned from samples of every size."""
    return tuple(counts().select(parsers=["udpipe"]).treebanks)


def over_treebanks(frame: pl.DataFrame) -> Mean:
    """Return the mean over treebanks of means over samples."""
    each = frame.group_by("treebank", maintain_order=True).agg(pl.col("score").mean())["score"].to_numpy()
    error = each.std(ddof=1) / sqrt(len(each)) if len(each) > 2 else None
    return Mean(float(each.mean()) if len(each) else float("nan"), error, len(each))


def over_samples(frame: pl.DataFrame) -> dict[str, float]:
    """Return Student's interval of five samples, each a mean over treebanks."""
    each = frame.group_by("sample", maintain_order=True).agg(pl.col("score").mean())["score"].to_numpy()
    if len(each) < 5:
        return {}
    half = 2.776 * each.std(ddof=1) / sqrt(len(each))
    return {"seed low": each.mean() - half, "seed high": each.mean() + half}


def ends(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the simplest and the most complex classes of each parser."""
    rows = []
    for parser in frame["parser"].unique(maintain_order=True):
        ordered = frame.filter(parser=parser).sort("complexity")
        listed = [f"{row['class']} {row['complexity']:.1f}" for row in ordered.to_dicts()]
        rows.append({"parser": parser, "classes": ordered.height, "simplest": ", ".join(listed[:5]),
                     "most complex": ", ".join(listed[-4:])})  # fmt: skip
    return pl.DataFrame(rows)


def hinges() -> pl.DataFrame:
    """Return what decides the averages over treebanks of the published configurations."""
    notes = [note for note in found(published=True).notes if "hinges" in note]
    return with_arrows(pl.DataFrame({"class": notes}, schema={"class": pl.String})).rename({"class": "note"})


@cache
def beams_partition(published: bool = False) -> Partition:
    """Return which classes are simple and which complex for BEAM, treebank by treebank."""
    name = BEAM if published else "beam"
    return partition(counts(published).select(parsers=[name]), name)


def by_side(treebank: str, gold: Treebank, heads: npt.ArrayLike) -> dict[str, float]:
    """Return UAS of simple, all and complex words of a test set, without punctuation."""
    challenges = CONVENTIONS["challenges"]
    groups = word_groups(gold, beams_partition().of(treebank), by=PAPER_CLASSES, convention=challenges)
    right = correct_trees(gold, heads, convention=challenges).heads
    return {side: 100 * float(right[groups["overall" if side == "all" else side]].mean()) for side in SIDES}


def composite(published: bool) -> pl.DataFrame:
    """Return UAS of simple, all and complex words by parser, treebank, size and sample."""
    counted = counts(published).frame
    if published:
        points = read_attachments(RESULTS / f"{PUBLISHED}.csv").select(parsers=[UD20]).frame
        counted = pl.concat([counted, points])
    summed = composite_counts(attachments(counted), beams_partition(published)).frame
    sized = summed.select(
        "parser", "treebank", "sample", pl.col("size").cast(pl.String).alias("sentences"),
        pl.col("class").alias("words"), (100 * pl.col("correct") / pl.col("total")).alias("score"),
    )  # fmt: skip
    columns = ["parser", "treebank", "sample", *SIDES]
    full = read_result(FULL).with_columns(sample=pl.lit(0, pl.Int64)).select(columns)
    if published:
        whole = read_result(WHOLE).filter(parted_by=BEAM).select(columns)
        full = pl.concat([whole, full.filter(parser="udpipe")])
    full = full.unpivot(
        SIDES, index=["parser", "treebank", "sample"], variable_name="words", value_name="score"
    ).with_columns(sentences=pl.lit("full"))
    return pl.concat([sized, full.select(sized.columns)])


def table2() -> pl.DataFrame:
    """Return composite scores next to the paper's, each over the treebanks that were run.

    UDPipe's are those of preset ``ud2.0`` with 10 and 500 sentences, of ``fast`` with whole
    training sets: the preset that was run on more treebanks.
    """
    mine, others = composite(published=True), composite(published=False)
    rows: list[dict[str, object]] = []
    for name, (curves, own) in PARSERS.items():
        for size, line in TABLE2[name].items():
            preset = UD20 if name == "UDPIPE" and size != "full" else curves
            for side, printed in zip(SIDES, line.split(), strict=True):
                cell = (pl.col("sentences") == size) & (pl.col("words") == side)
                here = mine.filter(cell, parser=preset)
                defaults = (mine if own == curves else others).filter(cell, parser=own)
                fine = mine.filter(cell, parser=FINE) if name == "MSTPARSER" else here.clear()
                mean = over_treebanks(here)
                xpos = over_treebanks(fine) if fine.height else None
                why = by_chance(mean, printed)
                rows.append({"parser": name, "sentences": size, "words": side,
                             "treebanks": mean.number, "printed": printed, "ours": mean.value,
                             "preset": "fast" if preset == "udpipe" else preset,
                             "own options": None if own == preset else _value(defaults),
                             "xpos": xpos and xpos.value, "why": why,
                             **over_samples(here)})  # fmt: skip
    wanted = ("parser", "sentences", "words", "preset", "treebanks", "own options", "xpos",
              "printed", "ours", "difference", *TESTED, "state", "why")  # fmt: skip
    return compared(rows).select(wanted)


def _value(frame: pl.DataFrame) -> float:
    return over_treebanks(frame).value


def spearman() -> pl.DataFrame:
    """Return the rank correlation of COMPLEXITY and UAS over the paper's classes, on UD 2.0."""
    rows: list[dict[str, object]] = []
    complete = read_result("challenges_table1").filter((pl.col("value") == "COMPLEXITY").any().over("parser"))
    for (name,), cells in complete.group_by("parser", maintain_order=True):
        pair = cells.pivot("value", index="class", values="ours").select("COMPLEXITY", "UAS").to_numpy()
        rho = float(coefficients(np.argsort(np.argsort(pair, axis=0), axis=0).astype(float))[0, 1])
        rows.append({"parser": name, "classes": len(pair), "printed": SPEARMAN[str(name)], "ours": rho})
    return compared(rows, _by_fisher)


def _by_fisher(row: dict[str, object]) -> Why:
    """Return how often two samples of classes differ by chance as much as two rank correlations."""
    ours, printed, number = (float(str(row[name])) for name in ("ours", "printed", "classes"))
    error = sqrt(1.06 / (number - 3) + 1.06 / (len(CLASSES) - 3))
    place = float(np.arctanh(ours))
    p = erfc(abs(place - np.arctanh(printed)) / error / sqrt(2))
    ends = np.tanh([place - 1.96 * error, place + 1.96 * error]).tolist()
    text = f"rank correlations of 17 classes differ as much by chance with p = {p:.2g}"
    return Why(text, least=ends[0], most=ends[1], margin=0.1)


def curves() -> pl.DataFrame:
    """Return learning curves of simple, all and complex words, each parser's own partition."""
    columns = ("parser", "class", "size", "treebanks", "score", "low", "high")
    return pl.concat(
        curve(composite_counts(counts(published)), min_words=1)
        .table.select(columns)
        .filter(pl.lit(published) | (pl.col("parser") != "udpipe"))
        for published in (True, False)
    )


def _not_counted(frame: pl.DataFrame) -> pl.DataFrame:
    """Return no row: the cells are counted in ``challenges_table2``, on the paper's release."""
    return frame.head(0)


TABLES = (
    Part("challenges_classes", "COMPLEXITY and UAS of every class", classes, shown=ends),
    Part("challenges_hinges", "What decides averages over treebanks", hinges),
    Part(UD29, "Simple and complex words on 28 treebanks of UD 2.9", table2, counted=_not_counted),
    Part("challenges_spearman", "Spearman of COMPLEXITY and UAS (Fig. 2)", spearman, digits=3),
    Part("challenges_curves", "Learning curves of Fig. 3", curves, digits=1),
)
