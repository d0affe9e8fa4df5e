"""Delexicalised parsers of several sources, and the trees that they vote for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.experiments.tasks import Task
from treegauge.parsing.base import Model, OnEpoch, Parser, Probabilistic
from treegauge.parsing.registry import find_parser, fit_parser, make_parser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.decoding import Floats, Shares, vote_trees
from treegauge.treebanks.sources.files import Source


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


def without_words(treebank: Treebank) -> Treebank:
    """Return a treebank whose words are all ``_``; tags and trees stay.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> set(without_words(synthetic(3, seed=1))["form"])
    {'_'}
    """
    return treebank.with_columns({name: ["_"] * treebank.n_words for name in ("form", "lemma", "xpos", "feats")})


@dataclass(frozen=True, eq=False)
class _BlindModel:
    """A model that sees no words."""

    model: Model

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the model's trees."""
        trees = self.model.parse(without_words(treebank))
        return treebank.with_columns({"head": trees.head, "deprel": trees["deprel"].to_list()})

    def save(self, path: Source) -> None:
        """Write the model."""
        self.model.save(path)


@dataclass(frozen=True, eq=False)
class _BlindParser:
    """A parser that sees no words, in training and in parsing."""

    parser: Parser

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> _BlindModel:
        """Learn from tags and trees."""
        held = None if dev is None else without_words(dev)
        return _BlindModel(fit_parser(self.parser, without_words(train), held, seed=seed, on_epoch=on_epoch))


def delexicalised(parser: str = "beam", **options: Any) -> Parser:
    """Return a delexicalised parser: one that reads tags and no words.

    Parsers with the option ``lexical`` have no features of words then; for all others every word
    is ``_``.

    Examples
    --------
    >>> delexicalised("mst", epochs=3).options.lexical
    False
    """
    if "lexical" not in {field.name for field in fields(find_parser(parser).options)}:
        return _BlindParser(make_parser(parser, **options))
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
    from treegauge.scoring.metrics.correct_words import correct_trees

    extra = cell.extra
    train = cell.read("train", treebank=extra["source"], errors=extra["errors"])
    target = cell.read(extra["split"], errors=extra["errors"])
    target = target[: extra["sentences"]] if extra["sentences"] else target
    options = {name: False if name == "lexical" else value for name, value in cell.options.items()}
    parser = delexicalised(cell.parser, **options)
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
