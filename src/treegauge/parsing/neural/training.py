"""The training loop: several models of one kind are trained in lockstep.

The optimiser is Adam, or stochastic gradient descent with momentum.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.optim.adam import adam

from treegauge.parsing.neural import batches, heads
from treegauge.parsing.neural.batches import Floats, Graphs, Longs, SentenceBatch, Work, gathered_batch, tables
from treegauge.parsing.neural.data import Encoded, known_chars, known_words, rare_words
from treegauge.parsing.neural.encoder import Weights, encoder_states, initial, layout, to_arrays
from treegauge.parsing.neural.heads import Answers, gold_log_probabilities, second_task, write_at_places
from treegauge.parsing.neural.options import BiaffineOptions, NeuralOptions
from treegauge.parsing.neural.predicting import Decode, best_trees

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


_LOOKED_PLACES, _LOOKED_ROWS = 8192, 256


@dataclass(frozen=True, eq=False)
class Learner:
    """One model to train: its input, its training sentences, and its seed.

    Learners side by side may differ in types and tags of the data only. Words and characters not in
    `train` are unknown.
    """

    data: Encoded
    train: Longs
    seed: int


class Lockstep:
    """Models trained in lockstep, on a CPU or as CUDA graphs on a GPU.

    All learn from the same number of sentences, unless there is only one learner. The class of the
    options says which parser they are; `vectors` (types, size) are pretrained.
    """

    def __init__(
        self, learners: Sequence[Learner], options: NeuralOptions, device: torch.device,
        vectors: Floats | None = None,
    ) -> None:  # fmt: skip
        self.learners, self.options, self.device = list(learners), options, device
        data = learners[0].data
        self.lengths = data.lengths
        self._all_lengths = np.append(data.lengths, 0)
        self.tables = tables(
            [one.data for one in learners],
            np.stack([known_words(one.data, one.train, options.min_count) for one in learners]),
            np.stack([known_chars(one.data, one.train) for one in learners]),
            device,
            vectors,
            np.stack([rare_words(one.data, one.train) for one in learners]) if options.unknown else None,
        )
        size = 0 if vectors is None else vectors.shape[1]
        shapes, seeds = layout(data, options, size), [one.seed for one in learners]
        self.weights: Weights = initial(shapes, seeds, device, uniform=options.initialisation == "uniform")
        if vectors is not None:
            self.weights["word.table"].zero_()
        self.answers = Answers.blank(len(learners), len(data.types), device)
        self.updates = 0
        self._graphs = Graphs(self._warm)
        self._optimiser = Optimiser(self.weights, options, device)

    def _encoded(
        self, sentences: Tensor, width: int, *, training: bool = False, fixed: bool = False
    ) -> tuple[SentenceBatch, Tensor]:
        batch = gathered_batch(self.tables, sentences, width)
        return batch, encoder_states(self.weights, self.tables, batch, self.options, training=training, fixed=fixed)

    def _learned(self, sentences: Tensor, width: int) -> tuple[SentenceBatch, Tensor, Tensor, Tensor]:
        """Return a batch, log-probabilities of gold heads and relations, and the objective."""
        batch, states = self._encoded(sentences, width, training=True, fixed=self._fixed)
        arcs, relations, _ = gold_log_probabilities(self.weights, states, batch, self.options, training=True)
        more = second_task(self.weights, states, batch, self.options)
        return batch, arcs, relations, arcs + relations if more is None else arcs + relations + more

    # One update, or one look; on a GPU recorded once per shape and replayed.

    def _update(self, sentences: Tensor, width: int) -> None:
        batch, arcs, relations, learned = self._learned(sentences, width)
        with torch.no_grad():
            write_at_places(self.answers.heads, batch.places, arcs)
            write_at_places(self.answers.relations, batch.places, relations)
        mask = batch.words.to(arcs.dtype)
        count = mask.sum((1, 2)) if self.options.loss == "word" else mask.amax(2).sum(1)
        each = (learned * mask).sum((1, 2)) / count.clamp(min=1)
        grads = torch.autograd.grad(-each.sum(), list(self.weights.values()), allow_unused=True)
        self._clip([grad for grad in grads if grad is not None])
        self._optimiser.step(grads)

    def _clip(self, grads: list[Tensor]) -> None:
        if not self.options.clip:
            return
        norms = torch.stack([torch.linalg.vector_norm(one.flatten(1), dim=1) for one in grads])
        scale = (self.options.clip / torch.linalg.vector_norm(norms, dim=0)).clamp(max=1)
        if self._fixed or bool((scale < 1).any()):
            for one in grads:
                one.mul_(scale.view(-1, *[1] * (one.dim() - 1)))

    @torch.no_grad()
    def _look(self, sentences: Tensor, width: int) -> None:
        batch, states = self._encoded(sentences, width, fixed=self._fixed)
        arcs, relations, rivals = gold_log_probabilities(self.weights, states, batch, self.options, training=False)
        head_logs, head, relation_logs, relation = rivals()
        found = (arcs, relations, head, head_logs, relation, relation_logs)
        for table, values in zip(self.answers, found, strict=True):
            write_at_places(table, batch.places, values)

    @property
    def _fixed(self) -> bool:
        """Whether work is recorded as graphs, which need shapes that are known beforehand."""
        return self.device.type == "cuda"

    def _run(self, work: Work, sentences: Tensor, width: int) -> None:
        if self._fixed:
            self._graphs.run(work, sentences, width)
        else:
            work(sentences, width)

    def _warm(self, sentences: Tensor, width: int) -> None:
        *_, learned = self._learned(sentences, width)
        torch.autograd.grad(learned.sum(), list(self.weights.values()), allow_unused=True)

    def _width(self, step: Longs) -> int:
        longest = int(self._all_lengths[step].max())
        return batches.rounded(longest + 1) if self._fixed else longest + 1

    # What is asked of it.

    def learn(self, number: int) -> None:
        """Train one epoch over all sentences; epochs count from 1."""
        how = self.options
        # Randomness depends only on seed and epoch, so that training can resume.
        seed = np.random.SeedSequence([self.learners[0].seed, number]).generate_state(1)[0]
        torch.manual_seed(int(seed))
        plans = [
            batches.epoch(one.train, self.lengths, size=how.batch, words=how.batch_tokens, seed=one.seed, number=number)
            for one in self.learners
        ]
        rows = max(len(one) for plan in plans for one in plan) if self._fixed else 1
        steps = [self._table(step, rows) for step in zip(*plans, strict=True)]
        for step, sentences in self._sent(steps):
            self._optimiser.set_rate(self.updates, number)
            self._run(self._update, sentences, self._width(step))
            self.updates += 1

    def evaluate(self, sentences: Sequence[Longs]) -> Answers:
        """Evaluate each model on its sentences; answers are overwritten."""
        for step, numbers in self._sent(self._looks(sentences)):
            self._run(self._look, numbers, self._width(step))
        return self.answers

    def _looks(self, sentences: Sequence[Longs]) -> list[Longs]:
        rows = _LOOKED_ROWS if self._fixed else _LOOKED_ROWS // 4
        plans = [batches.by_length(own, self.lengths, _LOOKED_PLACES, rows) for own in sentences]
        none = np.zeros(0, np.int64)
        steps = zip_longest(*plans, fillvalue=none)
        # Powers of two, so that few shapes occur.
        return [self._table(s, 1 << (max(map(len, s)) - 1).bit_length()) for s in steps]

    def _table(self, step: Sequence[Longs], rows: int) -> Longs:
        """Return one batch of each model as a table, short ones padded."""
        wide = max(rows if self._fixed else 1, *map(len, step))
        table = np.full((len(step), wide), len(self.lengths), np.int64)
        for row, batch in zip(table, step, strict=True):
            row[: len(batch)] = batch
        return table

    def _sent(self, steps: list[Longs]) -> Iterator[tuple[Longs, Tensor]]:
        """Send all steps to the device at once."""
        whole = np.concatenate([step.ravel() for step in steps] or [np.zeros(0, np.int64)])
        there, at = torch.from_numpy(whole).to(self.device), 0
        for step in steps:
            yield step, there[at : at + step.size].view(step.shape)
            at += step.size

    def _sides(self, sentences: Sequence[Longs]) -> Iterator[tuple[Longs, SentenceBatch, heads.Sides]]:
        assert isinstance(self.options, BiaffineOptions)  # noqa: S101 - labels have no arcs
        for step, numbers in self._sent(self._looks(sentences)):
            batch, states = self._encoded(numbers, self._width(step))
            both = heads.sides(self.weights, states, batch, self.options, training=False)
            yield step, batch, both

    @torch.no_grad()
    def parses(
        self, sentences: Sequence[Longs], decode: Decode, rooted: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
        """Return heads and relations of each model's best trees, (M, words) each.

        Parameters are those of :func:`~treegauge.parsing.neural.predicting.best_trees`; words of
        sentences that a model is not asked about have 0.
        """
        blank = Answers.blank(len(self.learners), self.answers.heads.shape[1] - 1, self.device)
        found = blank.rival_heads, blank.rival_relations
        roots, learned = (torch.from_numpy(one).to(self.device) for one in (rooted, known))
        for _, batch, both in self._sides(sentences):
            trees = best_trees(self.weights, both, batch, self.options, decode, roots, learned)
            for table, values in zip(found, trees, strict=True):
                write_at_places(table, batch.places, values)
        first, second = (table[:, :-1].cpu().numpy() for table in found)
        return first, second

    def arrays(self, model: int = 0) -> dict[str, npt.NDArray[Any]]:
        """Return one model's weights."""
        return to_arrays(self.weights, model)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return weights and the optimiser's state as arrays: all that the next epoch needs."""
        return {"updates": np.array(self.updates), **self._optimiser.state()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Resume from the result of :meth:`state`."""
        self.updates = int(arrays["updates"])
        self._optimiser.restore(arrays)
