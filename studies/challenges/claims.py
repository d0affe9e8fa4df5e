"""Claims in the text of the Challenges paper: numbers, comparisons of parsers, exceptions."""

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.stats import fisher_exact, spearmanr

from studies.challenges.counts import BEAM
from studies.challenges.judged import Mean, by_chance
from studies.challenges.printed import PARSERS, TREEBANKS
from studies.challenges.tables import PRESENCE, classes, composite, counts, of_udpipe, with_arrows
from studies.challenges.treebanks import CURVES
from studies.challenges.ud20_tables import counts as of_ud20
from studies.parts import Part, compared
from treegauge.learning.curve import complexity, curve
from treegauge.learning.curves.complexity import partition

Row = dict[str, object]
BEAM_FROM_TEN = 59.0
"""BEAM's UAS from ten sentences over all treebanks, as Table 2 prints it."""


def numbers() -> pl.DataFrame:
    """Return single numbers of the text next to ours, over treebanks."""
    frame = of_ud20().frame.filter(parser=BEAM).with_columns(score=100 * pl.col("correct") / pl.col("total"))
    every = frame.filter(pl.col("class") == "all", size=10)
    totals = every.group_by("treebank", maintain_order=True).agg(pl.col("total").first().alias("words"))
    groups = partition(of_ud20().select(parsers=[BEAM]), BEAM).frame
    simple = groups.filter(group="simple").select("treebank", "class")
    each = frame.filter(pl.col("class") != "all", size=10).group_by("treebank", "class", maintain_order=True)
    sized = each.agg(pl.col("total").first(), pl.col("score").mean()).join(totals, on="treebank", maintain_order="left")
    shares = {
        "57": ("share of words in simple classes", sized.join(simple, on=["treebank", "class"], maintain_order="left")),
        "19": ("share of words in classes above 80 UAS from 10 sentences", sized.filter(pl.col("score") > 80)),
    }
    rows: list[Row] = []
    for printed, (what, some) in shares.items():
        share = some.group_by("treebank", maintain_order=True).agg(
            (100 * pl.col("total").sum() / pl.col("words").first()).alias("share")
        )
        values = totals.join(share, on="treebank", how="left", maintain_order="left")["share"].fill_null(0.0).to_numpy()
        rows.append(_over_treebanks(what, printed, values))
    above = float(every["score"].to_numpy().mean()) - BEAM_FROM_TEN
    for language in ("French", "Italian", "Greek"):
        own = every.filter(pl.col("treebank").str.starts_with(f"UD_{language}-"))
        rows.append(
            {"what": f"UAS from 10 sentences, {language}", "printed": "70",
             "ours": own["score"].to_numpy().mean(), "treebanks": own["treebank"].n_unique(),
             "why": f'"around 70 %" in the text; BEAM is {above:.1f} points better with ten sentences everywhere'}
        )  # fmt: skip
    pairs = starts().drop_nulls().select("→", "←").to_numpy()
    for printed, what, values in (
        ("70", "start of a tag's faster direction, % of the end", pairs.max(axis=1)),
        ("50", "start of its slower direction, % of the end", pairs.min(axis=1)),
    ):
        rows.append({"what": what, "printed": printed, "ours": float(values.mean()),
                     "treebanks": len(CURVES), "why": "read off Figure 1 in the text"})  # fmt: skip
    return compared(rows)


def starts() -> pl.DataFrame:
    """Return where BEAM's curves start: UAS from 5 sentences in percent of that from 500.

    Means over treebanks. A class counts if a third of the treebanks have 30 test words of it. Both
    directions of a tag are in one row.
    """
    frame = of_ud20().frame.filter(pl.col("total") >= 30, pl.col("class") != "all", parser=BEAM)
    each = frame.with_columns(score=pl.col("correct") / pl.col("total")).group_by(
        "treebank", "class", "size", maintain_order=True
    ).agg(pl.col("score").mean())  # fmt: skip
    last = each.filter(pl.col("score") > 0, size=500).select("treebank", "class", last="score")
    ratio = each.filter(size=5).join(last, on=["treebank", "class"], maintain_order="left")
    means = with_arrows(
        ratio.group_by("class", maintain_order=True).agg(
            (100 * pl.col("score") / pl.col("last")).mean().alias("start"), pl.len()
        )
    ).filter(pl.col("len") >= PRESENCE * len(CURVES))
    tag = pl.col("class").str.head(-2).alias("tag")
    both = means.select(tag, pl.col("class").str.tail(1).alias("head"), "start").pivot(
        "head", index="tag", values="start"
    )
    return both.select("tag", "→", "←").sort("→", descending=True, nulls_last=True)


