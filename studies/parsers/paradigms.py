"""Graph, pointer and labelling parsers on the same treebanks, with the same encoder.

    python -m studies.parsers.paradigms encode FOLDER_OF_TREEBANKS ARRAYS [NAME...] [--encoding=NAME]
    PYTHONPATH=src python -m studies.parsers.paradigms train ARRAYS OUT [NAME...] [--seeds=3]
        [--first=0] [--parsers=biaffine,pointer,labelling] [--epochs=60] [--OPTION=VALUE...]
    python -m studies.parsers.paradigms table OUT/paradigms.json...

The second step needs numpy and torch only. All seeds of a parser learn in lockstep; of each the
epoch with the best LAS on dev is kept. Printed and added to ``OUT/paradigms.json`` are UAS and LAS
on dev and test: all words, whole relations, gold tags. The third writes means over seeds to
``studies/results/paradigms.csv``.
"""

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("UD_Greek-GDT", "UD_Afrikaans-AfriBooms", "UD_Telugu-MTG", "UD_Vietnamese-VTB", "UD_Faroese-FarPaHC")
ENCODING = "two-planar-directed"
RESULTS = Path(__file__).parents[1] / "results" / "paradigms.csv"
Trees = tuple[Any, Any]
"""Heads and numbers of relations of all words."""


def given_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Part words from ``--name=value``."""
    named = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    return [word for word in words if not word.startswith("--")], named


def encode(root: str, out: str, *words: str) -> None:
    """Write one ``.npz`` a treebank."""
    from treegauge.treebanks.data.conllu import read_splits

    names, given = given_options(words)
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        parts = [read_splits(Path(root) / name)[part] for part in ("train", "dev", "test")]
        save(Path(out) / f"{name}.npz", parts, given.get("encoding", ENCODING))


def save(path: Path, parts: Sequence[Any], encoding: str, tagged: Sequence[Any] = ()) -> None:
    """Write the sets of a treebank as arrays, optionally with the same sets under other tags."""
    from treegauge.parsing.label_encodings import find_encoding
    from treegauge.parsing.neural.parsers import roots_have
    from treegauge.parsing.neural.preparation import Vocabulary
    from treegauge.treebanks.data.columns import concat

    written = find_encoding(encoding)
    known = Vocabulary.of(parts[0], encoding=written)
    more: dict[str, Any] = {f"labels{n}": list(own) for n, own in enumerate(known.labels)}
    if tagged:
        more["predicted"] = known.encode(concat(list(tagged))).tags
    known.encode(concat(list(parts)), written).save(
        path, parts=[len(one) for one in parts], encoding=encoding,
        of_roots=roots_have(parts[0], known), relation_names=list(known.relations), **more,
    )  # fmt: skip


def workers() -> ProcessPoolExecutor:
    """Return processes that find trees while the GPU learns; to be called before it is used."""
    pool = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork"))
    list(pool.map(abs, range(4 * (os.cpu_count() or 1))))
    return pool


def label_trees(columns: list[Any], last: Any, offsets: Any, more: dict[str, Any]) -> dict[str, Trees]:
    """Return trees from labels' log-probabilities: of the likeliest heads, and as labels say."""
    from treegauge.parsing.label_encodings import find_encoding
    from treegauge.treebanks.data.decoding import spanning_tree

    is_root = more["relation_names"] == "root"
    given = [more[f"labels{n}"].tolist() for n in range(len(columns))], offsets
    encoding = find_encoding(str(more["encoding"]))
    names = last.argmax(1)
    best = np.stack([one.argmax(1) for one in columns])
    read = encoding.reader(*given)(best, is_root[names]).heads
    shares = encoding.weigher(*given)([np.exp(one) for one in columns], np.exp(last[:, is_root]).sum(1))
    heads = np.concatenate(
        [spanning_tree(np.ascontiguousarray(np.pad(own.T, ((0, 0), (1, 0))))) for own in shares if len(own)]
    )
    legal = is_root[None] == (heads == 0)[:, None]
    chosen = np.where(legal, last, -np.inf).argmax(1)
    return {"": (heads, chosen + 1), "_best_labels": (read, names + 1)}


def trees_of(predictor: Any, more: dict[str, Any], pool: ProcessPoolExecutor) -> Callable[[], dict[str, Trees]]:
    """Return how to get the trees that a model finds, by decoder."""
    from treegauge.parsing.neural.options import BiaffineOptions
    from treegauge.treebanks.data.decoding import spanning_tree

    if isinstance(predictor.options, BiaffineOptions):
        each = partial(pool.map, chunksize=4)
        found = {"": predictor.parse(spanning_tree, more["of_roots"], each)}
        return lambda: found
    *columns, last = (one[:, 1:].astype(np.float32) for one in predictor.label_log_probabilities())
    return pool.submit(label_trees, columns, last, predictor.data.offsets, more).result


def part_of(data: Any, sentences: Any) -> Any:
    """Return some sentences in a row as data of their own."""
    from dataclasses import replace

    words = slice(data.offsets[sentences[0]], data.offsets[sentences[-1] + 1])
    own = {name: getattr(data, name)[words] for name in ("types", "tags", "heads", "relations", "labels")}
    offsets = data.offsets[sentences[0] : sentences[-1] + 2]
    return replace(data, offsets=offsets - offsets[0], **own)


