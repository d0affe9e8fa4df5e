"""Which sources to use for a target of which a handful of sentences have trees."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.crosslingual.intervals import Estimate, ratio
from treegauge.crosslingual.panel import Panel
from treegauge.crosslingual.scoring import OVERALL, word_groups
from treegauge.measures.counting import per_sentence
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.scoring.attachment import right_heads
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
Members = tuple[str, ...]
Choose = Callable[["Handful", npt.NDArray[np.bool_]], Members]


class Handful:
    """Right heads of any set of sources on a few gold sentences; every vote is held once."""

    def __init__(self, panel: Panel, gold: Treebank) -> None:
        order = sorted(range(len(panel.sources)), key=lambda i: -panel.weights[i])
        self.sources = tuple(panel.sources[i] for i in order)
        self.panel, self.gold = panel, gold
        self.mask = word_groups(gold)[OVERALL]
        self.words = per_sentence(self.mask, gold)
        self._known: dict[frozenset[str], Floats] = {}

    def right(self, members: Iterable[str]) -> Floats:
        """Return the number of right heads in each sentence."""
        chosen = frozenset(members)
        if chosen not in self._known:
            voters = [name for name in self.sources if name in chosen]
            right = right_heads(self.gold, self.panel.heads(voters)) & self.mask
            self._known[chosen] = per_sentence(right, self.gold)
        return self._known[chosen]


def every_source(handful: Handful, _: npt.NDArray[np.bool_]) -> Members:
    """Use all sources; nothing is chosen."""
    return handful.sources


def closest_source(handful: Handful, _: npt.NDArray[np.bool_]) -> Members:
    """Use the source of the largest weight, without a look at trees."""
    return handful.sources[:1]


def best_source(handful: Handful, seen: npt.NDArray[np.bool_]) -> Members:
    """Use the source that parses the sentences seen best; the heavier one of equals."""
    return (max(handful.sources, key=lambda name: handful.right([name])[seen].sum()),)


def greedy_sources(handful: Handful, seen: npt.NDArray[np.bool_]) -> Members:
    """Begin with the best source and add what helps most on the sentences seen, while it does."""
    chosen = list(best_source(handful, seen))
    while rest := [name for name in handful.sources if name not in chosen]:

        def with_one(name: str) -> float:
            return float(handful.right([*chosen, name])[seen].sum())

        best = max(rest, key=with_one)
        if with_one(best) <= handful.right(chosen)[seen].sum():
            break
        chosen.append(best)
    return tuple(chosen)


STRATEGIES: dict[str, Choose] = {
    "all": every_source,
    "closest": closest_source,
    "best": best_source,
    "greedy": greedy_sources,
}
"""How sources can be chosen; the first, which needs no trees, is what the others must beat."""


@dataclass(frozen=True)
class Strategy:
    """A way to choose sources and how it does.

    Attributes
    ----------
    name, sources
        What it is called, and what it chooses from all sentences at hand.
    uas
        On sentences it has not seen, in per cent.
    ahead
        How much more that is than with all sources, with its interval; None for all sources.
    """

    name: str
    sources: Members
    uas: Estimate
    ahead: Estimate | None


@dataclass(frozen=True)
class Selection(Result):
    """Ways to choose sources, scored on sentences they have not seen.

    Attributes
    ----------
    strategies
        In the order of :data:`STRATEGIES`.
    recommended
        The name of the one to use.
    sentences, words, level
        What there was to judge by, and the coverage of the intervals of differences together.
    """

    strategies: tuple[Strategy, ...]
    recommended: str
    sentences: int
    words: int
    level: float
    signature: str
    digits: ClassVar[int] = 1

    @property
    def sources(self) -> Members:
        """The sources recommended."""
        return next(one.sources for one in self.strategies if one.name == self.recommended)

    @property
    def table(self) -> "pl.DataFrame":
        """One row a strategy; `ahead` is how much better than with all sources it does."""
        import polars as pl

        rows: list[dict[str, Any]] = [
            {
                "strategy": one.name, "sources": " + ".join(one.sources),
                "held_out_uas": one.uas.value, "low": one.uas.low, "high": one.uas.high,
                "ahead": one.ahead and one.ahead.value,
                "ahead_low": one.ahead and one.ahead.low,
                "ahead_high": one.ahead and one.ahead.high,
                "recommended": one.name == self.recommended,
            }
            for one in self.strategies
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    @property
    def advice(self) -> str:
        """What to do, and whether the sentences could tell."""
        names = " + ".join(self.sources)
        seen = f"{self.sentences} sentences ({self.words} words)"
        compared = [one for one in self.strategies if one.ahead is not None]
        clear = [one for one in compared if one.ahead and one.ahead.excludes_zero]
        if self.recommended != self.strategies[0].name:
            return f"Use {names}: better than all sources, as far as {seen} can tell."
        if len(clear) == len(compared):
            return f"Use all sources ({names}): every other choice is worse."
        if all(one.ahead and not one.ahead.value and not one.ahead.error for one in compared):
            return f"Use all sources ({names}): no other choice changes anything on {seen}."
        text = f"Use all sources ({names}), weighted: {seen} cannot show that fewer do better"
        unseen = [one.ahead.detectable for one in compared if one.ahead and one.ahead.detectable]
        if unseen:
            text += f"; differences below about {max(unseen):.1f} points stay unseen"
        best = max(compared, key=lambda one: one.ahead.value if one.ahead else 0.0)
        needed = best.ahead and best.ahead.sentences_needed(self.sentences)
        if best.ahead and best.ahead.value > 0 and needed and needed > self.sentences:
            text += (
                f", and the {best.ahead.value:.1f} points of {best.name} "
                f"({' + '.join(best.sources)}) would take about {needed} sentences to prove"
            )
        return text + "."

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints."""
        return super().to_dict() | {"use": list(self.sources), "advice": self.advice}

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.advice}"


