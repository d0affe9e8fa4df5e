"""Correct words per sentence and per document of real parses: `python -m tools.calibrate.counts`.

Trains the beam parser on 300 sentences of a treebank and counts words with the correct head and
relation: on the test set for many seeds, and on all other documents for one. Only counts are
stored.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

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
DOCUMENTS = {"Greek": "r2.9/UD_Greek-GDT", "English": "r2.5/UD_English-GUM", "Coptic": "r2.9/UD_Coptic-Scriptorium"}


def main() -> None:
    """Train, parse, count, and write the counts."""
    home = Path(os.environ["TREEGAUGE_UD"])
    counts: dict[str, npt.NDArray[np.int32]] = {}
    with TemporaryDirectory() as folder:
        for name, path in DOCUMENTS.items():
            counts[f"{name} documents"] = _documents(home / path, Path(folder))
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


def _documents(treebank: Path, folder: Path) -> npt.NDArray[np.int32]:
    """Return (documents, 2): correct words and words."""
    splits = [tg.read_conllu(treebank, split=split) for split in ("train", "dev", "test")]
    whole = concat(splits, name=treebank.name)
    cut = TRAINED + int(np.argmax(document_starts(whole)[TRAINED:]))
    counts = _counts(whole[:cut], whole[cut:], folder, 0)
    first = np.flatnonzero(document_starts(whole[cut:]))
    return np.asarray(np.add.reduceat(counts, first), np.int32)


if __name__ == "__main__":
    main()
