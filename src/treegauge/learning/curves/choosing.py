"""Sentences to annotate next: those about which parsers trained on the treebank disagree."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError, check_whole
from treegauge.core.result import RowsResult, sign
from treegauge.core.tables import to_text
from treegauge.parsing.beam import BeamParser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = npt.NDArray[np.float64]
#: The number of parsers to compare, each trained on a bootstrap sample.
COMMITTEE = 4
#: The fixed cost of a sentence in words, so that one-word sentences do not rank highest.
OVERHEAD = 3
#: A word form that was chosen k times counts (1 + k) to the power of minus this.
REPETITION = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class ChosenSentences(RowsResult):
    """Sentences to annotate next, in the order of choice, each with its reason.

    `benefit` is the expected number of incorrect words per 100 words to annotate, discounted for
    word forms in earlier choices; `disagreement` the percentage of pairs of parsers that differ,
    averaged over words; `unknown` the number of words that are not in the training set.
    """

    notes: tuple[str, ...] = ()
    kind: ClassVar[str] = "sentences"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[int] = 1

    def own_text(self) -> str:
        """Return the table and the notes."""
        table = to_text(self.rows, digits=self.digits)
        return "\n".join([table, *(f"note: {note}" for note in self.notes), self.signature])


@dataclass(frozen=True, eq=False)
class CommitteeView:
    """The analyses of a committee of parsers: disagreement and a relation for each word.

    `uncertainty` is the share of pairs of parsers that differ in head or relation, `relation` the
    first parser's relation.
    """

    uncertainty: Floats
    relation: "Sequence[str]"


def training_set(sources: "Sequence[Any]") -> Treebank:
    """Return the training set of the given treebank: that of a folder, or the whole file."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks

    inputs = recognise_treebanks(sources) if sources else []
    if len(inputs) != 1:
        raise TreegaugeError(
            f"--sentences needs one treebank to train on; found {len(inputs)}: give a treebank "
            "folder, or one CoNLL-U file"
        )
    return inputs[0].read("train" if "train" in inputs[0].splits else None)


def committee_view(train: Treebank, pool: Treebank, *, seed: int = 0) -> CommitteeView:
    """Train beam parsers on bootstrap samples of a training set, and compare their parses."""
    random = np.random.default_rng(seed)
    heads, codes = list[npt.NDArray[np.int32]](), list[npt.NDArray[np.int64]]()
    numbers: dict[str, int] = {}
    relation = list[str]()
    for member in range(COMMITTEE):
        sample = train.take(np.sort(random.integers(len(train), size=len(train))))
        parsed = BeamParser().fit(sample, seed=seed + member).parse(pool)
        relation_codes, values = parsed.codes("deprel")
        names = [numbers.setdefault(universal_relation(v), len(numbers)) for v in values]
        heads.append(parsed.head)
        codes.append(np.array(names, np.int64)[relation_codes])
        relation = relation or [values[code] for code in relation_codes.tolist()]
    pairs = [(heads[a] != heads[b]) | (codes[a] != codes[b]) for a in range(COMMITTEE) for b in range(a)]
    return CommitteeView(np.mean(pairs, axis=0), relation)


def greedy_choice(
    pool: Treebank, uncertainty: Floats, number: int, *, allowed: npt.NDArray[np.bool_]
) -> tuple[list[int], list[float]]:
    r"""Choose sentences one by one; return their numbers and benefits.

    The benefit of a sentence is :math:`\sum_w u_w (1 + k_w)^{-1/4} / (n + 3)` over its n words,
    where u is the disagreement of parsers about a word and k how often its form was chosen before.
    """
    codes, values = pool.codes("form")
    lowered = {value: i for i, value in enumerate(dict.fromkeys(v.lower() for v in values))}
    forms = np.array([lowered[value.lower()] for value in values], np.int64)[codes]
    times = np.zeros(len(lowered))
    sentences, free = pool.sentence_of, allowed.copy()
    keys = sentence_keys(pool)
    chosen, benefits = list[int](), list[float]()
    while len(chosen) < number and free.any():
        worth = uncertainty * (1 + times[forms]) ** -REPETITION
        benefit = np.bincount(sentences, worth, len(pool)) / (pool.lengths + OVERHEAD)
        best = int(np.where(free, benefit, -1.0).argmax())
        chosen.append(best)
        benefits.append(float(benefit[best]))
        np.add.at(times, forms[pool.offsets[best] : pool.offsets[best + 1]], 1)
        free[keys == keys[best]] = False
    return chosen, benefits


