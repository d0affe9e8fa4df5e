"""Expected training time: words, epochs and sizes times a measured rate of the parser.

The rates were measured on one core by ``python -m tools.bench.training_rates``. They are scaled by
the speed of this machine, which a small computation measures in a few hundredths of a second, and
by the number of processes that wait for each of its cores.
"""

import os
import time
from functools import cache
from math import ceil
from typing import Any

import numpy as np

from treegauge.core.platforms import load_average
from treegauge.treebanks.data.columns import Treebank

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


def work(parser: str, options: Any, train: Treebank, dev: Treebank | None = None) -> float | None:
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


def _beam_work(options: Any, train: Treebank) -> float:
    """Return the number of search states; larger vocabularies use the cache less well."""
    words, learners = train.n_words, options.learners_of(len(train))
    each = (options.beam + 6) * (1.0 if options.labelled else 0.7) * (words / 1e4) ** 0.35
    return float(words * options.epochs * learners * each)


def _graph_work(options: Any, train: Treebank) -> float:
    pairs = float((np.diff(train.offsets).astype(float) ** 2).sum())
    seen = 1.0 if options.ending else 0.65
    return float(seen * (pairs * options.epochs + 6 * train.n_words * options.label_epochs))


def _udpipe_work(options: Any, train: Treebank) -> float:
    """Return the multiplications of the hidden layer; searches take longer in long sentences."""
    from treegauge.parsing.programs.udpipe_settings import resolve

    values = resolve(options, sentences=len(train), words=train.n_words)
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


def expected_seconds(parser: str, options: Any, train: Treebank, dev: Treebank | None = None) -> float | None:
    """Return an upper bound of the training time on this machine; None if unknown."""
    amount = work(parser, options, train, dev)
    if amount is None or _on_gpu(parser, options):
        return None
    speed = min(max(measured_seconds() / REFERENCE, 0.25), 8.0)
    seconds = amount * RATES[parser]
    if parser in NEURAL:
        seconds += START + UPDATE * updates(options, train)
    return seconds * speed * waiting()


def updates(options: Any, train: Treebank) -> int:
    """Return the number of batches of all epochs of a neural parser."""
    amount = train.n_words if options.batch_tokens else len(train)
    return int(options.epochs) * ceil(amount / float(options.batch_tokens or options.batch))


def _on_gpu(parser: str, options: Any) -> bool:
    if parser not in NEURAL or options.device == "cpu":
        return False
    from treegauge.parsing.neural.device import choose_device

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


def expected_time(parser: str, options: Any, train: Treebank, dev: Treebank | None = None) -> str:
    """Return the message on the expected time, printed before training.

    Examples
    --------
    >>> from treegauge.parsing.transition.beam_model import BeamOptions
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
