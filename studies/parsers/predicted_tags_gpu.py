"""The biaffine parser with gold, predicted and no tags.

    PYTHONPATH=src python -m studies.parsers.predicted_tags_gpu ARRAYS OUT [--seconds=270]
        [--OPTION=VALUE...]

Needs numpy and torch only. ARRAYS is what ``python -m studies.parsers.predicted_tags encode`` wrote.
All models of a treebank learn in lockstep: five seeds with gold tags, three with predicted ones
and three without. Of each the epoch with the best LAS on dev is kept. ``OUT/predicted_tags.npz``
has the trees of each model on the test set. It is written after each treebank; none is begun after
so many seconds.
"""

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers.paradigms import best_models, given_options, part_of, workers

SEEDS = {"gold": 5, "predicted": 3, "none": 3}


def conditions(data: Any, predicted: Any) -> dict[str, Any]:
    """Return the data with the tags of each condition."""
    return {
        "gold": data,
        "predicted": replace(data, tags=predicted),
        "none": replace(data, tags=np.zeros_like(data.tags)),
    }


def run(path: Path, options: Any, pool: Any) -> dict[str, Any]:
    """Train all models of a treebank; return their trees on the test set."""
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.predicting import Predictor
    from treegauge.parsing.neural.training import Learner
    from treegauge.treebanks.data.decoding import spanning_tree

    data, more = Encoded.load(path)
    ends = np.cumsum([0, *more["parts"]])
    train, dev, test = (np.arange(ends[n], ends[n + 1]) for n in range(3))
    tagged = conditions(data, more["predicted"])
    names = [(tags, seed) for tags, seeds in SEEDS.items() for seed in range(seeds)]
    learners = [Learner(tagged[tags], train, seed) for tags, seed in names]
    kept = best_models(learners, dev, options)
    each = partial(pool.map, chunksize=4)
    trees = {}
    for (tags, seed), (epoch, arrays) in zip(names, kept, strict=True):
        own = part_of(tagged[tags], test)
        found = Predictor(arrays, own, options).parse(spanning_tree, more["of_roots"], each)
        trees[f"{tags}{seed}"] = np.stack(found).astype(np.int16)
        trees[f"{tags}{seed}_epoch"] = np.array(epoch)
    return {**trees, "relation_names": more["relation_names"]}


def main(folder: str, out: str, *words: str) -> None:
    """Train treebank by treebank, the smallest first."""
    pool = workers()
    from treegauge.parsing.neural.options import BiaffineOptions
    from treegauge.parsing.options import read_options

    begun = time.perf_counter()
    _, given = given_options(words)
    limit = float(given.pop("seconds", 270))
    settings = {"epochs": "50"} | given
    options = read_options(BiaffineOptions, [f"{key}={value}" for key, value in settings.items()])
    found: dict[str, Any] = {}
    for path in sorted(Path(folder).glob("*.npz"), key=lambda path: path.stat().st_size):
        if time.perf_counter() - begun > limit:
            break
        start = time.perf_counter()
        trees = run(path, options, pool)
        took = time.perf_counter() - start
        found |= {f"{path.stem}/{name}": value for name, value in trees.items()}
        found[f"{path.stem}/seconds"] = np.array(took)
        np.savez_compressed(Path(out) / "predicted_tags.npz", allow_pickle=False, **found)
        print(path.stem, f"{took:.1f} s", flush=True)
    pool.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
