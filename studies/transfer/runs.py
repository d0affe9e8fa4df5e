"""UAS of one delexicalised beam parser per source on the test sets of all other languages.

:func:`jobs` and :func:`run` are the part of ``studies.transfer.pairs`` that trains; they need
numpy only.
"""

from functools import cache
from typing import Any

from studies.treebanks import treebank_folders
from treegauge.learning.source_panel import delexicalised
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

LIMIT, ENOUGH, SEED = 2000, 100, 0


@cache
def sets() -> dict[str, dict[str, Treebank]]:
    """Read the treebanks of UD 2.9 that have at least 100 training sentences."""
    folders = treebank_folders("r2.9")
    read = {folder.name: read_splits(folder) for folder in folders}
    return {name: parts for name, parts in read.items() if len(parts["train"]) >= ENOUGH}


def languages(treebank: str) -> set[str]:
    """Return the languages of a treebank; code-switched text has two."""
    name = treebank.removeprefix("UD_").split("-")[0]
    return {"Turkish", "German"} if name == "Turkish_German" else {name}


def targets(source: str) -> list[str]:
    """Return the treebanks of other languages."""
    return [name for name in sets() if not languages(source) & languages(name)]


def jobs() -> list[str]:
    """Return the sources."""
    return list(sets())


def run(source: str) -> dict[str, Any]:
    """Train on the first 2,000 sentences of a source; return UAS by target, punctuation aside."""
    model = delexicalised("beam").fit(sets()[source]["train"][:LIMIT], seed=SEED)
    scores = {}
    for target in targets(source):
        test = sets()[target]["test"]
        counted = (test["upos"] != "PUNCT").to_numpy()
        scores[target] = 100 * float((model.parse(test).head == test.head)[counted].mean())
    return {"source": source, "uas": scores}
