"""The Challenges paper's grid on its own treebanks of UD 2.0: trainings, and counts of their bits.

    python -m studies.challenges.ud20 BITS PRESET... [--cores=N] [--seconds=S]
    python -m studies.challenges.ud20 count BITS...

One job trains a preset on samples of one treebank (`treebanks`; gold tags) and parses the whole
test set. BITS gets one JSON line per job, as in ``studies.challenges.runs``: for each sample, one bit
per test word. Size 0 is the whole training set, where it is at hand. The second step counts them.

More presets: ``panparser-dev`` and ``mstparser-dev`` learn from the dev set where the training set
is at hand, too, and show what that changes; ``romanian`` is the vote of delexicalised parsers for
Romanian without one of four sources (Table 3). ``ud2.0`` is UDPipe, which takes minutes a training:
ten sentences of all treebanks come first on a third of the cores, on the others one sample of 500
sentences, from the shortest treebank to the longest. A training starts only if it will probably end
within `S` seconds.
"""

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from studies.challenges.runs import LIMIT, SAMPLES, SIZES, Bools, options, packed, unpacked
from studies.challenges.treebanks import AVAILABLE, CURVES, DEV, RELEASE, TRAINED, from_dev, splits
from studies.parts import RESULTS, as_csv
from studies.treebanks import release_folder
from treegauge.core.files import atomic
from treegauge.experiments.builtin import sampled
from treegauge.learning.contribution import word_groups
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments, read_attachments
from treegauge.learning.curves.complexity import partition
from treegauge.learning.source_panel import delexicalised, train_sources
from treegauge.learning.weights import first_sentences, inverse_weights
from treegauge.measures.similarity import log_ratios
from treegauge.parsing.registry import make_parser
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES, scored_words_mask
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits
from treegauge.treebanks.data.decoding import vote_heads

ROMANIAN, TARGET = "romanian", "Romanian-RRT"
ROMANCE = ("French-GSD", "Italian-ISDT", "Spanish-GSD", "Bulgarian-BTB")
"""The sources of Table 3."""
OF_DEV = "-dev"
UD20 = "ud2.0"
RATE = {UD20: 0.05, "mstparser": 0.001, "panparser": 0.0003}
"""Seconds that a training takes for one word of the training set, about."""
COUNTS, SCORES = "challenges_ud20", "challenges_ud20_scores"


def jobs() -> Iterator[dict[str, Any]]:
    """Yield all jobs."""
    every = [[size, sample] for size in SIZES for sample in range(SAMPLES)]
    for preset in ("panparser", "mstparser"):
        for name in CURVES:
            whole = [[0, 0]] if name in TRAINED else []
            yield {"preset": preset, "treebank": name, "samples": [*every, *whole]}
    for preset in ("panparser", "mstparser"):
        for name in TRAINED:
            yield {"preset": preset + OF_DEV, "treebank": name, "samples": every}
    for size in (10, 500, *SIZES):
        for sample in range(SAMPLES if size == 10 else 1):
            for name in sorted(CURVES, key=words):
                yield {"preset": UD20, "treebank": name, "samples": [[size, sample]]}
    for seed in range(SAMPLES):
        yield {"preset": ROMANIAN, "sample": seed}


def words(name: str) -> int:
    """Return how many words 500 sentences of a treebank have."""
    return splits(name)["train"][:AVAILABLE].n_words