def select_sources(panel: Panel, gold: Treebank, *, level: float = 0.95) -> Selection:
    """Choose sources by a handful of gold trees, and judge the choice by trees not used for it.

    Each sentence in turn is held out; sources are chosen by the others (:data:`STRATEGIES`), and
    the held-out sentence is parsed by those. What is recommended is all sources, weighted, unless
    another way is better with an interval that excludes zero.

    Parameters
    ----------
    panel
        What the sources say of the sentences; weights are theirs.
    gold
        The sentences with their trees, two at least.
    level
        Coverage of the intervals, for the differences of all strategies together (Bonferroni).
        They are Student's over sentences; that choices made from nearly the same sentences are
        alike is not in them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(12, seed=1)
    >>> chain = gold.with_columns({"head": gold.positions - 1})
    >>> found = select_sources(Panel(("good", "bad"), (gold, chain), (0.4, 0.6)), gold)
    >>> found.recommended, found.sources
    ('best', ('good',))
    """
    if len(gold) < 2:
        raise TreegaugeError(
            f"{gold.name} has {len(gold)} sentences with trees; choosing by them needs 2 at least"
        )
    handful = Handful(panel, gold)
    everything = np.ones(len(gold), bool)
    pairs = len(STRATEGIES) - 1
    found: list[Strategy] = []
    full = handful.right(panel.sources)
    for name, choose in STRATEGIES.items():
        right = _held_out(handful, choose)
        ahead = ratio(right - full, handful.words, level=1 - (1 - level) / pairs).times(100)
        uas = ratio(right, handful.words, level=level).times(100)
        found.append(Strategy(name, choose(handful, everything), uas, ahead if found else None))
    better = [s for s in found[1:] if s.ahead and s.ahead.excludes_zero and s.ahead.value > 0]
    best = max(better, key=lambda one: one.uas.value, default=found[0])
    signature = sign(
        m="uas", tb=gold.mark, sentences=len(gold), sources=len(panel.sources),
        held_out="each", ci=f"t@{level:g}/{pairs}",
    )  # fmt: skip
    words = int(handful.mask.sum())
    return Selection(tuple(found), best.name, len(gold), words, level, signature)


def _held_out(handful: Handful, choose: Choose) -> Floats:
    right = np.zeros(len(handful.gold))
    for sentence in range(len(right)):
        seen = np.arange(len(right)) != sentence
        right[sentence] = handful.right(choose(handful, seen))[sentence]
    return right
