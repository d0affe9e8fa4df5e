"""Delexicalised parsers of several sources, and the trees that they vote for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.experiments.tasks import Task
from treegauge.learning.weights import RatioEstimate, ratio_estimate
from treegauge.measures.registry import sentence_sums
from treegauge.parsing.base import Model, Parser, Probabilistic
from treegauge.parsing.registry import find_parser, fit_parser, known_parsers, make_parser
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.metrics.word_metrics import align_trees, find_word_metric, metric_words
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.decoding import Floats, Shares, vote_trees

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Panel:
    """The predictions of the sources for the target; `shares` are their head probabilities."""

    sources: tuple[str, ...]
    parses: tuple[Treebank, ...]
    weights: tuple[float, ...]
    shares: Shares | None = None

    def vote(self, sources: Sequence[str] | None = None) -> Treebank:
        """Return the target with the trees that the given sources, or all, vote for."""
        chosen = self.sources if sources is None else sources
        for name in chosen:
            if name not in self.sources:
                raise ChoiceError("source", name, self.sources)
        members = [self.sources.index(name) for name in chosen]
        weights = [self.weights[i] for i in members]
        shares = None if self.shares is None else [self.shares[i] for i in members]
        # Sources of weight 0 get equal weights if all others are left out.
        weights = weights if any(weights) else [1.0] * len(weights)
        return vote_trees([self.parses[i] for i in members], weights, shares=shares)


def panel(
    target: Treebank, models: Mapping[str, Model], weights: Mapping[str, float], *, probabilities: bool = False
) -> Panel:
    """Parse the target with every source's model; its own heads are not used.

    With `probabilities`, trees are chosen by pooled head probabilities instead of votes.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> parser = delexicalised("mst", epochs=2, bits=14)
    >>> models = train_sources({"a": synthetic(20, seed=1), "b": synthetic(20, seed=2)}, parser)
    >>> asked = panel(synthetic(5, seed=3), models, {"a": 0.7, "b": 0.3})
    >>> len(asked.vote()), asked.vote(["b"]) == asked.parses[1]
    (5, True)
    """
    if not models:
        raise TreegaugeError("no source: give at least one")
    shares: list[Sequence[Floats]] = []
    for name, model in models.items() if probabilities else ():
        if not isinstance(model, Probabilistic):
            raise TreegaugeError(
                f"the model of {name} gives no head probabilities; use votes, or train a parser "
                "that has them, such as mst"
            )
        shares.append(model.head_probabilities(target))
    return Panel(
        tuple(models), tuple(model.parse(target) for model in models.values()),
        tuple(weights[name] for name in models), shares if probabilities else None,
    )  # fmt: skip


def delexicalised(parser: str = "beam", **options: Any) -> Parser:
    """Return a delexicalised parser: one that reads tags and no words (option ``lexical``).

    Examples
    --------
    >>> delexicalised("mst", epochs=3).options.lexical
    False
    >>> delexicalised("udpipe")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.ChoiceError: unknown delexicalised parser 'udpipe'; choices: beam, mst
    """
    find_parser(parser)
    able = [
        name for name, entry in known_parsers().items() if "lexical" in {field.name for field in fields(entry.options)}
    ]
    if parser not in able:
        raise ChoiceError("delexicalised parser", parser, able)
    if options.get("lexical"):
        raise TreegaugeError(
            "lexical=true makes a parser see words, which other languages do not share; transfer "
            "trains without them: leave the option out"
        )
    return make_parser(parser, **(options | {"lexical": False}))


def train_sources(
    sources: Mapping[str, Treebank], parser: Parser, *, seed: int = 0, limit: int | None = None
) -> dict[str, Model]:
    """Train a parser on each source, or on its first `limit` sentences."""
    if limit is not None and limit < 1:
        raise TreegaugeError(f"the limit is {limit} sentences; expected at least 1")
    models = {}
    with progress("sources", len(sources)) as task:
        for name, train in sources.items():
            models[name] = fit_parser(parser, train if limit is None else train[:limit], seed=seed)
            task.advance()
    return models


def transfer_cell(cell: Cell) -> Outcome:
    """Train a parser without words on the source and parse the target; a task of ``run``."""
    from treegauge.scoring.metrics.word_metrics import correct_trees

    extra = cell.extra
    train = cell.read("train", treebank=extra["source"], errors=extra["errors"])
    target = cell.read(extra["split"], errors=extra["errors"])
    target = target[: extra["sentences"]] if extra["sentences"] else target
    parser = delexicalised(cell.parser, **{**cell.options, "lexical": False})
    trees = fit_parser(parser, train[: extra["limit"] or None], seed=cell.seed).parse(target)
    scores: dict[str, Scalar] = {}
    if (target.head >= 0).all():
        correct = correct_trees(target, trees.head, trees["deprel"])
        scores = {metric: correct.score(metric) for metric in ("UAS", "LAS")}
    return Outcome(scores, parse_table(trees))


TRANSFER = Task(
    "transfer", "train a parser without words on another treebank, parse the test set",
    "treegauge.learning.source_panel:transfer_cell", ("test",), parser=True, sized=False,
    parameters={"limit": 0, "split": "test", "sentences": 0, "errors": "strict"},
    required=("source",), treebanks=("source",), redraws=False,
)  # fmt: skip


Members = tuple[str, ...]
Choose = Callable[["Handful", npt.NDArray[np.bool_]], Members]


class Handful:
    """Correct words of any set of sources on a few gold sentences; votes are cached."""

    def __init__(self, panel: Panel, gold: Treebank, metric: str, convention: Convention) -> None:
        order = sorted(range(len(panel.sources)), key=lambda i: -panel.weights[i])
        self.sources = tuple(panel.sources[i] for i in order)
        self.panel, self.gold, self.metric, self.convention = panel, gold, metric, convention
        exact = align_trees(gold, gold.head, gold["deprel"])
        self.mask = metric_words(metric, exact, convention).gold
        self.words = sentence_sums(self.mask, gold)
        self._known: dict[frozenset[str], Floats] = {}

    def correct(self, members: Iterable[str]) -> Floats:
        """Return the number of correct words in each sentence."""
        chosen = frozenset(members)
        if chosen not in self._known:
            parse = self.panel.vote([name for name in self.sources if name in chosen])
            aligned = align_trees(self.gold, parse.head, parse["deprel"])
            correct = metric_words(self.metric, aligned, self.convention).correct
            self._known[chosen] = sentence_sums(correct, self.gold)
        return self._known[chosen]


def best_source(handful: Handful, seen: npt.NDArray[np.bool_]) -> Members:
    """Return the source that parses the `seen` sentences best; ties go to the larger weight."""
    return (max(handful.sources, key=lambda name: handful.correct([name])[seen].sum()),)


def greedy_sources(handful: Handful, seen: npt.NDArray[np.bool_]) -> Members:
    """Return the best source, extended by the source that helps most, as long as one does."""
    chosen = list(best_source(handful, seen))
    while rest := [name for name in handful.sources if name not in chosen]:

        def with_one(name: str) -> float:
            return float(handful.correct([*chosen, name])[seen].sum())

        best = max(rest, key=with_one)
        if with_one(best) <= handful.correct(chosen)[seen].sum():
            break
        chosen.append(best)
    return tuple(chosen)


STRATEGIES: dict[str, Choose] = {
    "all": lambda handful, _: handful.sources,
    "closest": lambda handful, _: handful.sources[:1],  # the largest weight
    "best": best_source,
    "greedy": greedy_sources,
}
"""Selection strategies by name; the first, which needs no trees, is the baseline."""


@dataclass(frozen=True)
class Strategy:
    """A selection strategy, its choice given all sentences, and its held-out score.

    `ahead` is that score minus the one with all sources; None for all sources.
    """

    name: str
    sources: Members
    score: RatioEstimate
    ahead: RatioEstimate | None


@dataclass(frozen=True)
class SourceSelection(Result):
    """Selection strategies, scored in percent on held-out sentences."""

    strategies: tuple[Strategy, ...]
    recommended: str
    metric: str
    sentences: int
    words: int
    level: float
    signature: str
    kind: ClassVar[str] = "source selection"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[int] = 1

    @property
    def sources(self) -> Members:
        """The sources recommended."""
        return next(strategy.sources for strategy in self.strategies if strategy.name == self.recommended)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per strategy; `ahead` is the difference from all sources."""
        rows: list[dict[str, Any]] = [
            {
                "strategy": strategy.name, "sources": " + ".join(strategy.sources),
                "metric": self.metric, "held_out": strategy.score.value, "low": strategy.score.low,
                "high": strategy.score.high, "ahead": strategy.ahead and strategy.ahead.value,
                "ahead_low": strategy.ahead and strategy.ahead.low,
                "ahead_high": strategy.ahead and strategy.ahead.high,
                "recommended": strategy.name == self.recommended,
            }
            for strategy in self.strategies
        ]  # fmt: skip
        return make_table(rows).fill_nan(None)

    @property
    def advice(self) -> str:
        """Advice on the sources to use, and whether the differences are significant."""
        names = " + ".join(self.sources)
        sample = f"{self.sentences} sentences ({self.words} words)"
        compared = [(strategy, strategy.ahead) for strategy in self.strategies if strategy.ahead is not None]
        clear = [ahead for _, ahead in compared if ahead.excludes_zero]
        if self.recommended != self.strategies[0].name:
            return f"Use {names}: significantly better than all sources on {sample}."
        if len(clear) == len(compared):
            return f"Use all sources ({names}): every other choice is worse."
        if not any(ahead.value or ahead.error for _, ahead in compared):
            return f"Use all sources ({names}): no other choice changes anything on {sample}."
        text = f"Use all sources ({names}), weighted: {sample} do not show that fewer are better"
        unseen = [ahead.detectable for _, ahead in compared if ahead.detectable]
        if unseen:
            text += f"; differences below about {max(unseen):.1f} points are not detectable"
        best, ahead = max(compared, key=lambda pair: pair[1].value)
        needed = ahead.sentences_needed(self.sentences)
        if ahead.value > 0 and needed and needed > self.sentences:
            text += (
                f", and about {needed} sentences are needed to show the {ahead.value:.1f} points "
                f"of {best.name} ({' + '.join(best.sources)})"
            )
        return text + "."

    def json_fields(self) -> dict[str, Any]:
        """Return rows, sources to use and advice."""
        return super().json_fields() | {"use": list(self.sources), "advice": self.advice}

    def own_text(self) -> str:
        """Return the table and the advice."""
        return f"{super().own_text()}\n{self.advice}"


