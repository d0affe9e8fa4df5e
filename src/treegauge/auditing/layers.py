"""Annotation that is missing, trivial, or not the same from part to part."""

from collections.abc import Iterator, Mapping

import numpy as np

from treegauge.auditing.findings import Finding, Level, count
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import SPLITS

_LAYERS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_EXPECTED = ("form", "lemma", "upos", "feats", "deprel")
_DRIFT = ("upos", "deprel")


def check_parts(parts: Mapping[str, Treebank]) -> Iterator[Finding]:
    """Find parts that are not there, without which other checks have nothing to compare."""
    for name in SPLITS:
        if name not in parts:
            yield Finding("missing-part", "note", name, 0, "there is no such part")


def check_layers(parts: Mapping[str, Treebank]) -> Iterator[Finding]:
    """Find columns that are empty, or nearly so, in a part."""
    for name, treebank in parts.items():
        if treebank.n_words == 0:
            yield Finding("empty", "error", name, 0, "has no words")
            continue
        for layer in _LAYERS:
            codes, values = treebank.codes(layer)
            blank = values.index("_") if "_" in values else -1
            filled = float(np.mean(codes != blank))
            if filled == 0:
                level: Level = "warning" if layer in _EXPECTED else "note"
                message = f"no word has {layer.upper()}"
                yield Finding("missing-layer", level, name, filled, message)
            elif layer in {"lemma", "upos", "deprel"} and filled < 0.95:
                message = f"{100 * (1 - filled):.1f} % of words have no {layer.upper()}"
                yield Finding("partial-layer", "warning", name, filled, message)


def check_lengths(parts: Mapping[str, Treebank]) -> Iterator[Finding]:
    """Find how many sentences have a single word, whose tree nobody can get wrong."""
    for name, treebank in parts.items():
        if len(treebank) == 0:
            continue
        single = int((treebank.lengths == 1).sum())
        share = single / len(treebank)
        if single:
            level: Level = "warning" if share > 0.05 else "note"
            message = f"{count(single, 'sentence')} of one word ({100 * share:.1f} %)"
            yield Finding("one-word-sentences", level, name, share, message)


def check_labels(parts: Mapping[str, Treebank]) -> Iterator[Finding]:
    """Find labels of dev and test that train does not have, or hardly has."""
    if "train" not in parts:
        return
    for layer in _DRIFT:
        known = _counts(parts["train"], layer)
        for name, treebank in parts.items():
            if name == "train":
                continue
            counts = _counts(treebank, layer)
            unseen = {label: n for label, n in counts.items() if label not in known}
            if not unseen:
                continue
            words = sum(unseen.values())
            share = words / max(1, treebank.n_words)
            level: Level = "warning" if share > 0.001 else "note"
            yield Finding(
                "unseen-labels",
                level,
                f"train/{name}",
                len(unseen),
                f"{count(len(unseen), 'value')} of {layer.upper()} on {count(words, 'word')} "
                f"({100 * share:.2f} %) not in train",
                tuple(sorted(unseen, key=lambda label: -unseen[label])[:5]),
            )


def _counts(treebank: Treebank, layer: str) -> dict[str, int]:
    codes, values = treebank.codes(layer)
    return dict(zip(values, np.bincount(codes, minlength=len(values)).tolist(), strict=True))
