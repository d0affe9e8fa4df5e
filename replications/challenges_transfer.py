"""Delexicalised transfer from all treebanks at hand, placed on learning curves (Fig. 3).

Every treebank with a train part is a source for all targets of other languages; votes weigh
KL(target || source)^-4 over trigrams of tags, from the first 10 target sentences. Targets are the
treebanks with a learning curve in ``results/challenges_attachments.csv``.
"""

import sys
from collections.abc import Mapping

import polars as pl

from replications.challenges_tables import counts
from replications.parts import Part, compared, read_result, release_folder
from treegauge.curves.equivalents import equivalents
from treegauge.curves.partition import composites, partition
from treegauge.parse.base import Model
from treegauge.score.attachment import right_heads
from treegauge.transfer.panel import delexicalised, panel, train_sources
from treegauge.transfer.scoring import word_groups
from treegauge.transfer.weights import kl_weights
from treegauge.treebank.columns import Treebank
from treegauge.treebank.conllu import read_splits

SCORES = "challenges_transfer"
SEEDS = (0,)
# A source's first sentences; a delexicalised parser gains nothing from more.
LIMIT = 2000
GROUPS = ("simple", "overall", "complex")
# Average UAS and the sentences that give BEAM the same, as the text has them.
PRINTED = {"simple": (None, "14"), "overall": ("66.1", "32"), "complex": (None, "60")}
SPREAD = "15.3"


def languages(treebank: str) -> set[str]:
    """Return the languages of a treebank; one of two languages is related to both."""
    name = treebank.removeprefix("UD_").split("-")[0]
    return {"Turkish", "German"} if name == "Turkish_German" else {name}


def scores() -> pl.DataFrame:
    """Return UAS of the vote on every target, by group of words."""
    folders = sorted(path for path in release_folder("r2.9").iterdir() if path.is_dir())
    parts = {path.name: read_splits(path) for path in folders}
    sources = {name: split["train"][:LIMIT] for name, split in parts.items() if "train" in split}
    parted = partition(counts().select(parsers=["beam"]), "beam")
    targets = counts().select(parsers=["beam"]).treebanks
    rows = []
    for seed in SEEDS:
        models = train_sources(
            sources, delexicalised("beam"), seed=seed,
            progress=lambda done, all_: print(f"trained {done} of {all_}", file=sys.stderr),
        )  # fmt: skip
        for target in targets:
            others = {
                name: train for name, train in sources.items()
                if not languages(name) & languages(target)
            }  # fmt: skip
            test = parts[target]["test"]
            uas, closest = voted(parts[target]["train"], test, others, models, parted.of(target))
            rows.append({"treebank": target, "seed": seed, "sources": len(others),
                         "closest": closest, **uas})  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    return pl.DataFrame(rows)


def voted(
    train: Treebank, test: Treebank, sources: Mapping[str, Treebank],
    models: Mapping[str, Model], kinds: Mapping[str, str],
) -> tuple[dict[str, float], str]:  # fmt: skip
    """Return UAS of the vote by group of words, and the source with most weight."""
    weighed = kl_weights(train, sources)
    weights = dict(zip(sources, weighed.weights, strict=True))
    asked = panel(test, {name: models[name] for name in sources}, weights)
    right = right_heads(test, asked.heads())
    groups = word_groups(test, kinds)
    uas = {name: 100 * float(right[groups[name]].mean()) for name in GROUPS}
    return uas, max(weights, key=weights.__getitem__)


def placed() -> pl.DataFrame:
    """Return average scores, their spread over targets, and their equivalents, beside the paper's.

    Equivalents are where the average score meets BEAM's average curve, simple and complex words
    parted by BEAM.
    """
    found = read_result(SCORES)
    mean = found.group_by("treebank").agg(pl.col(GROUPS).mean()).sort("treebank")
    of_beam = counts().select(parsers=["beam"], treebanks=mean["treebank"].to_list())
    scores = {"all" if name == "overall" else name: float(mean[name].mean() or 0.0)  # type: ignore[arg-type]
              for name in GROUPS}  # fmt: skip
    table = equivalents(composites(of_beam, partition(of_beam, "beam")), scores).table
    rows: list[dict[str, object]] = []
    why = f"{mean.height} targets of UD 2.9 for 56 of UD 2.0, and the sources at hand"
    for name, (uas, sentences) in PRINTED.items():
        (row,) = table.filter(pl.col("class") == ("all" if name == "overall" else name)).to_dicts()
        told = {"words": name, "interval": None, "why": why}
        rows.append(told | {"value": "UAS", "printed": uas, "ours": row["score"]})
        ends = f"{row['low']} to {row['high']}"
        rows.append(told | {"value": "sentences", "interval": ends, "printed": sentences,
                            "ours": row["sentences"]})  # fmt: skip
    spread = float(mean["overall"].std() or 0.0)  # type: ignore[arg-type]
    rows.append({"words": "overall", "interval": None, "why": why, "value": "sd over targets",
                 "printed": SPREAD, "ours": spread})  # fmt: skip
    return compared(rows).select(
        "words", "value", "printed", "ours", "interval", "difference", "why"
    )


TRANSFER = (
    Part(
        SCORES,
        "UAS of the vote of delexicalised parsers",
        scores,
        needs=("r2.9",),
        apart=f"long: python -m replications {SCORES}; 15 min of processor time",
        digits=1,
    ),
    Part("challenges_equivalents", "What transfer is worth (Fig. 3)", placed, digits=1),
)