def _over_treebanks(what: str, printed: str, values: np.ndarray) -> Row:
    error = values.std(ddof=1) / np.sqrt(len(values))
    ours = float(values.mean())
    return {"what": what, "printed": printed, "ours": ours, "treebanks": len(values),
            "why": by_chance(Mean(ours, float(error), len(values)), printed)}  # fmt: skip


def statements() -> pl.DataFrame:
    """Return what the text says about classes and parsers, and whether it holds here.

    Parsers are compared on the treebanks on which all three learned from every size.
    """
    shared = counts(published=True).select(treebanks=list(of_udpipe()))
    found = with_arrows(complexity(shared, min_presence=0.15).table)
    cells = {(row["parser"], row["class"]): (row["complexity"], row["score"]) for row in found.to_dicts()}
    sides = composite(published=True).filter(pl.col("treebank").is_in(of_udpipe()))
    keys = ["parser", "sentences", "words"]
    means = {
        (parser, size, side): score
        for parser, size, side, score in sides.group_by(keys, maintain_order=True)
        .agg(pl.col("score").mean())
        .iter_rows()
    }
    frame = pl.DataFrame([*_of_curves(), *_statements(cells, means)])
    return frame.with_columns(pl.format("Section {}", "section").alias("section"))


def _of_curves() -> Iterator[Row]:
    """Yield what Section 3.1 says about BEAM's curves (classes that a third of treebanks have)."""
    own = counts(published=True).select(parsers=[BEAM])
    table = with_arrows(complexity(own, min_presence=PRESENCE).table)
    lines = {}
    for (name,), points in with_arrows(curve(own).table).group_by("class"):
        if name in table["class"]:
            sizes = np.log(points["size"].to_numpy())
            lines[name] = float(np.corrcoef(sizes, points["score"].to_numpy())[0, 1] ** 2)
    least, median = min(lines, key=lambda one: lines[one]), float(np.median([*lines.values()]))
    yield {"section": "3.1", "claim": "UAS of every class is about linear in the logarithm of size",
           "ours": f"R² of the line: median {median:.2f} of {len(lines)} classes, at least "
                   f"{lines[least]:.2f} ({least})", "holds": median > 0.9}  # fmt: skip
    rho = float(spearmanr(table["share"], table["complexity"]).statistic)
    rows = {row["class"]: row for row in table.to_dicts()}
    some = ("DET →", "ADJ →", "NOUN →")
    shown = ", ".join(
        f"{name} {rows[name]['complexity']:.1f} ({100 * rows[name]['share']:.1f} % of words)" for name in some
    )
    speeds, sizes = ([rows[name][key] for name in some] for key in ("complexity", "share"))
    yield {
        "section": "3.1",
        "claim": "Frequency does not decide: ADJ → is learned before NOUN →, though it is rarer",
        "ours": f"COMPLEXITY {shown}; Spearman of share and COMPLEXITY {rho:.2f} over {table.height} classes",
        "holds": speeds == sorted(speeds) and min(sizes) == sizes[1],
    }


def _statements(
    cells: dict[tuple[str, str], tuple[float, float]], means: dict[tuple[str, str, str], float]
) -> Iterator[Row]:
    presets = {name: pair[0] for name, pair in PARSERS.items()}

    def by_parser(name: str, place: int) -> str:
        return ", ".join(f"{parser} {cells[preset, name][place]:.1f}" for parser, preset in presets.items())

    def each(name: str, place: int) -> dict[str, float]:
        return {parser: cells[preset, name][place] for parser, preset in presets.items()}

    def row(section: str, claim: str, ours: str, holds: bool) -> Row:
        return {"section": section, "claim": claim, "ours": ours, "holds": holds}

    sconj, score = each("SCONJ →", 0), each("SCONJ →", 1)
    yield row(
        "3.2",
        "SCONJ → is accurate and complex",
        f"COMPLEXITY {by_parser('SCONJ →', 0)}; UAS {by_parser('SCONJ →', 1)}",
        min(sconj.values()) > 0 and min(score.values()) > 75,
    )
    aux = each("AUX ←", 0)
    yield row(
        "3.2",
        "UDPIPE learns AUX ← badly and at once",
        f"COMPLEXITY {by_parser('AUX ←', 0)}; UAS {by_parser('AUX ←', 1)}",
        aux["UDPIPE"] < 0,
    )
    for name, simple in (("ADP →", True), ("DET →", True), ("ADP ←", False), ("VERB ←", False)):
        values = each(name, 0)
        holds = all((value < 0) == simple for value in values.values())
        yield row("3.2", f"{name} is {'simple' if simple else 'complex'} for every parser", by_parser(name, 0), holds)
    comparisons = (
        ("UDPIPE learns DET → later than the others", "DET →", "UDPIPE", max),
        ("UDPIPE learns CCONJ → earliest", "CCONJ →", "UDPIPE", min),
        ("MSTPARSER learns VERB → earliest", "VERB →", "MSTPARSER", min),
        ("BEAM learns AUX → earliest", "AUX →", "BEAM", min),
    )
    for claim, name, who, pick in comparisons:
        values = each(name, 0)
        yield row("4", claim, by_parser(name, 0), values[who] == pick(values.values()))
    for size in ("10", "500"):
        gaps = {
            parser: means[preset, size, "simple"] - means[preset, size, "complex"] for parser, preset in presets.items()
        }
        shown = ", ".join(f"{parser} {gap:.1f}" for parser, gap in gaps.items())
        yield row(
            "4",
            f"simple words score higher, by up to 30 points, {size} sentences",
            shown,
            all(0 < gap < 30 for gap in gaps.values()),
        )
    for side in ("simple", "complex"):
        few = {parser: means[preset, "10", side] for parser, preset in presets.items()}
        shown = ", ".join(f"{parser} {value:.1f}" for parser, value in few.items())
        yield row(
            "4",
            f"from 10 sentences BEAM leads, UDPIPE is last, {side} words",
            shown,
            sorted(few, key=lambda one: -few[one]) == ["BEAM", "MSTPARSER", "UDPIPE"],
        )
    whole = {parser: means[preset, "full", "complex"] for parser, preset in presets.items()
             if (preset, "full", "complex") in means}  # fmt: skip
    shown = ", ".join(f"{parser} {value:.1f}" for parser, value in whole.items())
    yield row(
        "4",
        "from whole training sets MSTPARSER passes BEAM on complex words",
        shown,
        whole["MSTPARSER"] > whole["BEAM"],
    )


