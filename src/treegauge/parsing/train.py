"""Training of a parser, from a treebank to a model in a file."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.errors import TreegaugeError, check_whole
from treegauge.core.file_kinds import MODEL
from treegauge.core.messages import note
from treegauge.core.platforms import load_average
from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.parsing.base import Model
    from treegauge.parsing.probabilities.fit_confidence import ModelCalibration
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class Training(RowsResult):
    """A trained model and its file; :func:`treegauge.parse` accepts both.

    The table has one row: the model, its parser, and the size of the training and dev sets.
    """

    model: "Model"
    path: str
    calibration: "ModelCalibration | None" = None
    kind: ClassVar[str] = "training"


@verb(outputs={"out": MODEL})
def train(
    parser: str, treebank: "Treebank | str | PathLike[str] | IO[str] | IO[bytes]", *,
    out: str | PathLike[str],
    dev: "Treebank | str | PathLike[str] | IO[str] | IO[bytes] | None" = None,
    preset: str | None = None, option: Sequence[str] | Mapping[str, Any] = (),
    held_out: float | None = None, seed: int = 0,
    errors: Literal["strict", "skip", "repair"] = "strict", ensemble: int = 1,
    calibrate: Literal["dev", "folds", "both", "none"] = "dev",
) -> Training:  # fmt: skip
    """Train a parser.

    Given a treebank folder or name, uses its training set and, for early stopping, its dev set.
    Models of parsers that read UPOS include a tagger for text without tags. The result has its
    accuracy on the dev set, and the LAS there with gold and with predicted tags.

    Parameters
    ----------
    parser
        Name of a parser; ``treegauge train --list`` lists them.
    treebank
        A CoNLL-U file, a treebank folder, or the name or code of a treebank under ``TREEGAUGE_UD``.
    out
        The file to write.
    dev
        A dev set, for parsers that stop early or keep the best epoch.
    preset
        Start from the options of a publication, such as ``gb-DM17``; ``train --list PARSER``
        lists them. Options given with ``--option`` override them.
    option
        An option of the parser, such as ``epochs=5``; repeatable. In Python also a mapping.
    held_out
        Share of the training set to hold out as a dev set if there is none; 0 for none. Default:
        0.2 for the neural parsers, which keep the best epoch, and 0 for the others.
    seed
        Seed of the random numbers; the same seed gives the same model.
    errors
        What to do about malformed sentences: refuse the file, skip them, or repair them.
    ensemble
        Train this number of models with consecutive seeds and average their probabilities; one
        file. For parsers that give probabilities.
    calibrate
        Data for calibrating the probabilities of ``parse --confidence``: the dev set if there is
        one, folds of the training set (trains up to five more models), both, or none.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> trained = train("mst", synthetic(30, seed=1), out="/dev/null", option={"epochs": 1})
    >>> len(trained.model.parse(synthetic(3, seed=2)))
    3
    """
    from treegauge.parsing.base import check_place
    from treegauge.parsing.options import find_preset, read_options, with_preset
    from treegauge.parsing.probabilities.held_out import calibrate_model, check_folds, save_calibration
    from treegauge.parsing.registry import find_parser, fit_parser, parser_with
    from treegauge.parsing.tag_sources import note_training, tag_report, with_tagger

    check_whole("ensemble", ensemble, 1)
    entry = find_parser(parser)
    published = None if preset is None else find_preset(parser, preset)
    given = option if published is None else with_preset(published, option)
    options = read_options(entry.options, given)
    chosen = parser_with(parser, options, ensemble)
    check_place(out)
    gold, held = _read_sets(treebank, dev, errors)
    if gold.n_words == 0:
        raise TreegaugeError(f"{gold.name} has no words to train on")
    share = _held_share(held_out, entry.keeps_best_epoch)
    if held is not None:
        if held_out:
            note(f"nothing is held out: {held.name} is the dev set")
        if held.digest == gold.digest:
            note(f"{held.name} is the training set: early stopping and calibration need a dev set with other sentences")
        share = 0.0
    if share:
        gold, held = _hold_out(gold, share, seed)
    note_training(options, gold)
    note(f"{ensemble} models, each: " * (ensemble > 1) + expected_time(parser, options, gold, held))
    if calibrate in {"folds", "both"}:
        check_folds(entry, gold, ensemble)
    start = time.perf_counter()
    model = with_tagger(fit_parser(chosen, gold, held, seed=seed), gold, seed=seed)
    fitted = calibrate_model(calibrate, chosen, model, gold, held, seed)
    model.save(out)
    save_calibration(out, fitted)
    note(f"trained {parser} in {in_words(time.perf_counter() - start)}")
    row = {
        "model": Path(out).name, "parser": parser, "treebank": gold.name, "sentences": len(gold),
        "words": gold.n_words, "dev": 0 if held is None else len(held), "seed": seed,
        **({"ensemble": ensemble} if ensemble > 1 else {}), **tag_report(model, held),
    }  # fmt: skip
    usual = entry.options() if published is None else entry.options(**published.options)
    changed = [f"{key}={value}" for key, value in vars(options).items() if value != getattr(usual, key)]
    signature = sign(
        v="train", parser=parser, preset=None if published is None else published.name,
        options=",".join(changed) or None, tb=gold.mark, dev=None if held is None else held.mark,
        held_out=share or None, seed=seed, ensemble=ensemble if ensemble > 1 else None,
        calibrate=calibrate if calibrate != "dev" else None,
    )  # fmt: skip
    return Training([row], signature, model, fspath(out), fitted)


def _held_share(given: float | None, keeps_best_epoch: bool) -> float:
    """Return the share of the training set to hold out."""
    from treegauge.parsing.probabilities.held_out import SHARE

    if given is None:
        return SHARE if keeps_best_epoch else 0.0
    if not 0 <= given < 1:
        raise TreegaugeError(f"held-out is {given}; expected a share from 0 to less than 1")
    return given


def _hold_out(train: "Treebank", share: float, seed: int) -> "tuple[Treebank, Treebank]":
    """Hold out sentences as a dev set, with a message."""
    from treegauge.parsing.probabilities.held_out import hold_out

    gold, held = hold_out(train, share, seed=seed)
    note(
        f"no dev set: {len(held):,} of {len(train):,} training sentences ({share:.0%}) are held "
        "out as the dev set; use --held-out 0 to train on all"
    )
    return gold, held


def _read_sets(source: Any, dev: Any, errors: Any) -> "tuple[Treebank, Treebank | None]":
    """Read the training set, and the dev set that was given or is in the same folder."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks
    from treegauge.treebanks.sources.resolver import folder_name, read_treebank

    held = None if dev is None else read_treebank(dev, errors=errors)
    if not isinstance(source, str | PathLike) or folder_name(source) is None:
        return read_treebank(source, errors=errors), held
    if held is None and "dev" in recognise_treebanks([source])[0].splits:
        held = read_treebank(source, "dev", errors)
    return read_treebank(source, "train", errors), held


