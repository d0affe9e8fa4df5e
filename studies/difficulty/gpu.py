"""Train all models behind the Difficulty paper's Table 1; needs only numpy and torch.

    PYTHONPATH=src:. python -m studies.difficulty.gpu FOLDER OUT [NAME...] [--epochs=30]
        [--seeds=5] [--first=0] [--shuffles=5] [--trainings=prefix,block] [--parser=biaffine]
        [--halves=1] [--words=0] [--self=0] [--workers=4] [--seconds=560]

FOLDER holds what ``studies.difficulty.encode`` wrote. For each treebank and seed: the parser,
and the parser on words that are all ``_`` (``measures``); for each shuffle a parser for every block
but the first, trained on all blocks before (``prefix``) and on the last block alone (``codes``);
for ten treebanks, parsers trained on halves chosen by the data maps (``halves``, see
``studies.selection.halves``). The parser may also be ``pointer``; ``--seeds=0`` leaves out
measures, ``--shuffles=0`` description length, ``--halves=0`` the halves; ``--words=480`` makes
batches of so many sentences that they have about 480 words, instead of 32 sentences; ``--self=1``
lets each word compete as its own head, as in SuPar. Several processes share the GPU.

After each task the results so far are written: ``OUT/measures.json`` (one row per treebank and
seed), ``OUT/codes.json`` (one row per treebank, training, shuffle and block), ``OUT/halves.json``
and ``OUT/sentences.npz`` (mean confidence and variability of heads, by seed and sentence). What is
there already is not computed again.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from studies.selection.halves import HALVES, TREEBANKS, choose_half, sentence_means
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.jobs import Course, NeuralJob, run_jobs
from treegauge.parsing.neural.options import BiaffineOptions, PointerOptions

BLOCKS = (5, 10, 20, 40, 80, 160, 320, 360)
BITS = 1 / np.log(2)
PARSERS = {"biaffine": BiaffineOptions, "pointer": PointerOptions}
LAYERS = {"arc": "heads", "rel": "relations"}
PVI_EDGES = np.arange(-12, 12.25, 0.5)
MAP_EDGES = np.linspace(0, 1, 21), np.linspace(0, 0.5, 11)
BLIND = 100
"""What is added to the seed of a parser that sees no words."""

Row = dict[str, Any]
Settings = dict[str, Any]


def short(value: Any) -> float:
    """Return a number with five decimals."""
    return round(float(value), 5)


def parser_options(data: Encoded, n: int, given: Settings) -> BiaffineOptions:
    """Return the parser's options: batches of 32 sentences, or of about so many words."""
    options = PARSERS[given["parser"]](upos=False, self_arcs=bool(given["self"]))
    if not given["words"]:
        return options
    return replace(options, batch=max(round(given["words"] / float(data.lengths[:n].mean())), 1))


def rounded(values: npt.ArrayLike) -> list[float]:
    """Return numbers with five decimals."""
    return [short(value) for value in np.asarray(values).ravel()]


def accuracies(data: Encoded, names: Row, dev: Course) -> Row:
    """Return UAS and LAS in percent by epoch, each word's best head taken: all words, no PUNCT."""
    heads, both = dev.right_heads, dev.right_heads & dev.right_relations
    scored = names["tag_names"][data.tags[dev.words]] != "PUNCT"
    return {
        "uas": rounded(100 * heads.mean(1)),
        "las": rounded(100 * both.mean(1)),
        "uas_words": rounded(100 * heads[:, scored].mean(1)),
        "las_words": rounded(100 * both[:, scored].mean(1)),
    }


