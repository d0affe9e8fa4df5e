"""From sentences to a vector for every word: embeddings, characters, BiLSTM."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from treegauge.parsers.neural.data import PAD_CHAR
from treegauge.parsers.neural.options import NeuralOptions
from treegauge.parsers.neural.recurrence import bilstm, turning
from treegauge.parsers.neural.tables import Batch, Tables, own


def shared_dropout(values: Tensor, share: float, axis: int) -> Tensor:
    """Hide the same parts of a sentence's vectors at all its places, which `axis` runs over."""
    if share == 0:
        return values
    shape = list(values.shape)
    shape[axis] = 1
    kept = torch.rand(shape, device=values.device) >= share
    return values * (kept.to(values.dtype) / (1 - share))


def _mixed(parts: list[Tensor], share: float) -> Tensor:
    """Join embeddings, each of which is hidden at some words; the others make up for it."""
    if share == 0:
        return torch.cat(parts, -1)
    shape = (len(parts), *parts[0].shape[:-1], 1)
    kept = (torch.rand(shape, device=parts[0].device) >= share).to(parts[0].dtype)
    kept = kept * (len(parts) / kept.sum(0).clamp(min=1))
    return torch.cat([part * keep for part, keep in zip(parts, kept, strict=True)], -1)


def _lstm(weights: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor, Tensor]:
    return (
        weights[f"{name}.input.matrix"],
        weights[f"{name}.states.matrix"],
        weights[f"{name}.bias"],
    )


def _spelled(
    weights: Mapping[str, Tensor], tables: Tables, types: Tensor, *, fixed: bool
) -> Tensor:
    """Make a vector of the characters of each form, from both ends of its LSTM.

    Each form is spelled once, unless shapes must be known beforehand.
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


def encode(
    weights: Mapping[str, Tensor],
    tables: Tables,
    batch: Batch,
    options: NeuralOptions,
    *,
    training: bool,
    fixed: bool = False,
) -> Tensor:
    """Return the states of all places, (M, T, B, 2 * hidden).

    Parameters
    ----------
    weights, tables, batch, options
        The models and what they read.
    training
        Whether parts are hidden.
    fixed
        Whether shapes may depend on the batch's shape only, as CUDA graphs need.
    """
    share = options.dropout if training else 0.0
    types = batch.types.transpose(1, 2)
    words = own(tables.words, tables.type_words[types])
    embedded = own(weights["word.table"], words)
    if tables.vectors is not None:
        given = tables.vectors[types]
        flat = given.reshape(len(given), -1, given.shape[-1])
        embedded = embedded + torch.bmm(flat, weights["vector.matrix"]).view(embedded.shape)
    parts = [embedded, _spelled(weights, tables, types, fixed=fixed)]
    if options.upos:
        parts.append(own(weights["tag.table"], batch.tags.transpose(1, 2)))
    states = _mixed(parts, share)
    for layer in range(options.layers):
        states = shared_dropout(states, share, 1)
        layers = _lstm(weights, f"layer{layer}")
        states = bilstm(states, batch.order, layers, dropout=share)
    return shared_dropout(states, share, 1)


def point(weights: Mapping[str, Tensor], states: Tensor, batch: Batch, share: float) -> Tensor:
    """Run the pointer's LSTM from left to right over the states, root first."""
    read = bilstm(states, batch.order, _lstm(weights, "pointer"), both=False, dropout=share)
    return shared_dropout(read, share, 1)
