"""Biaffine parsers for :mod:`studies.parsers.confidence`, trained on a CPU or GPU.

    python -m studies.parsers.confidence_models encode FOLDER_OF_TREEBANKS ARRAYS [NAME...] [--fold]
    PYTHONPATH=src python -m studies.parsers.confidence_models train ARRAYS OUT [NAME...]
        [--OPTION=VALUE...]
    python -m studies.parsers.confidence_models models FOLDER_OF_TREEBANKS OUT MODELS

The first step writes the training and dev sets of treebanks as arrays, which are as private as the
treebanks. The second needs numpy and torch only. It trains a small biaffine parser on each, keeps
the epoch with the best LAS on dev, and writes the weights of two parsers per file in half
precision. The third makes models of them. No step reads a test set.

FOLDER_OF_TREEBANKS may hold links to treebanks of several releases, as those of ``NEURAL`` in
:mod:`studies.parsers.confidence` need.

With ``--fold``, the parser learns from four fifths of the training set, without a dev set, as
``train --calibrate both`` does; its probabilities are compared with the rest.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers.paradigms import best_models, given_options

JUDGED = (
    "UD_Coptic-Scriptorium", "UD_English-LinES", "UD_Faroese-FarPaHC", "UD_French-Sequoia",
    "UD_Greek-GDT", "UD_Hungarian-Szeged", "UD_Korean-GSD", "UD_Norwegian-NynorskLIA",
    "UD_Old_Church_Slavonic-PROIEL", "UD_Turkish-IMST",
)  # fmt: skip
"""The first ten, by name, of the treebanks at hand whose dev and test sets have 8,000 words."""
CHOOSING = ("UD_Uyghur-UDT", "UD_Vietnamese-VTB", "UD_Welsh-CCG")
"""Three others; the small parser's options were chosen on them."""
FOLD = "--fold"
SMALL = {"layers": 2, "hidden": 200, "arc_size": 200, "relation_size": 50, "epochs": 25}


def options_of(given: dict[str, str]) -> Any:
    """Return the small biaffine parser's options with those given."""
    from treegauge.parsing.neural.options import BiaffineOptions
    from treegauge.parsing.options import read_options

    words = [f"{name}={value}" for name, value in {**SMALL, **given}.items()]
    return read_options(BiaffineOptions, words)


def encode(root: str, out: str, *names: str) -> None:
    """Write one ``.npz`` per treebank."""
    from treegauge.parsing.neural.preparation import encode_parts
    from treegauge.treebanks.data.conllu import read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    fold = FOLD in names
    for name in [one for one in names if one != FOLD] or JUDGED + (() if fold else CHOOSING):
        sets = read_splits(Path(root) / name)
        if fold:
            data, (own,) = encode_parts(without_fold(sets["train"]))
            data.save(Path(out) / f"{name}{FOLD}.npz", parts=[len(own), 0])
            continue
        data, (own, held) = encode_parts(sets["train"], sets["dev"])
        data.save(Path(out) / f"{name}.npz", parts=[len(own), len(held)])


def without_fold(train: Any) -> Any:
    """Return the training set without its first fold."""
    from treegauge.parsing.probabilities.held_out import sentence_folds

    return train[sentence_folds(train, 0) != 0]


def train(folder: str, out: str, *words: str) -> None:
    """Train all parsers and write their weights."""
    import time

    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.training import Learner

    names, given = given_options(words)
    options = options_of(given)
    chosen = names or sorted(path.stem for path in Path(folder).glob("*.npz"))
    for start in range(0, len(chosen), 2):
        kept: dict[str, Any] = {}
        for name in chosen[start : start + 2]:
            data, more = Encoded.load(Path(folder) / f"{name}.npz")
            cut = int(more["parts"][0])
            begun = time.perf_counter()
            learner = Learner(data, np.arange(cut), 0)
            [(epoch, arrays)] = best_models([learner], np.arange(cut, len(data)), options)
            print(name, "epoch", epoch, f"{time.perf_counter() - begun:.1f} s", flush=True)
            for key, value in arrays.items():
                small = value.astype(np.float16) if value.dtype.kind == "f" else value
                kept[f"{name}/{key}"] = small
        np.savez_compressed(Path(out) / f"biaffine{start // 2}.npz", **kept)


def single(array: Any) -> Any:
    """Return weights in single precision; whole numbers as they are."""
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def models(root: str, folder: str, out: str) -> None:
    """Make model files of the weights."""
    from treegauge.parsing.neural.fitting import Trained
    from treegauge.parsing.neural.parsers import BiaffineModel, roots_have
    from treegauge.parsing.neural.preparation import Vocabulary
    from treegauge.treebanks.data.conllu import read_conllu

    Path(out).mkdir(parents=True, exist_ok=True)
    for path in sorted(Path(folder).glob("biaffine*.npz")):
        with np.load(path, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        for name in dict.fromkeys(key.partition("/")[0] for key in arrays):
            gold = read_conllu(Path(root) / name.removesuffix(FOLD), split="train")
            if name.endswith(FOLD):
                gold = without_fold(gold)
            vocabulary = Vocabulary.of(gold)
            weights = {
                key.partition("/")[2]: value.astype(np.float32) if value.dtype.kind == "f" else value
                for key, value in arrays.items()
                if key.startswith(f"{name}/")
            }
            learned = Trained(vocabulary, weights, None)
            model = BiaffineModel(options_of({}), learned, roots_have(gold, vocabulary))
            model.save(Path(out) / f"biaffine-{name}.model")


if __name__ == "__main__":
    steps: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "models": models}
    steps[sys.argv[1]](*sys.argv[2:])
