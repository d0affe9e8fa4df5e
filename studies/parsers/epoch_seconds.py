"""Seconds per epoch of one model and of several in lockstep; needs only numpy and torch.

    PYTHONPATH=src python -m studies.parsers.epoch_seconds FILE [--parser=biaffine] [--models=1,2,5]
        [--epochs=12] [--OPTION=VALUE...]

FILE is what ``studies.difficulty.encode`` wrote of a treebank. Printed are medians over epochs
but the first four, in which CUDA graphs are recorded: of learning from the training set, and of
looking at all words of train and dev. On a CPU seconds are those of the processor.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import torch

from treegauge.parsing.neural.batches import choose_device, numerics
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import BiaffineOptions, PointerOptions
from treegauge.parsing.neural.training import Learner, Lockstep
from treegauge.parsing.options import read_options

PARSERS = {"biaffine": BiaffineOptions, "pointer": PointerOptions}
WARM = 4


def main(path: str, *words: str) -> None:
    """Time epochs and print one line for each number of models."""
    given = dict(word[2:].split("=", 1) for word in words)
    kind = PARSERS[given.pop("parser", "biaffine")]
    numbers = [int(one) for one in given.pop("models", "1,2,5").split(",")]
    epochs = int(given.pop("epochs", 12))
    options = read_options(kind, ["upos=false", *(f"{k}={v}" for k, v in given.items())])
    data, more = Encoded.load(path)
    train = np.arange(int(more["parts"][0]))
    device = choose_device(options.device)

    def now() -> float:
        if device.type != "cuda":
            return time.process_time()
        torch.cuda.synchronize()
        return time.perf_counter()

    for models in numbers:
        learning, looking = [], []
        with numerics(device, options.threads):
            many = Lockstep([Learner(data, train, seed) for seed in range(models)], options, device)
            for epoch in range(1, epochs + 1):
                begun = now()
                many.learn(epoch)
                middle = now()
                many.evaluate([np.arange(len(data))] * models)
                learning.append(middle - begun)
                looking.append(now() - middle)
        late = slice(min(WARM, epochs - 1), None)
        row = {
            "treebank": Path(path).stem, "device": str(device), "sentences": len(train),
            "models": models, "first epoch": round(learning[0], 2),
            "epoch": round(median(learning[late]), 3), "look": round(median(looking[late]), 3),
        }  # fmt: skip
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
