"""Vectors of words in context, for batches: looked up for a frozen encoder, else computed.

A frozen encoder reads each sentence once. Its vectors are stored in half precision and reused in
all epochs, by all parallel models, and by later models of the same process.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.parsing.neural.batches import SentenceBatch, own
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import NeuralOptions
from treegauge.parsing.neural.pretrained.encoders import EncoderInput
from treegauge.parsing.neural.pretrained.reading import EncoderLearner, in_precision, is_short, read_windows
from treegauge.parsing.neural.pretrained.subwords import batched, plan_windows

_SUBWORDS = 8192
_LARGEST = 65504.0  # of half precision
_KEPT = 2 << 30
"""The largest size in bytes of the cache of a frozen encoder's vectors."""


class ContextVectors:
    """Vectors of an encoder for the words of batches, (M, B, T, layers, size), 0 for padding."""

    def __init__(
        self, given: EncoderInput, read: Sequence[Encoded], options: NeuralOptions,
        device: torch.device, arrays: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:  # fmt: skip
        self.options, self.device, self._given = options, device, given
        self._data = read[0]
        encoder = given.encoder
        self.shape = encoder.layers(options.encoder_layers), encoder.size
        self.learner: EncoderLearner | None = None
        self._table: Tensor | None = None
        size = len(self._data.types) * self.shape[0] * self.shape[1] * 2
        # A file to parse may be of any size; training data must fit into memory.
        if options.frozen and (arrays is None or size <= _KEPT):
            self._table, self._rows = self._looked_up(read)
            return
        if len(read) > 1:
            raise TreegaugeError("an encoder that is not frozen learns with one model at a time")
        if arrays is None:
            self.learner = EncoderLearner(encoder, options, device)
            self._module = self.learner.module
        else:
            self._module = in_precision(encoder.tuned(arrays).to(device), options, device)

    def of(self, batch: SentenceBatch, sentences: Tensor, *, training: bool) -> Tensor:
        """Return the vectors of a batch of these sentences (M, B)."""
        if self._table is not None:
            return self._table[own(self._rows, batch.places)]
        known = [one for one in sentences.reshape(-1).tolist() if one < len(self._data)]
        types = [self._types(self._data, one) for one in known]
        windows = plan_windows(self._given.subwords, types, self.options.pooling)
        if self.learner is not None:
            self._module.train(training)
        found = read_windows(self._module, windows, self.options, self.device)
        if self.options.frozen:
            found = _halved(found)
        blank = found.new_zeros(*batch.words.shape, *self.shape)
        return blank.masked_scatter(batch.words[..., None, None], found)

    @staticmethod
    def _types(data: Encoded, sentence: int) -> npt.NDArray[np.int32]:
        return data.types[data.offsets[sentence] : data.offsets[sentence + 1]]

    def _looked_up(self, read: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
        """Return vectors of the words of distinct sentences, and the row of each model's word."""
        subwords = self._given.subwords
        numbers: dict[bytes, int] = {}
        texts: list[npt.NDArray[np.int32]] = []
        rows = np.zeros((len(read), len(self._data.types) + 1), np.int64)
        starts = [0]
        for model, data in enumerate(read):
            for sentence in range(len(data)):
                types = self._types(data, sentence)
                number = numbers.setdefault(subwords.key(types), len(texts))
                if number == len(texts):
                    texts.append(types)
                    starts.append(starts[-1] + len(types))
                first = int(data.offsets[sentence])
                rows[model, first : first + len(types)] = starts[number] + np.arange(len(types))
        rows[:, -1] = starts[-1]
        self._check_memory((starts[-1] + 1) * self.shape[0] * self.shape[1] * 2)
        table = np.zeros((starts[-1] + 1, *self.shape), np.float16)
        self._fill(table, texts, list(numbers), starts)
        return torch.from_numpy(table).to(self.device), torch.from_numpy(rows).to(self.device)

    def _fill(
        self, table: npt.NDArray[np.float16], texts: Sequence[npt.NDArray[np.int32]],
        keys: Sequence[bytes], starts: Sequence[int],
    ) -> None:  # fmt: skip
        """Write the vectors of sentences, those read before from the encoder's cache."""
        options, given = self.options, self._given
        cache, precision = given.encoder.cache, is_short(options, self.device)
        window = given.subwords.window, given.subwords.overlap
        way = self.shape[0], options.pooling, *window, precision
        new = []
        for number, key in enumerate(keys):
            kept = cache.get((*way, key))
            if kept is None:
                new.append(number)
            else:
                table[starts[number] : starts[number + 1]] = kept
        sizes = given.subwords.starts[1:] - given.subwords.starts[:-1]
        room = given.subwords.window
        lengths = [min(int(sizes[texts[one]].sum()), room) for one in new]
        if not new:
            return
        module = in_precision(given.encoder.module.to(self.device), options, self.device)
        held = sum(one.nbytes for one in cache.values())
        done = 0
        with torch.inference_mode(), progress("encoding sentences", len(new)) as task:
            for some in batched(lengths, _SUBWORDS):
                chosen = [new[int(one)] for one in some]
                windows = plan_windows(given.subwords, [texts[one] for one in chosen], options.pooling)
                found = read_windows(module, windows, options, self.device)
                values, at = _halved(found).cpu().numpy(), 0
                for number in chosen:
                    size = len(texts[number])
                    vectors = values[at : at + size]
                    at += size
                    table[starts[number] : starts[number + 1]] = vectors
                    if held + vectors.nbytes <= _KEPT:
                        cache[*way, keys[number]] = vectors.copy()
                        held += vectors.nbytes
                done += len(chosen)
                task.update(done)

    def _check_memory(self, needed: int) -> None:
        free = None
        if self.device.type == "cuda":
            free = torch.cuda.mem_get_info(self.device)[0]
        if free is not None and needed > 0.8 * free:
            raise TreegaugeError(
                f"vectors of the frozen encoder take {needed / 2**30:.1f} GiB and "
                f"{free / 2**30:.1f} GiB are free on {self.device}; use encoder_layers=1, "
                "frozen=false or device=cpu"
            )


def _halved(values: Tensor) -> Tensor:
    return values.clamp(-_LARGEST, _LARGEST).half()


def context_vectors(
    given: EncoderInput | None, read: Sequence[Encoded], options: NeuralOptions,
    device: torch.device, arrays: Mapping[str, npt.NDArray[Any]] | None = None,
) -> ContextVectors | None:  # fmt: skip
    """Return the context vectors for these data, or None without an encoder."""
    return None if given is None else ContextVectors(given, read, options, device, arrays)
