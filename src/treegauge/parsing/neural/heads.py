"""Scores of heads, relations and labels from the states, and the answers for words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from treegauge.parsing.neural.batches import SentenceBatch
from treegauge.parsing.neural.data import UNKNOWN_LABEL
from treegauge.parsing.neural.encoder import point, shared_dropout
from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, NeuralOptions, PointerOptions

NEVER = -1e30
"""Score of an impossible head; finite, so that no gradient is undefined."""


@dataclass(frozen=True)
class RelationSides:
    """Vectors (M, B, T, size) by which relations of words are scored, as dependents and heads."""

    relation_dependent: Tensor
    relation_head: Tensor


@dataclass(frozen=True)
class Sides(RelationSides):
    """The vectors of relations and of arcs."""

    arc_dependent: Tensor
    arc_head: Tensor


def _layer(
    weights: Mapping[str, Tensor], name: str, states: Tensor, share: float, activation: str = "leaky-relu"
) -> Tensor:
    """One dense layer over (M, T, B, size); gives (M, B, T, size)."""
    models, steps, rows, size = states.shape
    bias = weights[f"{name}.bias"]
    made = torch.baddbmm(bias[:, None], states.reshape(models, steps * rows, size), weights[f"{name}.matrix"])
    bent = functional.elu(made) if activation == "elu" else functional.leaky_relu(made, 0.1)
    made = bent.view(models, steps, rows, -1)
    return shared_dropout(made, share, 1).transpose(1, 2)


def sides(
    weights: Mapping[str, Tensor], states: Tensor, batch: SentenceBatch, options: NeuralOptions, *, training: bool
) -> Sides:
    """Return the four kinds of vectors; a pointer's dependents have read only earlier words."""
    share = options.inner_dropout if training else 0.0
    read = states
    if isinstance(options, PointerOptions):
        read = point(weights, states, batch, share)
    bend = options.activation
    of_relations = relation_sides(weights, states, share, read, bend)
    return Sides(
        of_relations.relation_dependent,
        of_relations.relation_head,
        _layer(weights, "arc.dependent", read, share, bend),
        _layer(weights, "arc.head", states, share, bend),
    )


def relation_sides(
    weights: Mapping[str, Tensor], states: Tensor, share: float, read: Tensor | None = None,
    activation: str = "leaky-relu",
) -> RelationSides:  # fmt: skip
    """Return the vectors for scoring relations; `read` are states of dependents, if different."""
    return RelationSides(
        _layer(weights, "relation.dependent", states if read is None else read, share, activation),
        _layer(weights, "relation.head", states, share, activation),
    )


def _one_more(values: Tensor) -> Tensor:
    return functional.pad(values, (0, 1), value=1.0)


def head_log_probabilities(
    weights: Mapping[str, Tensor], both: Sides, batch: SentenceBatch, *, self_arcs: bool = False
) -> Tensor:
    r"""Return log p(head | word) for each dependent and head, (M, B, T, T).

    .. math:: p(h \mid d) \propto \exp\left([x_d; 1]^\top U y_h\right), \quad h \ne d

    With `self_arcs` the word itself competes, too.
    """
    models, rows, steps, size = both.arc_head.shape
    left = torch.bmm(_one_more(both.arc_dependent).reshape(models, rows * steps, size + 1), weights["arc.bilinear"])
    scores = torch.bmm(
        left.view(models * rows, steps, size), both.arc_head.reshape(models * rows, steps, size).transpose(1, 2)
    ).view(models, rows, steps, steps)
    step = torch.arange(steps, device=scores.device)
    legal = (step < batch.lengths[..., None, None]) & ((step != step[:, None]) | self_arcs)
    # A position without a word keeps one legal head, so that nothing is undefined.
    legal = legal | ((step == 0) & ~batch.words[..., None])
    return torch.log_softmax(scores.masked_fill(~legal, NEVER), -1)


