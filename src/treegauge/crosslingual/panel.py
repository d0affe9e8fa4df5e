"""Delexicalised parsers of several sources and what they say of the same sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from treegauge.crosslingual.vote import Floats, Ints, Shares, pool_heads, vote, vote_heads
from treegauge.parsers.base import Model, Parser, Probabilistic
from treegauge.parsers.registry import find_parser, known_parsers, make_parser
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    from treegauge.parsers.registry import ParserEntry

Progress = Callable[[int, int], None]
"""Called with the number of sources done and of all."""


@dataclass(frozen=True, eq=False)
class Panel:
    """What the sources say of the target's sentences.

    Attributes
    ----------
    sources
        Their names.
    parses
        The target parsed by each.
    weights
        What each one's vote counts.
    shares
        Head probabilities of each, where trees are chosen by them.
    """

    sources: tuple[str, ...]
    parses: tuple[Treebank, ...]
    weights: tuple[float, ...]
    shares: Shares | None = None

    def _members(self, sources: Sequence[str] | None) -> list[int]:
        chosen = self.sources if sources is None else sources
        for name in chosen:
            if name not in self.sources:
                raise ChoiceError("source", name, self.sources)
        return [self.sources.index(name) for name in chosen]

    def _weights(self, members: Sequence[int]) -> list[float]:
        """Return what votes count; equal shares where all others had everything."""
        found = [self.weights[i] for i in members]
        return found if any(found) else [1.0] * len(found)

    def heads(self, sources: Sequence[str] | None = None) -> Ints:
        """Return the heads that the sources, or some of them, vote for."""
        members = self._members(sources)
        weights, offsets = self._weights(members), self.parses[0].offsets
        if self.shares is not None:
            return pool_heads([self.shares[i] for i in members], weights, offsets)
        return vote_heads([self.parses[i].head for i in members], weights, offsets)

    def vote(self, sources: Sequence[str] | None = None) -> Treebank:
        """Return the target with the trees that the sources, or some of them, vote for."""
        members = self._members(sources)
        shares = None if self.shares is None else [self.shares[i] for i in members]
        parses = [self.parses[i] for i in members]
        return vote(parses, self._weights(members), shares=shares)


def delexicalised(parser: str = "beam", **options: Any) -> Parser:
    """Return a parser that sees tags and no words.

    Parameters
    ----------
    parser
        Name of a parser with the option ``lexical``.
    **options
        Its other options.

    Examples
    --------
    >>> delexicalised("mst", epochs=3).options.lexical
    False
    >>> delexicalised("udpipe")
    Traceback (most recent call last):
    ...
    treegauge.results.errors.ChoiceError: unknown delexicalised parser 'udpipe'; choices: beam, mst
    """
    entry = find_parser(parser)
    if not _can(entry):
        able = [name for name, one in known_parsers().items() if _can(one)]
        raise ChoiceError("delexicalised parser", parser, able)
    if options.get("lexical"):
        raise TreegaugeError(
            "lexical=true makes a parser see words, which other languages do not share; transfer "
            "trains without them: leave the option out"
        )
    return make_parser(parser, **(options | {"lexical": False}))


def _can(entry: "ParserEntry") -> bool:
    return "lexical" in {one.name for one in fields(entry.options)}


def train_sources(
    sources: Mapping[str, Treebank],
    parser: Parser,
    *,
    seed: int = 0,
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Model]:
    """Train a parser on each source.

    Parameters
    ----------
    sources
        Names and train parts.
    parser
        What learns, such as :func:`delexicalised` gives.
    seed
        Same seed, same models.
    limit
        Learn from so many sentences at most, the first ones.
    progress
        Called with the number of sources done and of all.
    """
    if limit is not None and limit < 1:
        raise TreegaugeError(f"the limit is {limit} sentences; expected at least 1")
    models = {}
    for done, (name, train) in enumerate(sources.items(), 1):
        models[name] = parser.fit(train if limit is None else train[:limit], seed=seed)
        if progress is not None:
            progress(done, len(sources))
    return models


def panel(
    target: Treebank,
    models: Mapping[str, Model],
    weights: Mapping[str, float],
    *,
    probabilities: bool = False,
) -> Panel:
    """Parse the target with every source's model.

    Parameters
    ----------
    target
        Tagged sentences; their heads, if there are any, are not looked at.
    models, weights
        Names and models of the sources, and what their votes count.
    probabilities
        Whether to choose trees by pooled head probabilities instead of votes.

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
        raise TreegaugeError("no source to ask: give at least one")
    shares: list[Sequence[Floats]] = []
    for name, model in models.items():
        if not probabilities:
            break
        if not isinstance(model, Probabilistic):
            raise TreegaugeError(
                f"the model of {name} gives no head probabilities; leave trees to votes, or train "
                "a parser that does, such as mst"
            )
        shares.append(model.head_probabilities(target))
    return Panel(
        tuple(models), tuple(model.parse(target) for model in models.values()),
        tuple(weights[name] for name in models), shares if probabilities else None,
    )  # fmt: skip
