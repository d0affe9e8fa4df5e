"""From sentences to a vector for every word: weights, embeddings, characters, BiLSTM."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.neural.batches import SentenceBatch, Tables, own
from treegauge.parsing.neural.data import PAD_CHAR, UNKNOWN, Encoded
from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, NeuralOptions, PointerOptions
from treegauge.parsing.neural.recurrence import bilstm, turning

Shape = tuple[int, ...]
Weights = dict[str, Tensor]
"""By name; the first axis is the model."""
WINDOW = 3
"""The width of the convolution over characters."""
_NEVER = -1e30


def layout(data: Encoded, options: NeuralOptions, vector_size: int = 0) -> dict[str, Shape]:
    """Return the shapes of a model's weights; the ending of a name decides the initialisation.

    ``table``: normal; ``matrix``: orthogonal; ``bias`` and ``bilinear``: zero. With the option
    ``initialisation=uniform`` all but bilinear forms are uniform (:func:`initial`).
    """
    relations = int(data.sizes[3])
    shapes, width = _input_shapes(data, options, vector_size)
    for layer in range(options.layers):
        shapes |= _lstm_shapes(f"layer{layer}", 2, width, options.hidden)
        width = 2 * options.hidden
    if isinstance(options, LabellingOptions):
        hidden = options.label_size
        # A label describes a word and the one before it.
        for column, size in enumerate([*data.label_sizes.tolist(), relations]):
            if hidden:
                shapes[f"label{column}.layer.matrix"] = (2 * width, hidden)
                shapes[f"label{column}.layer.bias"] = (hidden,)
            shapes[f"label{column}.matrix"] = (hidden or width, size)
            shapes[f"label{column}.bias"] = (size,)
    assert isinstance(options, BiaffineOptions | LabellingOptions)  # noqa: S101 - there are no others
    dependent = width
    if isinstance(options, PointerOptions):
        shapes |= _lstm_shapes("pointer", 1, width, options.hidden)
        dependent = options.hidden
    pairs = _scored_pairs(options)
    for side, wide in (("dependent", dependent), ("head", width)):
        for kind, size in pairs.items():
            shapes[f"{kind}.{side}.matrix"] = (wide, size)
            shapes[f"{kind}.{side}.bias"] = (size,)
    for kind, size in pairs.items():
        between = () if kind == "arc" else (relations,)
        shapes[f"{kind}.bilinear"] = (size + 1, *between, size + (kind != "arc"))
    return shapes


def _scored_pairs(options: BiaffineOptions | LabellingOptions) -> dict[str, int]:
    """Return the sizes of vectors by which pairs of words are scored, in training at least."""
    sizes = {"arc": options.arc_size, "relation": options.relation_size}
    if isinstance(options, LabellingOptions) and options.arc_weight == 0:
        return {"relation": sizes["relation"]} if options.relations == "head" else {}
    return sizes


def _input_shapes(data: Encoded, options: NeuralOptions, vector_size: int) -> tuple[dict[str, Shape], int]:
    """Return the shapes of the input weights, and the total size of a word's input."""
    words, chars, tags, _ = data.sizes.tolist()
    half = options.char_size // 2
    shapes: dict[str, Shape] = {}
    if options.word_size:
        shapes["word.table"] = (words, options.word_size)
    if half:
        shapes["char.table"] = (chars, half)
        if options.characters == "lstm":
            shapes |= _lstm_shapes("char", 2, half, half)
        else:
            shapes |= {"char.matrix": (WINDOW * half, 2 * half), "char.bias": (2 * half,)}
    width = options.word_size + 2 * half
    if options.upos:
        shapes["tag.table"] = (tags, options.tag_size)
        width += options.tag_size
    if not width or (vector_size and not options.word_size):
        raise TreegaugeError(
            "option word_size is 0; expected words, characters or tags to read, and "
            "word embeddings wherever word vectors are added to them"
        )
    if vector_size:
        shapes["vector.matrix"] = (vector_size, options.word_size)
    return shapes, width


def _lstm_shapes(name: str, ways: int, size: int, hidden: int) -> dict[str, Shape]:
    return {
        f"{name}.input.matrix": (ways, size, 4 * hidden),
        f"{name}.states.matrix": (ways, hidden, 4 * hidden),
        f"{name}.bias": (ways, 4 * hidden),
    }


