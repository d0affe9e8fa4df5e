"""Transfer to Galician from four treebanks: the Challenges paper's Table 3 on data at hand.

Run ``python -m studies.transfer.study``; with ``--write`` the tables go into
``docs/transfer_study.md``. The treebanks are looked for under ``TREEGAUGE_UD``. Takes about four
minutes of CPU time: 20 delexicalised parsers, and 35 for the learning curve.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from studies.pages import markdown
from studies.treebanks import release_folder
from treegauge.experiments.builtin import sampled
from treegauge.learning.contribution import Contributions, Vote, contributions, word_groups
from treegauge.learning.curves.class_counts import Attachments, Parse, count_attachments
from treegauge.learning.curves.complexity import composite_counts, partition
from treegauge.learning.curves.equivalents import placing
from treegauge.learning.source_panel import Panel, delexicalised, panel, train_sources
from treegauge.learning.weights import inverse_weights, ratio_estimate, weigh_sources
from treegauge.measures.registry import sentence_sums
from treegauge.parsing.registry import make_parser
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES, correct_trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu

TARGET = "Galician-TreeGal"
SOURCES = ("French-ParTUT", "French-Sequoia", "Italian-ParTUT", "English-ParTUT")
SIZES = (5, 10, 20, 50, 100, 200, 500)
SAMPLES, TRAININGS, HANDFUL = 5, 5, 10
LEAVE = {name: (name,) for name in SOURCES} | {"both French": SOURCES[:2]}
CHALLENGES = CONVENTIONS["challenges"]
PAGE = Path(__file__).parents[2] / "docs" / "transfer_study.md"


def read(name: str, part: str) -> Treebank:
    """Read a part of a treebank."""
    root = release_folder("r2.9")
    return read_conllu(root / f"UD_{name}", split=part, name=name)


def learned(train: Treebank, test: Treebank) -> Attachments:
    """Count the correct heads of beam parsers trained on samples of the first 500 sentences."""

    def parses() -> Iterable[Parse]:
        for size in SIZES:
            for sample in range(SAMPLES):
                chosen = train[:500].take(sampled(500, size, sample))
                model = make_parser("beam").fit(chosen, seed=sample)
                yield Parse("beam", size, sample, model.parse(test))
                print(f"curve: {size} sentences, sample {sample + 1}", file=sys.stderr)

    return count_attachments(test, parses(), by=PAPER_CLASSES, metric="UAS", convention=CHALLENGES, name=TARGET)


def curve_table(table: Attachments) -> pl.DataFrame:
    """Return mean scores by size."""
    share = (100 * pl.col("correct") / pl.col("total")).mean()
    wide = table.table.group_by("size", "class").agg(share.alias("uas")).pivot("class", index="size", values="uas")
    return wide.sort("size").select("size", "simple", pl.col("all").alias("overall"), "complex")


def table_three(found: Contributions) -> pl.DataFrame:
    """Return scores, gains and equivalents, one row per set of sources."""
    rows = []
    for vote in found.votes:
        row: dict[str, object] = {"sources": f"without {vote.left_out}" if vote.left_out else "all four"}
        groups = ("simple", "overall", "complex")
        row |= {group: vote.scores["UAS"][group].value for group in groups}
        for group in groups:
            gain = vote.gains["UAS"][group] if vote.gains else None
            text = gain and f"{gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"
            row[f"gain {group}"] = text or ""
        for group in groups:
            worth = vote.worth[group]
            row[f"n {group}"] = f"{worth.sentences} ({worth.at_least} to {worth.at_most})"
        row["alone"] = vote.alone["UAS"].value if vote.alone else None
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def exponents(panels: Sequence[Panel], divergences: Sequence[float], test: Treebank) -> pl.DataFrame:
    """Return scores and gains when closeness counts for less or more than in the paper."""
    rows = []
    for exponent in (0, 1, 2, 4, 8):
        weights = tuple(inverse_weights(divergences, exponent=exponent).tolist())
        runs = [Panel(one.sources, one.parses, weights) for one in panels]
        first, *others = contributions(runs, test, leave=LEAVE, metric="UAS", convention=CHALLENGES).votes
        rows.append(
            {
                "exponent": exponent,
                "weight of Italian": f"{weights[SOURCES.index('Italian-ParTUT')]:.2f}",
                "UAS": first.scores["UAS"]["overall"].value,
            }
            | {f"gain {one.left_out}": _gain(one) for one in others}
        )
    return pl.DataFrame(rows)


def _gain(vote: Vote) -> str:
    gain = vote.gains["UAS"]["overall"]
    return f"{gain.value:+.1f}{'' if gain.excludes_zero else ' (n.s.)'}"


def other_tens(panels: Sequence[Panel], train: Treebank, test: Treebank) -> str:
    """Return how far the vote depends on which ten target sentences were tagged."""
    sources = {name: read(name, "train") for name in SOURCES}
    mask = word_groups(test, convention=CHALLENGES)["overall"]
    asked, shares, scores = panels[0], [], []
    for start in range(0, len(train) - HANDFUL + 1, HANDFUL):
        weights = weigh_sources(train[start : start + HANDFUL], sources).weights
        own = tuple(weights[name] for name in SOURCES)
        voted = Panel(asked.sources, asked.parses, own).vote()
        scores.append(100 * correct_trees(test, voted.head).heads[mask].mean())
        shares.append(own)
    top = np.array(shares)[:, SOURCES.index("Italian-ParTUT")]
    return (
        f"{len(scores)} tens of training sentences: weight of Italian-ParTUT from "
        f"{min(top):.2f} to "
        f"{max(top):.2f}, more than half in {np.mean(top > 0.5):.0%}; "
        f"UAS of the vote {np.mean(scores):.1f} on average, from {min(scores):.1f} to "
        f"{max(scores):.1f}."
    )


def of_parsers(weights: dict[str, float], test: Treebank) -> pl.DataFrame:
    """Compare votes of trees and pooled probabilities of graph parsers."""
    sources = {name: read(name, "train") for name in SOURCES}
    mask = word_groups(test, convention=CHALLENGES)["overall"]
    rows = []
    for training in ("mira", "loglinear"):
        models = train_sources(sources, delexicalised("mst", training=training))
        pooled = panel(test, models, weights, probabilities=True)
        votes = Panel(pooled.sources, pooled.parses, pooled.weights)
        pair = [correct_trees(test, one.vote().head).heads & mask for one in (votes, pooled)]
        more = ratio_estimate(sentence_sums(pair[1].astype(float) - pair[0], test), sentence_sums(mask, test)).times(
            100
        )
        rows.append(
            {
                "parser": f"mst, {training}",
                "votes": 100 * pair[0].sum() / mask.sum(),
                "probabilities": 100 * pair[1].sum() / mask.sum(),
                "difference": f"{more.value:+.1f} [{more.low:+.1f}, {more.high:+.1f}]",
            }
        )
    return pl.DataFrame(rows)


def study() -> dict[str, str]:
    """Do everything; return the pieces of the page by name."""
    train, test = read(TARGET, "train"), read(TARGET, "test")
    sources = {name: read(name, "train") for name in SOURCES}
    pieces = {}

    counts = learned(train, test)
    parted = partition(counts, "beam")
    table = composite_counts(counts, parted)
    pieces["curve"] = markdown(curve_table(table), digits=1)
    kinds = parted.of(TARGET)
    groups = word_groups(test, kinds, by=PAPER_CLASSES, convention=CHALLENGES)
    pieces["partition"] = markdown(
        pl.DataFrame(
            {"words": kind, "share": f"{groups[kind].sum() / groups['overall'].sum():.0%}",
             "classes": ", ".join(name for name in kinds if kinds[name] == kind)}
            for kind in ("simple", "complex")
        )
    )  # fmt: skip

    by_size = {n: weigh_sources(train, sources, sentences=n) for n in (HANDFUL, 50, None)}
    pieces["weights"] = markdown(
        pl.DataFrame(
            {"source": SOURCES, "training sentences": [len(sources[name]) for name in SOURCES]}
            | {
                f"{what}, {n or len(train)} sentences": values
                for n, one in by_size.items()
                for what, values in (
                    ("KL", [one.divergences[name] for name in SOURCES]),
                    ("weight", [one.weights[name] for name in SOURCES]),
                )
            }
        ),
        digits=3,
    )
    pieces["closeness"] = by_size[HANDFUL].advice

    weights = by_size[HANDFUL].weights
    panels = []
    for seed in range(TRAININGS):
        models = train_sources(sources, delexicalised("beam"), seed=seed)
        panels.append(panel(test, models, weights))
        print(f"transfer: training {seed + 1}", file=sys.stderr)
    found = contributions(
        panels, test, groups, leave=LEAVE, place=placing(table, TARGET), metric="UAS", convention=CHALLENGES
    )
    pieces["table 3"] = f"{markdown(table_three(found), digits=1)}\n\n{found.advice}"
    pieces["labelled"] = f"LAS of all four: {found.votes[0].scores['LAS']['overall'].value:.1f}."
    pieces["exponents"] = markdown(
        exponents(panels, [by_size[HANDFUL].divergences[name] for name in SOURCES], test), digits=1
    )
    pieces["tens"] = other_tens(panels, train, test)
    pieces["pooling"] = markdown(of_parsers(weights, test), digits=1)
    return pieces


def main() -> None:
    """Print the pieces, or write them between their marks in the page."""
    pieces = study()
    for name, text in pieces.items():
        print(f"## {name}\n\n{text}\n")
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        for name, text in pieces.items():
            above, begun, rest = page.partition(f"<!-- {name} -->\n")
            _, ended, below = rest.partition("<!-- end -->")
            if not begun or not ended:
                raise SystemExit(f"{PAGE}: no place marked <!-- {name} --> ... <!-- end -->")
            page = f"{above}{begun}\n{text}\n\n{ended}{below}"
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
