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
_ENCODER_BETAS, _ENCODER_EPSILON = (0.9, 0.999), 1e-8


class Optimiser:
    """The optimiser of the weights; its state is in tensors.

    On a GPU, steps are recorded in graphs, which read step sizes when they are replayed. `tuned`
    are the weights of a pretrained encoder, which has its own step size and always uses Adam.
    """

    def __init__(
        self, weights: Mapping[str, Tensor], tuned: Mapping[str, Tensor], options: NeuralOptions, device: torch.device
    ) -> None:
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
        self._own = [name for name in weights if not by_descent]
        self._tuned = list(tuned)
        for name in (*self._own, *self._tuned):
            self._memory[name] = {
                "step": torch.zeros((), device=device),
                "exp_avg": torch.zeros_like(self._named[name]),
                "exp_avg_sq": torch.zeros_like(self._named[name]),
            }

    def set_rate(self, updates: int, epoch: int, steps: int) -> None:
        r"""Set the step size of the next update, after `updates` others, in an epoch from 1.

        .. math:: \eta \cdot \frac{d^{u/s}}{1 + c (e - 1)} \cdot \min\left(1, \frac{u+1}{w}\right)

        with the options rate :math:`\eta`, decay d over s steps, decay c per epoch and w steps of
        warm-up; the step size of an encoder rises over epochs, which have `steps` updates.
        """
        how = self.options
        decayed = math.pow(how.decay, updates / how.decay_steps) / (1 + how.epoch_decay * (epoch - 1))
        self._rate.fill_(how.rate * decayed * min((updates + 1) / max(how.warmup_steps, 1), 1))
        warm = min((updates + 1) / max(how.warmup * steps, 1), 1)
        self._encoder_rate.fill_(how.encoder_rate * warm * decayed)

    def step(self, gradients: Sequence[Tensor | None]) -> None:
        """Update the weights, then those of an encoder; weights without a gradient stay."""
        found = dict(zip(self._named, gradients, strict=True))
        with torch.no_grad():
            for name, gradient in found.items():
                memory = self._memory[name].get("momentum")
                if memory is not None and gradient is not None:
                    memory.mul_(self.options.momentum).add_(gradient)
                    self._named[name].sub_(self._rate * memory)
            self._adam(self._own, found, self._rate, _BETAS, _EPSILON)
            self._adam(self._tuned, found, self._encoder_rate, _ENCODER_BETAS, _ENCODER_EPSILON)

    def _adam(
        self, names: Sequence[str], gradients: Mapping[str, Tensor | None], rate: Tensor,
        betas: tuple[float, float], epsilon: float,
    ) -> None:  # fmt: skip
        """Update the named weights with Adam.

        This is torch's function; its class would load torch's compiler, which takes seconds.
        """
        found = {name: one for name in names if (one := gradients[name]) is not None}
        if not found:
            return
        memory = [self._memory[name] for name in found]
        adam(
            [self._named[name] for name in found], list(found.values()),
            [one["exp_avg"] for one in memory], [one["exp_avg_sq"] for one in memory], [],
            [one["step"] for one in memory], fused=True, amsgrad=False, beta1=betas[0],
            beta2=betas[1], lr=rate, weight_decay=0.0, eps=epsilon, maximize=False,
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
