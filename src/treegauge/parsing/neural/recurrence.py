"""An LSTM over many models at once, with its gradient written out.

The gates' share of the input is made beforehand in one product; what is left of a step is one
batched product and one pass over the gates, in both directions and all models together. That is
few enough kernels to be captured as a CUDA graph, and fewer than a tape would need on a CPU.
"""

from typing import Any

import torch
from torch import Tensor


def _operator(name: str, arguments: int) -> Any:
    """Return a private operator of torch; None if this version has none that is called so."""
    try:
        operator = getattr(torch.ops.aten, name)
        return operator if len(operator.default._schema.arguments) == arguments else None
    except AttributeError:
        return None


# Private operators of torch, used on a GPU only: what torch.nn.LSTMCell calls for its gates. The
# public cell multiplies by the weights of one model, and torch.nn.LSTM has no dropout between
# steps; here all models take a step together, and their gates are one kernel. Without them the
# same numbers come from more kernels.
_fused = _operator("_thnn_fused_lstm_cell", 5)
_fused_backward = _operator("_thnn_fused_lstm_cell_backward_impl", 6)


def _is_fused(given: Tensor) -> bool:
    """Whether the fused operators compute the gates of a tensor."""
    return given.is_cuda and None not in (_fused, _fused_backward)


_FEW = 64 * 64 * 64
"""Results smaller than this leave most of a GPU idle."""


