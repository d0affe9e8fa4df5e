"""Delexicalised transfer from all available treebanks, placed on learning curves (Fig. 3).

Every treebank with a learning curve in ``results/challenges_attachments.csv`` is a target, and a
source for all targets of other languages; votes weigh KL(target || source)^-4 over trigrams of
tags, from the first 10 target sentences. Smaller treebanks are not sources, as in the paper: with
trigrams that a source lacks counted once each, 19 sentences look close to any language.
"""

import sys
from collections.abc import Mapping

import numpy.typing as npt
import polars as pl

from studies.challenges.printed import SIDES
from studies.challenges.runs import LIMIT, languages
from studies.challenges.tables import beams_partition, by_side, counts
from studies.parts import Part, read_result
from studies.treebanks import release_folder
from treegauge.learning.curve import equivalent
from treegauge.learning.curves.complexity import composite_counts
from treegauge.learning.curves.equivalents import Equivalents
from treegauge.learning.source_panel import delexicalised, panel, train_sources
from treegauge.learning.weights import weigh_sources
from treegauge.parsing.base import Model
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

SCORES = "challenges_transfer"
SEEDS = range(5)


def scores() -> pl.DataFrame:
    """Return UAS of the vote on every target, of simple, all and complex words."""
    targets = counts().select(parsers=["beam"]).treebanks
    parts = {name: read_splits(release_folder("r2.9") / name) for name in targets}
    sources = {name: split["train"][:LIMIT] for name, split in parts.items()}
    rows = []
    for seed in SEEDS:
        models = train_sources(sources, delexicalised("beam"), seed=seed)
        for target in targets:
            others = {name: train for name, train in sources.items() if not languages(name) & languages(target)}
            test = parts[target]["test"]
            heads, closest = voted(parts[target]["train"], test, others, models)
            rows.append({"treebank": target, "seed": seed, "sources": len(others),
                         "closest": closest, **by_side(target, test, heads)})  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    return pl.DataFrame(rows)


def voted(
    train: Treebank, test: Treebank, sources: Mapping[str, Treebank], models: Mapping[str, Model]
) -> tuple[npt.ArrayLike, str]:
    """Return heads that the sources vote for, and the source with most weight."""
    weighed = weigh_sources(train, sources)
    asked = panel(test, {name: models[name] for name in sources}, weighed.weights)
    return asked.vote().head, weighed.sources[0].name


def averaged(frame: pl.DataFrame) -> pl.DataFrame:
    """Return one row a target: means over trainings."""
    target = ["treebank", "sources", "closest"]
    return frame.group_by(target, maintain_order=True).agg(pl.col(SIDES).mean())


def on_curves() -> Equivalents:
    """Place average scores on BEAM's average curves, simple and complex words parted by BEAM."""
    mean = averaged(read_result(SCORES))
    of_beam = counts().select(parsers=["beam"], treebanks=sorted(mean["treebank"]))
    scores = {side: mean[side].to_numpy().mean() for side in SIDES}
    return equivalent(composite_counts(of_beam, beams_partition()), score=scores)


TRANSFER = (
    Part(
        SCORES,
        "UAS of the vote of delexicalised parsers",
        scores,
        needs=("r2.9",),
        apart=f"long: python -m studies {SCORES}; 17 min of processor time",
        digits=1,
        shown=averaged,
    ),
)
