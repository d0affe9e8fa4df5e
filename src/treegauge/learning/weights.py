"""Weights of sources: KLcpos3 between tags of target and sources, and intervals of ratios."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.measures.registry import sentence_sums
from treegauge.measures.similarity import log_ratios, trigram_shortfall
from treegauge.statistics.student_intervals import jackknife
from treegauge.statistics.units import LEAST_UNITS, units_note
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

Floats = npt.NDArray[np.float64]
SENTENCES = 10
"""Default number of target sentences, as in the paper."""
EXPONENT = 4.0


class RatioEstimate(NamedTuple):
    """A ratio with its confidence interval; without limits if there are too few sentences."""

    value: float
    low: float | None
    high: float | None
    error: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether zero is outside the interval."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    def times(self, factor: float) -> "RatioEstimate":
        """Return the estimate in another unit, such as percent."""
        return RatioEstimate(*(None if part is None else factor * part for part in self))  # type: ignore[arg-type]

    @property
    def detectable(self) -> float | None:
        r"""The smallest difference that this number of sentences detects with a power of 0.8.

        .. math:: (t_{n-1} + z_{0.8}) \, s
        """
        if self.high is None or self.error is None:
            return None
        return self.high - self.value + 0.8416 * self.error

    def sentences_needed(self, seen: int) -> int | None:
        """Return the number of sentences that detect a difference of this size with a power of 0.8.

        The `seen` sentences are assumed to be typical. None if the difference is zero or its error
        is unknown.
        """
        if not self.value or self.detectable is None:
            return None
        return max(2, int(np.ceil(seen * (self.detectable / self.value) ** 2)))


def ratio_estimate(
    counts: npt.ArrayLike, words: npt.ArrayLike, *, level: float = 0.95, share: bool = False
) -> RatioEstimate:
    r"""Return the ratio of two sums over sentences with Student's interval.

    .. math:: r = \frac{\sum_i x_i}{\sum_i w_i}

    `counts` and `words` have one value per sentence, such as correct heads (or a difference of two
    parsers' correct heads) and words; sentences without words do not count. The interval is that of
    :func:`~treegauge.statistics.student_intervals.jackknife`, from ten sentences on; a `share`, such
    as a score, has it on the scale of log odds.

    Examples
    --------
    >>> correct, words = [8, 5, 9, 3, 7, 11, 6, 9, 17, 5], [10, 5, 12, 9, 7, 14, 8, 11, 20, 6]
    >>> score = ratio_estimate(correct, words, share=True)
    >>> print(f"{score.value:.3f} [{score.low:.2f}, {score.high:.2f}]")
    0.784 [0.65, 0.88]
    >>> ratio_estimate([3], [4])
    RatioEstimate(value=0.75, low=None, high=None, error=None)
    """
    if not 0 < level < 1:
        raise TreegaugeError(f"the level is {level:g}; expected a share between 0 and 1")
    x, w = np.asarray(counts, np.float64), np.asarray(words, np.float64)
    x, w = x[w > 0], w[w > 0]
    if not len(w):
        return RatioEstimate(float("nan"), None, None, None)
    if len(w) < LEAST_UNITS:
        return RatioEstimate(float(x.sum() / w.sum()), None, None, None)
    made = jackknife(np.stack([x, w], axis=1), lambda sums: sums[..., [0]] / sums[..., [1]], w)
    limits = (float(limit[0]) for limit in made.interval(level, share=share))
    low, high, error = (None if np.isnan(one) else one for one in (*limits, float(made.standard_error[0])))
    return RatioEstimate(float(made.value[0]), low, high, error)


@dataclass(frozen=True)
class WeighedSource:
    """One source compared with the target by tags: its KLcpos3 and the weight of its vote.

    `behind` is its divergence minus that of the closest source; None for the closest.
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
class SourceWeights(Result, kind="source weights"):
    """Sources with divergences from the target and weights of their votes, the closest first.

    Weights add up to 1; `level` is the joint confidence level of the intervals; `inflation` says by
    how many nats divergences are too large because the target has few words.
    """

    sources: tuple[WeighedSource, ...]
    sentences: int
    words: int
    level: float
    inflation: float
    signature: str
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
        rows: list[dict[str, Any]] = [
            {
                "source": source.name, "klcpos3": source.divergence, "weight": source.weight,
                "behind": source.behind and source.behind.value,
                "low": source.behind and source.behind.low,
                "high": source.behind and source.behind.high, "significant": source.significant,
            }
            for source in self.sources
        ]  # fmt: skip
        return make_table(rows)

    @property
    def advice(self) -> str:
        """A sentence on the closest source, and whether the result is significant."""
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
        """A note if one source has more than half of the weight."""
        top = max(self.sources, key=lambda source: source.weight)
        if len(self.sources) == 1 or top.weight <= 0.5:
            return None
        return f"{top.name} has more than half of the weight and decides every vote"

    @property
    def caution(self) -> str | None:
        """A note on the bias of divergences from few words, if it matters."""
        if self.inflation < 0.1:
            return None
        return (
            f"with only {self.words} words, KLcpos3 is too large by about {self.inflation:.1f} for "
            "every source; differences between sources are not affected, but more words would give "
            "less equal weights"
        )

    def json_fields(self) -> dict[str, Any]:
        """Return rows, advice, note, and the bias of divergences."""
        note = {"note": self.note} if self.note else {}
        found = {"advice": self.advice, "inflation": self.inflation}
        return super().json_fields() | found | note

    def own_text(self) -> str:
        """Return the table, the notes and the advice."""
        notes = [note for note in (self.note, self.caution) if note]
        return "\n".join([super().own_text(), *notes, self.advice])


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
        raise TreegaugeError("no source: give at least one")
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
    """Return the first sentences of the target; all if there are fewer or None is given."""
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
    r"""Weight sources by the similarity of their tag trigrams to those of a few target sentences.

    .. math::
        w_s \propto KL_s^{-4}, \quad
        KL_s = \sum_{t \in target} f_{tgt}(t) \ln \frac{f_{tgt}(t)}{f_{src}(t)}

    The target's entropy cancels in the difference of two divergences, which is a mean over words,
    :math:`KL_a - KL_b = \frac1N \sum_w \ln \frac{f_b(t_w)}{f_a(t_w)}`: sentences are compared in
    pairs. Intervals are Student's over sentences, with Bonferroni's correction for all pairs of
    sources, since the closest is not known beforehand. Trees are not used (Rosa and Žabokrtský
    2015).

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
        raise TreegaugeError("no source: give at least one")
    ratios = {name: log_ratios(looked, source) for name, source in sources.items()}
    divergences = {name: max(0.0, float(values.mean())) for name, values in ratios.items()}
    raw = inverse_weights([*divergences.values()], exponent=exponent).tolist()
    weights = dict(zip(sources, raw, strict=True))
    order = sorted(sources, key=divergences.__getitem__)
    gaps = {name: sentence_sums(values, looked) for name, values in ratios.items()}
    pairs = max(1, len(gaps) * (len(gaps) - 1) // 2)
    words = np.asarray(looked.lengths, np.float64)
    joint = 1 - (1 - level) / pairs
    weighed = []
    for place, name in enumerate(order):
        behind = ratio_estimate(gaps[name] - gaps[order[0]], words, level=joint) if place else None
        weighed.append(WeighedSource(name, divergences[name], weights[name], behind))
    signature = sign(
        target=looked.mark, sentences=len(looked), exponent=f"{exponent:g}", unseen=1,
        sources=source_marks(sources), ci=f"t@{level:g}/{pairs}", units="sentences",
    )  # fmt: skip
    short = [trigram_shortfall(source, looked.n_words) for source in sources.values()]
    inflation = float(np.mean(short))
    size = len(looked), looked.n_words
    marked = int(document_starts(looked).sum())
    compared = [units_note(len(looked), "sentences", level, marked)] if len(sources) > 1 else []
    return SourceWeights(tuple(weighed), *size, level, inflation, signature, unit_notes=tuple(compared))
