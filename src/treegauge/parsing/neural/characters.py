"""Vectors of words by a convolution over their characters."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

WINDOW = 3
"""The width of the convolution in characters."""
_NEVER = -1e30


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
        weights["char.bias"][:, None],
        windows.reshape(models, steps * forms, WINDOW * size),
        weights["char.matrix"],
    ).view(models, steps, forms, -1)
    # A form without characters, which padding is, keeps its first place.
    inside = inside | (torch.arange(steps, device=lengths.device) == 0)[:, None]
    return made.masked_fill(~inside[..., None], _NEVER).amax(1)
