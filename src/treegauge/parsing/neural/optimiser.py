"""Adam and stochastic gradient descent with momentum, for models trained in lockstep."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor
from torch.optim.adam import adam

from treegauge.parsing.neural.options import NeuralOptions

_BETAS, _EPSILON = (0.9, 0.9), 1e-12


class Optimiser:
    """The optimiser of the weights; its state is in tensors.

    On a GPU, steps are recorded in graphs, which read step sizes when they are replayed.
    """

    def __init__(self, weights: Mapping[str, Tensor], options: NeuralOptions, device: torch.device) -> None:
        self.options = options
        self._named = dict(weights)
        for value in weights.values():
            value.requires_grad_()
        self._rate = torch.tensor(options.rate, device=device)
        self._by_descent = options.optimiser == "sgd"
        self._memory: dict[str, dict[str, Tensor]] = {}
        for name, value in weights.items():
            if self._by_descent:
                self._memory[name] = {"momentum": torch.zeros_like(value)}
            else:
                self._memory[name] = {
                    "step": torch.zeros((), device=device),
                    "exp_avg": torch.zeros_like(value),
                    "exp_avg_sq": torch.zeros_like(value),
                }

    def set_rate(self, updates: int, epoch: int) -> None:
        r"""Set the step size of the next update, after `updates` others, in an epoch from 1.

        .. math:: \eta \cdot \frac{d^{u/s}}{1 + c (e - 1)} \cdot \min\left(1, \frac{u+1}{w}\right)

        with the options rate :math:`\eta`, decay d over s steps, decay c per epoch and w steps of
        warm-up.
        """
        how = self.options
        decayed = math.pow(how.decay, updates / how.decay_steps) / (1 + how.epoch_decay * (epoch - 1))
        self._rate.fill_(how.rate * decayed * min((updates + 1) / max(how.warmup_steps, 1), 1))

    def step(self, gradients: Sequence[Tensor | None]) -> None:
        """Update the weights; weights without a gradient stay."""
        found = {name: one for name, one in zip(self._named, gradients, strict=True) if one is not None}
        with torch.no_grad():
            if self._by_descent:
                for name, gradient in found.items():
                    memory = self._memory[name]["momentum"]
                    memory.mul_(self.options.momentum).add_(gradient)
                    self._named[name].sub_(self._rate * memory)
            elif found:
                self._adam(found)

    def _adam(self, found: Mapping[str, Tensor]) -> None:
        """Update weights by their gradients with Adam.

        This is torch's function; its class would load torch's compiler, which takes seconds.
        """
        memory = [self._memory[name] for name in found]
        adam(
            [self._named[name] for name in found], list(found.values()),
            [one["exp_avg"] for one in memory], [one["exp_avg_sq"] for one in memory], [],
            [one["step"] for one in memory], fused=True, amsgrad=False, beta1=_BETAS[0],
            beta2=_BETAS[1], lr=self._rate, weight_decay=0.0, eps=_EPSILON, maximize=False,
        )  # fmt: skip

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return weights and memory as arrays."""
        arrays = {}
        for name, value in self._named.items():
            for key, one in (("", value.detach()), *self._memory[name].items()):
                arrays[f"{name}:{key}"] = one.cpu().numpy().copy()
        return arrays

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Resume from the result of :meth:`state`."""
        with torch.no_grad():
            for name, value in self._named.items():
                for key, one in (("", value), *self._memory[name].items()):
                    one.copy_(torch.from_numpy(arrays[f"{name}:{key}"]))
