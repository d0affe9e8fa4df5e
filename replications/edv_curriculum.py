"""A curriculum by EDV, which the paper's conclusion proposes: sentences in several orders.

    python -m replications.edv_curriculum [UNTIL]

trains the beam parser on official training sets with their sentences in several orders and adds
one row per training to ``replications/results/edv_curriculum_runs.csv``; those that are there are
not run again. Treebanks are looked for under ``TREEGAUGE_UD``.

A sentence's contribution to EDV is the distance of its displacements from those of the whole
training set. Orders are kept in every epoch, or in the first one alone, after which they are
random. One learner, gold tags, ten epochs; equal sentences are in random order.
"""

import csv
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsing.beam import BeamParser, SentenceOrder
from treegauge.parsing.beam_model import BeamOptions
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import Resampling
from treegauge.statistics.descriptive import wasserstein
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_splits
from treegauge.treebanks.trees import displacement_counts

TABLE = Path(__file__).parent / "results" / "edv_curriculum_runs.csv"
# The smallest of UD 2.9 at hand with 300 training sentences or more, by training words.
TREEBANKS = (
    "Marathi-UFAL", "Telugu-MTG", "Tamil-TTB", "Turkish_German-SAGT", "Old_East_Slavic-RNC",
    "Welsh-CCG", "Galician-TreeGal", "Turkish-FrameNet", "North_Sami-Giella", "Sanskrit-Vedic",
    "Latin-Perseus", "Indonesian-CSUI",
)  # fmt: skip
ORDERS = ("random", "typical first", "atypical first", "short first", "long first")
EPOCHS = ("all", "first")
SEEDS = 5
KEY = ("treebank", "order", "epochs", "seed")
COLUMNS = (*KEY, "uas", "las", "seconds")

Job = dict[str, Any]
Floats = npt.NDArray[np.float64]


def jobs() -> list[Job]:
    """Return all trainings, all conditions of one seed before those of the next."""
    ordered = [(order, epochs) for epochs in EPOCHS for order in ORDERS[1:]]
    return [
        {"treebank": treebank, "order": order, "epochs": epochs, "seed": seed}
        for seed in range(SEEDS)
        for treebank in TREEBANKS
        for order, epochs in [("random", "all"), *ordered]
    ]


@cache
def sets_of(name: str) -> dict[str, Treebank]:
    """Read the sets of a treebank."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud"))
    return read_splits(root / "r2.9" / f"UD_{name}")


def contributions(train: Treebank) -> Floats:
    """Return how far each sentence's displacements are from those of all; infinite without arcs."""
    counts = displacement_counts(train)
    some = counts.sum(axis=1) > 0
    distances = np.full(len(train), np.inf)
    distances[some] = wasserstein(counts[some], counts.sum(axis=0))
    return distances


def sentence_order(train: Treebank, order: str, epochs: str, seed: int) -> SentenceOrder | None:
    """Return the order of the sentences in each epoch; None for random ones."""
    if order == "random":
        return None
    first, last = "typical", "atypical"
    scores = contributions(train)
    if order in {"short first", "long first"}:
        first, last, scores = "short", "long", train.lengths.astype(np.float64)
    sign = {f"{first} first": 1.0, f"{last} first": -1.0}[order]
    random = np.random.default_rng([seed, 3])

    def of_epoch(epoch: int) -> npt.NDArray[np.int64]:
        if epochs == "first" and epoch > 1:
            return random.permutation(len(train))
        return np.lexsort((random.random(len(train)), sign * scores))

    return of_epoch


def run(job: Job) -> Job:
    """Train with sentences in the order of the job and score the test set."""
    sets = sets_of(job["treebank"])
    train, gold = sets["train"], sets["test"]
    order = sentence_order(train, job["order"], job["epochs"], job["seed"])
    start = time.process_time()
    model = BeamParser(BeamOptions(learners=1)).fit(train, seed=job["seed"], order=order)
    seconds = time.process_time() - start
    found = evaluate(gold, model.parse(gold), resampling=Resampling(resamples=0)).systems[0]
    row = job | {"uas": found["UAS"].f1, "las": found["LAS"].f1, "seconds": seconds}
    return {name: row[name] for name in COLUMNS}


def main() -> None:
    """Run what is missing."""
    until = int(sys.argv[1]) if sys.argv[1:] else None
    if not TABLE.exists():
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with TABLE.open(encoding="utf-8", newline="") as file:
        kept = {tuple(row[name] for name in KEY) for row in csv.DictReader(file)}
    for job in jobs()[:until]:
        if tuple(str(job[name]) for name in KEY) in kept:
            continue
        cells = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in run(job).items()}
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(cells)


if __name__ == "__main__":
    main()
