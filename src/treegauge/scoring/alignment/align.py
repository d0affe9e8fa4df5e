"""Alignment of a system's words with gold words, as in the CoNLL 2018 script."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.kernels import alignment as _align
from treegauge.kernels import columns as _columns
from treegauge.scoring.alignment.segmentation import Ints, Side, mismatch, segmentation
from treegauge.treebanks.data.columns import NUMBER, Codes, Treebank
from treegauge.treebanks.data.relations import (
    CONTENT,
    FUNCTIONAL,
    GRAMMATICAL,
    LEXICAL,
    universal_features,
    universal_relation,
)

CONTENT_BIT, FUNCTIONAL_BIT, LEXICAL_BIT, GRAMMATICAL_BIT = 1, 2, 4, 8
# Relations of any version of UD: their names do not conflict.
_LEXICAL, _GRAMMATICAL = (frozenset().union(*of.values()) for of in (LEXICAL, GRAMMATICAL))
_CLASSES = (
    (CONTENT, CONTENT_BIT), (FUNCTIONAL, FUNCTIONAL_BIT), (_LEXICAL, LEXICAL_BIT), (_GRAMMATICAL, GRAMMATICAL_BIT),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Alignment:
    """Pairs of gold and system words, and what the system got right about each.

    `to_system` and `to_gold` give each word's partner on the other side, or -1; `flags` says what
    is correct about a gold word's partner (a sum of constants of
    :mod:`treegauge.kernels.alignment`). `classes` are those of relations, of gold and of system words.
    """

    gold: Side
    system: Side
    to_system: Ints
    to_gold: Ints
    flags: npt.NDArray[np.uint16]
    classes: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]

    @cached_property
    def system_sentence(self) -> Ints:
        """For each system word, the gold sentence of its partner, or else where it starts.

        A token that crosses the end of a sentence may begin in one sentence and have its partners
        in the next.
        """
        counts = positions_per_sentence(self.gold, self.system.starts)
        sentences = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        partner = self.to_gold[self.to_gold >= 0]
        sentences[self.to_gold >= 0] = self.gold.treebank.sentence_of[partner]
        return sentences

    @property
    def signed(self) -> dict[str, str]:
        """The part of a signature that says what was aligned, and how it was read."""
        gold, system = self.gold.treebank, self.system.treebank
        policies = "+".join(sorted({gold.policy, system.policy}))
        return {"tb": gold.mark, "system": system.name, "errors": policies}

    def named(self, gold: str, system: str) -> "Alignment":
        """Return the same with other names of the two treebanks."""
        left, right = (
            side if side.treebank.name == name else replace(side, treebank=replace(side.treebank, name=name))
            for side, name in ((self.gold, gold), (self.system, system))
        )
        return replace(self, gold=left, system=right)

    def has(self, bit: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which gold and system words have a relation of the class with this bit."""
        gold, system = self.classes
        return (gold & bit) > 0, (system & bit) > 0

    def right(self, bits: int) -> npt.NDArray[np.bool_]:
        """Which gold words have all of these flags."""
        return np.asarray((self.flags & bits) == bits)


def positions_per_sentence(gold: Side, starts: Ints) -> npt.NDArray[np.int64]:
    """Count the positions (in ascending order) in each sentence.

    In loose alignment a position may be after the last character; it counts in the last sentence.
    """
    before = np.searchsorted(starts, gold.sentence_ends)
    before[-1:] = len(starts)
    return np.diff(before, prepend=0)


