"""Predictions of one trained model for sentences, as arrays."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.parsing.neural import batches, heads
from treegauge.parsing.neural.batches import Floats, SentenceBatch, choose_device, gathered_batch, numerics, tables
from treegauge.parsing.neural.data import UNKNOWN_LABEL, Encoded
from treegauge.parsing.neural.encoder import encoder_states, from_arrays, point
from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, NeuralOptions, PointerOptions

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Decode = Callable[[Doubles], Ints]


def parsed_together(device: torch.device) -> tuple[int, int]:
    """Return the largest batch to parse: places and sentences. A GPU waits less in large ones."""
    return (16384, 512) if device.type == "cuda" else (4096, 64)


@dataclass(frozen=True, eq=False)
class LabelOutput:
    """Log-probabilities of labels by column, relations last, and vectors that score relations.

    Vectors are of words as dependents and as heads, and of each sentence's root as head.
    """

    logs: list[Doubles]
    dependents: npt.NDArray[np.float32]
    heads: npt.NDArray[np.float32]
    roots: npt.NDArray[np.float32]


class Predictor:
    """One model's weights and the sentences to predict, with vectors if any."""

    def __init__(
        self, arrays: Mapping[str, npt.NDArray[Any]], data: Encoded, options: NeuralOptions,
        vectors: Floats | None = None,
    ) -> None:  # fmt: skip
        self.data, self.options = data, options
        self.device = choose_device(options.device)
        self.weights = from_arrays(arrays, self.device)
        identity = (np.arange(data.sizes[0])[None], np.arange(data.sizes[1])[None])
        self.tables = tables([data], *identity, self.device, vectors)

    def _batches(self) -> Iterator[tuple[npt.NDArray[np.int64], SentenceBatch, Tensor]]:
        lengths = self.data.lengths
        with numerics(self.device, self.options.threads), torch.inference_mode():
            for some in batches.by_length(np.arange(len(self.data)), lengths, *parsed_together(self.device)):
                width = int(lengths[some].max()) + 1
                numbers = torch.from_numpy(some)[None].to(self.device)
                batch = gathered_batch(self.tables, numbers, width)
                yield some, batch, encoder_states(self.weights, self.tables, batch, self.options, training=False)

    def _read(self, states: Tensor, batch: SentenceBatch) -> Tensor:
        """Return the states of dependents."""
        if not isinstance(self.options, PointerOptions):
            return states
        return point(self.weights, states, batch, 0.0)

    def _sides(self, states: Tensor, batch: SentenceBatch) -> heads.Sides:
        if not isinstance(self.options, BiaffineOptions):
            raise TypeError("labels have no arcs")
        return heads.sides(self.weights, states, batch, self.options, training=False)

    def _inside(self, some: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> Iterator[Any]:
        """Yield the rows of the words of each sentence, from (B, T, ...)."""
        for sentence, own in zip(some.tolist(), values, strict=True):
            yield sentence, own[1 : self.data.lengths[sentence] + 1]

    def head_log_probabilities(self) -> list[Doubles]:
        """Return log p(head | word) of each sentence, (words, words + 1)."""
        found: list[Doubles] = [np.zeros((0, 1))] * len(self.data)
        for some, batch, states in self._batches():
            both = self._sides(states, batch)
            arcs = heads.head_log_probabilities(self.weights, both, batch)[0].double()
            for sentence, own in self._inside(some, arcs.cpu().numpy()):
                found[sentence] = own[:, : len(own) + 1].copy()
        return found

    def relation_log_probabilities(self) -> Doubles:
        """Return log p(relation | word, head in the data), (words, relations), unknown first."""
        found = np.zeros((len(self.data.types), int(self.data.sizes[3])))
        for some, batch, states in self._batches():
            if isinstance(self.options, LabellingOptions) and self.options.relations == "label":
                (logs,) = heads.label_log_probabilities(self.weights, states, 0.0, slice(-1, None))
            else:
                both = heads.relation_sides(
                    self.weights, states, 0.0, self._read(states, batch), self.options.activation
                )
                logs = heads.relation_log_probabilities(self.weights, both, batch.heads)
            self._place(found, some, logs[0].double())
        return found

    def label_log_probabilities(self) -> list[Doubles]:
        """Return log p(label | word) of each column, relations last, (words, labels)."""
        return self.labels().logs

    def labels(self) -> "LabelOutput":
        """Return the model's labels, and the vectors for scoring relations at any head."""
        words, sizes = len(self.data.types), [*self.data.label_sizes.tolist(), self.data.sizes[3]]
        table = self.weights.get("relation.bilinear")
        wide = 0 if table is None else table.shape[1] - 1
        output = LabelOutput(
            [np.zeros((words, int(size))) for size in sizes],
            np.zeros((words, wide), np.float32),
            np.zeros((words, wide), np.float32),
            np.zeros((len(self.data), wide), np.float32),
        )
        for some, _, states in self._batches():
            logs = heads.label_log_probabilities(self.weights, states)
            for place, own in zip(output.logs, logs, strict=True):
                self._place(place, some, own[0].double())
            if wide:
                both = heads.relation_sides(self.weights, states, 0.0, activation=self.options.activation)
                self._place(output.dependents, some, both.relation_dependent[0])
                self._place(output.heads, some, both.relation_head[0])
                output.roots[some] = both.relation_head[0, :, 0].cpu().numpy()
        return output

    def relations_at(self, output: "LabelOutput", chosen: Ints) -> Doubles:
        """Return log p(relation | word, head) at chosen heads, (words, relations)."""
        starts = np.repeat(self.data.offsets[:-1], self.data.lengths)
        sentences = np.repeat(np.arange(len(self.data)), self.data.lengths)
        found = np.zeros((len(chosen), int(self.data.sizes[3])))
        with numerics(self.device, self.options.threads), torch.inference_mode():
            step, _ = parsed_together(self.device)
            for start in range(0, len(chosen), step):
                own = slice(start, start + step)
                above = output.heads[(starts[own] + np.maximum(chosen[own], 1) - 1)]
                above = np.where(chosen[own, None] > 0, above, output.roots[sentences[own]])
                pair = (torch.from_numpy(one).to(self.device) for one in (output.dependents[own], above))
                logs = heads.bilinear_log_probabilities(self.weights, *(one[None] for one in pair))
                found[own] = logs[0].double().cpu().numpy()
        return found

    def _place(self, table: npt.NDArray[Any], some: npt.NDArray[np.int64], values: Tensor) -> None:
        for sentence, own in self._inside(some, values.cpu().numpy()):
            start = self.data.offsets[sentence]
            table[start : start + len(own)] = own

    def parse(
        self, decode: Decode, of_roots: Bools, each: Callable[[Decode, list[Doubles]], Iterable[Ints]] = map
    ) -> tuple[Ints, Ints]:
        """Return trees and their relations.

        `decode` finds the heads of the words 1 to n from scores (n + 1, n + 1) of arcs from heads
        to dependents; `each` does it for several sentences, such as the ``map`` of a pool of
        processes. Roots, and no other words, have the relations `of_roots`.
        """
        found = np.zeros(len(self.data.types), np.int32)
        names = np.zeros(len(self.data.types), np.int32)
        rooted = torch.from_numpy(of_roots).to(self.device)[None]
        known = torch.arange(len(of_roots), device=self.device)[None] != UNKNOWN_LABEL
        for some, batch, states in self._batches():
            both = self._sides(states, batch)
            trees = best_trees(self.weights, both, batch, self.options, decode, rooted, known, each)
            for table, values in zip((found, names), trees, strict=True):
                self._place(table, some, values[0])
        return found, names


def best_trees(
    weights: Mapping[str, Tensor], both: heads.Sides, batch: SentenceBatch, options: NeuralOptions,
    decode: Decode, rooted: Tensor, known: Tensor,
    each: Callable[[Decode, list[Doubles]], Iterable[Ints]] = map,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the heads and the relations of each model's best trees, (M, B, T) each.

    `rooted` and `known` (M, relations) say whether roots have a relation, and whether a model has
    learned it.
    """
    scores = heads.head_log_probabilities(weights, both, batch)
    if isinstance(options, PointerOptions) and options.beam > 1:
        scores = scores + heads.best_relation(weights, both)
    best = scores.argmax(-1).masked_fill(~batch.words, 0)
    # The best head of each word is the best tree wherever it is a tree; few sentences need more.
    done = _are_trees(best, batch) & (getattr(options, "decoder", "") != "projective")
    arcs = scores[~done].double().cpu().numpy()
    left = (~done).cpu().numpy()
    sizes, places = (batch.lengths - 1).cpu().numpy()[left], np.argwhere(left)
    arcs, sizes, places = arcs[sizes > 0], sizes[sizes > 0], places[sizes > 0].tolist()
    matrices = [np.zeros((size + 1, size + 1)) for size in sizes.tolist()]
    for matrix, own in zip(matrices, arcs, strict=True):
        matrix[:, 1:] = own[1 : len(matrix), : len(matrix)].T  # heads first
    trees = best.cpu().numpy()
    for (m, b), tree in zip(places, each(decode, matrices), strict=True):
        trees[m, b, 1 : len(tree) + 1] = tree
    chosen = torch.from_numpy(trees).to(batch.heads.device)
    logs = heads.relation_log_probabilities(weights, both, chosen)
    legal = (rooted[:, None, None] == (chosen == 0)[..., None]) & known[:, None, None]
    # A treebank may have no relation for roots, or for other words: then all are allowed.
    legal = legal | (known[:, None, None] & ~legal.any(-1, keepdim=True))
    return chosen, logs.masked_fill(~legal, heads.NEVER).argmax(-1)


def _are_trees(best: Tensor, batch: SentenceBatch) -> Tensor:
    """Return for each sentence whether these heads (M, B, T) are a tree with one root."""
    ends = best
    for _ in range(best.shape[-1].bit_length()):
        ends = ends.gather(-1, ends)
    one_root = ((best == 0) & batch.words).sum(-1) == 1
    return one_root & (ends == 0).all(-1)
