"""Weights of sources: KLcpos3 between the part-of-speech tags of target and sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.crosslingual.scoring import RatioEstimate, ratio
from treegauge.measures.counting import need_column, need_words, per_sentence
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
SENTENCES = 10
"""Number of target sentences looked at by default, as in the paper."""
EXPONENT = 4.0


@dataclass(frozen=True)
class WeighedSource:
    """One source compared with the target by tags.

    Attributes
    ----------
    name, divergence, weight
        Its KLcpos3 and the weight of its vote.
    behind
        Its divergence minus that of the closest source, with its interval; None for the closest.
    """

    name: str
    divergence: float
    weight: float
    behind: RatioEstimate | None

    @property
    def significant(self) -> bool | None:
        """Whether it is significantly farther than the closest; None for the closest."""
        return self.behind and self.behind.excludes_zero


@dataclass(frozen=True)
class SourceWeights(Result):
    """Sources with divergences from the target and weights of their votes, the closest first.

    Attributes
    ----------
    sources
        In the order of KLcpos3; weights add up to 1.
    sentences, words, level
        What was looked at of the target, and the joint confidence level of the intervals.
    """

    sources: tuple[WeighedSource, ...]
    sentences: int
    words: int
    level: float
    signature: str
    kind: ClassVar[str] = "source weights"
    digits: ClassVar[int] = 3

    @property
    def weights(self) -> dict[str, float]:
        """Weights by name."""
        return {source.name: source.weight for source in self.sources}

    @property
    def divergences(self) -> dict[str, float]:
        """KLcpos3 by name."""
        return {source.name: source.divergence for source in self.sources}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per source; `behind` is the difference of its divergence from the closest's."""
        import polars as pl

        rows: list[dict[str, Any]] = [
            {
                "source": one.name, "klcpos3": one.divergence, "weight": one.weight,
                "behind": one.behind and one.behind.value, "low": one.behind and one.behind.low,
                "high": one.behind and one.behind.high, "significant": one.significant,
            }
            for one in self.sources
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def advice(self) -> str:
        """Which source is closest, and whether these sentences show it."""
        first, *others = self.sources
        seen = f"{self.sentences} sentence{'s' * (self.sentences != 1)} ({self.words} words)"
        if not others:
            return f"{first.name} is the only source."
        close = [source for source in others if not source.significant]
        if not close:
            return f"{first.name} is the closest source, and {seen} are enough to show it."
        names = ", ".join(source.name for source in close)
        text = f"{first.name} is closest, but {seen} do not distinguish it from {names}"
        needed = close[0].behind and close[0].behind.sentences_needed(self.sentences)
        if needed is not None and needed > self.sentences:
            text += f"; about {needed} would"
            text += f" distinguish it from {close[0].name}" if len(close) > 1 else ""
        return text + "."

    @property
    def note(self) -> str | None:
        """Which source decides alone, if one has more than half of the weight."""
        top = max(self.sources, key=lambda source: source.weight)
        if len(self.sources) == 1 or top.weight <= 0.5:
            return None
        return (
            f"{top.name} has more than half of the weight and decides every vote; a smaller "
            "exponent gives the other sources more weight"
        )

    def json_fields(self) -> dict[str, Any]:
        """Return rows, advice and note."""
        note = {"note": self.note} if self.note else {}
        return super().json_fields() | {"advice": self.advice} | note

    def own_text(self) -> str:
        """Return the table, the note and the advice."""
        return "\n".join([super().own_text(), *([self.note] if self.note else []), self.advice])


def trigrams(treebank: Treebank, place: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Code the trigram of tags around each word; 0 is the boundary of a sentence."""
    codes, values = treebank.codes("upos")
    own = np.array([place[value] for value in values], np.int64)[codes]
    before, after = np.zeros_like(own), np.zeros_like(own)
    before[1:], after[:-1] = own[:-1], own[1:]
    before[treebank.offsets[:-1]] = 0
    after[treebank.offsets[1:] - 1] = 0
    size = len(place) + 1
    return np.asarray((before * size + own) * size + after)


def log_ratios(target: Treebank, source: Treebank) -> Floats:
    r"""Return for each word of the target the log ratio of the frequencies of its tag trigram.

    .. math:: \ln \frac{f_{tgt}(t_w)}{f_{src}(t_w)}

    Their mean is KLcpos3 = KL(target || source), so sentences can be compared one by one. The
    trigram of a word is its UPOS with those before and after it, with one boundary mark before and
    after each sentence; a trigram that the source lacks counts once there.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> source, target = synthetic(50, seed=1), synthetic(10, seed=2)
    >>> bool(log_ratios(target, source).mean() > 0)
    True
    """
    for treebank in (target, source):
        need_words(treebank)
        need_column(treebank, "upos")
    names = sorted({*target.codes("upos").values, *source.codes("upos").values})
    place = {name: i for i, name in enumerate(names, 1)}
    ours, theirs = trigrams(target, place), trigrams(source, place)
    seen, which, uses = np.unique(ours, return_inverse=True, return_counts=True)
    known, counts = np.unique(theirs, return_counts=True)
    at = np.minimum(np.searchsorted(known, seen), len(known) - 1)
    matched = np.where(known[at] == seen, counts[at], 0)
    total = len(theirs) + int((matched == 0).sum())
    gaps = np.log(uses / len(ours)) - np.log(np.maximum(matched, 1) / total)
    return np.asarray(gaps[which.reshape(-1)])


def inverse_weights(divergences: Sequence[float], *, exponent: float = EXPONENT) -> Floats:
    r"""Return :math:`KL^{-e}`, scaled to add up to 1.

    Sources with a divergence of 0 get everything, in equal shares: the limit of the formula.

    Examples
    --------
    >>> inverse_weights([0.5, 1.0]).round(3).tolist(), inverse_weights([0, 1, 0]).tolist()
    ([0.941, 0.059], [0.5, 0.0, 0.5])
    """
    values = np.asarray(divergences, np.float64)
    if len(values) == 0:
        raise TreegaugeError("no source to weigh: give at least one")
    if not np.isfinite(exponent) or exponent < 0:
        raise TreegaugeError(f"the exponent is {exponent:g}; expected a number of at least 0")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise TreegaugeError(f"divergences are {values.tolist()}; expected numbers of at least 0")
    if exponent and (values == 0).any():
        raw = (values == 0).astype(np.float64)
    else:
        logs = -exponent * np.log(values) if exponent else np.zeros(len(values))
        raw = np.exp(logs - logs.max())
    return np.asarray(raw / raw.sum())


def first_sentences(target: Treebank, sentences: int | None = SENTENCES) -> Treebank:
    """Return the first sentences of the target; all if there are no more or None is given."""
    if sentences is not None and sentences < 1:
        raise TreegaugeError(f"{sentences} target sentences; expected at least 1")
    return target if sentences is None else target[:sentences]


def source_marks(sources: Mapping[str, Treebank]) -> str:
    """Return names and checksums of sources, as signatures show them."""
    marks = [f"{name}#{source.digest[:6]}" for name, source in sources.items()]
    digest = sha256(" ".join(marks).encode()).hexdigest()[:6]
    return "+".join(marks) if len(marks) < 5 else f"{len(marks)} sources#{digest}"


def weigh_sources(
    target: Treebank, sources: Mapping[str, Treebank], *, sentences: int | None = SENTENCES,
    exponent: float = EXPONENT, level: float = 0.95,
) -> SourceWeights:  # fmt: skip
    r"""Weigh sources by the similarity of their tag trigrams to those of a few target sentences.

    .. math::
        w_s \propto KL_s^{-4}, \quad
        KL_s = \sum_{t \in target} f_{tgt}(t) \ln \frac{f_{tgt}(t)}{f_{src}(t)}

    The target's entropy cancels in the difference of two divergences, which is a mean over words,
    :math:`KL_a - KL_b = \frac1N \sum_w \ln \frac{f_b(t_w)}{f_a(t_w)}`: sentences are compared in
    pairs. Intervals are Student's over sentences, with Bonferroni's correction for all pairs of
    sources, since the closest is not known beforehand.

    Parameters
    ----------
    target, sources
        Tagged sentences of the target, whose trees are not looked at, and training sets by name.
    sentences
        Number of target sentences, the first ones, that are counted; None: all.
    exponent, level
        The power, and the joint confidence level of the intervals.

    Notes
    -----
    Rosa and Žabokrtský (2015).

    Examples
    --------
    >>> from treegauge.testing.synthetic import Grammar, synthetic
    >>> verb_last = synthetic(99, Grammar(basic_order="SOV"), seed=1)
    >>> sources = {"far": verb_last, "near": synthetic(99, seed=1)}
    >>> print(weigh_sources(synthetic(40, seed=2), sources, sentences=40).advice)
    near is the closest source, and 40 sentences (590 words) are enough to show it.
    """
    looked = first_sentences(target, sentences)
    if not sources:
        raise TreegaugeError("no source to weigh: give at least one")
    ratios = {name: log_ratios(looked, source) for name, source in sources.items()}
    divergences = {name: max(0.0, float(values.mean())) for name, values in ratios.items()}
    weights = dict(
        zip(sources, inverse_weights([*divergences.values()], exponent=exponent), strict=True)
    )
    order = sorted(sources, key=divergences.__getitem__)
    gaps = {name: per_sentence(values, looked) for name, values in ratios.items()}
    pairs = max(1, len(gaps) * (len(gaps) - 1) // 2)
    words = np.asarray(looked.lengths, np.float64)
    joint = 1 - (1 - level) / pairs
    weighed = []
    for place, name in enumerate(order):
        behind = ratio(gaps[name] - gaps[order[0]], words, level=joint) if place else None
        weighed.append(WeighedSource(name, divergences[name], float(weights[name]), behind))
    signature = sign(
        target=looked.mark, sentences=len(looked), exponent=f"{exponent:g}", unseen=1,
        sources=source_marks(sources), ci=f"t@{level:g}/{pairs}",
    )  # fmt: skip
    return SourceWeights(tuple(weighed), len(looked), looked.n_words, level, signature)
