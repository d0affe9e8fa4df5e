"""What models say of words: log-probabilities of the gold tree, and of its best rivals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from treegauge.parsers.neural import heads
from treegauge.parsers.neural.data import UNKNOWN_LABEL
from treegauge.parsers.neural.options import BiaffineOptions, LabellingOptions, NeuralOptions
from treegauge.parsers.neural.tables import Batch

Rivals = tuple[Tensor, Tensor, Tensor, Tensor]
"""Log-probability and number of the likeliest head that is not gold; the same of relations."""


@dataclass(frozen=True)
class Answers:
    """What models say of words, (M, words + 1) each; the last column is of no word.

    Attributes
    ----------
    heads, relations
        Log-probabilities, in nats, of the gold head and of the gold relation at the gold head. Of
        a labelling parser: of all the word's gold structural labels, and of its gold relation.
    rival_heads, rival_head_logs
        The most probable head that is not gold, and its log-probability; ``heads.NEVER`` or less
        where there is none. Of a labelling parser: -1, and the best other labels'.
    rival_relations, rival_relation_logs
        The most probable relation at the gold head that is not gold, and its log-probability.
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
        """Return a copy that later answers do not touch."""
        return Answers(*(getattr(self, one.name).clone() for one in fields(self)))

    @property
    def right(self) -> tuple[Tensor, Tensor]:
        """Where gold heads, and gold relations at them, are preferred to all others."""
        return self.heads > self.rival_head_logs, self.relations > self.rival_relation_logs


def gold_log_probabilities(
    weights: Mapping[str, Tensor],
    states: Tensor,
    batch: Batch,
    options: NeuralOptions,
    *,
    training: bool,
) -> tuple[Tensor, Tensor, Callable[[], Rivals]]:
    """Return log-probabilities of gold heads and relations, and how to get their rivals."""
    if isinstance(options, BiaffineOptions):
        both = heads.sides(weights, states, batch, options, training=training)
        arcs = heads.head_log_probabilities(weights, both, batch)
        names = heads.relation_log_probabilities(weights, both, batch.heads)

        def rivals() -> Rivals:
            return *_others(arcs, batch.heads), *_others(names, batch.relations, UNKNOWN_LABEL)

        return heads.picked(arcs, batch.heads), heads.picked(names, batch.relations), rivals
    share = options.dropout if training else 0.0
    *columns, last = heads.label_log_probabilities(weights, states, share)
    golds = [heads.picked(one, gold) for one, gold in zip(columns, batch.labels, strict=True)]
    structure = torch.stack(golds).sum(0)

    def other_labels() -> Rivals:
        others = [_others(one, gold)[0] for one, gold in zip(columns, batch.labels, strict=True)]
        gains = torch.stack([other - gold for other, gold in zip(others, golds, strict=True)])
        # Every column that gains by another label takes it; if none does, the cheapest one must.
        best = torch.where((gains > 0).any(0), gains.clamp(min=0).sum(0), gains.amax(0))
        none = torch.full_like(batch.heads, -1)
        return structure + best, none, *_others(last, batch.relations, UNKNOWN_LABEL)

    return structure, heads.picked(last, batch.relations), other_labels


def second_task(
    weights: Mapping[str, Tensor], states: Tensor, batch: Batch, options: NeuralOptions
) -> Tensor | None:
    """Return log-probabilities of gold arcs by which a labelling parser's states also learn."""
    if not isinstance(options, LabellingOptions) or options.arc_weight == 0:
        return None
    both = heads.sides(weights, states, batch, options, training=True)
    arcs = heads.head_log_probabilities(weights, both, batch)
    names = heads.relation_log_probabilities(weights, both, batch.heads)
    found = heads.picked(arcs, batch.heads) + heads.picked(names, batch.relations)
    return options.arc_weight * found


def _others(spread: Tensor, gold: Tensor, barred: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the largest log-probability that is not gold's, and whose it is."""
    open_to = spread.scatter(-1, gold[..., None], 2 * heads.NEVER)
    if barred is not None:
        open_to[..., barred] = 2 * heads.NEVER
    found = open_to.max(-1)
    return found.values, found.indices


def note(table: Tensor, places: Tensor, values: Tensor) -> None:
    """Write values (M, B, T) to their places in a table (M, words + 1)."""
    models, entries = table.shape
    shift = torch.arange(models, device=table.device).view(-1, 1, 1) * entries
    table.view(-1)[(places + shift).reshape(-1)] = values.reshape(-1).to(table.dtype)
