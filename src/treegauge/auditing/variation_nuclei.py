"""Variation nuclei: the same words with different annotations in different places."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.data.columns import Treebank

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
LONGEST = 6
"""Maximum number of words from a word to its head, inclusive."""
_EDGE = 1
_HIDDEN = 1 << 40  # codes of hidden forms begin here
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# Neighbours that must be the same words: none, the left one, the right one, both.
_CONTEXTS = ((False, False), (True, False), (False, True), (True, True))
_SMOOTHING = 0.5  # pseudo-count of places per annotation
_UNRELATED = 1.0  # subtracted from scores if the words are unrelated elsewhere
_LEAST = 1.0  # minimum score


@dataclass(frozen=True, eq=False)
class Variation:
    """Words whose attachment differs from that of the same words elsewhere, one row per word.

    Attributes
    ----------
    word
        Number of the word among the words of all treebanks, from 0.
    score
        Log-odds of the other annotation against this one, in places with the same words.
    head
        Number of the word that is the head elsewhere; -1 if the two ends of the nucleus are
        unrelated elsewhere.
    relation
        Number of the relation elsewhere; -1 if the two ends are unrelated there.
    first, length
        The first word of the nucleus, and its number of words.
    shared
        How many of its two neighbours are the same in all places, 0 to 2.
    same, other
        Number of other places with this annotation, and with the other annotation.
    example
        First word of a place with the other annotation.
    """

    word: Ints
    score: npt.NDArray[np.float64]
    head: Ints
    relation: Ints
    first: Ints
    length: Ints
    shared: Ints
    same: Ints
    other: Ints
    example: Ints

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True, eq=False)
class NucleusWords:
    """All words of several treebanks, concatenated.

    Heads are numbers of words, -1 for the root; relations are numbers in `relations`.
    """

    forms: Keys
    sentence: Ints
    head: Ints
    relation: Ints
    relations: list[str]

    @classmethod
    def of(cls, treebanks: Sequence[Treebank]) -> "NucleusWords":
        """Concatenate the words of treebanks.

        Forms are compared in lower case; ``_``, which hides a form, never equals another.
        """
        numbers: dict[str, int] = {}
        names: dict[str, int] = {}
        rows: list[tuple[Ints, Ints, Ints, Ints]] = []
        words = sentences = 0
        for treebank in treebanks:
            codes, values = treebank.codes("form")
            form_codes = np.array([numbers.setdefault(x.lower(), len(numbers) + 2) for x in values])
            labels, texts = treebank.codes("deprel")
            kinds = np.array([names.setdefault(text, len(names)) for text in texts])
            parents = treebank.parents.astype(np.int64)
            if treebank.n_words:
                forms = form_codes[codes].astype(np.int64)
                hidden = np.flatnonzero(forms == numbers.get("_", -1))
                forms[hidden] = _HIDDEN + words + hidden
                rows.append(
                    (
                        forms,
                        treebank.sentence_of.astype(np.int64) + sentences,
                        np.where(parents < 0, -1, parents + words),
                        kinds[labels],
                    )
                )
            words, sentences = words + treebank.n_words, sentences + len(treebank)
        empty = (np.zeros(0, np.int64),) * 4
        forms, sentence, head, relation = map(np.concatenate, zip(*(rows or [empty]), strict=True))
        return cls(_mixed(forms.astype(np.uint64)), sentence, head, relation, list(names))


def _mixed(keys: Keys) -> Keys:
    with np.errstate(over="ignore"):
        mixed = keys * _MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
        return np.asarray(mixed * np.uint64(0xBF58476D1CE4E5B9))


def _joined(one: Keys, two: Keys) -> Keys:
    return _mixed((one ^ (one >> np.uint64(32))) + two * np.uint64(3))


def variation(words: NucleusWords, *, longest: int = LONGEST) -> Variation:
    r"""Return the words whose attachment differs from that of the same words elsewhere.

    A nucleus is a word with its head and all words between them (Boyd, Dickinson & Meurers 2008).
    In every place with the same words, in lower case, its two ends are annotated with a relation in
    one of the two directions, or as unrelated. Where the places disagree, each is compared with
    the most frequent other annotation, with :math:`n` places that have it and :math:`m` *other*
    places annotated as here:

    .. math:: \log \frac{n + 0.5}{m + 0.5}

    If the words are unrelated elsewhere, this is weaker evidence than another relation, so 1 is
    subtracted. If the relation has the opposite direction elsewhere, the words are mostly used
    differently, and nothing is concluded. (Both were decided on injected errors.)

    This is done for all places, and again for those with the same word on the left, on the right,
    and on both sides. A word gets its highest score; scores below 1 are not returned. The cost is
    linear in the number of words, except for sorting: places are found by hashing.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> len(variation(NucleusWords.of([synthetic(20, seed=1)])))
    0
    """
    pieces = [nuclei for length in range(2, longest + 1) for nuclei in _of_length(words, length) if len(nuclei)]
    if not pieces:
        none = np.zeros(0, np.int64)
        return Variation(none, none.astype(np.float64), *(none,) * 8)
    columns = {
        field.name: np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(Variation)
    }
    order = np.lexsort((-columns["shared"], -columns["score"], columns["word"]))
    order = order[np.diff(columns["word"][order], prepend=-1) > 0]
    return Variation(**{name: column[order] for name, column in columns.items()})


def _of_length(words: NucleusWords, length: int) -> Iterator[Variation]:
    """Yield the variation of nuclei of one length, with each kind of context."""
    size = len(words.forms)
    if size < length:
        return
    same = words.sentence[: size - length + 1] == words.sentence[length - 1 :]
    starts: Ints = np.flatnonzero(same).astype(np.int64)
    ends = starts + length - 1
    right, left = words.head[starts] == ends, words.head[ends] == starts
    keys = words.forms[starts]
    for step in range(1, length):
        keys = _joined(keys, words.forms[starts + step])
    arcs = np.unique(keys[left | right])
    places = np.isin(keys, arcs)  # the others are unrelated everywhere
    starts, ends, keys = starts[places], ends[places], keys[places]
    right, left = right[places], left[places]
    label = np.zeros(len(starts), np.int64)  # 0: not related
    label[right] = 1 + 2 * words.relation[starts[right]]
    label[left] = 2 + 2 * words.relation[ends[left]]
    beside = np.concatenate([words.forms, np.full(1, _EDGE, np.uint64)])
    same = words.sentence[starts] == words.sentence[np.maximum(starts - 1, 0)]
    before = np.where((starts > 0) & same, beside[starts - 1], np.uint64(_EDGE))
    follows = np.minimum(ends + 1, size - 1)
    same = (ends + 1 < size) & (words.sentence[ends] == words.sentence[follows])
    after = np.where(same, beside[follows], np.uint64(_EDGE))
    for use_before, use_after in _CONTEXTS:
        context_keys = _joined(keys, before) if use_before else keys
        context_keys = _joined(context_keys, after + np.uint64(7)) if use_after else context_keys
        yield _compared(words, starts, ends, context_keys, label, use_before + use_after)


def _compared(words: NucleusWords, starts: Ints, ends: Ints, keys: Keys, label: Ints, shared: int) -> Variation:
    """Compare each place with the most frequent other annotation of places with the same key."""
    kinds = 2 * len(words.relations) + 3
    _, group = np.unique(keys, return_inverse=True)
    cells, first, cell, counts = np.unique(
        group.astype(np.int64) * kinds + label, return_index=True, return_inverse=True, return_counts=True
    )
    owner, labels = cells // kinds, cells % kinds
    # In each group the most frequent annotation comes first, then the second.
    order = np.lexsort((labels, -counts, owner))
    begin = np.flatnonzero(np.diff(owner[order], prepend=-1) > 0)
    several = np.diff(np.append(begin, len(order))) > 1
    best = order[begin]
    second = order[np.minimum(begin + 1, max(len(order) - 1, 0))]
    rows = np.flatnonzero(several[group])
    rival = np.where(best[group[rows]] == cell[rows], second[group[rows]], best[group[rows]])
    other, alike = counts[rival], counts[cell[rows]] - 1
    now, then = label[rows], labels[rival]
    score = np.log((other + _SMOOTHING) / (alike + _SMOOTHING)) - _UNRELATED * (then == 0)
    named = np.where(now > 0, now, then)  # the dependent of the entry
    keep = (score >= _LEAST) & ((then == 0) | (then % 2 == named % 2))
    rows, other, alike, score, then, named, rival = (x[keep] for x in (rows, other, alike, score, then, named, rival))
    word = np.where(named % 2 == 1, starts[rows], ends[rows])
    partner = np.where(named % 2 == 1, ends[rows], starts[rows])
    return Variation(
        word, score, np.where(then > 0, partner, -1), np.where(then > 0, (then - 1) // 2, -1),
        starts[rows], ends[rows] - starts[rows] + 1, np.full(len(rows), shared, np.int64),
        alike, other, starts[first[rival]],
    )  # fmt: skip
