"""What models say of words: log-probabilities of the gold tree, and what they would choose."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from treegauge.parse.neural import heads
from treegauge.parse.neural.options import BiaffineOptions, NeuralOptions
from treegauge.parse.neural.tables import Batch


@dataclass(frozen=True)
class Answers:
    """What models say of words, (M, words + 1) each; the last column is of no word.

    Attributes
    ----------
    heads, relations
        Log-probabilities, in nats, of the gold head and of the gold relation at the gold head. Of
        a labelling parser: of all the word's gold structural labels, and of its gold relation.
    found_heads, found_relations
        The most probable head, and the most probable relation at that head. Of a labelling
        parser: the gold head if all labels are right, else -1, and the best relation.
    """

    heads: Tensor
    relations: Tensor
    found_heads: Tensor
    found_relations: Tensor

    @classmethod
    def blank(cls, models: int, words: int, device: torch.device) -> "Answers":
        """Return answers that are still to be filled in."""
        real = torch.zeros(models, words + 1, device=device)
        whole = torch.zeros(models, words + 1, dtype=torch.int16, device=device)
        return cls(real, real.clone(), whole, whole.clone())

    def copy(self) -> "Answers":
        """Return a copy that later answers do not touch."""
        return Answers(
            self.heads.clone(),
            self.relations.clone(),
            self.found_heads.clone(),
            self.found_relations.clone(),
        )


def gold_log_probabilities(
    weights: Mapping[str, Tensor],
    states: Tensor,
    batch: Batch,
    options: NeuralOptions,
    *,
    training: bool,
) -> tuple[Tensor, Tensor, Callable[[], tuple[Tensor, Tensor]]]:
    """Return log-probabilities of gold heads and relations, and how to get the best ones."""
    if isinstance(options, BiaffineOptions):
        both = heads.sides(weights, states, batch, options, training=training)
        arcs = heads.head_log_probabilities(weights, both, batch)
        of_gold = heads.relation_log_probabilities(weights, both, batch.heads)

        def best() -> tuple[Tensor, Tensor]:
            found = arcs.argmax(-1)
            spread = heads.relation_log_probabilities(weights, both, found)
            return found, spread.argmax(-1)

        return heads.picked(arcs, batch.heads), heads.picked(of_gold, batch.relations), best
    *columns, last = heads.label_log_probabilities(weights, states)
    structure = torch.stack(
        [heads.picked(one, gold) for one, gold in zip(columns, batch.labels, strict=True)]
    )

    def right() -> tuple[Tensor, Tensor]:
        all_right = torch.stack(
            [one.argmax(-1) == gold for one, gold in zip(columns, batch.labels, strict=True)]
        ).all(0)
        return torch.where(all_right, batch.heads, -1), last.argmax(-1)

    return structure.sum(0), heads.picked(last, batch.relations), right


def note(table: Tensor, places: Tensor, values: Tensor) -> None:
    """Write values (M, B, T) to their places in a table (M, words + 1)."""
    models, entries = table.shape
    shift = torch.arange(models, device=table.device).view(-1, 1, 1) * entries
    table.view(-1)[(places + shift).reshape(-1)] = values.reshape(-1).to(table.dtype)
