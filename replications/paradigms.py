"""Graph, pointer and labelling parsers on the same treebanks, with the same encoder.

    python -m replications.paradigms encode FOLDER_OF_TREEBANKS ARRAYS [NAME...]
    PYTHONPATH=src python replications/paradigms.py train ARRAYS OUT [--epochs=60] [--seeds=3]

The second step needs numpy and torch only. All seeds of a parser learn in lockstep; of each the
epoch with the best LAS on dev is kept. Printed and written to ``OUT/paradigms.json`` are UAS and
LAS on the test part: all words, whole relations, gold tags.
"""

import json
import sys
import time
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


def trees_of(predictor: Any, options: Any, more: dict[str, Any]) -> tuple[Any, Any]:
    """Return heads and relations of a model's trees."""
    from treegauge.parse.labels.encodings import find_encoding
    from treegauge.parse.neural.options import BiaffineOptions
    from treegauge.treebank.columns import Codes

    if isinstance(options, BiaffineOptions):
        from treegauge.parse.decoding import spanning_tree

        heads, relations = predictor.parse(spanning_tree, more["of_roots"])
        return heads, relations
    *columns, last = (one[:, 1:].argmax(1) for one in predictor.label_log_probabilities())
    names = more["relation_names"]
    tags = Codes(np.zeros(len(last), np.int32), ["X"])
    labels = [more[f"labels{n}"].tolist() for n in range(len(columns))]
    read = find_encoding(ENCODING).reader(labels, predictor.data.offsets, tags)
    return read(np.stack(columns), names[last] == "root").heads, last + 1


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
            told = models.evaluate([dev] * seeds)
            heads = told.found_heads.cpu().numpy()[:, words] == data.heads[words]
            names = told.found_relations.cpu().numpy()[:, words] == data.relations[words]
            for seed, las in enumerate((heads & names).mean(1).tolist()):
                if las > best[seed][0]:
                    best[seed] = (las, epoch, to_arrays(models.weights, seed))
    own = part_of(data, test)
    found = []
    for las, epoch, arrays in best:
        heads, names = trees_of(Predictor(arrays, own, options), options, more)
        right = heads == own.heads
        found.append(
            {
                "epoch": epoch, "dev": 100 * las, "uas": 100 * float(right.mean()),
                "las": 100 * float((right & (names == own.relations)).mean()),
            }
        )  # fmt: skip
    return found


def train(folder: str, out: str, *words: str) -> None:
    """Train everything."""
    from treegauge.parse.neural.data import Encoded
    from treegauge.parse.neural.options import BiaffineOptions, LabellingOptions, PointerOptions

    settings: dict[str, Any] = {"epochs": 60, "seeds": 3} | {
        key: int(value) for key, value in (word[2:].split("=") for word in words)
    }
    seeds = settings.pop("seeds")
    rows = []
    for path in sorted(Path(folder).glob("*.npz")):
        data, more = Encoded.load(path)
        for kind in (BiaffineOptions, PointerOptions, LabellingOptions):
            begun = time.perf_counter()
            for seed, row in enumerate(train_one(data, more, kind(**settings), seeds)):
                rows.append({"treebank": path.stem, "parser": kind.__name__, "seed": seed, **row})
            mean = {key: np.mean([row[key] for row in rows[-seeds:]]) for key in ("uas", "las")}
            took = time.perf_counter() - begun
            print(path.stem, kind.__name__, mean, f"{took:.1f} s", flush=True)
            (Path(out) / "paradigms.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    {"encode": encode, "train": train}[sys.argv[1]](*sys.argv[2:])