def relation_log_probabilities(weights: Mapping[str, Tensor], both: RelationSides, heads: Tensor) -> Tensor:
    r"""Return log p(relation | word, head) for the given heads (M, B, T), (M, B, T, relations).

    .. math:: p(r \mid d, h) \propto \exp\left([x_d; 1]^\top U_r [y_h; 1]\right)
    """
    models, rows, steps, size = both.relation_head.shape
    line = torch.arange(models * rows, device=heads.device).view(models, rows, 1) * steps
    flat = both.relation_head.reshape(-1, size).index_select(0, (line + heads).reshape(-1))
    return bilinear_log_probabilities(
        weights, both.relation_dependent.reshape(models, rows * steps, size), flat.view(models, rows * steps, size)
    ).view(models, rows, steps, -1)


def bilinear_log_probabilities(weights: Mapping[str, Tensor], left: Tensor, right: Tensor) -> Tensor:
    """Return log p(relation) of pairs of vectors of dependents and heads, (M, pairs, size) each."""
    table = weights["relation.bilinear"]
    models, one_more, relations, _ = table.shape
    mixed = torch.bmm(_one_more(left), table.reshape(models, one_more, relations * one_more))
    scores = torch.matmul(mixed.view(models, -1, relations, one_more), _one_more(right)[..., None]).squeeze(-1)
    return torch.log_softmax(scores, -1)


def best_relation(weights: Mapping[str, Tensor], both: Sides) -> Tensor:
    """Return max over relations of log p(relation | word, head) for all heads, (M, B, T, T)."""
    table = weights["relation.bilinear"]
    models, one_more, relations, _ = table.shape
    _, rows, steps, _ = both.relation_head.shape
    left = _one_more(both.relation_dependent).reshape(models, rows * steps, one_more)
    mixed = torch.bmm(left, table.reshape(models, one_more, relations * one_more))
    right = _one_more(both.relation_head).mT.reshape(models * rows, one_more, steps)
    found = []
    for one, heads in zip(mixed.view(models * rows, -1, one_more), right, strict=True):
        scores = (one @ heads).view(steps, relations, steps)
        found.append(scores.amax(1) - scores.logsumexp(1))
    return torch.stack(found).view(models, rows, steps, steps)


def label_log_probabilities(
    weights: Mapping[str, Tensor], states: Tensor, share: float = 0.0, wanted: slice = slice(None)
) -> list[Tensor]:
    """Return log p(label | word) of the wanted columns, relations last, each (M, B, T, labels).

    Each column has a dense layer over the word's state and that of the word before it, or none.
    """
    models, steps, rows, _ = states.shape
    pairs = torch.cat([states, states.roll(1, 1)], -1)
    columns = sum(name.startswith("label") and name.endswith(".bias") and ".layer" not in name for name in weights)
    made = []
    for column in range(columns)[wanted]:
        if f"label{column}.layer.bias" in weights:
            layer = _layer(weights, f"label{column}.layer", pairs, share)
        else:
            layer = states.transpose(1, 2)
        scores = torch.baddbmm(
            weights[f"label{column}.bias"][:, None],
            layer.reshape(models, rows * steps, -1),
            weights[f"label{column}.matrix"],
        )
        made.append(torch.log_softmax(scores, -1).view(models, rows, steps, -1))
    return made


def picked(log_probabilities: Tensor, numbers: Tensor) -> Tensor:
    """Return the entries of the last axis with these numbers."""
    return log_probabilities.gather(-1, numbers[..., None]).squeeze(-1)


Rivals = tuple[Tensor, Tensor, Tensor, Tensor]
"""Log-probability and number of the most probable head that is not gold; same for relations."""


class Answers(NamedTuple):
    """The answers of models for words, (M, words + 1) each; the last column is padding.

    `heads` and `relations` are log-probabilities, in nats, of the gold head and of the gold
    relation at it; of a labelling parser: of all the word's gold structural labels, and of its gold
    relation. Rivals are the most probable heads and relations that are not gold; the logs are
    ``NEVER`` or less where there is none. Of a labelling parser: -1, and the best other labels'.
    """

    heads: Tensor
    relations: Tensor
    rival_heads: Tensor
    rival_head_logs: Tensor
    rival_relations: Tensor
    rival_relation_logs: Tensor

    @classmethod
    def blank(cls, models: int, words: int, device: torch.device) -> "Answers":
        """Return answers that are still to be filled in."""
        real = torch.zeros(models, words + 1, device=device)
        whole = torch.zeros(models, words + 1, dtype=torch.int16, device=device)
        return cls(real, real.clone(), whole, real.clone(), whole.clone(), real.clone())

    def copy(self) -> "Answers":
        """Return a copy that later answers do not change."""
        return Answers(*(one.clone() for one in self))

    @property
    def right(self) -> tuple[Tensor, Tensor]:
        """Where gold heads, and gold relations at them, are preferred to all others."""
        return self.heads > self.rival_head_logs, self.relations > self.rival_relation_logs