def _summed(left: Tensor, right: Tensor) -> Tensor:
    """Return the products of (G, N, I) and (G, N, O) summed over N.

    A long sum with a small result is divided into pieces, since a GPU has only one worker per tile
    of the result.
    """
    groups, long, inner = left.shape
    outer = right.shape[2]
    pieces = 1
    if left.is_cuda and groups * inner * outer < _FEW:
        pieces = next(n for n in range(min(32, long), 0, -1) if long % n == 0)
    cut = (groups * pieces, long // pieces)
    made = torch.bmm(left.reshape(*cut, inner).mT, right.reshape(*cut, outer))
    return made.view(groups, pieces, inner, outer).sum(1) if pieces > 1 else made


class _Recurrence(torch.autograd.Function):
    """Input (G, T, B, 4H), in the order input, forget, candidate, output; weights (G, H, 4H).

    The next step sees a state multiplied by `mask` (G, B, H).
    """

    @staticmethod
    def forward(ctx: Any, given: Tensor, weight: Tensor, mask: Tensor | None) -> Tensor:
        run = _forward_fused if _is_fused(given) else _forward_plain
        hidden, cells, gates = run(given.transpose(0, 1), weight, mask)
        states = torch.stack(hidden, 1)
        ctx.save_for_backward(weight, states, mask, *cells, *gates)
        return states

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        weight, states, mask, *rest = ctx.saved_tensors
        groups, steps, rows, size = states.shape
        run = _backward_fused if _is_fused(weight) else _backward_plain
        # A copy, since the gradient through time is added to it.
        timed = grads[0].transpose(0, 1).clone(memory_format=torch.contiguous_format)
        made = run(timed, weight, mask, rest[:steps], rest[steps:])
        before = states[:, :-1] if mask is None else states[:, :-1] * mask[:, None]
        summed = _summed(
            before.reshape(groups, (steps - 1) * rows, size), made[:, 1:].reshape(groups, (steps - 1) * rows, 4 * size)
        )
        return made, summed, None


Lists = tuple[list[Tensor], list[Tensor], list[Tensor]]


def _forward_fused(given: Tensor, weight: Tensor, mask: Tensor | None) -> Lists:
    steps, groups, rows, wide = given.shape
    size = wide // 4
    inputs = given.contiguous().view(steps, groups * rows, wide)
    hidden: list[Tensor] = []
    cells: list[Tensor] = []
    gates: list[Tensor] = []
    recurrent = torch.zeros_like(inputs[0])
    cell = inputs.new_zeros(groups * rows, size)
    for step in range(steps):
        if step:
            seen = hidden[-1] if mask is None else hidden[-1] * mask
            recurrent = torch.bmm(seen, weight).view(groups * rows, wide)
        state, cell, active = _fused(inputs[step], recurrent, cell)
        hidden.append(state.view(groups, rows, size))
        cells.append(cell)
        gates.append(active)
    return hidden, cells, gates


def _flow_back(grads: Tensor, step: int, change: Tensor, back: Tensor, mask: Tensor | None) -> None:
    """Add the gradient through the state to that of the previous step."""
    if mask is None:
        grads[step - 1].baddbmm_(change, back)
    else:
        grads[step - 1].addcmul_(torch.bmm(change, back), mask)


def _backward_fused(
    grads: Tensor, weight: Tensor, mask: Tensor | None, cells: list[Tensor], gates: list[Tensor]
) -> Tensor:
    steps, groups, rows, size = grads.shape
    back = weight.mT
    start = torch.zeros_like(cells[0])
    made: list[Tensor] = [start] * steps
    grad_cell = torch.zeros_like(start)
    for step in range(steps - 1, -1, -1):
        before = cells[step - 1] if step else start
        grad = grads[step].view(groups * rows, size)
        change, grad_cell, _ = _fused_backward(grad, grad_cell, before, cells[step], gates[step], False)
        made[step] = change.view(groups, rows, 4 * size)
        if step:
            _flow_back(grads, step, made[step], back, mask)
    return torch.stack(made, 1)


def _forward_plain(given: Tensor, weight: Tensor, mask: Tensor | None) -> Lists:
    steps, _, _, wide = given.shape
    size = wide // 4
    hidden: list[Tensor] = []
    cells: list[Tensor] = []
    gates: list[Tensor] = []
    for step in range(steps):
        if step:
            seen = hidden[-1] if mask is None else hidden[-1] * mask
            active = torch.baddbmm(given[step], seen, weight)
        else:
            active = given[0].clone(memory_format=torch.contiguous_format)
        active[..., : 2 * size].sigmoid_()
        active[..., 2 * size : 3 * size].tanh_()
        active[..., 3 * size :].sigmoid_()
        enter, forget, candidate, leave = active.chunk(4, -1)
        cell = enter * candidate
        if step:
            cell.addcmul_(forget, cells[-1])
        hidden.append(cell.tanh().mul_(leave))
        cells.append(cell)
        gates.append(active)
    return hidden, cells, gates


def _backward_plain(
    grads: Tensor, weight: Tensor, mask: Tensor | None, cells: list[Tensor], gates: list[Tensor]
) -> Tensor:
    steps, groups, rows, size = grads.shape
    back = weight.mT
    made = grads.new_empty(groups, steps, rows, 4 * size)
    sigmoid, tanh = torch.ops.aten.sigmoid_backward, torch.ops.aten.tanh_backward
    grad_cell = torch.zeros_like(cells[0])
    for step in range(steps - 1, -1, -1):
        enter, forget, candidate, leave = gates[step].chunk(4, -1)
        out = [made[:, step, :, k * size : (k + 1) * size] for k in range(4)]
        grad, bent = grads[step], cells[step].tanh()
        sigmoid.grad_input(grad * bent, leave, grad_input=out[3])
        grad_cell.add_(tanh(grad * leave, bent))
        sigmoid.grad_input(grad_cell * candidate, enter, grad_input=out[0])
        tanh.grad_input(grad_cell * enter, candidate, grad_input=out[2])
        if step:
            sigmoid.grad_input(grad_cell * cells[step - 1], forget, grad_input=out[1])
            grad_cell.mul_(forget)
            _flow_back(grads, step, made[:, step], back, mask)
        else:
            out[1].zero_()
    return made


def recur(given: Tensor, weight: Tensor, mask: Tensor | None = None) -> Tensor:
    r"""Run an LSTM from zero states and return the states h, (groups, steps, rows, size).

    .. math::
        c_t = f_t c_{t-1} + i_t g_t, \qquad h_t = o_t \tanh c_t

    `given` (groups, steps, rows, 4 * size) are the gates before the recurrent part is added, in the
    order i, f, g, o; a group is a model or one direction of it. `mask` (groups, rows, size) is what
    a state is multiplied by where the next step sees it: dropout that is the same all along a
    sequence.
    """
    states: Tensor = _Recurrence.apply(given, weight, mask)  # type: ignore[no-untyped-call]
    return states


class _Projection(torch.autograd.Function):
    """Input (G, N, I) times weights (G, I, O), plus bias (G, O)."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(values, weight)
        return torch.baddbmm(bias[:, None], values, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, weight = ctx.saved_tensors
        return torch.bmm(grads[0], weight.mT), _summed(values, grads[0]), grads[0].sum(1)


class _Reverse(torch.autograd.Function):
    """Rows in another order; the permutation is its own inverse."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, order: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return rows.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (order,) = ctx.saved_tensors
        return grads[0].index_select(0, order), None


def turning(lengths: Tensor, steps: int) -> Tensor:
    """Return the row numbers that turn each sequence around and leave its padding at the end.

    They are of rows of a tensor (models, steps, rows) laid flat.
    """
    models, rows = lengths.shape
    device = lengths.device
    step = torch.arange(steps, device=device).view(1, steps, 1)
    ends = lengths.view(models, 1, rows)
    mirrored = torch.where(step < ends, ends - 1 - step, step)
    model = torch.arange(models, device=device).view(models, 1, 1)
    row = torch.arange(rows, device=device).view(1, 1, rows)
    return ((model * steps + mirrored) * rows + row).reshape(-1)


def turn(values: Tensor, order: Tensor) -> Tensor:
    """Turn sequences (models, steps, rows, size) around by what :func:`turning` gave."""
    rows = values.reshape(len(order), values.shape[-1])
    flat: Tensor = _Reverse.apply(rows, order)  # type: ignore[no-untyped-call]
    return flat.view(values.shape)


def bilstm(
    values: Tensor, order: Tensor, weights: tuple[Tensor, Tensor, Tensor], *, both: bool = True, dropout: float = 0.0
) -> Tensor:
    """Run one layer over sequences (models, steps, rows, size), in both directions or forwards.

    `weights` are those of the input (models, directions, size, 4 * hidden), of the states (models,
    directions, hidden, 4 * hidden), and the bias. `dropout` is the share of the state that is
    hidden from the next step, the same all along a sequence.
    """
    models, steps, rows, size = values.shape
    of_input, of_states, bias = weights
    groups, wide = models * of_input.shape[1], of_input.shape[-1]
    seen = torch.stack([values, turn(values, order)], 1) if both else values
    given: Tensor = _Projection.apply(  # type: ignore[no-untyped-call]
        seen.reshape(groups, steps * rows, size), of_input.reshape(groups, size, wide), bias.reshape(groups, wide)
    )
    mask = None
    if dropout:
        kept = torch.rand(groups, rows, wide // 4, device=values.device) >= dropout
        mask = kept.to(values.dtype) / (1 - dropout)
    states = recur(given.view(groups, steps, rows, wide), of_states.reshape(groups, wide // 4, wide), mask)
    if not both:
        return states
    forwards, backwards = states.view(models, 2, steps, rows, wide // 4).unbind(1)
    return torch.cat([forwards, turn(backwards, order)], -1)
