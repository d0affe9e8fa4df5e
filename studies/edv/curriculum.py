"""A curriculum by EDV, which the paper's conclusion proposes: sentences in several orders.

    python -m studies.edv.curriculum [UNTIL | FILE.jsonl]

trains the beam parser on official training sets with their sentences in several orders and adds
one row per training to ``studies/results/edv_curriculum_runs.csv``; those that are there are
not run again, and rows of a file are added. Treebanks are looked for under ``TREEGAUGE_UD``.

A sentence's contribution to EDV is the distance of its displacements from those of the whole
training set. One learner, gold tags, ten epochs, each in the same order except ties, which are in
random order.
"""

import os
import time
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from studies.run_tables import Job, RunTable
from treegauge.parsing.beam import BeamParser, SentenceOrder
from treegauge.parsing.beam_model import BeamOptions
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.statistics.probabilities import wasserstein
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits
from treegauge.treebanks.data.trees import displacement_counts

# The smallest of UD 2.9 at hand with 300 training sentences or more, by training words.
TREEBANKS = (
    "Marathi-UFAL", "Telugu-MTG", "Tamil-TTB", "Turkish_German-SAGT", "Old_East_Slavic-RNC",
    "Welsh-CCG", "Galician-TreeGal", "Turkish-FrameNet",
)  # fmt: skip
ORDERS = ("random", "typical first", "atypical first", "short first", "long first")
SEEDS = 3
KEY = ("treebank", "order", "seed")
COLUMNS = (*KEY, "uas", "las", "seconds")

Floats = npt.NDArray[np.float64]


def jobs() -> list[Job]:
    """Return all trainings, all orders of one seed before those of the next."""
    return [
        {"treebank": treebank, "order": order, "seed": seed}
        for seed in range(SEEDS)
        for treebank in TREEBANKS
        for order in ORDERS
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


def sentence_order(train: Treebank, order: str, seed: int) -> SentenceOrder | None:
    """Return the order of the sentences in each epoch; None for random ones."""
    if order == "random":
        return None
    first, last = "typical", "atypical"
    scores = contributions(train)
    if order in {"short first", "long first"}:
        first, last, scores = "short", "long", train.lengths.astype(np.float64)
    sign = {f"{first} first": 1.0, f"{last} first": -1.0}[order]
    random = np.random.default_rng([seed, 3])

    def of_epoch(_: int) -> npt.NDArray[np.int64]:
        return np.lexsort((random.random(len(train)), sign * scores))

    return of_epoch


def run(job: Job) -> Job:
    """Train with sentences in the order of the job and score the test set."""
    sets = sets_of(job["treebank"])
    train, gold = sets["train"], sets["test"]
    order = sentence_order(train, job["order"], job["seed"])
    start = time.process_time()
    model = BeamParser(BeamOptions(learners=1)).fit(train, seed=job["seed"], order=order)
    seconds = time.process_time() - start
    found = evaluate(gold, model.parse(gold), options=ScoreOptions(resamples=0)).systems[0]
    row = job | {"uas": found["UAS"].f1, "las": found["LAS"].f1, "seconds": seconds}
    return {name: row[name] for name in COLUMNS}


TABLE = RunTable("edv_curriculum_runs", jobs, run, KEY, COLUMNS)

if __name__ == "__main__":
    TABLE.main()
