"""Encode the train and dev sets of treebanks for :mod:`studies.difficulty.gpu`.

    python -m studies.difficulty.encode FOLDER_OF_TREEBANKS OUT [NAME...]

The arrays hold the words' characters, so that they are as private as the treebanks: keep them out
of version control.
"""

import csv
import sys
from pathlib import Path

from treegauge.parsing.neural.preparation import Vocabulary, encode_parts
from treegauge.treebanks.data.conllu import read_splits

PUBLISHED = Path("../shared/figures/difficulty_table1_ud29.csv")


def main(root: str, out: str, *names: str) -> None:
    """Write one ``.npz`` a treebank; without names, those of the paper's Table 1."""
    if not names:
        with PUBLISHED.open() as file:
            names = tuple(row["treebank"] for row in csv.DictReader(file))
    target = Path(out)
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        parts = read_splits(Path(root) / name)
        encoded, (train, dev) = encode_parts(parts["train"], parts["dev"])
        known = Vocabulary.of(parts["train"])
        encoded.save(
            target / f"{name}.npz", parts=[len(train), len(dev)],
            tag_names=["?", *known.tags], relation_names=["?", *known.relations],
        )  # fmt: skip
        print(name, len(train), len(dev), encoded.sizes.tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
