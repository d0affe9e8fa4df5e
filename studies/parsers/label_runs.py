"""The labelling parser by encoding, compared with the biaffine parser.

    python -m studies.parsers.label_runs encode FOLDER_OF_TREEBANKS ARRAYS NAME...
    PYTHONPATH=src python -m studies.parsers.label_runs train ARRAYS OUT [NAME...] [--seeds=3]
        [--epochs=60] [--parts=dev,test] [--encodings=A,B+C,biaffine] [--OPTION=VALUE...]
    python -m studies.parsers.label_runs table OUT/label_runs.json...

The first step writes each tree by all encodings. The second needs numpy, torch and the compiled
kernels; it trains all seeds of an encoding in lockstep, keeps of each the epoch with the best LAS
on dev (words all of whose labels and whose relation are correct), and scores trees: all words,
whole relations, gold tags. Encodings joined by ``+`` are columns of one model. Trees are found in
several ways from the same labels (see :func:`found_trees`).
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers.paradigms import best_models, given_options, part_of, workers

WRITTEN = ("two-planar-directed", "hierarchical")
COLUMNS = {"two-planar-directed": 2}
JUDGED_ON = "UD_Greek-GDT"
Trees = tuple[Any, Any]
"""Heads and numbers of relations of all words."""


def encode(root: str, out: str, *names: str) -> None:
    """Write one ``.npz`` per treebank, with the labels of all encodings."""
    from treegauge.parsing.label_encodings import find_encoding
    from treegauge.parsing.neural.parsers import roots_have
    from treegauge.parsing.neural.preparation import Vocabulary
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    written = find_encoding("+".join(WRITTEN))
    for name in names:
        splits = read_splits(Path(root) / name)
        parts = [splits[part] for part in ("train", "dev", "test")]
        known = Vocabulary.of(parts[0], encoding=written)
        together = concat(parts)
        known.encode(together, written).save(
            Path(out) / f"{name}.npz", parts=[len(one) for one in parts],
            of_roots=roots_have(parts[0], known), relation_names=list(known.relations),
            **{f"labels{n}": list(own) for n, own in enumerate(known.labels)},
        )  # fmt: skip


def with_encodings(data: Any, names: Sequence[str]) -> tuple[Any, list[int]]:
    """Return the data with the labels of these encodings only, and the numbers of the columns."""
    starts = np.cumsum([0, *(COLUMNS.get(name, 1) for name in WRITTEN)]).tolist()
    columns = [
        column for name in names for column in range(starts[WRITTEN.index(name)], starts[WRITTEN.index(name) + 1])
    ]
    own = replace(data, labels=data.labels[:, columns], label_sizes=data.label_sizes[columns])
    return own, columns


def relations_at(output: dict[str, Any], offsets: Any, heads: Any) -> Any:
    """Return log p(relation | word, head) at these heads, unknown ones left out."""
    lengths = np.diff(offsets)
    starts, numbers = np.repeat(offsets[:-1], lengths), np.repeat(np.arange(len(lengths)), lengths)
    above = np.where(heads[:, None] > 0, output["heads"][starts + np.maximum(heads, 1) - 1], output["roots"][numbers])
    one = np.ones((len(heads), 1), np.float32)
    left, right = np.hstack([output["dependents"], one]), np.hstack([above, one])
    table = output["bilinear"]
    size, relations, _ = table.shape
    scores = np.concatenate(
        [
            ((left[at : at + 512] @ table.reshape(size, -1)).reshape(-1, relations, size)
             @ right[at : at + 512, :, None])[..., 0]
            for at in range(0, len(heads), 512)
        ]
    )  # fmt: skip
    return (scores - np.logaddexp.reduce(scores, 1, keepdims=True))[:, 1:]


def found_trees(
    output: dict[str, Any], names: Sequence[str], offsets: Any, more: dict[str, Any], columns: Sequence[int]
) -> dict[str, Trees]:
    """Return trees by the way they are found.

    By encoding: as the best labels say (``read``), or the best tree by probabilities of heads
    (``best``); of several encodings also by means of those, geometric and arithmetic. Relations are
    those of labels, or (``-at``) of the heads.
    """
    from treegauge.parsing.label_encodings import find_encoding, geometric_mean
    from treegauge.treebanks.data.decoding import spanning_tree

    is_root = more["relation_names"] == "root"
    *logs, last = (one[:, 1:].astype(np.float64) for one in output["logs"])
    labels = [more[f"labels{column}"].tolist() for column in columns]
    bounds = np.asarray(offsets, np.int32)
    heads, shares, at = {}, [], 0
    for name in names:
        encoding = find_encoding(name)
        own = slice(at, at + encoding.columns)
        at += encoding.columns
        best = np.stack([one.argmax(1) for one in logs[own]])
        read = encoding.reader(labels[own], bounds)
        heads[f"read {name}"] = read(best, is_root[last.argmax(1)]).heads
        weigh = encoding.weigher(labels[own], bounds)
        shares.append(weigh([np.exp(one) for one in logs[own]], np.exp(last[:, is_root]).sum(1)))
        heads[f"best {name}"] = _spanning(shares[-1], spanning_tree)
    if len(names) > 1:
        zipped = list(zip(*shares, strict=True))
        heads["best geometric"] = _spanning(map(geometric_mean, zipped), spanning_tree)
        heads["best arithmetic"] = _spanning((np.mean(one, 0) for one in zipped), spanning_tree)
    found = {}
    for way, tree in heads.items():
        legal = is_root[None] == (tree == 0)[:, None]
        found[way] = tree, np.where(legal, last, -np.inf).argmax(1) + 1
        if len(output["bilinear"]):
            at_heads = relations_at(output, offsets, tree)
            found[f"{way}-at"] = tree, np.where(legal, at_heads, -np.inf).argmax(1) + 1
    return found


def _spanning(shares: Any, spanning_tree: Callable[[Any], Any]) -> Any:
    matrices = (np.ascontiguousarray(np.pad(own.T, ((0, 0), (1, 0)))) for own in shares)
    return np.concatenate([spanning_tree(one) for one in matrices if len(one) > 1])


def label_scores(
    output: dict[str, Any], own: Any, names: Sequence[str], more: dict[str, Any], columns: Sequence[int]
) -> dict[str, float]:
    """Return UAS and LAS by the way that trees are found."""
    row = {}
    trees = found_trees(output, names, own.offsets, more, columns)
    for way, (heads, relations) in trees.items():
        right = heads == own.heads
        row[f"uas {way}"] = 100 * float(right.mean())
        row[f"las {way}"] = 100 * float((right & (relations == own.relations)).mean())
    return row


def arc_scores(predictor: Any, own: Any, more: dict[str, Any], pool: Any) -> dict[str, float]:
    """Return UAS and LAS of a biaffine parser."""
    from functools import partial

    from treegauge.treebanks.data.decoding import spanning_tree

    heads, names = predictor.parse(spanning_tree, more["of_roots"], partial(pool.map, chunksize=4))
    right = heads == own.heads
    both = right & (names == own.relations)
    return {"uas": 100 * float(right.mean()), "las": 100 * float(both.mean())}


def output_of(predictor: Any) -> dict[str, Any]:
    """Return what a labelling model says, as arrays that can be sent to another process."""
    said = predictor.labels()
    table = predictor.weights.get("relation.bilinear")
    return {
        "logs": [one.astype(np.float32) for one in said.logs],
        "dependents": said.dependents, "heads": said.heads, "roots": said.roots,
        "bilinear": np.zeros((0, 1, 0)) if table is None else table[0].cpu().numpy(),
    }  # fmt: skip


def train(folder: str, out: str, *words: str) -> None:
    """Train all encodings on all treebanks and write scores."""
    pool = workers()
    only, given = given_options(words)
    names = given.pop("encodings", "hierarchical").split(",")
    seeds, parts = int(given.pop("seeds", 3)), given.pop("parts", "dev,test").split(",")
    settings = [f"{key}={value}" for key, value in ({"epochs": "60"} | given).items()]
    target = Path(out) / "label_runs.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for path in sorted(Path(folder).glob("*.npz")):
        if only and path.stem not in only:
            continue
        for name in names:
            begun = time.perf_counter()
            made = list(_trained(path, name, settings, seeds, parts, pool))
            took = time.perf_counter() - begun
            rows += [row | {"seconds": took / seeds} for row in made]
            scores = [key for key in made[0] if key.partition("_")[2].startswith(("las", "uas"))]
            means = {key: round(float(np.mean([row[key] for row in made])), 2) for key in scores}
            print(path.stem, name, *settings, f"{took:.1f} s", flush=True)
            print("   ", means, flush=True)
            target.write_text(json.dumps(rows, indent=1))
    pool.shutdown()


def _trained(
    path: Path, name: str, settings: list[str], seeds: int, parts: list[str], pool: Any
) -> Iterator[dict[str, Any]]:
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions
    from treegauge.parsing.neural.predicting import Predictor
    from treegauge.parsing.neural.training import Learner
    from treegauge.parsing.options import read_options

    data, more = Encoded.load(path)
    ends = np.cumsum([0, *more["parts"]])
    sets = {part: np.arange(ends[n], ends[n + 1]) for n, part in enumerate(("train", "dev", "test"))}
    options: Any
    if name == "biaffine":
        kept = [one for one in settings if one.partition("=")[0] in BiaffineOptions.__dataclass_fields__]
        options = read_options(BiaffineOptions, kept)
        columns: list[int] = []
    else:
        options = read_options(LabellingOptions, [*settings, f"encoding={name}"])
        data, columns = with_encodings(data, name.split("+"))
    models = best_models([Learner(data, sets["train"], seed) for seed in range(seeds)], sets["dev"], options)
    waiting = []
    for _, arrays in models:
        asked: dict[str, Callable[[], dict[str, float]]] = {}
        for part in parts:
            own = part_of(data, sets[part])
            predictor = Predictor(arrays, own, options)
            if name == "biaffine":
                done = arc_scores(predictor, own, more, pool)
                asked[part] = lambda done=done: done  # type: ignore[misc]
            else:
                asked[part] = pool.submit(
                    label_scores, output_of(predictor), own, name.split("+"), more, columns
                ).result
        waiting.append(asked)
    for seed, ((epoch, _), asked) in enumerate(zip(models, waiting, strict=True)):
        yield {
            "treebank": path.stem, "encoding": name, "options": " ".join(settings), "seed": seed,
            "epoch": epoch,
            **{f"{part}_{key}": one for part, get in asked.items() for key, one in get().items()},
        }  # fmt: skip


def table(*files: str) -> None:
    """Write means over seeds: of Greek-GDT to one table, of all other treebanks to another."""
    import polars as pl

    from studies.parts import RESULTS, as_csv
    from treegauge.core.files import atomic

    rows = [row for path in files for row in json.loads(Path(path).read_text())]
    long = pl.DataFrame([one for row in rows for one in _by_way(row)])
    keys = ["treebank", "encoding", "heads", "trees", "relations", "set"]
    means = long.group_by(keys, maintain_order=True).agg(
        pl.len().alias("seeds"), pl.col("uas").mean(), pl.col("las").mean(), pl.col("las").std().alias("las_sd")
    )
    judged = pl.col("treebank") == JUDGED_ON
    for name, own in (("labelling_greek", judged), ("labelling_chosen", ~judged)):
        with atomic(RESULTS / f"{name}.csv") as file:
            file.write(as_csv(means.filter(own)).encode())


def _by_way(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the scores of one model by set, and by the way that trees and relations are found."""
    for key, las in row.items():
        part, _, way = key.partition("_las")
        if part not in {"dev", "test"} or not key.startswith(f"{part}_las"):
            continue
        if row["encoding"] == "biaffine":
            heads, trees, relations = "", "best", "head"
        else:
            trees, heads = way.strip().removesuffix("-at").split(" ", 1)
            relations = "head" if way.endswith("-at") else "label"
        yield {
            "treebank": row["treebank"], "encoding": row["encoding"],
            "heads": "" if heads == row["encoding"] else heads, "trees": trees,
            "relations": relations, "set": part, "uas": row[f"{part}_uas{way}"], "las": las,
        }  # fmt: skip


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
