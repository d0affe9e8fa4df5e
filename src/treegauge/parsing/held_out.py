"""Sentences on which a model's probabilities are calibrated: the dev set, or folds of training."""

from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core.messages import note, progress

if TYPE_CHECKING:
    from treegauge.parsing.base import Parser
    from treegauge.parsing.calibration import Calibration
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.sources import Source

QUICK = ("beam", "mst")
"""Parsers that learn in seconds, so that training them on folds costs little."""
FOLDS, FEWEST, ENOUGH = 5, 25, 10_000
"""Folds; sentences that are needed for them; words of which a fifth is enough for one fold."""


def calibrate_model(
    name: str, parser: "Parser", model: Any, train: "Treebank", dev: "Treebank | None", seed: int
) -> "Calibration | None":
    """Return the calibration of a model's probabilities, or None if it has none.

    It is fitted on the dev set. Without one, parsers that learn in seconds are trained on four
    fifths of the training set and calibrated on the rest; on five such folds if the training set
    has fewer than 10,000 words.
    """
    from treegauge.parsing.base import Probabilistic, Searching
    from treegauge.parsing.calibration import pooled_calibration

    if not isinstance(model, Probabilistic | Searching):
        return None
    if dev is not None and dev.n_words:
        text = f"the dev set {dev.mark}, {len(dev)} sentences"
        return pooled_calibration([(model, dev)], text)
    if name not in QUICK or len(train) < FEWEST:
        note("probabilities of the model are not calibrated: there is no dev set (--dev)")
        return None
    rounds = 1 if train.n_words >= ENOUGH else FOLDS
    fold_of = np.random.default_rng(seed).permutation(np.arange(len(train)) % FOLDS)
    pairs = []
    with progress("folds for probabilities", rounds) as task:
        for fold in range(rounds):
            own = parser.fit(train[fold_of != fold], seed=seed)
            pairs.append((own, train[fold_of == fold]))
            task.advance()
    folds = f"{rounds} of {FOLDS} folds" if rounds < FOLDS else f"{FOLDS} folds"
    text = f"{folds} of the training set {train.mark}"
    note(f"no dev set: probabilities are calibrated on {text}")
    return pooled_calibration(pairs, text)


def save_calibration(path: "Source", calibration: "Calibration | None") -> None:
    """Add a calibration to a model's file."""
    from treegauge.parsing.base import CALIBRATION, add_to_model

    if calibration is not None:
        add_to_model(path, CALIBRATION, calibration.to_dict())


def load_calibration(path: "Source") -> "Calibration | None":
    """Read the calibration in a model's file, or return None."""
    from treegauge.parsing.base import CALIBRATION, read_from_model
    from treegauge.parsing.calibration import Calibration

    values = read_from_model(path, CALIBRATION)
    return None if values is None else Calibration.from_dict(values)
