"""Ensembles: models of one parser from several seeds, whose probabilities are averaged."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError, check_whole
from treegauge.core.messages import progress
from treegauge.parsing.base import (
    Model,
    OnEpoch,
    Parser,
    Probabilistic,
    Searching,
    check_training,
    load_archive,
    save_model,
)
from treegauge.parsing.registry import ParserEntry, find_parser, fit_parser, parser_with
from treegauge.parsing.tag_sources import GOLD, TagSource, learn_tags
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.decoding import projective_tree, spanning_tree
from treegauge.treebanks.sources.files import Source

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class EnsembleModel:
    r"""Models whose probabilities are averaged.

    With :math:`m` members,

    .. math:: p(h \mid d) = \frac1m \sum_i p_i(h \mid d)

    and so for relations. The tree is the one with the most heads expected to be correct, over the
    projective trees if all members build these only; relations are the likeliest at its heads.
    """

    members: tuple[Any, ...]
    tag_source: TagSource = GOLD

    @property
    def relations(self) -> Sequence[str]:
        """Names of the columns of :meth:`relation_probabilities`."""
        names: Sequence[str] = self.members[0].relations
        return names

    @property
    def projective(self) -> bool:
        """Whether all trees are projective."""
        return all(getattr(member, "projective", False) for member in self.members)

    @cached_property
    def _of_roots(self) -> npt.NDArray[np.bool_]:
        return np.array([name.partition(":")[0] == "root" for name in self.relations], np.bool_)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees under the averaged probabilities."""
        read = self.tag_source.read(treebank)
        shares = average_heads([member.head_probabilities(read) for member in self.members])
        trees = [expected_tree(own, projective=self.projective) for own in shares]
        heads = np.concatenate([np.zeros(0, np.int32), *trees])
        placed = replace(read, head=heads)
        tables = [member.relation_probabilities(placed) for member in self.members]
        numbers = average_relations(tables, legal_relations(self._of_roots, heads))
        names = [self.relations[number] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence the mean of p(head | word), (words, words + 1), 0 the root."""
        read = self.tag_source.read(treebank)
        return average_heads([member.head_probabilities(read) for member in self.members])

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: the mean of p(relation | word, its head in the treebank)."""
        read = self.tag_source.read(treebank)
        tables = [member.relation_probabilities(read) for member in self.members]
        return np.asarray(np.mean(tables, axis=0))

    def save(self, path: Source) -> None:
        """Write all members to one file."""
        headers, arrays = [], dict(self.tag_source.to_arrays())
        for number, member in enumerate(self.members):
            header, own = _archive(member)
            headers.append(header)
            arrays |= {f"{number}/{name}": value for name, value in own.items()}
        save_model(path, "ensemble", {"members": headers, "tag_source": self.tag_source.mode}, arrays)

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], *, trust: bool = False
    ) -> "EnsembleModel":
        """Return the model stored in a file."""
        source = TagSource.from_arrays(header["tag_source"], arrays)
        members = []
        for number, own in enumerate(header["members"]):
            start = f"{number}/"
            kept = {name.removeprefix(start): value for name, value in arrays.items() if name.startswith(start)}
            members.append(_member(find_parser(own["parser"]).load(own, kept, trust=trust)))
        if not members:
            raise ValueError("an ensemble without members")
        return cls(tuple(members), source)


def _archive(member: Any) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the header and arrays that a model writes to its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "member.model")
        member.save(path)
        return load_archive(path)


def _member(model: Model) -> Probabilistic:
    """Return the model with probabilities of heads and relations."""
    if isinstance(model, Probabilistic):
        return model
    if isinstance(model, Searching):
        return SearchMember(model)
    raise TreegaugeError(
        f"the model ({type(model).__name__}) gives no probabilities to average; ensembles are made "
        "of beam, mst, biaffine, pointer and labelling"
    )