# Expected time: words, epochs and sizes times a measured rate of the parser. The rates were measured
# on one core by ``python -m tools.bench.training_rates``. They are scaled by the speed of this machine, which
# a small computation measures in a few hundredths of a second, and by the number of processes that
# wait for each of its cores.

REFERENCE = 0.0058
"""Seconds of :func:`measured_seconds` on the machine where the rates were measured."""
RATES = {
    "beam": 1.23e-6, "mst": 1.66e-6, "udpipe": 2.3e-9, "biaffine": 2.8e-11, "pointer": 3.0e-11,
    "labelling": 2.8e-11, "baseline": 8.8e-7,
}  # fmt: skip
"""Seconds per unit of work (:func:`work`) on one core."""
NEURAL = ("biaffine", "pointer", "labelling")
START, UPDATE = 2.4, 0.005
"""Seconds of a neural parser that do not depend on its size: to load torch, and per update."""


def work(parser: str, options: Any, train: "Treebank", dev: "Treebank | None" = None) -> float | None:
    """Return the amount of computation, in units of equal duration; None if unknown.

    For beam, states of the search; for mst, pairs of words; for UDPipe and the neural parsers,
    multiplications. The number of epochs is the largest that options allow: early stopping may end
    training sooner.
    """
    if not train.n_words:
        return None
    if parser in NEURAL:
        read = train.n_words + 0.25 * (0 if dev is None else dev.n_words)
        return float(_neural_work(options) * options.epochs * read)
    kinds = {"beam": _beam_work, "mst": _graph_work, "udpipe": _udpipe_work}
    if parser == "baseline":
        return float(train.n_words)
    return kinds[parser](options, train) if parser in kinds else None


def _beam_work(options: Any, train: "Treebank") -> float:
    """Return the number of search states; larger vocabularies use the cache less well."""
    words, learners = train.n_words, options.learners_of(len(train))
    each = (options.beam + 6) * (1.0 if options.labelled else 0.7) * (words / 1e4) ** 0.35
    return float(words * options.epochs * learners * each)


