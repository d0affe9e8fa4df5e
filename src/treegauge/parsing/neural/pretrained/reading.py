"""One pass of an encoder over windows, in full or mixed precision, and its fine-tuning."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.neural.options import NeuralOptions
from treegauge.parsing.neural.pretrained.encoders import TUNED, PretrainedEncoder
from treegauge.parsing.neural.pretrained.subwords import Windows


def is_short(options: NeuralOptions, device: torch.device) -> bool:
    """Whether the encoder computes with numbers of 16 bits."""
    auto = device.type == "cuda"
    return options.precision == "bfloat16" or (options.precision == "auto" and auto)


def in_precision(module: torch.nn.Module, options: NeuralOptions, device: torch.device) -> torch.nn.Module:
    """Return the module itself, or a copy whose weights have 16 bits.

    Only weights are rounded: positions and the like are computed in full precision. Weights that
    are rounded once cost less than those that each product rounds again (autocast), which is half
    of the time where batches are small.
    """
    if not is_short(options, device):
        return module
    short = copy.deepcopy(module)
    for value in short.parameters():
        value.data = value.data.bfloat16()
    return short


def read_windows(module: torch.nn.Module, windows: Windows, options: NeuralOptions, device: torch.device) -> Tensor:
    """Return the vectors of words in the top layers, (words, layers, size), lowest layer first."""

    def put(array: npt.NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(array).to(device, non_blocking=True)

    output = module(
        input_ids=put(windows.ids), attention_mask=put(windows.mask), output_hidden_states=True, return_dict=True
    )
    states = output.hidden_states[-options.encoder_layers :]
    if states[-1].shape[:2] != windows.ids.shape:
        raise TreegaugeError(
            f"option encoder: it gives states {tuple(states[-1].shape[:2])} for subwords "
            f"{windows.ids.shape}; expected one for each"
        )
    vectors = torch.stack(states, 2).flatten(0, 1).index_select(0, put(windows.cells)).float()
    if options.pooling != "mean":
        return vectors
    words = put(windows.words)
    blank = vectors.new_zeros(windows.n_words, *vectors.shape[1:])
    counts = np.bincount(windows.words, minlength=windows.n_words)
    return blank.index_add(0, words, vectors) / put(counts)[:, None, None]


class EncoderLearner:
    """An encoder to fine-tune: weights in full precision, and the module that computes with them.

    In mixed precision (Micikevicius et al. 2018) the module's weights are rounded copies, gradients
    are taken of them, and updates go to the weights in full precision.
    """

    def __init__(self, encoder: PretrainedEncoder, options: NeuralOptions, device: torch.device) -> None:
        full = encoder.own_module().to(device)
        self.module = in_precision(full, options, device)
        if options.gradient_checkpointing:
            _recompute(self.module, encoder.source)
        self.leaves: list[Tensor] = list(self.module.parameters())
        """The weights for which gradients are computed."""
        self.weights: dict[str, Tensor] = {
            f"{TUNED}{name}": value.detach() if self.is_mixed else value for name, value in full.named_parameters()
        }
        """The weights that are updated and stored, by name."""
        self._clip = options.clip

    @property
    def is_mixed(self) -> bool:
        """Whether the module computes with rounded weights."""
        return self.leaves[0].dtype != torch.float32

    def gradients(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Return gradients of the leaves in full precision, all together of bounded norm."""
        values = self.weights.values()
        for value, grad in zip(values, grads, strict=True):
            value.grad = None if grad is None else grad.float()
        torch.nn.utils.clip_grad_norm_(values, self._clip, foreach=True)
        return [value.grad for value in values]

    @torch.no_grad()
    def refresh(self) -> None:
        """Round the weights again after an update."""
        if self.is_mixed:
            for leaf, value in zip(self.leaves, self.weights.values(), strict=True):
                leaf.copy_(value)


def _recompute(module: Any, source: str) -> None:
    module.config.use_cache = False
    # Transformers 5 renames the method and warns about the former name; 4 has only the former one.
    new, former = "activation_checkpointing_enable", "gradient_checkpointing_enable"
    enable = getattr(module, new if hasattr(module, new) else former)
    try:
        enable({"use_reentrant": False})
    except ValueError as error:
        raise TreegaugeError(f"option gradient_checkpointing: {source} has no such thing: {error}") from error
