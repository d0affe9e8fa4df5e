"""Correct words per sentence and per document of real parses: `python -m tools.calibrate.counts`.

Trains the beam parser on 300 sentences of a treebank and counts words with the correct head and
relation: on the test set for many seeds, and on all other documents for one; of the latter also
words by relation, for the beam and the MST parser. Only counts are stored.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

import treegauge as tg
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.registry import NUMBER
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.indexing import document_starts

DATA = Path(__file__).parent / "data" / "attachments.npz"
SEEDS = 36
TRAINED = 300
DOCUMENTS = {
    "Greek": "r2.9/UD_Greek-GDT", "English": "r2.5/UD_English-GUM", "Coptic": "r2.9/UD_Coptic-Scriptorium",
    "Wolof": "r2.5/UD_Wolof-WTB", "Estonian": "r2.5/UD_Estonian-EWT",
}  # fmt: skip
#: The number of relations that are counted, the most frequent ones.
RELATIONS = 8


def main() -> None:
    """Train, parse, count, and write the counts; seeds are counted only if they are not there yet."""
    home = Path(os.environ["TREEGAUGE_UD"])
    counts: dict[str, npt.NDArray[Any]] = {}
    if DATA.is_file():
        with np.load(DATA) as archive:
            counts = {name: archive[name] for name in archive.files}
    with TemporaryDirectory() as folder:
        for name, path in DOCUMENTS.items():
            counts[f"{name} documents"], counts[f"{name} relations"] = _documents(home / path, Path(folder))
        if "Greek seeds" not in counts:
            counts["Greek seeds"] = _seeds(home / DOCUMENTS["Greek"], Path(folder))
    np.savez_compressed(DATA, **counts)  # type: ignore[arg-type]


def _counts(train: tg.Treebank, test: tg.Treebank, folder: Path, seed: int) -> npt.NDArray[np.int32]:
    tg.write_conllu(train, folder / "train.conllu")
    tg.write_conllu(test, folder / "test.conllu")
    tg.train("beam", folder / "train.conllu", out=folder / "model", seed=seed)
    tg.parse(folder / "model", folder / "test.conllu", out=folder / "parsed.conllu")
    scores = evaluate(folder / "test.conllu", folder / "parsed.conllu")
    rows = scores.systems[0].runs[0].rows
    return np.asarray(rows[:, [NUMBER["las_c"], NUMBER["arcs_g"]]], np.int32)


def _seeds(treebank: Path, folder: Path) -> npt.NDArray[np.int32]:
    """Return (sentences, 1 + seeds): words, then correct words of each seed."""
    train, test = (tg.read_conllu(treebank, split=split) for split in ("train", "test"))
    tables = [_counts(train[:TRAINED], test, folder, seed) for seed in range(SEEDS)]
    return np.column_stack([tables[0][:, 1], *(table[:, 0] for table in tables)])


def _place(file: Path) -> int:
    """Return the place of a set among training, dev and test set; not all treebanks have all."""
    return [split in file.stem for split in ("train", "dev", "test")].index(True)


def _documents(treebank: Path, folder: Path) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (documents, 2): correct words and words; and (2 parsers, relations, documents, 4)."""
    splits = [tg.read_conllu(file) for file in sorted(treebank.glob("*.conllu"), key=_place)]
    whole = concat(splits, name=treebank.name)
    cut = TRAINED + int(np.argmax(document_starts(whole)[TRAINED:]))
    counts = _counts(whole[:cut], whole[cut:], folder, 0)
    first = np.flatnonzero(document_starts(whole[cut:]))
    tables = [_relations(whole[:cut], whole[cut:], first, parser, folder) for parser in ("beam", "mst")]
    return np.asarray(np.add.reduceat(counts, first), np.int32), np.stack(tables)


def _relations(
    train: tg.Treebank, test: tg.Treebank, first: npt.NDArray[np.intp], parser: str, folder: Path
) -> npt.NDArray[np.int32]:
    """Return (relations, documents, 4): the columns of ``class_f1``, by universal relation."""
    tg.write_conllu(train, folder / "train.conllu")
    tg.write_conllu(test, folder / "test.conllu")
    tg.train(parser, folder / "train.conllu", out=folder / "model")
    tg.parse(folder / "model", folder / "test.conllu", out=folder / "parsed.conllu")
    parsed = tg.read_conllu(folder / "parsed.conllu")
    ours, theirs = (np.array([one.partition(":")[0] for one in each["deprel"]]) for each in (test, parsed))
    correct = (test.head == parsed.head) & (ours == theirs)
    names, seen = np.unique(ours, return_counts=True)
    document = np.searchsorted(first, test.sentence_of, "right") - 1
    tables = []
    for name in names[np.argsort(-seen)][:RELATIONS]:
        masks = (correct & (ours == name), ours == name, correct & (theirs == name), theirs == name)
        tables.append(np.column_stack([np.bincount(document[mask], minlength=len(first)) for mask in masks]))
    return np.asarray(tables, np.int32)


if __name__ == "__main__":
    main()
