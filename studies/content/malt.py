"""Scores of the arc-eager parser nearest to MaltParser's default, by several definitions.

``python -m studies.content.malt TREES`` scores what ``studies.content.runs`` wrote and
makes ``results/content_malt.csv``: means over three trainings.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from studies.content.data import RELEASE, scored
from studies.content.runs import unpacked
from studies.parts import RESULTS, as_csv
from studies.treebanks import release_folder
from treegauge.core.files import atomic
from treegauge.measures.structure import relation_class
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu

MALT = "content_malt"
KINDS = ("content", "function")


def trees(path: str) -> Iterator[tuple[str, Treebank, list[Treebank]]]:
    """Yield each treebank's name, its test set, and the output of every training."""
    for line in Path(path).read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = read_conllu(release_folder(RELEASE) / row["treebank"], split="test")
        outputs = [
            gold.with_columns(
                {"head": unpacked(one["head"]), "deprel": [one["relations"][code] for code in unpacked(one["deprel"])]}
            )
            for one in row["trees"]
        ]
        yield row["treebank"], gold, outputs


def definitions(gold: Treebank, output: Treebank) -> dict[str, float]:
    """Return precision and recall of content and function relations by other definitions.

    ``relation`` counts a word as correct if its relation is, ``head`` if its head is, and
    ``words`` asks for the share of gold words of the kind whose head and relation are correct,
    whatever relation was predicted.
    """
    sides = [np.array([relation_class(name) for name in one["deprel"]]) for one in (gold, output)]
    same = (gold["deprel"] == output["deprel"]).to_numpy()
    heads = gold.head == output.head
    row = {}
    for kind in KINDS:
        of_gold, of_output = (side == kind for side in sides)
        for name, correct in (("relation", same), ("head", heads)):
            row[f"{kind}_precision_{name}"] = 100 * float(correct[of_output].mean())
            row[f"{kind}_recall_{name}"] = 100 * float(correct[of_gold].mean())
    words = np.array([name != "punct" for name in gold["deprel"]])
    row["las_without_punctuation"] = 100 * float((same & heads)[words].mean())
    return row


def scores(path: str) -> pl.DataFrame:
    """Return one row per treebank: means over trainings, and the deviation of LAS."""
    rows = []
    for name, gold, outputs in trees(path):
        each = pl.DataFrame([scored(name, gold, one) | definitions(gold, one) for one in outputs])
        row: dict[str, Any] = {"treebank": name, "parser": "malt", "seeds": len(outputs)}
        rows.append(row | each.mean().row(0, named=True) | {"las_sd": each["las"].std()})
        print(name, row["seeds"], file=sys.stderr, flush=True)
    return pl.DataFrame(rows).sort("treebank")


def main() -> None:
    """Write the table."""
    with atomic(RESULTS / f"{MALT}.csv") as file:
        file.write(as_csv(scores(sys.argv[1])).encode())


if __name__ == "__main__":
    main()