def _graph_work(options: Any, train: "Treebank") -> float:
    import numpy as np

    pairs = float((np.diff(train.offsets).astype(float) ** 2).sum())
    seen = 1.0 if options.ending else 0.65
    return float(seen * (pairs * options.epochs + 6 * train.n_words * options.label_epochs))


def _udpipe_work(options: Any, train: "Treebank") -> float:
    """Return the multiplications of the hidden layer; searches take longer in long sentences."""
    from treegauge.parsing.programs.udpipe_settings import udpipe_values

    values = udpipe_values(options, sentences=len(train), words=train.n_words)
    columns = ("upostag", "feats", "xpostag", "form", "lemma", "deprel")
    size = 18 * sum(int(values[f"embedding_{column}"]) for column in columns)
    searches = 0.03 * train.n_words / len(train) if values["structured_interval"] else 0.0
    passes = int(values["iterations"]) * (1 + searches)
    return float(train.n_words * passes * int(values["hidden_layer"]) * size)


def _neural_work(options: Any) -> float:
    """Return the multiplications for one word of training: forwards, and twice back."""
    width = options.word_size + options.char_size + (options.tag_size if options.upos else 0)
    total = 16.0 * options.char_size**2
    for _ in range(options.layers):
        total += 8 * options.hidden * (width + options.hidden)
        width = 2 * options.hidden
    arcs = getattr(options, "arc_size", 0), getattr(options, "relation_size", 0)
    total += 2 * width * sum(arcs) + arcs[0] ** 2 + 40 * arcs[1] ** 2
    total += 6 * width * getattr(options, "label_size", 0)
    # The optimiser updates every weight once per batch, whatever the batch.
    return float(3 * total * (1 + 8 / options.batch))


@cache
def measured_seconds() -> float:
    """Return the processor time of a small fixed computation: the quickest of three."""
    import numpy as np

    values = np.random.default_rng(0).random(40_000)
    quickest = np.inf
    for _ in range(3):
        start = time.process_time()
        for _ in range(4):
            np.sort(values)
            np.exp(values)
        quickest = min(quickest, time.process_time() - start)
    return float(quickest)


def waiting() -> float:
    """Return the number of processes per core, with this one; at least 1."""
    return max(1.0, (load_average() + 1) / (os.cpu_count() or 1))


def expected_seconds(parser: str, options: Any, train: "Treebank", dev: "Treebank | None" = None) -> float | None:
    """Return an upper bound of the training time on this machine; None if unknown."""
    amount = work(parser, options, train, dev)
    if amount is None or _on_gpu(parser, options):
        return None
    speed = min(max(measured_seconds() / REFERENCE, 0.25), 8.0)
    seconds = amount * RATES[parser]
    if parser in NEURAL:
        seconds += START + UPDATE * updates(options, train)
    return seconds * speed * waiting()


def updates(options: Any, train: "Treebank") -> int:
    """Return the number of batches of all epochs of a neural parser."""
    amount = train.n_words if options.batch_tokens else len(train)
    return int(options.epochs) * ceil(amount / float(options.batch_tokens or options.batch))


def _on_gpu(parser: str, options: Any) -> bool:
    if parser not in NEURAL or options.device == "cpu":
        return False
    from treegauge.parsing.neural.batches import choose_device

    return choose_device(options.device).type != "cpu"


def in_words(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> in_words(0.3), in_words(20.2), in_words(725), in_words(9000)
    ('0.3 s', '20 s', '12 minutes', '2.5 hours')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def expected_time(parser: str, options: Any, train: "Treebank", dev: "Treebank | None" = None) -> str:
    """Return the message on the expected time, printed before training.

    Examples
    --------
    >>> from treegauge.parsing.beam_model import BeamOptions
    >>> from treegauge.testing.synthetic import synthetic
    >>> expected_time("beam", BeamOptions(epochs=2), synthetic(30, seed=1))
    'training beam on 30 sentences (... words): about ... s on one core'
    """
    what = f"training {parser} on {len(train):,} sentences ({train.n_words:,} words)"
    seconds = expected_seconds(parser, options, train, dev)
    if seconds is None:
        return f"{what}: the training time cannot be estimated"
    stops = dev is not None and getattr(options, "patience", None)
    most = "at most " if stops else ""
    tagger = parser == "udpipe" and options.tags != "gold"  # its time depends on the number of tags
    more = ", and its tagger, which may take longer" if tagger else ""
    return f"{what}: {most}about {in_words(max(seconds, 0.1))} on one core{more}"