def gold_log_probabilities(
    weights: Mapping[str, Tensor], states: Tensor, batch: SentenceBatch, options: NeuralOptions, *, training: bool
) -> tuple[Tensor, Tensor, Callable[[], Rivals]]:
    """Return log-probabilities of gold heads and relations, and a function for their rivals."""
    if isinstance(options, BiaffineOptions):
        both = sides(weights, states, batch, options, training=training)
        arcs = head_log_probabilities(weights, both, batch, self_arcs=options.self_arcs)
        names = relation_log_probabilities(weights, both, batch.heads)

        def rivals() -> Rivals:
            return *_others(arcs, batch.heads), *_others(names, batch.relations, UNKNOWN_LABEL)

        return picked(arcs, batch.heads), picked(names, batch.relations), rivals
    share = options.inner_dropout if training else 0.0
    if isinstance(options, LabellingOptions) and options.relations == "head":
        columns = label_log_probabilities(weights, states, share, slice(-1))
        of_relations = relation_sides(weights, states, share, activation=options.activation)
        last = relation_log_probabilities(weights, of_relations, batch.heads)
    else:
        *columns, last = label_log_probabilities(weights, states, share)
    golds = [picked(one, gold) for one, gold in zip(columns, batch.labels, strict=True)]
    structure = torch.stack(golds).sum(0)

    def other_labels() -> Rivals:
        others = [_others(one, gold)[0] for one, gold in zip(columns, batch.labels, strict=True)]
        gains = torch.stack([other - gold for other, gold in zip(others, golds, strict=True)])
        # Every column that gains by another label changes; if none does, the cheapest one must.
        best = torch.where((gains > 0).any(0), gains.clamp(min=0).sum(0), gains.amax(0))
        none = torch.full_like(batch.heads, -1)
        return structure + best, none, *_others(last, batch.relations, UNKNOWN_LABEL)

    return structure, picked(last, batch.relations), other_labels


def second_task(
    weights: Mapping[str, Tensor], states: Tensor, batch: SentenceBatch, options: NeuralOptions
) -> Tensor | None:
    """Return log-probabilities of the second task of a labelling parser.

    They are of gold arcs, and of gold relations by the method that parsing does not use.
    """
    if not isinstance(options, LabellingOptions):
        return None
    learned = []
    if options.relations == "head":
        (last,) = label_log_probabilities(weights, states, options.inner_dropout, slice(-1, None))
        learned.append(picked(last, batch.relations))
    if options.arc_weight > 0:
        both = sides(weights, states, batch, options, training=True)
        arcs = head_log_probabilities(weights, both, batch)
        learned.append(options.arc_weight * picked(arcs, batch.heads))
        if options.relations == "label":
            names = relation_log_probabilities(weights, both, batch.heads)
            learned.append(options.arc_weight * picked(names, batch.relations))
    return torch.stack(learned).sum(0) if learned else None


def _others(spread: Tensor, gold: Tensor, barred: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the largest log-probability that is not gold's, and its index."""
    open_to = spread.scatter(-1, gold[..., None], 2 * NEVER)
    if barred is not None:
        open_to[..., barred] = 2 * NEVER
    found = open_to.max(-1)
    return found.values, found.indices


def write_at_places(table: Tensor, places: Tensor, values: Tensor) -> None:
    """Write values (M, B, T) to their positions in a table (M, words + 1)."""
    models, entries = table.shape
    shift = torch.arange(models, device=table.device).view(-1, 1, 1) * entries
    table.view(-1)[(places + shift).reshape(-1)] = values.reshape(-1).to(table.dtype)