@dataclass(frozen=True, eq=False)
class SearchMember:
    """A search model with probabilities of heads and relations.

    A head's probability is the softmax over the scores of the word's heads when the search tried
    them. Relations are averaged over the analyses in which the word has that head, or over all
    analyses if there are none.
    """

    model: Any
    projective: ClassVar[bool] = True

    @property
    def relations(self) -> Sequence[str]:
        """Names of the columns of :meth:`relation_probabilities`."""
        names: Sequence[str] = self.model.relation_names
        return names

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence the share of each head, (words, words + 1), 0 the root."""
        return [_softmax(logs) for logs in self.model.analyses(treebank, 1).head_logs]

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: the share of each relation at the word's head."""
        kept = self.model.analyses(treebank, MOST_ANALYSES)
        there = np.isfinite(kept.scores).T[:, treebank.sentence_of]
        same = there & (kept.heads == treebank.head[None])
        used = np.where(same.any(0), same, there)
        shares = np.zeros((treebank.n_words, len(self.relations)))
        for own, logs in zip(used, kept.relation_logs, strict=True):
            shares[own] += _softmax(logs[own].astype(np.float64))
        return np.asarray(shares / np.maximum(used.sum(0), 1)[:, None])

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the trees of the search."""
        parsed: Treebank = self.model.parse(treebank)
        return parsed

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        self.model.save(path)


MOST_ANALYSES = 8
"""The number of analyses per sentence over which relations are averaged."""


def _softmax(logs: Doubles) -> Doubles:
    """Return the softmax of each row; a row without a finite log is uniform."""
    tops = logs.max(1, keepdims=True, initial=-np.inf)
    known = np.where(np.isfinite(tops), logs - np.where(np.isfinite(tops), tops, 0), 0.0)
    shares = np.exp(known)
    return np.asarray(shares / shares.sum(1, keepdims=True))


class EnsembleParser:
    """Trains one parser with several consecutive seeds, starting from the given seed.

    A tagger, if the parser has one, is trained once for all members. Neural parsers are trained in
    parallel on a GPU.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> options = find_parser("mst").options(epochs=1, bits=16)
    >>> model = EnsembleParser(find_parser("mst"), options, 2).fit(synthetic(30, seed=1), seed=0)
    >>> len(model.members), len(model.parse(synthetic(3, seed=2)))
    (2, 3)
    """

    def __init__(self, entry: ParserEntry, options: Any, members: int) -> None:
        check_whole("ensemble", members, 2)
        if not entry.gives_probabilities:
            raise TreegaugeError(
                f"{entry.name} gives no probabilities to average; expected a parser that does, such as mst or biaffine"
            )
        self.tags = getattr(options, "tags", "gold")
        own = replace(options, tags="gold") if self.tags != "gold" else options
        self.parser, self.members = parser_with(entry.name, own), members

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> EnsembleModel:
        """Train all members; `on_epoch` is called once, after the last."""
        check_training(train, seed=seed)
        source, read, held = learn_tags(self.tags, train, dev, seed=seed)
        seeds = range(seed, seed + self.members)
        made = _fit_seeds(self.parser, read, held, seeds)
        model = EnsembleModel(tuple(map(_member, made)), source)
        if on_epoch is not None:
            on_epoch(1, model)
        return model


def _fit_seeds(parser: Parser, train: Treebank, dev: Treebank | None, seeds: Sequence[int]) -> list[Model]:
    """Train one model per seed: in lockstep if the parser can, else one after the other."""
    together = getattr(parser, "fit_seeds", None)
    if together is not None:
        return list(together(train, dev, seeds=seeds))
    models = []
    with progress("members", len(seeds)) as task:
        for seed in seeds:
            models.append(fit_parser(parser, train, dev, seed=seed))
            task.advance()
    return models


# mean probabilities of several models, and the best tree under them


def average_heads(members: Sequence[Sequence[Doubles]]) -> list[Doubles]:
    """Return the mean over models of p(head | word), for each sentence (words, words + 1)."""
    return [np.mean(sentence, axis=0) for sentence in zip(*members, strict=True)]


def expected_tree(shares: Doubles, *, projective: bool = False) -> Ints:
    r"""Return the tree with the most heads expected to be correct.

    .. math:: \arg\max_t \sum_{d} p(h_t(d) \mid d)

    over all trees with one root, or over the projective ones.

    Examples
    --------
    >>> expected_tree(np.array([[0.2, 0.0, 0.8], [0.6, 0.4, 0.0]]))
    array([2, 0], dtype=int32)
    """
    if len(shares) == 0:
        return np.zeros(0, np.int32)
    matrix = np.zeros((len(shares) + 1, len(shares) + 1))
    matrix[:, 1:] = shares.T
    return projective_tree(matrix) if projective else spanning_tree(matrix)


def legal_relations(of_roots: npt.NDArray[np.bool_], heads: Ints) -> npt.NDArray[np.bool_]:
    """Return the relations that each word may have: roots those of roots, other words the others.

    If a treebank has no relation for roots, or for other words, all are legal.
    """
    legal = of_roots[None] == (heads == 0)[:, None]
    return np.asarray(legal | ~legal.any(1, keepdims=True))


def average_relations(members: Sequence[Doubles], legal: npt.NDArray[np.bool_]) -> Ints:
    """Return each word's most probable legal relation under the mean of the models."""
    chosen = np.where(legal, np.mean(members, axis=0), -1.0).argmax(1)
    return np.asarray(chosen, np.int32)
