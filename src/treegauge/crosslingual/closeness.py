"""Sources in the order of their closeness, and how far a few sentences can tell them apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.crosslingual.intervals import Estimate, ratio
from treegauge.crosslingual.weights import EXPONENT, SENTENCES, handful, kl_weights, surprises
from treegauge.measures.counting import per_sentence
from treegauge.results.result import Result, countersign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Source:
    """One source as the target's tags see it.

    Attributes
    ----------
    name, divergence, weight
        KLcpos3 and the weight of its vote.
    behind
        How much more its divergence is than that of the closest, with its interval; None for that.
    """

    name: str
    divergence: float
    weight: float
    behind: Estimate | None

    @property
    def told_apart(self) -> bool | None:
        """Whether it is farther than the closest beyond doubt; None for the closest."""
        return self.behind and self.behind.excludes_zero


@dataclass(frozen=True)
class Closeness(Result):
    """Sources, the closest first.

    Attributes
    ----------
    sources
        In the order of KLcpos3.
    sentences, words, level
        What was looked at of the target, and the coverage of the intervals taken together.
    """

    sources: tuple[Source, ...]
    sentences: int
    words: int
    level: float
    signature: str
    digits: ClassVar[int] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """One row a source; `behind` is how much more its divergence is than the closest's."""
        import polars as pl

        rows: list[dict[str, Any]] = [
            {
                "source": one.name, "klcpos3": one.divergence, "weight": one.weight,
                "behind": one.behind and one.behind.value, "low": one.behind and one.behind.low,
                "high": one.behind and one.behind.high, "told_apart": one.told_apart,
            }
            for one in self.sources
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def advice(self) -> str:
        """What the sentences say of the sources, in words."""
        first, *others = self.sources
        seen = f"{self.sentences} sentence{'s' * (self.sentences != 1)} ({self.words} words)"
        if not others:
            return f"{first.name} is the only source."
        close = [one for one in others if not one.told_apart]
        if not close:
            return f"{first.name} is the closest source, and {seen} are enough to say so."
        names = ", ".join(one.name for one in close)
        text = f"{first.name} is closest, but {seen} cannot tell it from {names}"
        needed = close[0].behind and close[0].behind.sentences_needed(self.sentences)
        if needed is not None and needed > self.sentences:
            text += f"; about {needed} would"
            text += f" tell it from {close[0].name}" if len(close) > 1 else ""
        return text + "."

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints."""
        return super().to_dict() | {"advice": self.advice}

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.advice}"


def rank_sources(
    target: Treebank,
    sources: Mapping[str, Treebank],
    *,
    sentences: int | None = SENTENCES,
    exponent: float = EXPONENT,
    level: float = 0.95,
) -> Closeness:
    r"""Rank sources by KLcpos3, with intervals of their distances from the closest.

    The entropy of the target is in all divergences alike, so that the difference of two is a mean
    over words,

    .. math:: KL_a - KL_b = \frac1N \sum_w \ln \frac{f_b(t_w)}{f_a(t_w)}

    and sentences can be compared pair by pair, without the bias that a divergence has when it is
    estimated from little text. Intervals are Student's over sentences, widened so that those of
    all pairs of sources hold together (Bonferroni): the closest was not known beforehand.

    Parameters
    ----------
    target
        Tagged sentences of the target.
    sources
        Names and train parts of the sources.
    sentences, exponent
        As for :func:`treegauge.crosslingual.weights.kl_weights`.
    level
        Coverage of all intervals together.

    Examples
    --------
    >>> from treegauge.testing.synthetic import Grammar, synthetic
    >>> verb_last = synthetic(99, Grammar(basic_order="SOV"), seed=1)
    >>> sources = {"far": verb_last, "near": synthetic(99, seed=1)}
    >>> print(rank_sources(synthetic(40, seed=2), sources, sentences=40).advice)
    near is the closest source, and 40 sentences (590 words) are enough to say so.
    """
    weighed = kl_weights(target, sources, sentences=sentences, exponent=exponent)
    looked = handful(target, sentences)
    gaps = {
        name: per_sentence(surprises(looked, source), looked) for name, source in sources.items()
    }
    order = sorted(range(len(gaps)), key=lambda i: weighed.divergences[i])
    pairs = max(1, len(gaps) * (len(gaps) - 1) // 2)
    closest = gaps[weighed.sources[order[0]]]
    words = np.asarray(looked.lengths, np.float64)
    found = []
    for place, i in enumerate(order):
        name = weighed.sources[i]
        behind = ratio(gaps[name] - closest, words, level=1 - (1 - level) / pairs)
        found.append(
            Source(name, weighed.divergences[i], weighed.weights[i], behind if place else None)
        )
    signature = countersign(weighed.signature, ci=f"t@{level:g}/{pairs}")
    return Closeness(tuple(found), len(looked), looked.n_words, level, signature)
