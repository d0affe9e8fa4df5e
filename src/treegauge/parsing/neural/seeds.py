"""Training of several seeds of one neural parser, in lockstep on a GPU."""

from collections.abc import Sequence

import numpy as np

from treegauge.core.messages import progress
from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural.fitting import Arrays, Trained, fit_model
from treegauge.parsing.neural.options import NeuralOptions, need_torch
from treegauge.parsing.neural.preparation import PreparedSets
from treegauge.treebanks.data.columns import Treebank


def fit_seeds(
    train: Treebank, dev: Treebank | None, options: NeuralOptions, *, seeds: Sequence[int],
    encoding: Encoding | None = None, lockstep: bool | None = None,
) -> list[Trained]:  # fmt: skip
    """Train one model per seed.

    By default they are trained in parallel on a GPU and one by one on a CPU.
    Side by side, each keeps its own best epoch on dev, and training stops when all have waited for
    `patience` epochs. Models differ in the last digits, and in their dropout, from those trained
    alone.
    """
    need_torch()
    from treegauge.parsing.neural.device import choose_device

    # What has one state for all, or batches that differ in number.
    alone = options.checkpoint or options.batch_tokens
    if lockstep is None:
        lockstep = choose_device(options.device).type == "cuda" and not alone
    if not lockstep:
        return [fit_model(train, dev, options, seed=seed, encoding=encoding) for seed in seeds]
    return _side_by_side(train, dev, options, seeds, encoding)


def _side_by_side(
    train: Treebank, dev: Treebank | None, options: NeuralOptions, seeds: Sequence[int], encoding: Encoding | None
) -> list[Trained]:
    import torch

    from treegauge.parsing.neural.device import choose_device, numerics
    from treegauge.parsing.neural.encoder import to_arrays
    from treegauge.parsing.neural.training import Learner, Lockstep

    prepared = PreparedSets.of(train, dev, options, encoding, seed=min(seeds))
    data, held = prepared.data, prepared.dev
    device = choose_device(options.device)
    best, best_epochs = np.full(len(seeds), -1.0), np.zeros(len(seeds), int)
    kept: list[Arrays | None] = [None] * len(seeds)
    with numerics(device, options.threads), progress("epochs", options.epochs) as task:
        learners = [Learner(data, prepared.train, seed) for seed in seeds]
        models = Lockstep(learners, options, device, prepared.type_vectors)
        for epoch in range(1, options.epochs + 1):
            models.learn(epoch)
            task.update(epoch)
            if held is None:
                continue
            right = torch.stack(models.evaluate([held] * len(seeds)).right).all(0).cpu().numpy()
            las = right[:, data.words_of(held)].mean(1)
            for model in np.flatnonzero(las > best).tolist():
                best[model], best_epochs[model] = las[model], epoch
                kept[model] = to_arrays(models.weights, model)
            if 0 < options.patience <= epoch - best_epochs.max():
                break
        last = [to_arrays(models.weights, model) for model in range(len(seeds))]
    return [
        Trained(prepared.vocabulary, final if own is None else own, prepared.vectors)
        for own, final in zip(kept, last, strict=True)
    ]
