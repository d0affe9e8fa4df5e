"""How much each source's vote counts: KLcpos3 between the target's and the sources' tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.measures.counting import need_column, need_words
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
SENTENCES = 10
"""How many target sentences are looked at unless said otherwise, as in the paper."""
EXPONENT = 4.0


@dataclass(frozen=True)
class Weights(Result):
    """Sources with their divergences from the target and the weights of their votes.

    Attributes
    ----------
    sources, divergences, weights
        One entry a source, in the order given; weights add up to 1.
    sentences, words
        What was looked at of the target.
    """

    sources: tuple[str, ...]
    divergences: tuple[float, ...]
    weights: tuple[float, ...]
    sentences: int
    words: int
    signature: str
    digits: ClassVar[int] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row a source, the closest first."""
        import polars as pl

        columns = {"source": self.sources, "klcpos3": self.divergences, "weight": self.weights}
        return pl.DataFrame(columns).sort("klcpos3", maintain_order=True)

    @property
    def note(self) -> str | None:
        """Who decides alone, if anyone: a source with more than half of the weight."""
        top = max(range(len(self.weights)), key=self.weights.__getitem__)
        if len(self.weights) == 1 or self.weights[top] <= 0.5:
            return None
        return (
            f"{self.sources[top]} has more than half of the weight: no vote can go against it; a "
            "smaller exponent would let the others speak"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints."""
        return super().to_dict() | ({"note": self.note} if self.note else {})

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *([self.note] if self.note else [])])


def trigrams(treebank: Treebank, place: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Code the trigram of tags around each word; 0 stands beyond the ends of a sentence."""
    codes, values = treebank.codes("upos")
    own = np.array([place[value] for value in values], np.int64)[codes]
    before, after = np.zeros_like(own), np.zeros_like(own)
    before[1:], after[:-1] = own[:-1], own[1:]
    before[treebank.offsets[:-1]] = 0
    after[treebank.offsets[1:] - 1] = 0
    size = len(place) + 1
    return np.asarray((before * size + own) * size + after)


def surprises(target: Treebank, source: Treebank) -> Floats:
    r"""Return for each word of the target how much more its trigram of tags is used there.

    .. math:: \ln \frac{f_{tgt}(t_w)}{f_{src}(t_w)}

    Their mean is KLcpos3 = KL(target || source), so that sentences can be compared one by one. The
    trigram of a word is its own UPOS with those before and after it, one boundary mark standing
    before and after each sentence; trigrams of the target that the source lacks count once there.

    Examples
    --------
    >>> from treegauge.measures.similarity import klcpos3
    >>> from treegauge.testing.synthetic import synthetic
    >>> source, target = synthetic(50, seed=1), synthetic(10, seed=2)
    >>> bool(np.isclose(surprises(target, source).mean(), klcpos3(source, target)))
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
    found = np.where(known[at] == seen, counts[at], 0)
    total = len(theirs) + int((found == 0).sum())
    gaps = np.log(uses / len(ours)) - np.log(np.maximum(found, 1) / total)
    return np.asarray(gaps[which.reshape(-1)])


def inverse_weights(divergences: Sequence[float], *, exponent: float = EXPONENT) -> Floats:
    r"""Return :math:`KL^{-e}`, scaled to add up to 1.

    Sources at no distance at all take everything, in equal shares: the limit of the formula.

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


def handful(target: Treebank, sentences: int | None = SENTENCES) -> Treebank:
    """Return the first sentences of the target, all if there are no more or None is given."""
    if sentences is not None and sentences < 1:
        raise TreegaugeError(f"{sentences} target sentences; expected at least 1")
    return target if sentences is None else target[:sentences]


def kl_weights(
    target: Treebank,
    sources: Mapping[str, Treebank],
    *,
    sentences: int | None = SENTENCES,
    exponent: float = EXPONENT,
) -> Weights:
    r"""Weigh sources by how alike their trigrams of tags are to those of a few target sentences.

    .. math::
        w_s \propto KL_s^{-4}, \quad
        KL_s = \sum_{t \in target} f_{tgt}(t) \ln \frac{f_{tgt}(t)}{f_{src}(t)}

    Parameters
    ----------
    target
        Tagged sentences of the target; trees are not looked at.
    sources
        Names and train parts of the sources, all of which is counted.
    sentences
        How many target sentences, the first ones, are counted; None: all.
    exponent
        What the divergence is raised to, negated; 0 gives all sources the same weight.

    Notes
    -----
    Rosa and Žabokrtský (2015). Trigrams have one boundary mark before and after each sentence;
    those of the target that a source lacks count once in the source.

    Examples
    --------
    >>> from treegauge.testing.synthetic import Grammar, synthetic
    >>> verb_last = synthetic(99, Grammar(basic_order="SOV"), seed=1)
    >>> sources = {"near": synthetic(99, seed=1), "far": verb_last}
    >>> kl_weights(synthetic(10, seed=2), sources).table["source"].to_list()
    ['near', 'far']
    """
    looked = handful(target, sentences)
    if not sources:
        raise TreegaugeError("no source to weigh: give at least one")
    values = [max(0.0, float(surprises(looked, source).mean())) for source in sources.values()]
    return Weights(
        tuple(sources), tuple(values), tuple(inverse_weights(values, exponent=exponent).tolist()),
        len(looked), looked.n_words,
        sign(
            target=looked.mark, sentences=len(looked), exponent=f"{exponent:g}", unseen=1,
            sources=len(sources),
        ),
    )  # fmt: skip