def best_models(learners: Sequence[Any], dev: Any, options: Any) -> list[tuple[int, Any]]:
    """Train models in lockstep; return of each the epoch with the best LAS on dev and its weights.

    Without sentences in dev it is the last epoch.
    """
    import torch

    from treegauge.parsing.neural.batches import choose_device, numerics
    from treegauge.parsing.neural.encoder import to_arrays
    from treegauge.parsing.neural.training import Lockstep

    device = choose_device(options.device)
    words = learners[0].data.words_of(dev)
    best, epochs = np.full(len(learners), -1.0), np.full(len(learners), options.epochs)
    with numerics(device, options.threads):
        models = Lockstep(learners, options, device)
        kept = {name: value.detach().clone() for name, value in models.weights.items()}
        for epoch in range(1, options.epochs + 1):
            models.learn(epoch)
            if len(dev):
                heads, names = models.evaluate([dev] * len(learners)).right
                found = (heads & names).cpu().numpy()[:, words].mean(1)
                better = np.flatnonzero(found > best)
            else:
                better = np.arange(len(learners) if epoch == options.epochs else 0)
            if len(better):
                if len(dev):
                    best[better], epochs[better] = found[better], epoch
                chosen = torch.from_numpy(better).to(device)
                for name, value in models.weights.items():
                    kept[name][chosen] = value.detach()[chosen]
    return [(int(epoch), to_arrays(kept, model)) for model, epoch in enumerate(epochs)]


def scores(
    arrays: Any, own: Any, options: Any, more: dict[str, Any], pool: ProcessPoolExecutor
) -> Callable[[], dict[str, float]]:
    """Return how to get a model's UAS and LAS on some sentences, by decoder."""
    from treegauge.parsing.neural.predicting import Predictor

    trees = trees_of(Predictor(arrays, own, options), more, pool)

    def score() -> dict[str, float]:
        row = {}
        for way, (heads, names) in trees().items():
            right = heads == own.heads
            row[f"uas{way}"] = 100 * float(right.mean())
            row[f"las{way}"] = 100 * float((right & (names == own.relations)).mean())
        return row

    return score


def train(folder: str, out: str, *words: str) -> None:
    """Train everything."""
    pool = workers()
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
    from treegauge.parsing.neural.training import Learner
    from treegauge.parsing.options import read_options

    kinds = {"biaffine": BiaffineOptions, "pointer": PointerOptions, "labelling": LabellingOptions}
    only, given = given_options(words)
    parsers, seeds = given.pop("parsers", ",".join(kinds)), int(given.pop("seeds", 3))
    first = int(given.pop("first", 0))
    settings = [f"{key}={value}" for key, value in ({"epochs": "60"} | given).items()]
    target = Path(out) / "paradigms.json"
    rows = json.loads(target.read_text()) if target.exists() else []
    for path in sorted(Path(folder).glob("*.npz")):
        if only and path.stem not in only:
            continue
        data, more = Encoded.load(path)
        ends = np.cumsum([0, *more["parts"]])
        parts = [np.arange(ends[n], ends[n + 1]) for n in range(3)]
        for parser in parsers.split(","):
            begun = time.perf_counter()
            # Relations as labels, as the labelling parser had them in these runs.
            own = ["relations=label"] if parser == "labelling" else []
            options: Any = read_options(kinds[parser], [*settings, *own])
            learners = [Learner(data, parts[0], seed) for seed in range(first, first + seeds)]
            kept = best_models(learners, parts[1], options)
            took = (time.perf_counter() - begun) / seeds
            scorers = [
                [scores(arrays, part_of(data, own), options, more, pool) for own in parts[1:]] for _, arrays in kept
            ]
            shown = settings + ([f"encoding={more['encoding']}"] if parser == "labelling" else [])
            made = [
                {
                    "treebank": path.stem, "parser": parser, "options": " ".join(shown),
                    "seed": seed, "epoch": epoch,
                    **{f"dev_{key}": value for key, value in dev().items()}, **test(),
                    "seconds": took,
                }
                for seed, (epoch, _), (dev, test) in zip(
                    range(first, first + seeds), kept, scorers, strict=True
                )
            ]  # fmt: skip
            rows += made
            means = {key: round(float(np.mean([row[key] for row in made])), 2) for key in made[0] if "as" in key}
            whole = time.perf_counter() - begun
            print(path.stem, parser, *shown, means, f"{took * seeds:.1f} {whole:.1f} s", flush=True)
            target.write_text(json.dumps(rows, indent=1))
    pool.shutdown()


def table(*found: str) -> None:
    """Write means over seeds of what one or more files tell, and print them."""
    import polars as pl

    from treegauge.core.files import atomic
    from treegauge.core.tables import to_text

    rows = [row for path in found for row in json.loads(Path(path).read_text())]
    keys = ["treebank", "parser", "options"]
    scores = ["dev_uas", "dev_las", "uas", "las", "uas_best_labels", "las_best_labels"]
    means = (
        pl.DataFrame(rows, infer_schema_length=None)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.len().alias("seeds"),
            *(pl.col(key).mean().round(2) for key in scores),
            pl.col("las").std().round(2).alias("las_sd"),
        )
        .sort(keys)
    )
    with atomic(RESULTS) as file:
        means.write_csv(file)
    print(to_text(means, digits=2))
    # Means over the treebanks with default options; labels as each decoder reads them.
    default = means.filter(
        pl.col("options").is_in(["epochs=60", f"epochs=60 encoding={ENCODING}"]) & pl.col("treebank").is_in(NAMES)
    )
    over = default.group_by("parser").agg(pl.len().alias("treebanks"), pl.col("uas", "las", "las_best_labels").mean())
    print(to_text(over.sort("las", descending=True), digits=2))


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