def orthogonal(values: Tensor) -> Tensor:
    """Make the shorter side of normal matrices (..., rows, columns) orthonormal.

    Uses the Cholesky factor of the small product instead of reflections, which is fast for hundreds
    of models.
    """
    wide = values.shape[-2] < values.shape[-1]
    tall = (values.mT if wide else values).double()
    factor = torch.linalg.cholesky(tall.mT @ tall)
    made: Tensor = torch.linalg.solve_triangular(factor, tall.mT, upper=False).mT
    return (made.mT if wide else made).to(values.dtype).contiguous()


def _reach(shapes: Mapping[str, Shape], name: str) -> float:
    r"""Return where uniform weights end.

    :math:`\sqrt{3/d}` for embeddings of size d, :math:`1/\sqrt{h}` for an LSTM of h states, and
    :math:`1/\sqrt{n}` for a layer over n values.
    """
    owner = name.removesuffix(".matrix").removesuffix(".bias").removesuffix(".input").removesuffix(".states")
    if name.endswith(".table"):
        return math.sqrt(3 / shapes[name][-1])
    size = shapes[name][-1] // 4 if f"{owner}.states.matrix" in shapes else shapes[f"{owner}.matrix"][0]
    return 1 / math.sqrt(size)


def initial(
    shapes: Mapping[str, Shape], seeds: Sequence[int], device: torch.device, *, uniform: bool = False
) -> Weights:
    """Draw the weights of a model for each seed."""
    draws = [torch.Generator(device).manual_seed(seed) for seed in seeds]
    weights: Weights = {}
    for name, shape in shapes.items():
        values = torch.zeros(len(seeds), *shape, device=device)
        if uniform and not name.endswith(".bilinear"):
            reach = _reach(shapes, name)
            for model, draw in enumerate(draws):
                values[model].uniform_(-reach, reach, generator=draw)
            weights[name] = values
            continue
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
    return {name: torch.from_numpy(np.ascontiguousarray(value))[None].to(device) for name, value in arrays.items()}


def shared_dropout(values: Tensor, share: float, axis: int | None) -> Tensor:
    """Apply dropout with the same mask at all positions of a sentence, along `axis`, if any."""
    if share == 0:
        return values
    shape = list(values.shape)
    if axis is not None:
        shape[axis] = 1
    kept = torch.rand(shape, device=values.device) >= share
    return values * (kept.to(values.dtype) / (1 - share))


def _mixed(parts: list[Tensor], share: float) -> Tensor:
    """Join embeddings, each hidden at random words; the others are scaled up."""
    if share == 0:
        return torch.cat(parts, -1)
    shape = (len(parts), *parts[0].shape[:-1], 1)
    kept = (torch.rand(shape, device=parts[0].device) >= share).to(parts[0].dtype)
    kept = kept * (len(parts) / kept.sum(0).clamp(min=1))
    return torch.cat([part * keep for part, keep in zip(parts, kept, strict=True)], -1)


def _lstm(weights: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor, Tensor]:
    return (weights[f"{name}.input.matrix"], weights[f"{name}.states.matrix"], weights[f"{name}.bias"])


def _spelled(weights: Mapping[str, Tensor], tables: Tables, types: Tensor, *, fixed: bool) -> Tensor:
    """Return a vector of each form from its characters.

    Each form is computed once, unless shapes must be known beforehand.
    """
    models = types.shape[0]
    if fixed:
        forms, back = types.reshape(models, -1), None
    else:
        found = [torch.unique(one, return_inverse=True) for one in types.reshape(models, -1)]
        most = max(len(one) for one, _ in found)
        forms = torch.stack([functional.pad(one, (0, most - len(one))) for one, _ in found])
        back = torch.stack([inverse for _, inverse in found])
    raw = tables.type_chars[forms]
    lengths = (raw != PAD_CHAR).sum(-1)
    if not fixed:
        raw = raw[..., : max(int(lengths.max()), 1)]
    steps = raw.shape[-1]
    chars = own(tables.chars, raw.transpose(1, 2))
    if "char.matrix" in weights:
        made = convolved(weights, own(weights["char.table"], chars), lengths)
        return (made if back is None else own(made, back)).view(*types.shape, -1)
    order = turning(lengths, steps)
    states = bilstm(own(weights["char.table"], chars), order, _lstm(weights, "char"))
    size = states.shape[-1] // 2
    # The last state of each direction: the end forwards, the beginning backwards.
    rows = torch.arange(forms.numel(), device=types.device).view(forms.shape)
    shift = rows // forms.shape[1] * (steps - 1) * forms.shape[1]
    last = (lengths - 1).clamp(min=0) * forms.shape[1] + rows + shift
    forwards = states[..., :size].reshape(-1, size).index_select(0, last.reshape(-1))
    backwards = states[:, 0, :, size:]
    made = torch.cat([forwards.view(backwards.shape), backwards], -1)
    return (made if back is None else own(made, back)).view(*types.shape, -1)


