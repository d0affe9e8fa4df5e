"""Data-size equivalents of transfer and of published scores (Section 5 and Fig. 3)."""

from functools import cache

import numpy as np
import polars as pl

from studies.challenges.counts import BEAM, CRITERIA, WHOLE
from studies.challenges.judged import Mean, by_chance
from studies.challenges.printed import PARSERS, SIDES
from studies.challenges.runs import VOTE
from studies.challenges.tables import counts
from studies.challenges.transfer import on_curves
from studies.parts import TESTED, Part, compared, read_result
from studies.verdicts import INCONCLUSIVE, Why
from treegauge.learning.curve import curve, equivalent
from treegauge.learning.curves.class_counts import ALL, COLUMNS, Attachments, attachments
from treegauge.learning.curves.complexity import composite_counts, partition
from treegauge.learning.curves.equivalents import Equivalents

Row = dict[str, object]
PAPER = "part of speech, direction"
# Average UAS and the sentences that give BEAM the same, as the text has them, by class criterion.
PRINTED: dict[str, dict[str, tuple[str | None, str | None]]] = {
    PAPER: {"simple": (None, "14"), "all": ("66.1", "32"), "complex": (None, "60")},
    "part of speech": {"simple": ("74.6", "20"), "complex": ("58.9", "43")},
    "relation": {"simple": ("74.6", "15"), "complex": ("56.4", "60")},
    "part of speech, relation, direction": {"simple": ("74.8", "13"), "complex": ("53.6", "67")},
}
SPREAD = "15.3"
LITERATURE = (
    ("Rosa and Žabokrtský (2015), delexicalised transfer, HamleDT 2.0", 52.5, "5"),
    ("Tiedemann and Agić (2016), projection, UDT 1.0", 75.43, "444"),
    ("Mareček and Straka (2013), unsupervised, CoNLL 2006 and 2007", 48.7, "4"),
    ("Martínez Alonso et al. (2017), rules, UD 1.2", 57.5, "9"),
)
RELATED = (
    ("Tiedemann and Agić (2016), on languages like theirs", 75.43, "92"),
    ("Lacroix et al. (2016), on languages like theirs", 79.62, "295"),
)
ALIKE = ("UD_English-", "UD_French-", "UD_Italian-")
"""Languages of these studies that are at hand."""


@cache
def of_criterion(name: str) -> tuple[Attachments, pl.DataFrame]:
    """Return BEAM's counts of simple and complex words, and the vote's scores by target."""
    if name == PAPER:
        votes = read_result(WHOLE).filter(parser=VOTE, parted_by=BEAM)
        own = counts(published=True).select(parsers=[BEAM])
        return composite_counts(own, partition(own, BEAM)), averaged(votes)
    frame = read_result(CRITERIA).filter(criterion=name)
    cells = [one for one in frame.columns if "/" in one]
    keys = ["treebank", "parser", "class", "total"]
    part = pl.col("cell").str.split("/").list
    long = (
        frame.unpivot(cells, index=keys, variable_name="cell", value_name="correct")
        .drop_nulls("correct")
        .with_columns(size=part.get(0).cast(pl.Int64), sample=part.get(1).cast(pl.Int64))
    )
    score = (100 * pl.col("correct") / pl.col("total")).alias("score")
    votes = long.filter(parser=VOTE).with_columns(score).pivot(
        "class", index=["treebank", "sample"], values="score", maintain_order=True
    )  # fmt: skip
    return attachments(long.filter(parser=BEAM).select(COLUMNS)), averaged(votes)


def averaged(votes: pl.DataFrame) -> pl.DataFrame:
    """Return one row per target: means over trainings."""
    return votes.group_by("treebank", maintain_order=True).agg(pl.col(SIDES).mean())


