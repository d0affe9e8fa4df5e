"""Sentences that a model is not trained on: a dev set from the training set, and calibration.

Probabilities are calibrated on the dev set or on folds of the training set.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note, progress

if TYPE_CHECKING:
    from treegauge.parsing.base import Parser
    from treegauge.parsing.probabilities.fit_confidence import CalibrationSet, ModelCalibration
    from treegauge.parsing.registry import ParserEntry
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.files import Source

SHARE = 0.2
"""The share that Fragility held out if a treebank has no dev set (footnote 4)."""

FOLDS, ENOUGH = 5, 10_000
"""The number of folds, and the words of a training set from which one fold is enough."""

FEW_WORDS = 200
"""With fewer words, a message warns about the calibration."""

CalibrationSource = Literal["dev", "folds", "both", "none"]


def hold_out(train: "Treebank", share: float = SHARE, *, seed: int) -> "tuple[Treebank, Treebank]":
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


def calibrate_model(
    source: CalibrationSource, parser: "Parser", model: Any, train: "Treebank", dev: "Treebank | None", seed: int
) -> "ModelCalibration | None":
    """Return the calibration of a model's probabilities, or None without data to fit it on.

    On ``folds``, the parser is trained on four fifths of the training set and its probabilities are
    compared with the rest; five times, or once if the training set has 10,000 words or more.
    ``both`` are the dev set and folds.
    """
    from treegauge.parsing.base import Probabilistic, Searching
    from treegauge.parsing.probabilities.fit_confidence import CalibrationSet, pooled_calibration
    from treegauge.parsing.probabilities.training_text import TrainingText

    if source == "none" or not isinstance(model, Probabilistic | Searching):
        return None
    held_out, names, text = [], [], TrainingText.of(train)
    if source in {"dev", "both"} and dev is not None and dev.n_words:
        held_out.append(CalibrationSet(model, dev, text))
        names.append(_named("the dev set", dev))
    if source in {"folds", "both"}:
        held_out += _folds(parser, train, seed)
        names.append(_named(f"{_rounds(train)} of {FOLDS} folds of the training set", train))
    if not held_out:
        return None
    words = sum(one.gold.n_words for one in held_out)
    if words < FEW_WORDS:
        advice = "; --calibrate both uses the training set as well" if source == "dev" else ""
        note(
            f"probabilities are calibrated on only {words} words and may be unreliable; expected "
            f"{FEW_WORDS} or more{advice}"
        )
    first = 1 if held_out[0].model is model else None
    return pooled_calibration(held_out, " and ".join(names), text, first=first)


def check_folds(entry: "ParserEntry", train: "Treebank") -> None:
    """Refuse folds that would fail, and report their cost, before training."""
    if not entry.gives_probabilities:
        raise TreegaugeError(f"{entry.name} gives no probabilities to calibrate; leave out --calibrate")
    if len(train) < FOLDS:
        raise TreegaugeError(f"{train.name} has {len(train)} sentences; calibration on folds needs {FOLDS}")
    models = _rounds(train)
    note(f"calibration trains {models} more model{'s' * (models > 1)}, on four fifths of the training set each")


def _rounds(train: "Treebank") -> int:
    """Return the number of folds used for calibration."""
    return 1 if train.n_words >= ENOUGH else FOLDS


def sentence_folds(train: "Treebank", seed: int) -> npt.NDArray[np.int64]:
    """Return the fold of each sentence, drawn at random; folds differ by one sentence at most."""
    return np.random.default_rng(seed).permutation(np.arange(len(train)) % FOLDS)


def _folds(parser: "Parser", train: "Treebank", seed: int) -> "list[CalibrationSet]":
    """Return models of parts of the training set, each with its held-out sentences."""
    from treegauge.parsing.probabilities.fit_confidence import CalibrationSet
    from treegauge.parsing.probabilities.training_text import TrainingText
    from treegauge.parsing.registry import fit_parser

    rounds, fold_of = _rounds(train), sentence_folds(train, seed)
    held_out = []
    with progress("folds for probabilities", rounds) as task:
        for fold in range(rounds):
            rest = train[fold_of != fold]
            own = fit_parser(parser, rest, seed=seed)
            held_out.append(CalibrationSet(own, train[fold_of == fold], TrainingText.of(rest)))
            task.advance()
    return held_out


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
    from treegauge.parsing.probabilities.fit_confidence import ModelCalibration

    values = read_from_model(path, CALIBRATION)
    return None if values is None else ModelCalibration.from_dict(values)
