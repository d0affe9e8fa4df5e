"""The checks of an audit: missing annotation, unseen labels, unusual splits."""

from collections.abc import Iterator, Mapping

import numpy as np

from treegauge.auditing.audit import Finding, Severity, number_with_noun
from treegauge.core.tables import p_value_text
from treegauge.measures.displacement import displacement_tables, length_tables
from treegauge.measures.intervals import random_splits, text_units_of
from treegauge.statistics.probabilities import wasserstein
from treegauge.statistics.units import UNKNOWN
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import SPLITS

_LAYERS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_EXPECTED = ("form", "lemma", "upos", "feats", "deprel")
_SIGNIFICANT = 0.01  # p-value below which a split counts as unusual
_NOT_TYPICAL = 0.05  # p-value below which it is not called typical
Splits = Mapping[str, Treebank]


def check_treebank(splits: Splits) -> Iterator[Finding]:
    """Yield the findings of all checks that need no random splits."""
    for check in (_missing_splits, _layers, _one_word_sentences, _unseen_labels):
        yield from check(splits)


def _missing_splits(splits: Splits) -> Iterator[Finding]:
    """Report missing splits, without which other checks have nothing to compare."""
    for name in SPLITS:
        if name not in splits:
            yield Finding("missing-split", "note", name, 0, f"the treebank has no {name} set")


def _layers(splits: Splits) -> Iterator[Finding]:
    """Report columns that are empty or nearly empty."""
    for name, treebank in splits.items():
        if treebank.n_words == 0:
            yield Finding("empty", "error", name, 0, "has no words")
            continue
        for layer in _LAYERS:
            codes, values = treebank.codes(layer)
            gap = values.index("_") if "_" in values else -1
            filled = float(np.mean(codes != gap))
            if filled == 0:
                level: Severity = "warning" if layer in _EXPECTED else "note"
                message = f"no word has {layer.upper()}"
                yield Finding("missing-layer", level, name, filled, message)
            elif layer in {"lemma", "upos", "deprel"} and filled < 0.95:
                message = f"{100 * (1 - filled):.1f} % of words have no {layer.upper()}"
                yield Finding("partial-layer", "warning", name, filled, message)


def _one_word_sentences(splits: Splits) -> Iterator[Finding]:
    """Report one-word sentences, which no parser can get wrong."""
    for name, treebank in splits.items():
        single = int((treebank.lengths == 1).sum())
        if single:
            share = single / len(treebank)
            level: Severity = "warning" if share > 0.05 else "note"
            message = f"{number_with_noun(single, 'sentence')} of one word ({100 * share:.1f} %)"
            yield Finding("one-word-sentences", level, name, share, message)


def _unseen_labels(splits: Splits) -> Iterator[Finding]:
    """Report labels of the dev and test sets that the training set lacks."""
    if "train" not in splits:
        return
    for layer in ("upos", "deprel"):
        known = set(splits["train"].codes(layer).values)
        for name, treebank in splits.items():
            codes, values = treebank.codes(layer)
            words = np.bincount(codes, minlength=len(values)).tolist()
            unseen = {v: n for v, n in zip(values, words, strict=True) if v not in known}
            if name == "train" or not unseen:
                continue
            total = sum(unseen.values())
            share = total / max(1, treebank.n_words)
            yield Finding(
                "unseen-labels", "warning" if share > 0.001 else "note", f"train/{name}",
                len(unseen),
                f"{number_with_noun(len(unseen), 'value')} of {layer.upper()} on "
                f"{number_with_noun(total, 'word')} ({100 * share:.2f} %) not in the training set",
                tuple(sorted(unseen, key=lambda label: -unseen[label])[:5]),
            )  # fmt: skip


def check_splits(splits: Splits, *, resamples: int = 999, seed: int = 0) -> Iterator[Finding]:
    r"""Compare the distance of each set from the training set with that of random splits.

    For both displacements (EDV) and sentence lengths (SLV):

    .. math:: p = \frac{1 + \#\{\text{random splits at least as far apart}\}}{1 + \text{resamples}}

    Random splits keep documents whole if both sets mark at least ten. Many treebanks fail this
    test, since their sets come from different sources, or from different documents that are not
    marked. A failure means that test and training set have different data, not that scores are wrong.
    """
    if "train" not in splits or len(splits["train"]) == 0:
        return
    random = np.random.default_rng(seed)
    for name, treebank in splits.items():
        if name == "train" or len(treebank) == 0:
            continue
        units = text_units_of(splits["train"], treebank)
        for measure, table in _TABLES.items():
            pair = zip(units, table(splits["train"], treebank), strict=True)
            tables = [each.sums(counts) for each, counts in pair]
            distance = float(wasserstein(*(distances.sum(axis=0, dtype=np.float64) for distances in tables)))
            if np.isnan(distance):
                continue
            far = random_splits(tables, wasserstein, resamples, random) >= distance - 1e-12
            p = (1 + int(far.sum())) / (1 + resamples)
            level: Severity = "warning" if p <= _SIGNIFICANT else "note"
            verdict = "larger than in random splits" if p <= _SIGNIFICANT else "typical of random splits"
            if _SIGNIFICANT < p <= _NOT_TYPICAL:
                verdict = f"larger than in {100 * (1 - p):.1f} % of random splits"
            kept = f"by {units[0].kind.removesuffix('s')}" + (f"; {UNKNOWN}" if units[0].kind == "sentences" else "")
            fewest = min(units, key=lambda one: one.number)
            kept += f"; only {fewest.number} documents" if fewest.few_documents else ""
            message = f"{measure.upper()} is {distance:.3f}, {verdict} of this size ({p_value_text(p)}, {kept})"
            yield Finding(f"split-{measure}", level, f"train/{name}", distance, message, (), p, units[0].kind)


_TABLES = {"edv": displacement_tables, "slv": length_tables}