def worth() -> pl.DataFrame:
    """Return the vote's scores, and what they are worth to BEAM, by class criterion."""
    rows: list[Row] = []
    defaults = {row["class"]: row for row in on_curves().table.to_dicts()}
    for name, by_side in PRINTED.items():
        own, votes = of_criterion(name)
        number = votes.height
        for side, (uas, sentences) in by_side.items():
            values = votes[side].drop_nulls().drop_nans().to_numpy()
            error, mean = values.std(ddof=1) / np.sqrt(len(values)), float(values.mean())
            why = by_chance(Mean(mean, float(error), number), uas) if uas else None
            rows.append({"criterion": name, "words": side, "value": "UAS", "interval": None,
                         "defaults": None,
                         "printed": uas, "ours": mean, "why": why})  # fmt: skip
            rows.append({"criterion": name, "words": side} | placed(own, side, mean, sentences))
            if name == PAPER:
                rows[-2]["defaults"] = defaults[side]["score"]
                rows[-1]["defaults"] = defaults[side]["sentences"]
        if name == PAPER:
            spread = votes["all"].to_numpy().std(ddof=1)
            rows.append({"criterion": name, "words": "all", "value": "sd over targets",
                         "interval": None, "printed": SPREAD, "ours": spread,
                         "why": f"{number} targets for 56"})  # fmt: skip
    return compared(rows).select(
        "criterion", "words", "value", "defaults", "printed", "ours", "interval", "difference", *TESTED, "state", "why"
    )


def placed(own: Attachments, side: str, score: float, sentences: str | None) -> Row:
    """Return a score's place on a curve, and whether the printed one is within its interval."""
    (row,) = equivalent(own, score={side: score}, over="treebanks").table.to_dicts()
    size = row["sentences"] if row["sentences"] is not None else beyond(own, side, score)
    interval = f"{row['low']} to {row['high']}"
    why: str = f"over other treebanks the interval is {interval}"
    if sentences is not None and within(sentences, row["low"], row["high"]):
        why = Why(why, state=INCONCLUSIVE)
    return {"value": "sentences", "printed": sentences, "ours": size, "interval": interval, "why": why}


def within(printed: str, low: str, high: str) -> bool:
    """Return whether a number is inside ends such as "< 5" and "> 500".

    Examples
    --------
    >>> within("4", "< 5", "7"), within("444", "120", "> 500"), within("32", "10", "20")
    (True, True, False)
    """
    below = low.startswith("<") or float(low.strip("<> ")) - 0.5 <= float(printed)
    return below and (high.startswith(">") or float(printed) <= float(high.strip("<> ")) + 0.5)


def beyond(own: Attachments, side: str, score: float) -> float | None:
    """Return where a score below the curve would lie on the line through its first two sizes."""
    points = curve(own, classes=[side], min_words=1).table.sort("size").head(2)
    (x0, x1), (y0, y1) = np.log(points["size"].to_numpy()), points["score"].to_numpy()
    return float(np.exp(x0 + (score - y0) * (x1 - x0) / (y1 - y0))) if score < y0 else None


def literature() -> pl.DataFrame:
    """Return scores of other publications on BEAM's curve."""
    own = composite_counts(counts(published=True).select(parsers=[BEAM]))
    alike = own.select(treebanks=[name for name in own.treebanks if name.startswith(ALIKE)])
    rows: list[Row] = []
    for listed, some in ((LITERATURE, own), (RELATED, alike)):
        for who, score, sentences in listed:
            row: Row = {"publication": who, "score": score, "treebanks": len(some.treebanks)}
            row |= placed(some, ALL, score, sentences)
            if listed is RELATED:
                outside = not within(sentences, *str(row["interval"]).split(" to "))
                missed = f"outside the interval over treebanks ({row['interval']}); " * outside
                row |= {
                    "why": f"{missed}six treebanks of English, French and Italian, three of "
                    "them ParTUT, for their languages"
                }
            rows.append(row)
    return compared(rows).drop("value")


def on_parser(name: str) -> Equivalents:
    """Place the vote on a parser's own curves, simple and complex words parted by it."""
    preset = PARSERS[name][0]
    votes = averaged(read_result(WHOLE).filter(parser=VOTE, parted_by=preset))
    some = counts(published=True).select(parsers=[preset], treebanks=sorted(votes["treebank"]))
    scores = {side: float(votes[side].drop_nans().to_numpy().mean()) for side in SIDES}
    return equivalent(composite_counts(some), score=scores, min_words=1)


def by_parser() -> pl.DataFrame:
    """Return what the vote is worth to each of the three parsers (Fig. 3)."""
    frames = []
    for name in PARSERS:
        found = on_parser(name)
        frames.append(found.table.select(pl.lit(name).alias("parser"), "class", "score", "equivalent", "low", "high"))
    return pl.concat(frames)


WORTH = (
    Part("challenges_worth", "What transfer is worth to BEAM, by class criterion", worth, digits=1),
    Part("challenges_by_parser", "What transfer is worth to each parser (Fig. 3)", by_parser, digits=1),
    Part("challenges_literature", "Scores of the literature on BEAM's curve", literature, digits=1),
)
