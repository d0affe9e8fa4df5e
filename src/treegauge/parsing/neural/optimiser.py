"""Adam and stochastic gradient descent with momentum, for models trained in lockstep."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor

from treegauge.parsing.neural.options import NeuralOptions

_BETAS, _EPSILON = (0.9, 0.9), 1e-12
_ENCODER_BETAS, _ENCODER_EPSILON = (0.9, 0.999), 1e-8


class Optimiser:
    """The optimiser of the weights; its state is in tensors.

    On a GPU, steps are recorded in graphs, which read step sizes when they are replayed. `tuned`
    are the weights of a pretrained encoder, which has its own step size and always uses Adam.
    """

    def __init__(
        self, weights: Mapping[str, Tensor], tuned: Mapping[str, Tensor], options: NeuralOptions,
        device: torch.device,
    ) -> None:  # fmt: skip
        self.options = options
        self._named = {**weights, **tuned}
        for value in weights.values():
            value.requires_grad_()
        self._rate = torch.tensor(options.rate, device=device)
        self._encoder_rate = torch.tensor(0.0, device=device)
        by_descent = weights if options.optimiser == "sgd" else {}
        self._memory: dict[str, dict[str, Tensor]] = {
            name: {"momentum": torch.zeros_like(value)} for name, value in by_descent.items()
        }
        groups: list[dict[str, Any]] = []
        if not by_descent:
            groups.append({"params": list(weights.values()), "lr": self._rate})
        if tuned:
            own = {"params": list(tuned.values()), "lr": self._encoder_rate}
            groups.append({**own, "betas": _ENCODER_BETAS, "eps": _ENCODER_EPSILON})
        self._adam: torch.optim.Adam | None = None
        if not groups:
            return
        self._adam = torch.optim.Adam(
            groups, lr=self._rate, betas=_BETAS, eps=_EPSILON, fused=True,
            capturable=device.type == "cuda",
        )  # fmt: skip
        for name, value in self._named.items():
            if name not in self._memory:
                self._memory[name] = self._adam.state[value] = {
                    "step": torch.zeros((), device=device),
                    "exp_avg": torch.zeros_like(value),
                    "exp_avg_sq": torch.zeros_like(value),
                }

    def set_rate(self, updates: int, epoch: int, steps: int) -> None:
        r"""Set the step size of the next update, after `updates` others, in an epoch from 1.

        .. math:: \eta \cdot \frac{d^{u/s}}{1 + c (e - 1)} \cdot \min\left(1, \frac{u+1}{w}\right)

        with the options rate :math:`\eta`, decay d over s steps, decay c per epoch and w steps of
        warm-up; the step size of an encoder rises over epochs, which have `steps` updates.
        """
        how = self.options
        decayed = math.pow(how.decay, updates / how.decay_steps) / (
            1 + how.epoch_decay * (epoch - 1)
        )
        self._rate.fill_(how.rate * decayed * min((updates + 1) / max(how.warmup_steps, 1), 1))
        warm = min((updates + 1) / max(how.warmup * steps, 1), 1)
        self._encoder_rate.fill_(how.encoder_rate * warm * decayed)

    def step(self, gradients: Sequence[Tensor | None]) -> None:
        """Update the weights, then those of an encoder; weights without a gradient stay."""
        for (name, value), gradient in zip(self._named.items(), gradients, strict=True):
            memory = self._memory[name].get("momentum")
            if memory is None:
                value.grad = gradient
            elif gradient is not None:
                with torch.no_grad():
                    memory.mul_(self.options.momentum).add_(gradient)
                    value.sub_(self._rate * memory)
        if self._adam is not None:
            self._adam.step()
            for value in self._named.values():
                value.grad = None

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
