"""Probabilities that a system writes with its trees, and whether each prediction is correct.

A word's MISC has ``HeadProb``, the probability that its head is correct, and ``DeprelProb``, the
probability that its relation is correct if its head is. The comment ``# tree_prob = 0.1234`` is the
probability that all heads and relations of a sentence are correct.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.classes.class_tests import unit_numbers
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import CorrectWords, Mask, correct_words
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.units import UnitKind
from treegauge.treebanks.data.columns import NUMBER, Treebank

HEAD, RELATION, TREE = "HeadProb", "DeprelProb", "tree_prob"
_FIELDS = {name: re.compile(rf"(?:^|\|){name}=([^|]*)") for name in (HEAD, RELATION)}
_HINT = f"expected {HEAD}=0.9312|{RELATION}=0.9720 in MISC, as treegauge parse --confidence writes"
_RANGE = "expected a number from 0 to 1"

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Probabilities:
    """A system's probabilities for each word's head and relation and each sentence's tree.

    Words that do not count and have no probability are NaN; `trees` is None if the file has none.
    """

    heads: FloatArray
    relations: FloatArray
    trees: FloatArray | None

    @property
    def arcs(self) -> FloatArray:
        """The probability of each labelled arc."""
        return self.heads * self.relations


class Event(NamedTuple):
    """Predictions of one kind: probability, whether correct, and unit of each."""

    probabilities: FloatArray
    outcomes: Mask
    units: Ints


class SentenceConfidence(NamedTuple):
    r"""One entry per gold sentence with words that count.

    `correct` and `words` are the :math:`2c` and :math:`g + s` of F1; the confidence is the mean
    probability of the labelled arcs of the system's words.
    """

    confidence: FloatArray
    correct: FloatArray
    words: FloatArray


def has_probabilities(treebank: Treebank) -> bool:
    """Whether any word of a treebank has a head probability."""
    return any(_FIELDS[HEAD].search(value) for value in treebank.codes("misc").values)


def read_probabilities(treebank: Treebank, needed: Mask | None = None, *, file: str | None = None) -> Probabilities:
    r"""Read the probabilities of a system's words and sentences.

    Parameters
    ----------
    treebank
        The output of a system.
    needed
        The words that need probabilities; all by default.
    file
        Name of the file in messages; the treebank's name by default.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> row = "1\tGo\t_\tX\t_\t_\t0\troot\t_\tHeadProb=0.9|DeprelProb=0.5\n\n"
    >>> made = read_probabilities(parse_conllu(f"# tree_prob = 0.45\n{row}"))
    >>> made.arcs.tolist(), made.trees.tolist()
    ([0.45], [0.45])
    """
    file = file or treebank.name
    needed = np.ones(treebank.n_words, bool) if needed is None else needed
    if not has_probabilities(treebank):
        raise TreegaugeError(f"{file}: no word has a head probability; {_HINT}")
    heads, relations = (_column(treebank, name, needed, file) for name in (HEAD, RELATION))
    return Probabilities(heads, relations, _trees(treebank, file))


def _column(treebank: Treebank, name: str, needed: Mask, file: str) -> FloatArray:
    """Read one probability per word; each distinct value of MISC is parsed once."""
    codes, values = treebank.codes("misc")
    matches = [_FIELDS[name].findall(value) for value in values]
    numbers = np.array([_number(each[0]) if len(each) == 1 else np.nan for each in matches])
    known = np.array([bool(each) for each in matches])[codes]
    probabilities = np.asarray(numbers[codes], np.float64)
    bad = known & ~((probabilities >= 0) & (probabilities <= 1))
    for word in np.flatnonzero(bad)[:1].tolist():
        listed = matches[codes[word]]
        if len(listed) > 1:
            raise TreegaugeError(f"{_place(treebank, word, file)} has {name} twice; expected once")
        raise TreegaugeError(f"{_place(treebank, word, file)} has {name}={listed[0]}; {_RANGE}")
    lacking = np.flatnonzero(needed & ~known)
    for word in lacking[:1].tolist():
        raise TreegaugeError(
            f"{_place(treebank, word, file)} has no {name} ({len(lacking)} of {int(needed.sum())} "
            f"words have none); {_HINT}"
        )
    return probabilities


def _trees(treebank: Treebank, file: str) -> FloatArray | None:
    texts = treebank.metadata(TREE)
    if not any(text is not None for text in texts):
        return None
    numbers = np.array([math.nan if text is None else _number(text) for text in texts])
    for sentence in np.flatnonzero(~((numbers >= 0) & (numbers <= 1)))[:1].tolist():
        row = int(treebank.row_offsets[sentence])
        named = treebank[sentence].id
        where = f"{file}:{treebank.line(row)}: sentence {named or sentence + 1}"
        if texts[sentence] is None:
            raise TreegaugeError(f"{where} has no '# {TREE} = ...'; expected it in all sentences or in none")
        raise TreegaugeError(f"{where} has '# {TREE} = {texts[sentence]}'; {_RANGE}")
    return numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _place(treebank: Treebank, word: int, file: str) -> str:
    row = int(treebank.rows[word])
    form = treebank.field(row, NUMBER["form"])
    return f"{file}:{treebank.line(row)}: word {int(treebank.positions[word])} ({form!r})"


class Confidence:
    """A system's probabilities and what is correct, under a convention.

    The words are the system's words that count in LAS: a word without a partner in gold has a
    probability and is incorrect. A gold word without a partner has no probability.
    """

    def __init__(
        self, alignment: Alignment, convention: Convention = OFFICIAL, *,
        units: UnitKind = "sentences", file: str | None = None,
    ) -> None:  # fmt: skip
        self.alignment = alignment
        self.words: CorrectWords = correct_words(alignment, convention)
        self.probabilities = read_probabilities(alignment.system.treebank, self.words.system, file=file)
        self._units = unit_numbers(alignment.gold.treebank, units)

    @property
    def number_of_units(self) -> int:
        """The number of sentences or documents in gold."""
        return int(self._units.max(initial=-1)) + 1

    def _of_system(self, correct: Mask) -> Mask:
        """Return which system words have a partner among these gold words."""
        partner = self.alignment.to_gold
        return np.asarray((partner >= 0) & np.append(correct, False)[partner])

    def events(self) -> Iterator[tuple[str, Event]]:
        """Yield heads, relations of words with a correct head, labelled arcs and trees."""
        read, scored = self.probabilities, self.words.system
        units = self._units[self.alignment.system_sentence]
        heads = self._of_system(self.words.heads)
        arcs = self._of_system(self.words.relations)
        for name, probabilities, outcomes, cases in (
            ("head", read.heads, heads, scored),
            ("relation", read.relations, arcs, scored & heads),
            ("arc", read.arcs, arcs, scored),
        ):
            yield name, Event(probabilities[cases], outcomes[cases], units[cases])
        if read.trees is not None:
            treebank = self.alignment.system.treebank
            nonempty = np.flatnonzero(treebank.lengths)
            first = treebank.offsets[nonempty]
            yield ("tree", Event(read.trees[nonempty], self._correct_trees(arcs)[nonempty], units[first]))

    def _correct_trees(self, arcs: Mask) -> Mask:
        """Return which system sentences are gold sentences with all words and arcs correct."""
        gold, system = self.alignment.gold, self.alignment.system
        ours, theirs = gold, system
        twin = np.searchsorted(ours.sentence_ends, theirs.sentence_ends)
        twin = np.minimum(twin, len(ours.sentence_ends) - 1)
        same = (ours.sentence_ends[twin] == theirs.sentence_ends) & (
            ours.sentence_starts[twin] == theirs.sentence_starts
        )
        lost = self.words.gold & ~self.words.relations
        wrong = self.words.system & ~arcs
        missed = np.bincount(gold.treebank.sentence_of[lost], minlength=len(gold.treebank))
        failed = np.bincount(system.treebank.sentence_of[wrong], minlength=len(system.treebank))
        return np.asarray(same & (missed[twin] == 0) & (failed == 0))

    def sentences(self) -> SentenceConfidence:
        """Return the confidence and the number of correct words of gold sentences."""
        alignment, words = self.alignment, self.words
        number = len(alignment.gold.treebank)
        gold = alignment.gold.treebank.sentence_of
        system = alignment.system_sentence[words.system]
        arcs = self.probabilities.arcs[words.system]
        counted = np.bincount(system, minlength=number)
        sums = np.bincount(system, arcs, number)
        correct = np.bincount(gold[words.relations], minlength=number)
        total = counted + np.bincount(gold[words.gold], minlength=number)
        confidence = np.divide(sums, counted, out=np.zeros(number), where=counted > 0)
        scored = total > 0
        counts = ((2 * correct)[scored].astype(np.float64), total[scored].astype(np.float64))
        return SentenceConfidence(confidence[scored], *counts)
