"""Scores of parsers trained on halves of training sets that a data map chose.

    python -m studies.selection.runs [TREEBANK...]
    python -m studies.selection.runs add ROWS.jsonl...

The maps are those of ``treegauge map``: the log-linear parser in batches of 32, ten epochs, which
learns about as slowly as a network. A beam parser and the same log-linear parser are trained on
each half and scored on the test set (all words, whole relations, in percent); ``whole`` is the
whole training set. The second form adds rows that were made elsewhere. Rows are kept in
``studies/results/selection_scores.csv``. The treebanks are looked for under ``TREEGAUGE_UD``.
"""

import csv
import json
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from studies.selection.halves import HALVES, TREEBANKS, choose_half, sentence_means
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.jobs import TrainingJob
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

SCORES = Path(__file__).parents[1] / "results" / "selection_scores.csv"
COLUMNS = ("treebank", "parser", "half", "seed", "sentences", "words", "uas", "las")
PARSERS: dict[str, dict[str, Any]] = {"beam": {}, "mst": {"training": "loglinear"}}
SEEDS = 5
EPOCHS, BATCH = 10, 32
WHOLE = "whole"
"""The name of the whole training set among the halves."""

Job = dict[str, Any]
Maps = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def jobs() -> list[Job]:
    """Return one job per treebank, seed and parser: all seeds of the beam parser first."""
    return [
        {"treebank": name, "seed": seed, "parser": parser}
        for parser in PARSERS
        for seed in range(SEEDS)
        for name in reversed(TREEBANKS)
    ]


@cache
def splits(name: str) -> dict[str, Treebank]:
    """Read a treebank's sets."""
    return read_splits(Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.9" / name)


@cache
def sentence_map(name: str, seed: int) -> Maps:
    """Return confidence and variability of each sentence's heads."""
    train = splits(name)["train"]
    engine = make_engine("mst", epochs=EPOCHS, options=[f"batch={BATCH}"])
    (recordings,) = engine([TrainingJob(train, {"train": train}, seed=seed)])
    made = data_map(recordings["train"])
    conf, var = (sentence_means(values["head"], train.lengths) for values in (made.confidence, made.variability))
    return conf, var


def scores(gold: Treebank, parsed: Treebank) -> tuple[float, float]:
    """Return UAS and LAS of all words, whole relations, in percent."""
    names = [np.array(one.codes("deprel").values, dtype=object)[one.codes("deprel").codes] for one in (gold, parsed)]
    heads = parsed.head == gold.head
    both = heads & (names[0] == names[1])
    return 100 * float(heads.mean()), 100 * float(both.mean())


def run(job: Job) -> dict[str, Any]:
    """Train on the whole set and on every half; return the rows under ``rows``."""
    name, seed, parser = job["treebank"], job["seed"], job["parser"]
    start = time.process_time()
    train, test = (splits(name)[split] for split in ("train", "test"))
    conf, var = sentence_map(name, seed)
    rows = []
    for half in (*HALVES, WHOLE):
        chosen = np.arange(len(train))
        if half != WHOLE:
            chosen = choose_half(half, conf, var, train.lengths.astype(np.int64), seed)
        own = train.take(chosen)
        model = make_parser(parser, **PARSERS[parser]).fit(own, seed=seed)
        uas, las = scores(test, model.parse(test))
        values = (name, parser, half, seed, len(own), own.n_words, round(uas, 4), round(las, 4))
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return {**job, "rows": rows, "seconds": round(time.process_time() - start, 1)}


def keep(rows: list[dict[str, Any]]) -> None:
    """Add rows to those that are kept; equal ones are replaced."""
    kept: dict[tuple[str, ...], dict[str, Any]] = {}
    before: list[dict[str, Any]] = []
    if SCORES.exists():
        with SCORES.open(encoding="utf-8", newline="") as file:
            before = list(csv.DictReader(file))
    for row in [*before, *rows]:
        kept[tuple(str(row[column]) for column in COLUMNS[:4])] = row
    order = (*HALVES, WHOLE)
    made = sorted(
        kept.values(), key=lambda row: (row["treebank"], row["parser"], order.index(row["half"]), int(row["seed"]))
    )
    with SCORES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


def add(*paths: str) -> None:
    """Add rows that were made elsewhere: of :func:`run`, or a list of them."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        text = Path(path).read_text("utf-8")
        if text.startswith("["):
            rows += json.loads(text)
        else:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
            rows += [row for one in found for row in one.get("rows", ())]
    keep(rows)


def main(*names: str) -> None:
    """Run every job of these treebanks."""
    for job in jobs():
        if not names or job["treebank"] in names:
            made = run(job)
            keep(made["rows"])
            print(job, made["seconds"], "s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["add"]:
        add(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
