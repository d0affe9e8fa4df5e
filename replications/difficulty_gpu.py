"""Train all models behind the Difficulty paper's Table 1; needs numpy and torch, nothing else.

    PYTHONPATH=src python replications/difficulty_gpu.py FOLDER OUT [NAME...] [--epochs=30]
        [--shuffles=5] [--parser=biaffine]

FOLDER holds what ``replications.difficulty_encode`` wrote. For each treebank: the parser, the
parser on words that are all ``_``, and a parser for every block but the first of every shuffle.
The parser may also be ``pointer``; ``--shuffles=0`` leaves description length out. Written are
``OUT/difficulty.json`` (one row a treebank) and ``OUT/words.npz`` (values of every word), after
every treebank.
"""

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.jobs import Course, NeuralJob, NeuralOutcome, run_jobs
from treegauge.parsing.neural.options import BiaffineOptions, PointerOptions

BLOCKS = (5, 10, 20, 40, 80, 160, 320, 360)
BITS = 1 / np.log(2)
PARSERS = {"biaffine": BiaffineOptions, "pointer": PointerOptions}


def coding_jobs(train: int, shuffles: int, epochs: int) -> list[NeuralJob]:
    """Return the models of online coding: each learns what precedes the block that it codes."""
    ends = [end for end in np.cumsum(BLOCKS).tolist() if end <= train]
    jobs = []
    for shuffle in range(shuffles):
        order = np.random.default_rng([shuffle, train]).permutation(train)
        jobs += [
            NeuralJob(order[:a], {"next": order[a:b]}, 1000 * shuffle + a, epochs, every=False)
            for a, b in pairwise(ends)
        ]
    return jobs


def code_lengths(
    data: Encoded, jobs: list[NeuralJob], outcomes: list[NeuralOutcome]
) -> dict[str, Any]:
    """Return bits per word of heads and relations: the first block uniformly, then by models.

    Compression is the uniform code's length over that; blocks are bits per word of each.
    """
    found: dict[str, Any] = {}
    for name, field, shift in (("arc", "heads", 0), ("rel", "relations", 1)):
        bits: dict[int, float] = {}
        words: dict[int, int] = {}
        uniform = 0.0
        for job, outcome in zip(jobs, outcomes, strict=True):
            before = int(np.size(job.train))
            parts = [(before, np.asarray(job.evaluate["next"]))]
            if before == BLOCKS[0]:
                parts.append((0, np.asarray(job.train)))
            for block, sentences in parts:
                sizes = data.lengths[sentences]
                even = sizes * (np.log2(data.sizes[3] - 1) if shift else np.log2(sizes))
                code = even.sum()
                if block:
                    code = -float(getattr(outcome.courses["next"], field)[-1].sum()) * BITS
                bits[block] = bits.get(block, 0.0) + float(code)
                words[block] = words.get(block, 0) + int(sizes.sum())
                uniform += float(even.sum())
        total = sum(bits.values())
        found[f"{name}_mdl"] = total / sum(words.values())
        found[f"{name}_compression"] = uniform / total
        found[f"{name}_blocks"] = [round(bits[one] / words[one], 4) for one in sorted(bits)]
    return found


def accuracies(data: Encoded, names: dict[str, Any], dev: Course) -> dict[str, float]:
    """Return UAS and LAS of each word's best head: all words, without PUNCT, without subtypes."""
    heads, whole = dev.right_heads[-1], dev.right_heads[-1] & dev.right_relations[-1]
    scored = names["tag_names"][data.tags[dev.words]] != "PUNCT"
    universal = np.array([name.partition(":")[0] for name in names["relation_names"].tolist()])
    gold = data.relations[dev.words]
    found = np.where(dev.right_relations[-1], gold, dev.rival_relations[-1])
    same = universal[found] == universal[gold]
    return {
        "uas": 100 * heads.mean(), "las": 100 * whole.mean(),
        "uas_words": 100 * heads[scored].mean(), "las_words": 100 * whole[scored].mean(),
        "las_universal": 100 * (heads & same).mean(),
    }  # fmt: skip


def summary(train: Course, dev: Course, blind: Course) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the treebank's values and those of its words."""
    row: dict[str, float] = {}
    words: dict[str, Any] = {}
    for name, field in (("arc", "heads"), ("rel", "relations")):
        shares = np.exp(getattr(train, field).astype(np.float64))
        gain = (getattr(dev, field)[-1] - getattr(blind, field)[-1]) * BITS
        words |= {f"{name}_conf": shares.mean(0), f"{name}_var": shares.std(0), f"{name}_pvi": gain}
        row |= {f"{name}_conf": shares.mean(), f"{name}_var": shares.std(0).mean()}
        row[f"{name}_vinfo"] = gain.mean()
    return row, words


def main(*words: str) -> None:
    """Run everything and write the results."""
    settings = dict(word[2:].split("=") for word in words if word.startswith("--"))
    folder, out, *names = (word for word in words if not word.startswith("--"))
    epochs, shuffles = int(settings.get("epochs", 30)), int(settings.get("shuffles", 5))
    options = PARSERS[settings.get("parser", "biaffine")](upos=False)
    chosen = names or sorted(path.stem for path in Path(folder).glob("*.npz"))
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for name in chosen:
        data, more = Encoded.load(Path(folder) / f"{name}.npz")
        n = int(more["parts"][0])
        train, dev = np.arange(n), np.arange(n, len(data))
        sets = {"train": train, "dev": dev}
        begun = time.perf_counter()
        pair = [
            NeuralJob(train, sets, 0, epochs),
            NeuralJob(train, sets, 1, epochs, data=data.hidden()),
        ]
        seen, blind = run_jobs(data, pair, options)
        middle = time.perf_counter()
        coders = coding_jobs(n, shuffles, epochs)
        coded = run_jobs(data, coders, options)
        kept = seen.courses
        row, told = summary(kept["train"], kept["dev"], blind.courses["dev"])
        times = {"pair_seconds": middle - begun, "coding_seconds": time.perf_counter() - middle}
        numbers = {**accuracies(data, more, kept["dev"]), **row, **times}
        rounded = {key: round(float(value), 4) for key, value in numbers.items()}
        bits = code_lengths(data, coders, coded) if coders else {}
        rows.append({"treebank": name, **rounded, **bits})
        print(rows[-1], flush=True)
        values |= {f"{name}/{key}": np.float32(value) for key, value in told.items()}
        (Path(out) / "difficulty.json").write_text(json.dumps(rows, indent=1))
        np.savez_compressed(Path(out) / "words.npz", **values)


if __name__ == "__main__":
    main(*sys.argv[1:])