def sentence_keys(treebank: Treebank) -> npt.NDArray[np.int64]:
    """Return equal numbers for sentences with the same words."""
    numbers: dict[tuple[str, ...], int] = {}
    keys = [numbers.setdefault(tuple(sentence.form), len(numbers)) for sentence in treebank]
    return np.array(keys, np.int64)


def next_sentences(train: Treebank, pool: Treebank, *, number: int, seed: int = 0) -> ChosenSentences:
    """Rank unannotated sentences by the expected benefit of annotating them.

    Parameters
    ----------
    train
        The annotated treebank.
    pool
        Sentences without trees, with tags (UPOS) as the parser would get them; trees are not used.
    number
        The number of sentences to choose.
    seed
        Seed of the committee of parsers.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> chosen = next_sentences(synthetic(9, seed=1), synthetic(6, seed=2), number=2)
    >>> len(chosen.rows), chosen.rows[0]["rank"]
    (2, 1)
    """
    check_whole("budget", number, 1)
    if not pool.n_words:
        raise TreegaugeError(f"{pool.name} has no words; expected sentences to choose from")
    if set(pool.codes("upos").values) <= {"_"}:
        raise TreegaugeError(
            f"{pool.name} has no UPOS; expected tagged sentences: treegauge tag TREEBANK FILE adds predicted tags"
        )
    known = {tuple(one.form) for one in train}
    allowed = np.array([tuple(one.form) not in known for one in pool]) & (pool.lengths > 0)
    notes = []
    if not allowed.all():
        notes.append(f"left out: {int((~allowed).sum())} sentences that are in the training set")
    view = committee_view(train, pool, seed=seed)
    chosen, benefits = greedy_choice(pool, view.uncertainty, number, allowed=allowed)
    if len(chosen) < number:
        notes.append(f"{len(chosen)} different sentences to choose from, {number} were requested")
    vocabulary = {form.lower() for form in train.codes("form").values}
    rows = [
        {"rank": rank, **_row(pool, view, vocabulary, sentence, benefit)}
        for rank, (sentence, benefit) in enumerate(zip(chosen, benefits, strict=True), 1)
    ]
    usual = 100 * float(view.uncertainty.mean())
    words = int(pool.lengths[chosen].sum())
    notes.append(f"{len(rows)} sentences, {words} words; parsers disagree on {usual:.1f} % in all sentences")
    signature = sign(m="sentences", train=train.mark, pool=pool.mark, committee=COMMITTEE, number=number, seed=seed)
    return ChosenSentences(rows, signature, notes=tuple(notes))


def _row(pool: Treebank, view: CommitteeView, vocabulary: set[str], sentence: int, benefit: float) -> dict[str, Any]:
    """Return the row of a chosen sentence, with its reason."""
    words = range(int(pool.offsets[sentence]), int(pool.offsets[sentence + 1]))
    forms = pool[sentence].form
    unknown = [form for form in forms if form.lower() not in vocabulary]
    doubtful = [word for word in words if view.uncertainty[word] > 0]
    relations = Counter(universal_relation(view.relation[word]) for word in doubtful)
    most = ", ".join(f"{name} {count}" for name, count in relations.most_common(3))
    reason = f"parsers disagree on {len(doubtful)} of {len(forms)} words ({most})"
    if unknown:
        shown = ", ".join(dict.fromkeys(unknown[:3]))
        reason += f"; not in the training set: {shown}{' ...' if len(unknown) > 3 else ''}"
    return {
        "sent_id": pool[sentence].id or str(sentence + 1),
        "words": len(forms),
        "benefit": 100 * benefit,
        "disagreement": 100 * float(view.uncertainty[words.start : words.stop].mean()),
        "unknown": len(unknown),
        "reason": reason,
    }
