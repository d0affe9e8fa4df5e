"""The weights of several models of one shape, side by side, and how they begin."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.parsers.neural.data import Encoded
from treegauge.parsers.neural.options import (
    BiaffineOptions,
    LabellingOptions,
    NeuralOptions,
    PointerOptions,
)

Shape = tuple[int, ...]
Weights = dict[str, Tensor]
"""By name; the first axis is the model."""


def layout(data: Encoded, options: NeuralOptions, vector_size: int = 0) -> dict[str, Shape]:
    """Return the shapes of a model's weights; a name's ending says how they begin.

    ``table``: normal; ``matrix``: orthogonal; ``bias`` and ``bilinear``: zero.
    """
    words, chars, tags, relations = data.sizes.tolist()
    half = max(options.char_size // 2, 1)
    shapes: dict[str, Shape] = {
        "word.table": (words, options.word_size),
        "char.table": (chars, half),
        **_lstm("char", 2, half, half),
    }
    width = options.word_size + 2 * half
    if options.upos:
        shapes["tag.table"] = (tags, options.tag_size)
        width += options.tag_size
    if vector_size:
        shapes["vector.matrix"] = (vector_size, options.word_size)
    for layer in range(options.layers):
        shapes |= _lstm(f"layer{layer}", 2, width, options.hidden)
        width = 2 * options.hidden
    if isinstance(options, LabellingOptions):
        hidden = options.label_size
        # A label tells of a word and of the one before it.
        for column, size in enumerate([*data.label_sizes.tolist(), relations]):
            shapes[f"label{column}.layer.matrix"] = (2 * width, hidden)
            shapes[f"label{column}.layer.bias"] = (hidden,)
            shapes[f"label{column}.matrix"] = (hidden, size)
            shapes[f"label{column}.bias"] = (size,)
        if options.arc_weight == 0:
            return shapes
    assert isinstance(options, BiaffineOptions | LabellingOptions)  # noqa: S101 - there are no others
    dependent = width
    if isinstance(options, PointerOptions):
        shapes |= _lstm("pointer", 1, width, options.hidden)
        dependent = options.hidden
    arc, relation = options.arc_size, options.relation_size
    for side, size in (("dependent", dependent), ("head", width)):
        for kind, out in (("arc", arc), ("relation", relation)):
            shapes[f"{kind}.{side}.matrix"] = (size, out)
            shapes[f"{kind}.{side}.bias"] = (out,)
    shapes["arc.bilinear"] = (arc + 1, arc)
    shapes["relation.bilinear"] = (relation + 1, relations, relation + 1)
    return shapes


def _lstm(name: str, ways: int, size: int, hidden: int) -> dict[str, Shape]:
    return {
        f"{name}.input.matrix": (ways, size, 4 * hidden),
        f"{name}.states.matrix": (ways, hidden, 4 * hidden),
        f"{name}.bias": (ways, 4 * hidden),
    }


def orthogonal(values: Tensor) -> Tensor:
    """Make the shorter side of normal matrices (..., rows, columns) orthonormal.

    By the Cholesky factor of the small product rather than by reflections: hundreds of models are
    begun in a moment.

    Examples
    --------
    >>> made = orthogonal(torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1)))
    >>> torch.allclose(made.mT @ made, torch.eye(3).expand(2, 3, 3), atol=1e-5)
    True
    """
    wide = values.shape[-2] < values.shape[-1]
    tall = (values.mT if wide else values).double()
    factor = torch.linalg.cholesky(tall.mT @ tall)
    made: Tensor = torch.linalg.solve_triangular(factor, tall.mT, upper=False).mT
    return (made.mT if wide else made).to(values.dtype).contiguous()


def initial(shapes: Mapping[str, Shape], seeds: Sequence[int], device: torch.device) -> Weights:
    """Draw the weights of a model for each seed."""
    draws = [torch.Generator(device).manual_seed(seed) for seed in seeds]
    weights: Weights = {}
    for name, shape in shapes.items():
        values = torch.zeros(len(seeds), *shape, device=device)
        if name.endswith((".table", ".matrix")):
            for model, draw in enumerate(draws):
                values[model].normal_(generator=draw)
        if name.endswith(".matrix"):
            values = orthogonal(values)
        weights[name] = values
    return weights


def to_arrays(weights: Mapping[str, Tensor], model: int = 0) -> dict[str, npt.NDArray[Any]]:
    """Return one model's weights as arrays."""
    return {name: value[model].detach().cpu().numpy().copy() for name, value in weights.items()}


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]], device: torch.device) -> Weights:
    """Return the weights of one model, from arrays."""
    return {
        name: torch.from_numpy(np.ascontiguousarray(value))[None].to(device)
        for name, value in arrays.items()
    }