def cost(job: dict[str, Any]) -> float:
    """Return a guess of the seconds of a job."""
    if "treebank" not in job:
        return 300.0
    share = sum((size or 5 * AVAILABLE) / AVAILABLE for size, _ in job["samples"])
    return RATE.get(job["preset"].removesuffix(OF_DEV), 0.001) * words(job["treebank"]) * share


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train on every sample of a job; return the bits of each, and seconds of processor time."""
    if job["preset"] == ROMANIAN:
        return vote(job["sample"])
    sets = splits(job["treebank"])
    if job["preset"].endswith(OF_DEV):
        sets = from_dev(sets)
    pool, dev, test = sets["train"][:AVAILABLE], sets["dev"], sets["test"]
    bits, seconds = {}, {}
    for size, sample in job["samples"]:
        start = time.process_time()
        train, held = sets["train"], dev
        if size:
            train = pool.take(sampled(len(pool), min(size, len(pool)), sample))
            held = dev[:DEV]
        parser, chosen = options(job["preset"].removesuffix(OF_DEV))
        model = make_parser(parser, **chosen).fit(train, held, seed=sample)
        correct = model.parse(test).head == test.head
        bits[f"{size}/{sample}"] = packed(correct)
        seconds[f"{size}/{sample}"] = round(time.process_time() - start, 2)
    named = {name: job[name] for name in ("preset", "treebank")}
    return {**named, "bits": bits, "seconds": seconds}


def source(name: str) -> Treebank:
    """Return the first sentences of a source: its training set, or the dev set that stands for it."""
    if name in TRAINED:
        return splits(name)["train"][:LIMIT]
    return read_splits(release_folder(RELEASE) / f"UD_{name}")["dev"][:LIMIT]


def vote(seed: int) -> dict[str, Any]:
    """Return the bits of the Romanian words that sources without words vote for, all or without one."""
    start = time.process_time()
    parser, chosen = options("panparser")
    sources = {name: source(name) for name in ROMANCE}
    models = train_sources(sources, delexicalised(parser, **chosen), seed=seed)
    sets = splits(TARGET)
    looked = first_sentences(sets["train"])
    far = [max(0.0, float(log_ratios(looked, sources[name]).mean())) for name in ROMANCE]
    heads = np.stack([models[name].parse(sets["test"]).head for name in ROMANCE])
    votes = {}
    for left in ("none", *ROMANCE):
        kept = [i for i, name in enumerate(ROMANCE) if name != left]
        voted = vote_heads(heads[kept], inverse_weights([far[i] for i in kept]), sets["test"].offsets)
        votes[left] = packed(voted == sets["test"].head)
    return {"preset": ROMANIAN, "sample": seed, "votes": votes, "seconds": round(time.process_time() - start, 2)}


def key(row: dict[str, Any]) -> tuple[object, ...]:
    """Return what names a job, in its row, too: preset, treebank, and its first training."""
    if "bits" in row:
        return (row["preset"], row["treebank"], *map(int, next(iter(row["bits"])).split("/")))
    if "samples" in row:
        return (row["preset"], row["treebank"], *row["samples"][0])
    return (row["preset"], None, 0, row["sample"])


def work(path: Path, waiting: list[dict[str, Any]], until: float, taken: Any) -> None:
    """Run the jobs that no other process has taken and that will end in time."""
    for job in waiting:
        with taken.get_lock():
            if taken[job["place"]] or time.time() + cost(job) > until:
                continue
            taken[job["place"]] = 1
        row = run(job)
        with taken.get_lock(), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(row["preset"], row.get("treebank"), row["seconds"], flush=True)


def count(paths: list[str]) -> None:
    """Count correct words of each class, and of simple and complex words where there is no curve.

    BITS may have some of the trainings: what was counted of others before stays.
    """
    parts, scores, votes = [], [], []
    groups: dict[str, dict[str, Bools]] = {}
    rows = [json.loads(line) for path in paths for line in Path(path).read_text("utf-8").splitlines()]
    seen = set()
    for row in rows:
        if "votes" in row or key(row) in seen:
            votes += [row] if "votes" in row else []
            continue
        seen.add(key(row))
        gold = splits(row["treebank"])["test"]
        codes, names, _ = classify(gold, PAPER_CLASSES)
        counted = scored_words_mask(gold, CONVENTIONS["challenges"])
        total = np.bincount(codes[counted], minlength=len(names))
        some = np.flatnonzero(total)
        for cell, text in row["bits"].items():
            size, sample = map(int, cell.split("/"))
            correct = unpacked(text, gold.n_words)
            if not size:
                scores.append((row["preset"], row["treebank"], sample, correct))
                continue
            right = np.bincount(codes[counted & correct], minlength=len(names))
            parts.append(
                pl.DataFrame({
                    "treebank": f"UD_{row['treebank']}", "parser": row["preset"], "size": size, "sample": sample,
                    "class": [ALL, *(names[i] for i in some.tolist())],
                    "correct": [int(right.sum()), *right[some].tolist()],
                    "total": [int(total.sum()), *total[some].tolist()],
                })
            )  # fmt: skip
    counted_before = read_attachments(RESULTS / f"{COUNTS}.csv").frame.select(COLUMNS)
    new = pl.concat(parts).select(COLUMNS).cast(counted_before.schema)
    every = pl.concat([new, counted_before.join(new, on=["treebank", "parser", "size", "sample"], how="anti")])
    counts = attachments(every, metric="score", by=PAPER_CLASSES)
    counts.save(RESULTS / f"{COUNTS}.csv")
    if not scores and not votes:
        return
    parted = partition(counts.select(parsers=["panparser"]), "panparser")
    for row in votes:
        scores += [
            (f"{ROMANIAN} without {left}", TARGET, row["sample"], unpacked(text, splits(TARGET)["test"].n_words))
            for left, text in row["votes"].items()
        ]
    table = []
    for preset, name, sample, correct in scores:
        if name not in groups:
            groups[name] = word_groups(
                splits(name)["test"], parted.of(f"UD_{name}"), by=PAPER_CLASSES, convention=CONVENTIONS["challenges"]
            )
        sides = {"simple": "simple", "all": "overall", "complex": "complex"}
        values = {side: 100 * float(correct[groups[name][group]].mean()) for side, group in sides.items()}
        table.append({"parser": preset, "treebank": f"UD_{name}", "sample": sample, **values})
    with atomic(RESULTS / f"{SCORES}.csv") as file:
        file.write(as_csv(pl.DataFrame(table)).encode())


def main() -> None:
    """Run what BITS lacks, or count."""
    if sys.argv[1] == "count":
        count(sys.argv[2:])
        return
    named = dict(word[2:].split("=") for word in sys.argv[1:] if word.startswith("--"))
    out, *presets = (word for word in sys.argv[1:] if not word.startswith("--"))
    path, cores = Path(out), int(named.get("cores", 1))
    until = time.time() + float(named.get("seconds", 1e9))
    rows = map(json.loads, path.read_text("utf-8").splitlines()) if path.exists() else ()
    done = {key(row) for row in rows}
    waiting = [job for job in jobs() if job["preset"] in presets and key(job) not in done]
    waiting = [job | {"place": place} for place, job in enumerate(waiting)]
    taken = multiprocessing.Array("b", len(waiting))
    few = [job for job in waiting if job["preset"] == UD20 and job["samples"][0][0] == 10]
    others = [job for job in waiting if job not in few]
    processes = [
        multiprocessing.Process(target=work, args=(path, mine, until, taken))
        for mine in ([*few, *others] if number < cores // 3 else [*others, *few] for number in range(cores))
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
