"""Graph, pointer and labelling parsers on the same treebanks, with the same encoder.

    python -m replications.paradigms encode FOLDER_OF_TREEBANKS ARRAYS [NAME...]
    PYTHONPATH=src python replications/paradigms.py train ARRAYS OUT [NAME...] [--seeds=3]
        [--parsers=biaffine,pointer,labelling] [--epochs=60] [--OPTION=VALUE...]
    python -m replications.paradigms table OUT/paradigms.json...

The second step needs numpy and torch only. All seeds of a parser learn in lockstep; of each the
epoch with the best LAS on dev is kept. Printed and added to ``OUT/paradigms.json`` are UAS and LAS
on the test part: all words, whole relations, gold tags. The third writes means over seeds to
``replications/results/paradigms.csv``.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

if find_spec("numba") is None:  # its loops are few here, and run without being compiled
    sys.modules["numba"] = SimpleNamespace(njit=lambda **_: lambda function: function)  # type: ignore[assignment]

NAMES = (
    "UD_Greek-GDT", "UD_Afrikaans-AfriBooms", "UD_Telugu-MTG", "UD_Vietnamese-VTB",
    "UD_Faroese-FarPaHC",
)  # fmt: skip
ENCODING = "two-planar"
RESULTS = Path(__file__).parent / "results" / "paradigms.csv"


def encode(root: str, out: str, *names: str) -> None:
    """Write one ``.npz`` a treebank."""
    from treegauge.parse.labels.encodings import find_encoding
    from treegauge.parse.neural.biaffine import roots_have
    from treegauge.parse.neural.vocabulary import Vocabulary, encode_parts
    from treegauge.treebank.conllu import read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    encoding = find_encoding(ENCODING)
    for name in names or NAMES:
        parts = [read_splits(Path(root) / name)[part] for part in ("train", "dev", "test")]
        data, sets = encode_parts(*parts, encoding=encoding)
        known = Vocabulary.of(parts[0], encoding=encoding)
        columns = {f"labels{n}": list(own) for n, own in enumerate(known.labels)}
        data.save(
            Path(out) / f"{name}.npz", parts=[len(one) for one in sets],
            of_roots=roots_have(parts[0], known), relation_names=list(known.relations), **columns,
        )  # fmt: skip


def trees_of(predictor: Any, options: Any, more: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return heads and relations of a model's trees, by decoder."""
    from treegauge.parse.decoding import spanning_tree
    from treegauge.parse.labels.encodings import find_encoding
    from treegauge.parse.neural.options import BiaffineOptions
    from treegauge.treebank.columns import Codes

    if isinstance(options, BiaffineOptions):
        return {"": predictor.parse(spanning_tree, more["of_roots"])}
    *columns, last = (one[:, 1:] for one in predictor.label_log_probabilities())
    is_root = more["relation_names"] == "root"
    offsets = predictor.data.offsets
    given = (
        [more[f"labels{n}"].tolist() for n in range(len(columns))],
        offsets,
        Codes(np.zeros(len(last), np.int32), ["X"]),
    )
    encoding = find_encoding(ENCODING)
    names = last.argmax(1)
    best = np.stack([one.argmax(1) for one in columns])
    read = encoding.reader(*given)(best, is_root[names]).heads
    shares = encoding.weigher(*given)(
        [np.exp(one) for one in columns], np.exp(last[:, is_root]).sum(1)
    )
    heads = np.concatenate(
        [spanning_tree(np.pad(own.T, ((0, 0), (1, 0)))) for own in shares if len(own)]
    )
    legal = is_root[None] == (heads == 0)[:, None]
    chosen = np.where(legal, last, -np.inf).argmax(1)
    return {"": (heads, chosen + 1), "_best_labels": (read, names + 1)}


