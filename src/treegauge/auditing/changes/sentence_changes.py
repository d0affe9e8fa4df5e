"""Changes of sentences between two versions of a treebank."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from treegauge.auditing.changes.sentence_pairs import sentence_ids
from treegauge.auditing.changes.unified_diff import longest_increasing
from treegauge.auditing.changes.word_pairs import WordPairs
from treegauge.treebanks.data.columns import Treebank

KINDS = ("unchanged", "changed", "re-tokenised", "text changed", "split", "merged", "inserted", "deleted")
"""Kinds of changes; every sentence has exactly one."""
NOTES = ("re-ordered", "in another file", "new sent_id")
"""Further properties of a sentence."""


def sentence_kinds(pairs: WordPairs) -> list[str]:
    """Return the kind of change of each old sentence, one of :data:`KINDS`."""
    old, new, sentences = pairs.old, pairs.new, pairs.sentences
    kinds = ["deleted"] * len(old)
    for group in sentences.groups:
        for number in group.old:
            kinds[number] = "split" if len(group.old) == 1 else "merged"
    retokenised = {*pairs.retokenised}
    for number in np.flatnonzero(sentences.to_new >= 0).tolist():
        if number in retokenised:
            kinds[number] = "re-tokenised"
        elif not pairs.same_words[number]:
            kinds[number] = "text changed"
        else:
            same = _bytes(old, number) == _bytes(new, int(sentences.to_new[number]))
            kinds[number] = "unchanged" if same else "changed"
    return kinds


def _bytes(treebank: Treebank, number: int) -> bytes:
    start, stop = treebank.spans[number]
    return treebank.raw[start:stop].tobytes()


def sentence_rows(
    pairs: WordPairs, kinds: Sequence[str], old_files: Sequence[str], new_files: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the number of old and new sentences of each kind.

    Parameters
    ----------
    pairs, kinds
        The paired words, and the kind of change of each old sentence.
    old_files, new_files
        For each sentence, the file or set it is in.
    """
    sentences = pairs.sentences
    counts = Counter(kinds)
    after = dict(counts) | {"inserted": len(sentences.inserted), "deleted": 0}
    for kind, one in (("split", 0), ("merged", 1)):
        groups = [group for group in sentences.groups if len(group[one]) == 1]
        after[kind] = sum(len(group.new) for group in groups)
    rows = [{"sentences": k, "old": counts[k], "new": after.get(k, 0)} for k in KINDS]
    total = {"sentences": "all", "old": len(pairs.old), "new": len(pairs.new)}
    moved = _notes(pairs, old_files, new_files)
    notes = [{"sentences": name, "old": moved[name], "new": moved[name]} for name in NOTES]
    return [*(row for row in rows if row["old"] or row["new"]), total, *(row for row in notes if row["old"])]


def _notes(pairs: WordPairs, old_files: Sequence[str], new_files: Sequence[str]) -> dict[str, int]:
    to_new = pairs.sentences.to_new
    paired = np.flatnonzero(to_new >= 0).tolist()
    partners = to_new[paired].tolist()
    elsewhere = [old_files[i] != new_files[j] for i, j in zip(paired, partners, strict=True)]
    staying = [j for j, away in zip(partners, elsewhere, strict=True) if not away]
    ids = sentence_ids(pairs.old), sentence_ids(pairs.new)
    renamed = [ids[0][i] != ids[1][j] for i, j in zip(paired, partners, strict=True)]
    return {
        "re-ordered": len(staying) - len(longest_increasing(staying)),
        "in another file": sum(elsewhere),
        "new sent_id": sum(renamed),
    }
