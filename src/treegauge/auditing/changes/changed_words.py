"""Words of two versions of a treebank, paired within their sentences: counts of changes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.unified_diff import longest_increasing
from treegauge.treebanks.data.columns import Ints, Treebank
from treegauge.treebanks.data.sentence_pairing import SentencePairs, pair_sentences, sentence_ids, sentence_texts

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WordPairs:
    """The pairs of old and new words.

    Attributes
    ----------
    old, new
        The two versions.
    sentences
        Their sentences, paired.
    old_words, new_words
        The words of each pair, as numbers in their treebanks, in the order of the old version.
    same_words
        Which old sentences have a partner with the same forms.
    retokenised
        Old sentences whose partner has the same text but different words.
    """

    old: Treebank
    new: Treebank
    sentences: SentencePairs
    old_words: Ints
    new_words: Ints
    same_words: Bools
    retokenised: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.old_words)

    @cached_property
    def to_new(self) -> Ints:
        """The partner of each old word, or -1."""
        partners = np.full(self.old.n_words, -1, np.int32)
        partners[self.old_words] = self.new_words
        return partners

    @cached_property
    def to_old(self) -> Ints:
        """The partner of each new word, or -1."""
        partners = np.full(self.new.n_words, -1, np.int32)
        partners[self.new_words] = self.old_words
        return partners

    def codes(self, column: str) -> tuple[Ints, Ints, list[str]]:
        """Return a column of the pairs on both sides as codes, and their values."""
        numbers: dict[str, int] = {}
        sides = []
        for treebank, words in ((self.old, self.old_words), (self.new, self.new_words)):
            codes, values = treebank.codes(column)
            table = np.array([numbers.setdefault(v, len(numbers)) for v in values], np.int32)
            sides.append(table[codes[words]] if len(values) else codes)
        return sides[0], sides[1], list(numbers)

    @cached_property
    def head_changed(self) -> Bools:
        """Which pairs have heads that are not partners.

        If neither head has a partner, the words are different there, and the head counts as the
        same.
        """
        before = self.old.parents[self.old_words]
        after = self.new.parents[self.new_words]
        expected = np.where(before >= 0, self.to_new[before], -1)
        without = (before >= 0) & (expected < 0) & (after >= 0) & (self.to_old[after] < 0)
        lost = (before >= 0) & (expected < 0)  # its partner would be -1, as a root's is
        return np.asarray(((expected != after) | lost) & ~without)


def pair_words(old: Treebank, new: Treebank, sentences: SentencePairs | None = None) -> WordPairs:
    r"""Pair the words of two versions of a treebank.

    Sentences are paired by :func:`treegauge.treebanks.data.sentence_pairing.pair_sentences`. Where they
    have the same forms, words are paired in order. If the text is the same but tokenised
    differently, words that cover the same characters are paired, as in scoring. If the text
    changed, equal forms are paired, and forms in between if both sides have the same number.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> old = parse_conllu("1\tGo\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    >>> new = parse_conllu("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> pair_words(old, new).codes("upos")
    (array([0], dtype=int32), array([1], dtype=int32), ['NOUN', 'VERB'])
    """
    paired = sentences or pair_sentences(old, new)
    left = np.flatnonzero(paired.to_new >= 0).astype(np.int32)
    right = paired.to_new[left]
    same = np.zeros(len(left), np.bool_)
    equal = np.flatnonzero(old.lengths[left] == new.lengths[right])
    ours, theirs = members(old.offsets, left[equal]), members(new.offsets, right[equal])
    forms = _joint_forms(old, new)
    differing = np.repeat(equal, old.lengths[left[equal]])[forms[0][ours] != forms[1][theirs]]
    same[equal] = True
    same[differing] = False
    pairs = [(members(old.offsets, left[same]), members(new.offsets, right[same]))]
    retokenised, rewritten = _by_text(old, new, left[~same], right[~same])
    groups = [([i], [j]) for i, j in retokenised]
    groups += [(list(group.old), list(group.new)) for group in paired.groups]
    pairs.append(_cut_differently(old, new, groups))
    pairs += [_with_other_words(old, new, i, j) for i, j in rewritten]
    before = np.concatenate([old_words for old_words, _ in pairs]).astype(np.int32)
    after = np.concatenate([two for _, two in pairs]).astype(np.int32)
    order = np.argsort(before, kind="stable")
    same_words = np.zeros(len(old), np.bool_)
    same_words[left[same]] = True
    numbers = tuple(i for i, _ in retokenised)
    return WordPairs(old, new, paired, before[order], after[order], same_words, numbers)


def members(offsets: Ints, groups: npt.NDArray[np.integer]) -> Ints:
    """Return the members of groups, such as the words of sentences."""
    sizes = offsets[groups + 1] - offsets[groups]
    starts = np.cumsum(sizes) - sizes
    shift = np.repeat(offsets[groups] - starts, sizes)
    return np.asarray(np.arange(int(sizes.sum()), dtype=np.int32) + shift, np.int32)


def _joint_forms(old: Treebank, new: Treebank) -> tuple[Ints, Ints]:
    numbers: dict[str, int] = {}
    sides = []
    for treebank in (old, new):
        codes, values = treebank.codes("form")
        table = np.array([numbers.setdefault(form, len(numbers)) for form in values], np.int32)
        sides.append(table[codes] if len(values) else codes)
    return sides[0], sides[1]


def _by_text(
    old: Treebank, new: Treebank, left: Ints, right: Ints
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the pairs of sentences with the same text, and those with different ones."""
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    texts = zip(sentence_texts(old.take(left)), sentence_texts(new.take(right)), strict=True)
    same = [one == two for one, two in texts]
    return (
        [pair for pair, equal in zip(pairs, same, strict=True) if equal],
        [pair for pair, equal in zip(pairs, same, strict=True) if not equal],
    )


def _cut_differently(old: Treebank, new: Treebank, groups: Sequence[tuple[list[int], list[int]]]) -> tuple[Ints, Ints]:
    """Pair words that cover the same characters of groups of sentences with the same text."""
    from treegauge.scoring.alignment.align import align

    if not groups:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    left = np.array([i for group, _ in groups for i in group])
    right = np.array([j for _, group in groups for j in group])
    alignment = align(old.take(left), new.take(right))
    ours, theirs = members(old.offsets, left), members(new.offsets, right)
    to_new = alignment.to_system.copy()
    _fill_gaps(to_new, len(theirs), old.multiword[ours] >= 0, new.multiword[theirs] >= 0)
    paired = to_new >= 0
    return ours[paired], theirs[to_new[paired]]


def _fill_gaps(to_new: Ints, size: int, old_inside: Bools, new_inside: Bools) -> None:
    """Pair, in order, the words of multiword tokens that differ only in form.

    Between two pairs there are then as many words on both sides, all inside multiword tokens.
    """
    known = np.flatnonzero(to_new >= 0)
    previous = [-1, *known.tolist()]
    following = [*known.tolist(), len(to_new)]
    for before, after in zip(previous, following, strict=True):
        start = to_new[before] if before >= 0 else -1
        stop = to_new[after] if after < len(to_new) else size
        gap = after - before - 1
        if 0 < gap == stop - start - 1 and (
            old_inside[before + 1 : after].all() and new_inside[start + 1 : stop].all()
        ):
            to_new[before + 1 : after] = np.arange(start + 1, stop)


def _with_other_words(old: Treebank, new: Treebank, one: int, two: int) -> tuple[Ints, Ints]:
    """Pair the words of one sentence whose text changed."""
    forms = old[one].form, new[two].form
    ours: list[int] = []
    theirs: list[int] = []
    for kind, a, b, c, d in SequenceMatcher(None, *forms, autojunk=False).get_opcodes():
        if kind == "equal" or b - a == d - c:
            ours += range(a, b)
            theirs += range(c, d)
    start, other = int(old.offsets[one]), int(new.offsets[two])
    return np.array(ours, np.int32) + start, np.array(theirs, np.int32) + other


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


def new_sentence_kinds(old: Treebank, new: Treebank) -> list[str]:
    """Return the kind of change of each new sentence, one of :data:`KINDS` but ``deleted``."""
    pairs = pair_words(old, new)
    of_old, kinds = sentence_kinds(pairs), ["inserted"] * len(new)
    for number, partner in enumerate(pairs.sentences.to_old.tolist()):
        if partner >= 0:
            kinds[number] = of_old[partner]
    for group in pairs.sentences.groups:
        for number in group.new:
            kinds[number] = of_old[group.old[0]]
    return kinds


def _bytes(treebank: Treebank, number: int) -> bytes:
    start, stop = treebank.spans[number]
    return treebank.raw[start:stop].tobytes()


def sentence_rows(
    pairs: WordPairs, kinds: Sequence[str], old_files: Sequence[str], new_files: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the number of old and new sentences of each kind.

    `kinds` has the kind of change of each old sentence; the files are those, or the sets, of each sentence.
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


def moved_sentences(pairs: WordPairs, old_files: Sequence[str], new_files: Sequence[str]) -> Bools:
    """Return which old sentences are in another file, or set, in the new version."""
    partners = pairs.sentences.to_new.tolist()
    return np.array([j >= 0 and old_files[i] != new_files[j] for i, j in enumerate(partners)], np.bool_)


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


def changed_sentences(pairs: WordPairs, columns: Sequence[str] = ("form", "upos", "deprel")) -> list[int]:
    """Return the old sentences whose partner differs in words, heads or other columns."""
    differing = pairs.head_changed.copy()
    for column in columns:
        old, new, _ = pairs.codes(column)
        differing |= old != new
    changed = np.zeros(len(pairs.old), np.bool_)
    changed[pairs.old.sentence_of[pairs.old_words[differing]]] = True
    changed |= ~pairs.same_words
    return np.flatnonzero(changed & (pairs.sentences.to_new >= 0)).tolist()
