"""Treebanks for these tests: written out word by word, drawn at random, or real ones."""

import os
from pathlib import Path

import pytest

from treegauge.treebanks.data.conllu import parse_conllu

ROOT = Path(__file__).parents[2]
UD = Path(os.environ.get("TREEGAUGE_UD", ROOT.parent / "shared" / "ud"))


def make(*sentences, name="bank", **defaults):
    """Write a treebank; a sentence is a list of heads or of dictionaries of columns."""
    lines = []
    for sentence in sentences:
        for number, word in enumerate(sentence, 1):
            cells = {"form": f"w{number}", "lemma": "_", "upos": "X", "feats": "_", "deprel": "dep"}
            cells |= defaults | (word if isinstance(word, dict) else {"head": word})
            cells["deprel"] = "root" if cells["head"] == 0 else cells["deprel"]
            lines.append(
                f"{number}\t{cells['form']}\t{cells['lemma']}\t{cells['upos']}\t_\t"
                f"{cells['feats']}\t{cells['head']}\t{cells['deprel']}\t_\t_"
            )
        lines.append("")
    return parse_conllu("\n".join([*lines, ""]), name=name)


@pytest.fixture
def bank():
    return make


@pytest.fixture
def ud():
    if not UD.is_dir():
        pytest.skip(f"no UD treebanks in {UD} (set TREEGAUGE_UD)")
    return UD
