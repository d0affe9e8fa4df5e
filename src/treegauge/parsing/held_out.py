"""Sentences on which a model's probabilities are calibrated: the dev set, or folds of training."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note, progress

if TYPE_CHECKING:
    from treegauge.parsing.base import Parser
    from treegauge.parsing.calibration import ModelCalibration
    from treegauge.parsing.registry import ParserEntry
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.sources import Source

FOLDS, ENOUGH = 5, 10_000
"""Folds; words of a training set of which a fifth is enough, so that one fold is."""

FEW_WORDS = 200
"""Calibration on fewer words is warned of."""

CalibrationSource = Literal["dev", "folds", "none"]


def calibrate_model(
    source: CalibrationSource, parser: "Parser", model: Any, train: "Treebank",
    dev: "Treebank | None", seed: int,
) -> "ModelCalibration | None":  # fmt: skip
    """Return the calibration of a model's probabilities, or None if there is nothing to fit it on.

    On ``folds``, the parser is trained on four fifths of the training set and its probabilities are
    compared with the rest; five times, or once if the training set has 10,000 words or more.
    """
    from treegauge.parsing.base import Probabilistic, Searching
    from treegauge.parsing.calibration import fit_calibration

    if source == "folds":
        return _on_folds(parser, train, seed)
    able = isinstance(model, Probabilistic | Searching)
    if source == "none" or not able or dev is None or not dev.n_words:
        return None
    _warn(dev.n_words, "; --calibrate folds uses the training set")
    return fit_calibration(model, dev, _named("the dev set", dev), train=train)


def check_folds(entry: "ParserEntry", train: "Treebank") -> None:
    """Before anything is trained, refuse folds that must fail, and say what they cost."""
    if not entry.gives_probabilities:
        raise TreegaugeError(
            f"{entry.name} gives no probabilities to calibrate; leave out --calibrate folds"
        )
    if len(train) < FOLDS:
        raise TreegaugeError(
            f"{train.name} has {len(train)} sentences; calibration on folds needs {FOLDS}"
        )
    note(f"calibration trains {_rounds(train)} more, on four fifths of the training set each")


def _rounds(train: "Treebank") -> int:
    """Return how many folds are calibrated on."""
    return 1 if train.n_words >= ENOUGH else FOLDS


def _on_folds(parser: "Parser", train: "Treebank", seed: int) -> "ModelCalibration":
    from treegauge.parsing.calibration import HeldOut, pooled_calibration
    from treegauge.parsing.seen_words import SeenWords

    rounds = _rounds(train)
    fold_of = np.random.default_rng(seed).permutation(np.arange(len(train)) % FOLDS)
    held_out = []
    with progress("folds for probabilities", rounds) as task:
        for fold in range(rounds):
            rest = train[fold_of != fold]
            own = parser.fit(rest, seed=seed)
            held_out.append(HeldOut(own, train[fold_of == fold], SeenWords.of(rest)))
            task.advance()
    _warn(sum(one.gold.n_words for one in held_out), "")
    text = _named(f"{rounds} of {FOLDS} folds of the training set", train)
    return pooled_calibration(held_out, text, SeenWords.of(train))


def _warn(words: int, advice: str) -> None:
    """Say so if probabilities are calibrated on few words."""
    if words < FEW_WORDS:
        note(
            f"probabilities are calibrated on only {words} words and may be far off; expected "
            f"{FEW_WORDS} or more{advice}"
        )


def _named(what: str, treebank: "Treebank") -> str:
    return f"{what} #{treebank.digest[:6]}, {len(treebank)} sentences"


def save_calibration(path: "Source", calibration: "ModelCalibration | None") -> None:
    """Add a calibration to a model's file."""
    from treegauge.parsing.base import CALIBRATION, add_to_model

    if calibration is not None:
        add_to_model(path, CALIBRATION, calibration.to_dict())


def load_calibration(path: "Source") -> "ModelCalibration | None":
    """Read the calibration in a model's file, or return None."""
    from treegauge.parsing.base import CALIBRATION, read_from_model
    from treegauge.parsing.calibration import ModelCalibration

    values = read_from_model(path, CALIBRATION)
    return None if values is None else ModelCalibration.from_dict(values)