def exceptions() -> pl.DataFrame:
    """Return in which treebanks of UD 2.0 a class is not as simple or complex for BEAM as in most."""
    rows: list[Row] = []
    wanted = (
        ("ADP ←", "complex", "6", None),
        ("DET →", "simple", "7", None),
        ("ADJ →", "simple", None, "English"),
        ("ADJ ←", "complex", None, "English"),
        ("ADJ →", "complex", None, "French"),
        ("ADJ ←", "simple", None, "French"),
    )
    found = with_arrows(complexity(of_ud20().select(parsers=[BEAM]), per="treebank").table)
    for name, expected, printed, language in wanted:
        some = found.filter(pl.col("class") == name)
        if language:
            some = some.filter(pl.col("group").str.starts_with(f"UD_{language}-"))
        against = pl.col("complexity") < 0 if expected == "complex" else (pl.col("complexity") >= 0)
        others = some.filter(against).sort("complexity").to_dicts()
        listed = ", ".join(f"{row['group'].removeprefix('UD_')} {row['complexity']:.1f}" for row in others)
        rows.append(
            {"class": name, "expected": expected, "of": language or "all", "treebanks": some.height,
             "exceptions": listed or "none", "printed": printed, "ours": len(others),
             "why": _fewer(len(others), some.height, printed)}
        )  # fmt: skip
    return compared(rows)


def _fewer(ours: int, treebanks: int, printed: str | None) -> str | None:
    """Return the chance that shares of exceptions differ as much (Fisher's exact test)."""
    if printed is None:
        return None
    table = [[ours, treebanks - ours], [int(printed), TREEBANKS - int(printed)]]
    p = float(fisher_exact(table).pvalue)
    return f"{treebanks} treebanks with 30 test words for up to {TREEBANKS}: p = {p:.2g}"


def tags() -> pl.DataFrame:
    """Return COMPLEXITY of tags for a tagger, next to that of the same words' attachments."""
    from studies.challenges.counts import TAGS
    from studies.parts import RESULTS
    from treegauge.learning.curves.class_counts import read_attachments

    table = complexity(read_attachments(RESULTS / f"{TAGS}.csv"), min_presence=PRESENCE).table
    heads = classes().filter(parser=BEAM)
    sides = {
        side: dict(heads.filter(pl.col("class").str.ends_with(arrow)).select(
            pl.col("class").str.head(-2), "complexity").iter_rows())
        for side, arrow in (("right", "→"), ("left", "←"))
    }  # fmt: skip
    return table.select(
        pl.col("class").alias("tag"), "treebanks", "share", "complexity", "low", "high",
        pl.col("score").alias("accuracy"),
        pl.col("class").replace_strict(sides["right"], default=None).alias("attached, head right"),
        pl.col("class").replace_strict(sides["left"], default=None).alias("attached, head left"),
    )  # fmt: skip


CLAIMS = (
    Part("challenges_starts", "Where BEAM's curves start (Fig. 1)", starts, digits=0),
    Part("challenges_numbers", "Numbers of the text", numbers, digits=1),
    Part("challenges_statements", "Statements of the text", statements),
    Part("challenges_exceptions", "Exceptions by treebank", exceptions, digits=0),
    Part("challenges_tagging", "COMPLEXITY of tags for a tagger", tags, digits=1),
)
