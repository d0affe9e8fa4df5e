"""The arc-eager parser nearest to MaltParser's default on every treebank: its trees.

    python -m studies.content.runs OUT

One job trains preset ``maltparser`` on a whole training set of UD 2.9 with gold tags, three times,
and parses the test set. OUT gets one JSON line per job: heads and relations of each training.
``python -m studies.content.malt OUT`` scores them.
"""

import json
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import compress, decompress

import numpy as np
import numpy.typing as npt

from studies.treebanks import release_folder, treebank_folders
from treegauge.parsing.options import find_preset
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data.conllu import read_splits

SEEDS = 3


def jobs() -> Iterator[dict[str, Any]]:
    """Yield one job per treebank."""
    for folder in treebank_folders("r2.9"):
        yield {"treebank": folder.name}


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train and parse; return heads, numbers of relations, and the names of relations."""
    sets = read_splits(release_folder("r2.9") / job["treebank"])
    options = find_preset("beam", "maltparser").options
    trees, start = [], time.process_time()
    for seed in range(SEEDS):
        model = make_parser("beam", **options).fit(sets["train"], sets.get("dev"), seed=seed)
        parsed = model.parse(sets["test"])
        codes, names = parsed.codes("deprel")
        trees.append({"head": packed(parsed.head), "deprel": packed(codes), "relations": list(names)})
    seconds = round(time.process_time() - start, 2)
    return {"treebank": job["treebank"], "trees": trees, "seconds": seconds}


def packed(numbers: npt.ArrayLike) -> str:
    """Return whole numbers as text.

    Examples
    --------
    >>> unpacked(packed([3, 0, 2]))
    [3, 0, 2]
    """
    return b64encode(compress(np.asarray(numbers, "<i2").tobytes(), 9)).decode()


def unpacked(text: str) -> list[int]:
    """Return the numbers of a text that :func:`packed` made."""
    numbers = np.frombuffer(decompress(b64decode(text)), "<i2")
    return [int(one) for one in numbers]


def main() -> None:
    """Run all jobs."""
    with Path(sys.argv[1]).open("w", encoding="utf-8") as file:
        for job in jobs():
            row = run(job)
            file.write(json.dumps(row) + "\n")
            print(row["treebank"], row["seconds"], flush=True)


if __name__ == "__main__":
    main()