def part_of(data: Any, sentences: Any) -> Any:
    """Return some sentences in a row as data of their own."""
    from dataclasses import replace

    words = slice(data.offsets[sentences[0]], data.offsets[sentences[-1] + 1])
    own = {
        name: getattr(data, name)[words]
        for name in ("types", "tags", "heads", "relations", "labels")
    }
    offsets = data.offsets[sentences[0] : sentences[-1] + 2]
    return replace(data, offsets=offsets - offsets[0], **own)


def train_one(data: Any, more: dict[str, Any], options: Any, seeds: int) -> list[dict[str, float]]:
    """Train a parser from several seeds; return the test scores of each."""
    from treegauge.parse.neural.device import choose_device, numerics
    from treegauge.parse.neural.predicting import Predictor
    from treegauge.parse.neural.training import Learner, Lockstep
    from treegauge.parse.neural.weights import to_arrays

    ends = np.cumsum([0, *more["parts"]])
    train, dev, test = (np.arange(ends[n], ends[n + 1]) for n in range(3))
    words = data.words_of(dev)
    device = choose_device(options.device)
    best: list[tuple[float, int, Any]] = [(-1.0, 0, None)] * seeds
    with numerics(device, options.threads):
        models = Lockstep([Learner(data, train, seed) for seed in range(seeds)], options, device)
        for epoch in range(1, options.epochs + 1):
            models.learn(epoch)
            heads, names = models.evaluate([dev] * seeds).right
            both = (heads & names).cpu().numpy()[:, words]
            for seed, las in enumerate(both.mean(1).tolist()):
                if las > best[seed][0]:
                    best[seed] = (las, epoch, to_arrays(models.weights, seed))
    own = part_of(data, test)
    found = []
    for las, epoch, arrays in best:
        row = {"epoch": epoch, "dev": 100 * las}
        trees = trees_of(Predictor(arrays, own, options), options, more)
        for way, (heads, names) in trees.items():
            right = heads == own.heads
            row[f"uas{way}"] = 100 * float(right.mean())
            row[f"las{way}"] = 100 * float((right & (names == own.relations)).mean())
        found.append(row)
    return found


def train(folder: str, out: str, *words: str) -> None:
    """Train everything."""
    from treegauge.parse.neural.data import Encoded
    from treegauge.parse.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
    from treegauge.parse.options import read_options

    kinds = {"biaffine": BiaffineOptions, "pointer": PointerOptions, "labelling": LabellingOptions}
    given = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    only = [word for word in words if not word.startswith("--")]
    parsers, seeds = given.pop("parsers", ",".join(kinds)), int(given.pop("seeds", 3))
    settings = [f"{key}={value}" for key, value in ({"epochs": "60"} | given).items()]
    target = Path(out) / "paradigms.json"
    rows = json.loads(target.read_text()) if target.exists() else []
    for path in sorted(Path(folder).glob("*.npz")):
        if only and path.stem not in only:
            continue
        data, more = Encoded.load(path)
        for parser in parsers.split(","):
            begun = time.perf_counter()
            options: Any = read_options(kinds[parser], settings)
            made = train_one(data, more, options, seeds)
            took = time.perf_counter() - begun
            for seed, row in enumerate(made):
                told = {"treebank": path.stem, "parser": parser, "options": " ".join(settings)}
                rows.append({**told, "seed": seed, **row, "seconds": took / seeds})
            means = {key: round(float(np.mean([row[key] for row in made])), 2) for key in made[0]}
            print(path.stem, parser, *settings, means, f"{took:.1f} s", flush=True)
            target.write_text(json.dumps(rows, indent=1))


def table(*found: str) -> None:
    """Write means over seeds of what one or more files tell, and print them."""
    import polars as pl

    from treegauge.files import atomic
    from treegauge.tables import to_text

    rows = [row for path in found for row in json.loads(Path(path).read_text())]
    keys = ["treebank", "parser", "options"]
    scores = ["uas", "las", "uas_best_labels", "las_best_labels"]
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


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
