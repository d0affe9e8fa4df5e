"""A dev set for treebanks without one: a share of the training set is held out."""

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank

SHARE = 0.2
"""The share that Fragility held out if a treebank has no dev set (footnote 4)."""


def hold_out(train: Treebank, share: float = SHARE, *, seed: int) -> tuple[Treebank, Treebank]:
    """Split a training set at random into sentences to train on and a dev set.

    Both keep the order of the file, and each has at least one sentence.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> [len(part) for part in hold_out(synthetic(50, seed=1), seed=0)]
    [40, 10]
    """
    if not 0 < share < 1:
        raise TreegaugeError(f"held-out is {share}; expected a share between 0 and 1")
    if len(train) < 2:
        raise TreegaugeError(
            f"{train.name} has {len(train)} sentence, too few to hold some out as a dev set; give "
            "one with --dev, or turn this off with --held-out 0"
        )
    size = min(max(round(share * len(train)), 1), len(train) - 1)
    # A separate stream: the model's random numbers do not depend on the split.
    order = np.random.default_rng([seed, 20]).permutation(len(train))
    chosen, rest = np.sort(order[:size]), np.sort(order[size:])
    return train.take(rest), train.take(chosen)