def align(gold: Treebank | Side, system: Treebank | Side) -> Alignment:
    r"""Align two segmentations of the same text.

    Words outside multiword tokens are partners if they cover the same characters; where a
    multiword token is involved, partners are found by the longest common subsequence of the
    lower-cased forms.

    Parameters
    ----------
    gold, system
        Treebanks with the same characters (ignoring spaces), or their segmentations.

    Raises
    ------
    MismatchError
        If the characters differ; the message shows where.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> gold = parse_conllu("1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    >>> align(gold, gold).to_system.tolist()
    [0]
    """
    left, right = (segmentation(one) if isinstance(one, Treebank) else one for one in (gold, system))
    if not np.array_equal(left.text, right.text):
        raise mismatch(left, right)
    gold, system = left.treebank, right.treebank
    to_system = np.full(len(gold.rows), -1, np.int32)
    to_gold = np.full(len(system.rows), -1, np.int32)
    stretches = _align.align(
        gold.raw, gold.fields, gold.rows, left.starts, left.ends, gold.multiword >= 0,
        system.raw, system.fields, system.rows, right.starts, right.ends, system.multiword >= 0,
        to_system, to_gold,
    )  # fmt: skip
    if len(stretches):
        forms = _lowered(gold, stretches[:, :2], system, stretches[:, 2:])
        _align.align_stretches(stretches, *forms, to_system, to_gold)
    return judge(left, right, to_system, to_gold)


def judge(gold: Side, system: Side, to_system: Ints, to_gold: Ints) -> Alignment:
    """Mark what is correct about the partner of each gold word."""
    sides = (gold.treebank, system.treebank)
    ours, theirs = [(tb.codes("deprel"), tb.codes("feats"), tb.parents) for tb in sides]
    full, _ = joint_codes(ours[0], theirs[0], str)
    universal, relations = joint_codes(ours[0], theirs[0], universal_relation)
    feats, _ = joint_codes(ours[1], theirs[1], universal_features)
    bits = np.array([sum(bit for members, bit in _CLASSES if name in members) for name in relations] or [0], np.uint8)
    classes = bits[universal[0]], bits[universal[1]]
    judged: Any = []
    for i, (tb, (_, _, parents)) in enumerate(zip(sides, (ours, theirs), strict=True)):
        judged += [tb.raw, tb.fields, tb.rows, parents, feats[i], universal[i], full[i]]
        judged.append((classes[i] & FUNCTIONAL_BIT) > 0)
    judged += [to_system, to_gold]
    return Alignment(gold, system, to_system, to_gold, _align.judge(*judged), classes)


def joint_codes(gold: Codes, system: Codes, normal: Callable[[str], str]) -> tuple[list[Ints], list[str]]:
    """Give equal values (after `normal`) equal codes on both sides; return these and the values."""
    values = [normal(value) for value in (*gold.values, *system.values)]
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    table, own = np.array([numbers[value] for value in values], np.int32), len(gold.values)
    sides = ((gold, table[:own]), (system, table[own:]))
    return [part[side.codes] if len(part) else side.codes for side, part in sides], list(numbers)


def _lowered(gold: Treebank, left: Ints, system: Treebank, right: Ints) -> tuple[Ints, Ints]:
    """Return codes of the lower-cased forms of the words in these ranges, 0 elsewhere.

    Spaces count inside multiword tokens only.
    """
    numbers: dict[str, int] = {}
    sides = []
    for treebank, stretches in ((gold, left), (system, right)):
        edges = np.zeros(treebank.n_words + 1, np.int8)
        edges[stretches[:, 0]] += 1
        edges[stretches[:, 1]] -= 1
        words = np.flatnonzero(np.cumsum(edges, dtype=np.int8))
        codes = np.empty(len(words), np.int32)
        firsts = _columns.encode(treebank.raw, treebank.fields, treebank.rows[words], NUMBER["form"], codes)
        values = [treebank.field(row, NUMBER["form"]) for row in firsts]
        inside, bare = (
            np.array([numbers.setdefault(v.lower(), len(numbers)) for v in texts], np.int32)
            for texts in (values, map(without_spaces, values))
        )
        forms = np.zeros(treebank.n_words, np.int32)
        forms[words] = np.where(treebank.multiword[words] < 0, bare[codes], inside[codes])
        sides.append(forms)
    return sides[0], sides[1]


def without_spaces(form: str) -> str:
    """Return a form without its spaces, which alignment ignores."""
    if form.isascii():
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")
