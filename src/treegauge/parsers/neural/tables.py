"""Sentences on the device: all of them as tables, some of them as a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.parsers.neural.data import Encoded
from treegauge.parsers.neural.recurrence import turning

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Tables:
    """What does not change while models learn, on the device; the first axis is the model.

    One more row than there are words or sentences stands for none.
    """

    starts: Tensor
    lengths: Tensor
    types: Tensor
    tags: Tensor
    heads: Tensor
    relations: Tensor
    labels: Tensor
    type_words: Tensor
    type_chars: Tensor
    words: Tensor
    chars: Tensor
    vectors: Tensor | None = None


@dataclass(frozen=True)
class Batch:
    """Some sentences of each model; M models, B sentences, T places, the first the root's.

    Attributes
    ----------
    lengths
        (M, B), the root counted.
    types, tags, heads, relations
        (M, B, T), 0 where there is no word.
    places
        (M, B, T), the number of the word in the data, the last for none.
    words
        (M, B, T), whether there is a word.
    labels
        (columns, M, B, T).
    order
        What turns the sentences around.
    """

    lengths: Tensor
    types: Tensor
    tags: Tensor
    heads: Tensor
    relations: Tensor
    places: Tensor
    words: Tensor
    labels: Tensor
    order: Tensor


def gather(tables: Tables, sentences: Tensor, width: int) -> Batch:
    """Collect the sentences (M, B) of each model, padded to `width` places with the root's."""
    lengths = tables.lengths[sentences]
    step = torch.arange(width, device=sentences.device)
    words = (step > 0) & (step <= lengths[..., None])
    none = tables.heads.shape[0] - 1
    places = torch.where(words, tables.starts[sentences][..., None] + step - 1, none)
    return Batch(
        lengths + 1,
        own(tables.types, places),
        own(tables.tags, places),
        tables.heads[places],
        tables.relations[places],
        places,
        words,
        tables.labels[:, places],
        turning(lengths + 1, width),
    )


def own(table: Tensor, numbers: Tensor) -> Tensor:
    """Look numbers (M, ...) up in each model's own table (M, entries, ...)."""
    models, entries, *shape = table.shape
    shift = torch.arange(models, device=numbers.device) * entries
    flat = (numbers + shift.view(-1, *[1] * (numbers.dim() - 1))).reshape(-1)
    found = table.reshape(models * entries, *shape).index_select(0, flat)
    return found.view(*numbers.shape, *shape)


def tables(
    read: Sequence[Encoded],
    words: npt.ArrayLike,
    chars: npt.ArrayLike,
    device: torch.device,
    vectors: Floats | None = None,
) -> Tables:
    """Put the data on the device.

    Parameters
    ----------
    read
        What each model reads; they differ in types and tags at most.
    words, chars
        For each model what each word and character is to it.
    device, vectors
        As for :class:`Lockstep`.
    """
    data = read[0]

    def put(array: npt.ArrayLike) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.int64)).to(device)

    def ended(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([array, np.zeros((1, *array.shape[1:]), array.dtype)])

    return Tables(
        put(data.offsets),
        put(ended(data.lengths)),
        put(np.stack([ended(one.types) for one in read])),
        put(np.stack([ended(one.tags) for one in read])),
        put(ended(data.heads)),
        put(ended(data.relations)),
        put(ended(data.labels).T),
        put(data.type_words),
        put(data.type_chars),
        put(words),
        put(chars),
        None if vectors is None else torch.from_numpy(vectors).to(device),
    )