def select_sources(
    panel: Panel, gold: Treebank, *, metric: str = "LAS", convention: Convention = OFFICIAL, level: float = 0.95
) -> SourceSelection:
    """Select sources by a few gold trees, and score the selection on held-out trees.

    Each sentence in turn is held out; sources are chosen by the others (:data:`STRATEGIES`), and
    the held-out sentence is parsed by those. All sources, weighted, are recommended, unless
    another strategy is better with an interval that excludes zero.

    At least two sentences are needed. `level` is the joint confidence level of the intervals of
    differences (Bonferroni). They are Student's over sentences, and ignore that choices from nearly
    the same sentences are correlated.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(12, seed=1)
    >>> chain = gold.with_columns({"head": gold.positions - 1})
    >>> result = select_sources(Panel(("good", "bad"), (gold, chain), (0.4, 0.6)), gold)
    >>> result.recommended, result.sources
    ('best', ('good',))
    """
    if len(gold) < 2:
        raise TreegaugeError(f"{gold.name} has {len(gold)} sentences with trees; choosing by them needs at least 2")
    metric = find_word_metric(metric)
    handful = Handful(panel, gold, metric, convention)
    everything = np.ones(len(gold), bool)
    pairs = len(STRATEGIES) - 1
    strategies: list[Strategy] = []
    full = handful.correct(panel.sources)
    for name, choose in STRATEGIES.items():
        held_out = [handful.correct(choose(handful, seen))[~seen] for seen in ~np.eye(len(gold), dtype=bool)]
        correct = np.concatenate(held_out)
        ahead = ratio_estimate(correct - full, handful.words, level=1 - (1 - level) / pairs).times(100)
        score = ratio_estimate(correct, handful.words, level=level, share=True).times(100)
        chosen = choose(handful, everything)
        strategies.append(Strategy(name, chosen, score, ahead if strategies else None))
    better = [s for s in strategies if s.ahead and s.ahead.excludes_zero and s.ahead.value > 0]
    best = max(better, key=lambda strategy: strategy.score.value, default=strategies[0])
    label = metric_label(metric, convention)
    signature = sign(
        m=label, tb=gold.mark, sentences=len(gold), held_out="each", ci=f"t@{level:g}/{pairs}", units="sentences"
    )
    words = int(handful.mask.sum())
    return SourceSelection(tuple(strategies), best.name, label, len(gold), words, level, signature)