def word_values(course: Course, layer: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return confidence and variability of each word."""
    shares = np.exp(getattr(course, LAYERS[layer]).astype(np.float64))
    return shares.mean(0), shares.std(0)


def by_relation(data: Encoded, names: Row, words: npt.NDArray[Any], gains: Row) -> dict[str, list[float]]:
    """Return for each relation its words, and the sums of both PVIs and of their squares."""
    gold = data.relations[words]
    kinds = [np.ones(len(gold)), *gains.values(), *(gain**2 for gain in gains.values())]
    sums = [np.bincount(gold, kind, len(names["relation_names"])) for kind in kinds]
    known = zip(names["relation_names"].tolist(), zip(*sums, strict=True), strict=True)
    return {name: rounded(values) for name, values in known if values[0]}


def measures(folder: str, name: str, given: Settings) -> tuple[list[Row], npt.NDArray[Any]]:
    """Return one row per seed, and confidence and variability of sentences, (seeds, 2, n)."""
    data, more = Encoded.load(Path(folder) / f"{name}.npz")
    n = int(more["parts"][0])
    train, dev = np.arange(n), np.arange(n, len(data))
    seeds, epochs, blind = range(given["first"], given["first"] + given["seeds"]), given["epochs"], data.hidden()
    jobs = [NeuralJob(train, {"train": train, "dev": dev}, seed, epochs, during=True) for seed in seeds]
    jobs += [NeuralJob(train, {"dev": dev}, BLIND + seed, epochs, data=blind, during=True) for seed in seeds]
    outcomes = run_jobs(data, jobs, parser_options(data, n, given), side_by_side=len(jobs))
    rows, maps = [], []
    for place, seed in enumerate(seeds):
        courses = outcomes[place].courses
        null = outcomes[len(seeds) + place].courses["dev"]
        scored = more["tag_names"][data.tags[null.words]] != "PUNCT"
        row: Row = {"treebank": name, "seed": seed}
        row |= accuracies(data, more, courses["dev"])
        gains = {
            layer: (getattr(courses["dev"], field)[-1] - getattr(null, field)[-1]) * BITS
            for layer, field in LAYERS.items()
        }
        row["by_relation"] = by_relation(data, more, null.words, gains)
        for layer, field in LAYERS.items():
            conf, var = word_values(courses["train"], layer)
            during = word_values(courses["during"], layer)
            known, unknown = (-getattr(one, field) * BITS for one in (courses["dev"], null))
            gain = gains[layer]
            row |= {
                f"{layer}_conf": short(conf.mean()),
                f"{layer}_var": short(var.mean()),
                f"{layer}_conf_during": short(during[0].mean()),
                f"{layer}_var_during": short(during[1].mean()),
                f"{layer}_easy": short(100 * np.mean((conf > 0.95) & (var <= 0.1))),
                f"{layer}_hard": short(100 * np.mean((conf <= 0.25) & (var <= 0.1))),
                f"{layer}_pvi_sd": short(gain.std()),
            }
            row |= {
                f"{layer}_entropy": rounded(known.mean(1)),
                f"{layer}_null_entropy": rounded(unknown.mean(1)),
                f"{layer}_entropy_words": rounded(known[:, scored].mean(1)),
                f"{layer}_null_entropy_words": rounded(unknown[:, scored].mean(1)),
                f"{layer}_pvi": np.histogram(np.clip(gain, -12, 12), PVI_EDGES)[0].tolist(),
                f"{layer}_map": np.histogram2d(conf, var, MAP_EDGES)[0].astype(int).tolist(),
            }
            if layer == "arc":
                sizes = data.lengths[:n]
                maps.append([sentence_means(one, sizes) for one in (conf, var)])
        rows.append(row)
    return rows, np.array(maps, np.float32)


def codes(folder: str, name: str, given: Settings) -> list[Row]:
    """Return bits of each block, heads and relations by epoch, one row per training and shuffle."""
    data, more = Encoded.load(Path(folder) / f"{name}.npz")
    n, epochs = int(more["parts"][0]), given["epochs"]
    ends = [end for end in np.cumsum(BLOCKS).tolist() if end <= n]
    rows: list[Row] = []
    jobs: dict[tuple[str, int, int], NeuralJob] = {}
    for shuffle in range(given["shuffles"]):
        order = np.random.default_rng([shuffle, n]).permutation(n)
        for training in given["trainings"].split(","):
            rows.append(coded(data, order[: ends[0]], training, shuffle, 0))
            for place, (first, last) in enumerate(pairwise(ends)):
                start = 0 if training == "prefix" or place == 0 else ends[place - 1]
                jobs[training, shuffle, first] = NeuralJob(
                    order[start:first], {"next": order[first:last]}, 1000 * shuffle + first, epochs
                )
    outcomes = run_jobs(data, list(jobs.values()), parser_options(data, n, given), side_by_side=given["shuffles"])
    for (training, shuffle, first), job, outcome in zip(jobs, jobs.values(), outcomes, strict=True):
        course = outcome.courses["next"]
        row = coded(data, np.asarray(job.evaluate["next"]), training, shuffle, first)
        rows.append(row | {layer: rounded(-getattr(course, field).sum(1) * BITS) for layer, field in LAYERS.items()})
    return [{"treebank": name, **row} for row in rows]


def coded(data: Encoded, sentences: npt.NDArray[Any], training: str, shuffle: int, before: int) -> Row:
    """Return what is known of a block before it is coded, and its uniform code."""
    sizes = data.lengths[sentences]
    return {
        "training": training, "shuffle": shuffle, "before": before, "sentences": len(sizes),
        "words": int(sizes.sum()), "arc_uniform": round(float((sizes * np.log2(sizes)).sum()), 3),
        "rel_uniform": round(float(sizes.sum() * np.log2(data.sizes[3] - 1)), 3),
        "per_sentence": round(float(np.log2(sizes).sum()), 3),
    }  # fmt: skip


def halves(folder: str, name: str, given: Settings) -> list[Row]:
    """Return dev scores of parsers trained on halves of the training set, by half and seed."""
    data, more = Encoded.load(Path(folder) / f"{name}.npz")
    n = int(more["parts"][0])
    sizes, dev = data.lengths[:n], np.arange(n, len(data))
    keys, jobs = [], []
    for seed, (conf, var) in enumerate(np.asarray(given["map"], np.float64)):
        for half in HALVES:
            chosen = choose_half(half, conf, var, sizes, seed)
            keys.append((half, seed, len(chosen), int(sizes[chosen].sum())))
            jobs.append(NeuralJob(chosen, {"dev": dev}, seed, given["epochs"], every=False))
    outcomes = run_jobs(data, jobs, parser_options(data, n, given), side_by_side=20)
    return [
        {"treebank": name, "parser": given["parser"], "half": half, "seed": seed,
         "sentences": sentences, "words": words, "uas": round(100 * one.courses["dev"].uas, 4),
         "las": round(100 * one.courses["dev"].las, 4)}
        for (half, seed, sentences, words), one in zip(keys, outcomes, strict=True)
    ]  # fmt: skip


TASKS: dict[str, Callable[..., Any]] = {"measures": measures, "codes": codes, "halves": halves}


def work(task: str, folder: str, name: str, given: Settings) -> tuple[str, str, Any, float]:
    """Do one task in a process of the pool."""
    import torch

    start = time.perf_counter()
    found = TASKS[task](folder, name, given)
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return task, name, found, time.perf_counter() - start


def finished(running: list[Any], until: float) -> Iterator[Any]:
    """Yield results as they come, until there are no more or time is up; what failed is named."""
    while running and time.perf_counter() < until:
        ready = [one for one in running if one.ready()]
        for one in ready:
            running.remove(one)
            if one.successful():
                yield one.get()
                continue
            try:
                one.get()
            except Exception as error:  # such as too little memory on the GPU
                print(f"failed: {error!r:.300}", flush=True)
        if not ready:
            time.sleep(0.2)


def kept(out: str, names: Sequence[str], given: Settings) -> tuple[dict[str, list[Row]], dict[str, Any], set[Any]]:
    """Return the rows and maps that are there, and the tasks that need not be done again."""
    rows: dict[str, list[Row]] = {}
    for task in TASKS:
        path = Path(out) / f"{task}.json"
        rows[task] = json.loads(path.read_text()) if path.exists() else []
    path = Path(out) / "sentences.npz"
    maps = dict(np.load(path)) if path.exists() else {}
    done = {(task, row["treebank"]) for task in TASKS if task != "measures" for row in rows[task]}
    known = {(row["treebank"], row["seed"]) for row in rows["measures"]}
    wanted = range(given["first"], given["first"] + given["seeds"])
    done |= {("measures", name) for name in names if all((name, seed) in known for seed in wanted)}
    return rows, maps, done


def main(*words: str) -> None:
    """Run all tasks, the most important first, and write the results."""
    settings = dict(word[2:].split("=") for word in words if word.startswith("--"))
    folder, out, *names = (word for word in words if not word.startswith("--"))
    given: Settings = {
        key: int(settings.get(key, value))
        for key, value in {"epochs": 30, "seeds": 5, "first": 0, "shuffles": 5, "words": 0, "self": 0}.items()
    } | {"parser": settings.get("parser", "biaffine"), "trainings": settings.get("trainings", "prefix,block")}
    paths = sorted(Path(folder).glob("*.npz"), key=lambda path: -path.stat().st_size)
    chosen = names or [path.stem for path in paths]
    begun = time.perf_counter()
    until = begun + float(settings.get("seconds", 560))
    rows, maps, done = kept(out, chosen, given)
    with get_context("spawn").Pool(int(settings.get("workers", 4)), maxtasksperchild=1) as pool:
        # Both trainings of codes take longest where sentences are long.
        waiting = [("measures", name) for name in chosen if given["seeds"]]
        waiting += [("codes", name) for name in chosen if given["shuffles"]]
        waiting = [key for key in waiting if key not in done]
        running = [pool.apply_async(work, (task, folder, name, given)) for task, name in waiting]
        for task, name, result, took in finished(running, until):
            found = result
            if task == "measures":
                found, own = result
                maps[name] = np.concatenate([maps[name], own]) if name in maps else own
                np.savez_compressed(Path(out) / "sentences.npz", **maps)
                if int(settings.get("halves", 1)) and name in TREEBANKS:
                    more = given | {"map": maps[name]}
                    running.append(pool.apply_async(work, ("halves", folder, name, more)))
            rows[task] += found
            (Path(out) / f"{task}.json").write_text(json.dumps(rows[task]))
            now = time.perf_counter() - begun
            print(f"{task} {name}: {took:.1f} s, {now:.1f} s in all", flush=True)
        print(f"{len(running)} tasks not done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
