"""The device and its numerics, work recorded as CUDA graphs, and batches of sentences.

Batches have an order in an epoch, and are tensors on the device.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.recurrence import turning

Work = Callable[[Tensor, int], None]
"""A function of sentences (models, rows), padded to a width."""


def choose_device(name: str) -> torch.device:
    """Return the device of this name; ``auto`` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise TreegaugeError(f"option device is {name!r}; expected auto, cpu, cuda or cuda:NUMBER") from error


@contextmanager
def numerics(device: torch.device, threads: int) -> Iterator[None]:
    """Set the numerics of this package: fixed threads on a CPU, TF32 products on a GPU."""
    before, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(threads)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_float32_matmul_precision(precision)


class Graphs:
    """Work that is recorded once per shape and replayed: one launch instead of thousands.

    `warm` is work without effect that initialises all libraries that the recorded work needs.
    """

    def __init__(self, warm: Work) -> None:
        self._warm = warm
        self._graphs: dict[tuple[Any, ...], tuple[Any, Tensor]] = {}
        self._pool: Any = None

    def run(self, work: Work, sentences: Tensor, width: int) -> None:
        """Do the work on these sentences."""
        key = (work.__name__, *sentences.shape, width)
        if key not in self._graphs:
            self._graphs[key] = self._record(work, sentences, width)
        graph, given = self._graphs[key]
        given.copy_(sentences)
        graph.replay()

    def _record(self, work: Work, sentences: Tensor, width: int) -> tuple[Any, Tensor]:
        """Capture work without doing it."""
        given = sentences.clone()
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._warm(given, width)
            torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with _nothing_freed(), torch.cuda.graph(graph, pool=self._pool):
            work(given, width)
        return graph, given


@contextmanager
def _nothing_freed() -> Iterator[None]:
    """Disable the garbage collector: freeing an old model's graphs breaks a recording."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


Longs = npt.NDArray[np.int64]

_CHUNK = 20
"""Batches whose sentences are sorted by length together: little padding, much randomness."""


def _cut_by_words(order: Longs, lengths: Longs, limit: int) -> list[Longs]:
    cuts, words = [], 0
    for at, sentence in enumerate(order.tolist()):
        if words and words + lengths[sentence] > limit:
            cuts.append(at)
            words = 0
        words += lengths[sentence]
    return np.split(order, cuts)


def epoch(
    sentences: npt.ArrayLike, lengths: Longs, *, size: int, words: int = 0, seed: int, number: int
) -> list[Longs]:
    """Return batches of sentences of similar length, of `size` sentences or `words` words each.

    Sentences are shuffled, sorted by length within a chunk of batches, and cut; then the batches
    are shuffled. With as many sentences, the k-th batches of different seeds are about equally
    long, which is what models that learn in lockstep need; so that shuffle depends on the epoch
    alone.
    """
    order = np.random.default_rng([seed, number]).permutation(np.asarray(sentences, np.int64))
    each = max(int(lengths[order].sum()) // words, 1) if words else -(-len(order) // size)
    made: list[Longs] = []
    for piece in np.array_split(np.arange(each), max(round(each / _CHUNK), 1)):
        first, last = (int(at) * len(order) // each for at in (piece[0], piece[-1] + 1))
        chunk = order[first:last]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        if words:
            made += _cut_by_words(chunk, lengths, words)
        else:
            made += np.array_split(chunk, len(piece))
    turns = np.random.default_rng([number]).permutation(len(made))
    return [made[turn] for turn in turns]


def by_length(sentences: npt.ArrayLike, lengths: Longs, places: int, most: int) -> list[Longs]:
    """Return batches with a bounded number of positions, with padding, longest first."""
    order = np.asarray(sentences, np.int64)
    order = order[np.argsort(-lengths[order], kind="stable")]
    made, at = [], 0
    while at < len(order):
        size = min(max(places // (int(lengths[order[at]]) + 1), 1), most)
        made.append(order[at : at + size])
        at += size
    return made


def rounded(width: int) -> int:
    """Round a padded length up, so that few different ones occur."""
    step = 4 if width <= 48 else 8 if width <= 96 else 32 if width <= 256 else 64
    return -(-width // step) * step


Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Tables:
    """Data on the device that do not change in training; the first axis is the model.

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
    rare: Tensor | None = None


@dataclass(frozen=True)
class SentenceBatch:
    """A batch of sentences of each model; M models, B sentences, T positions, the first the root.

    Lengths (M, B) count the root. All else is (M, B, T), 0 where there is no word; `places` are the
    words' numbers in the data, the last for none; labels are (columns, M, B, T).
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


def gathered_batch(tables: Tables, sentences: Tensor, width: int) -> SentenceBatch:
    """Collect the sentences (M, B) of each model, padded to `width` places with the root's."""
    lengths = tables.lengths[sentences]
    step = torch.arange(width, device=sentences.device)
    words = (step > 0) & (step <= lengths[..., None])
    none = tables.heads.shape[0] - 1
    places = torch.where(words, tables.starts[sentences][..., None] + step - 1, none)
    return SentenceBatch(
        lengths + 1, own(tables.types, places), own(tables.tags, places), tables.heads[places],
        tables.relations[places], places, words, tables.labels[:, places],
        turning(lengths + 1, width),
    )  # fmt: skip


def own(table: Tensor, numbers: Tensor) -> Tensor:
    """Look numbers (M, ...) up in each model's own table (M, entries, ...)."""
    models, entries, *shape = table.shape
    shift = torch.arange(models, device=numbers.device) * entries
    flat = (numbers + shift.view(-1, *[1] * (numbers.dim() - 1))).reshape(-1)
    found = table.reshape(models * entries, *shape).index_select(0, flat)
    return found.view(*numbers.shape, *shape)


def tables(
    read: Sequence[Encoded], words: npt.ArrayLike, chars: npt.ArrayLike, device: torch.device,
    vectors: Floats | None = None, rare: npt.ArrayLike | None = None,
) -> Tables:  # fmt: skip
    """Return the data on the device; models may differ only in types and tags."""
    data = read[0]

    def put(array: npt.ArrayLike) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.int64)).to(device)

    def ended(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([array, np.zeros((1, *array.shape[1:]), array.dtype)])

    return Tables(
        put(data.offsets), put(ended(data.lengths)),
        put(np.stack([ended(one.types) for one in read])),
        put(np.stack([ended(one.tags) for one in read])), put(ended(data.heads)),
        put(ended(data.relations)), put(ended(data.labels).T), put(data.type_words),
        put(data.type_chars), put(words), put(chars),
        None if vectors is None else torch.from_numpy(vectors).to(device),
        None if rare is None else put(rare),
    )  # fmt: skip