def encoder_states(
    weights: Mapping[str, Tensor], tables: Tables, batch: SentenceBatch, options: NeuralOptions, *,
    training: bool, fixed: bool = False,
) -> Tensor:  # fmt: skip
    """Return the states of all positions, (M, T, B, 2 * hidden); with dropout in training.

    With `fixed`, shapes depend only on the batch's shape, as CUDA graphs need.
    """
    share = options.dropout if training else 0.0
    parts = _embedded(weights, tables, batch, options, training=training, fixed=fixed)
    inside, axis = (options.inner_dropout if training else 0.0), (1 if options.masks == "shared" else None)
    states = shared_dropout(torch.cat(parts, -1), share, None) if axis is None else _mixed(parts, share)
    for layer in range(options.layers):
        states = shared_dropout(states, inside, 1)
        layers = _lstm(weights, f"layer{layer}")
        states = bilstm(states, batch.order, layers, dropout=inside)
    return shared_dropout(states, share, axis)


def _embedded(
    weights: Mapping[str, Tensor], tables: Tables, batch: SentenceBatch, options: NeuralOptions, *,
    training: bool, fixed: bool,
) -> list[Tensor]:  # fmt: skip
    """Return the embeddings of words, of their characters and of tags that the model uses."""
    types = batch.types.transpose(1, 2)
    parts = []
    if options.word_size:
        parts.append(_word_vectors(weights, tables, types, options.unknown if training else 0.0))
    if "char.table" in weights:
        parts.append(_spelled(weights, tables, types, fixed=fixed))
    if options.upos:
        parts.append(own(weights["tag.table"], batch.tags.transpose(1, 2)))
    return parts


def _word_vectors(weights: Mapping[str, Tensor], tables: Tables, types: Tensor, unknown: float) -> Tensor:
    """Return embeddings of words; in training a share of those that occur once is hidden."""
    numbers = tables.type_words[types]
    words = own(tables.words, numbers)
    if unknown and tables.rare is not None:
        hidden = torch.rand(words.shape, device=words.device) < unknown
        words = words.masked_fill(hidden & own(tables.rare, numbers).bool(), UNKNOWN)
    embedded = own(weights["word.table"], words)
    if tables.vectors is not None:
        given = tables.vectors[types]
        flat = given.reshape(len(given), -1, given.shape[-1])
        embedded = embedded + torch.bmm(flat, weights["vector.matrix"]).view(embedded.shape)
    return embedded


def point(weights: Mapping[str, Tensor], states: Tensor, batch: SentenceBatch, share: float) -> Tensor:
    """Run the pointer's LSTM from left to right over the states, root first."""
    read = bilstm(states, batch.order, _lstm(weights, "pointer"), both=False, dropout=share)
    return shared_dropout(read, share, 1)


def convolved(weights: Mapping[str, Tensor], embedded: Tensor, lengths: Tensor) -> Tensor:
    r"""Return a vector for each form from its characters, (models, forms, size).

    .. math:: v = \max_t \left(W [c_{t-1}; c_t; c_{t+1}] + b\right)

    `embedded` characters are (models, steps, forms, size), `lengths` those of forms.
    """
    models, steps, forms, size = embedded.shape
    inside = torch.arange(steps, device=lengths.device)[:, None] < lengths[:, None]
    seen = functional.pad(embedded * inside[..., None], (0, 0, 0, 0, 1, 1))
    windows = torch.cat([seen[:, at : at + steps] for at in range(WINDOW)], -1)
    made = torch.baddbmm(
        weights["char.bias"][:, None], windows.reshape(models, steps * forms, WINDOW * size), weights["char.matrix"]
    ).view(models, steps, forms, -1)
    # A form without characters, which padding is, keeps its first place.
    inside = inside | (torch.arange(steps, device=lengths.device) == 0)[:, None]
    return made.masked_fill(~inside[..., None], _NEVER).amax(1)
