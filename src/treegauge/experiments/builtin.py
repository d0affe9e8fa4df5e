"""The built-in tasks: score, curve, split, crossval, measure; and the samples of training sets."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.parsing.registry import fit_parser
from treegauge.scoring.metrics.convention import Convention, find_convention
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.columns import Treebank


def score_of_cell(cell: Cell) -> Outcome:
    """Train on the training set, with the dev set for early stopping; score on the test set.

    Scalars are the 13 metrics of the CoNLL 2018 shared task and those that were added, F1 in
    percent; `words` has the predicted head and relation of each test word.
    """
    errors = cell.extra["errors"]
    train, gold = (cell.read(split, errors=errors) for split in ("train", "test"))
    dev = cell.read("dev", errors=errors) if cell.has("dev") else None
    parsed = _parsed(cell, train, dev, gold)
    return Outcome(_scores(cell, gold, parsed), parse_table(parsed))


def curve_of_cell(cell: Cell) -> Outcome:
    """Train on `size` of the first `train_limit` training sentences: a point of a learning curve.

    Scalars are UAS, LAS and metrics that were added, in percent, and the number of ``words`` in
    the test set; `words` has the predicted head and relation of each test word.
    """
    extra, errors = cell.extra, cell.extra["errors"]
    train, gold = (cell.read(split, errors=errors) for split in ("train", "test"))
    available = min(len(train), extra["train_limit"])
    if cell.size is None:
        raise TreegaugeError("task curve needs a size")
    chosen = sampled(available, cell.size, cell.sample, nested=extra["nested"])
    dev = None
    if extra["dev_limit"] > 0 and cell.has("dev"):
        dev = cell.read("dev", errors=errors)[: extra["dev_limit"]]
    parsed = _parsed(cell, train.take(chosen), dev, gold)
    scores = _scores(cell, gold, parsed, ("UAS", "LAS"))
    return Outcome(scores | {"words": gold.n_words}, parse_table(parsed))


def split_of_cell(cell: Cell) -> Outcome:
    """Split all sentences of the treebank, train and score on the new training and test sets.

    The cell's `sample` is the seed of the split. Scalars are those of task score, and the
    EDV between the new sets; `words` also has each sentence's number among all sentences.
    """
    from treegauge.splitting.assignment import make_split, parse_sizes, pool

    extra = cell.extra
    split_sets = make_split(
        pool(cell.treebank, errors=extra["errors"]), extra["objective"], seed=cell.sample,
        sizes=parse_sizes(extra["sizes"]), unit=extra["unit"],
        min_words=extra["min_words"] or None,
    )  # fmt: skip
    if "train" not in split_sets.parts:
        raise TreegaugeError(f"objective {extra['objective']!r} has no training and test set")
    parts = {name: split_sets.pool.treebank.take(index) for name, index in split_sets.parts.items()}
    gold = parts["test"]
    parsed = _parsed(cell, parts["train"], parts.get("dev"), gold)
    words = _numbered(parsed, split_sets.parts["test"])
    return Outcome(_scores(cell, gold, parsed) | {"edv": split_sets.edv}, words)


def fold_of_cell(cell: Cell) -> Outcome:
    """Train on all sentences of the treebank but one fold, and parse this fold.

    The cell's `sample` is the number of the fold. Folds are the same for all parsers and seeds, and keep documents
    whole. Scalars and words are those of task split.
    """
    from treegauge.splitting.assignment import make_split, pool

    extra = cell.extra
    sentences = pool(cell.treebank, errors=extra["errors"])
    folds = make_split(sentences, "kfold", seed=0, folds=extra["folds"], unit=extra["unit"]).parts
    held_out = folds[f"fold{cell.sample + 1}"]
    gold = sentences.treebank.take(held_out)
    others = np.sort(np.concatenate([fold for fold in folds.values() if fold is not held_out]))
    parsed = _parsed(cell, sentences.treebank.take(others), None, gold)
    return Outcome(_scores(cell, gold, parsed), _numbered(parsed, held_out))


def _numbered(parsed: Treebank, sentences: npt.NDArray[np.int64]) -> "pl.DataFrame":
    """Return the parse with the number of each word's sentence among all sentences of the treebank."""
    numbers = sentences[parsed.sentence_of].astype(np.int32)
    return parse_table(parsed).insert_column(0, pl.Series("sentence", numbers))


def measures_of_cell(cell: Cell) -> Outcome:
    """Measure a treebank; a measure that cannot be computed is missing."""
    from treegauge.measures.measure import measure_all

    extra = cell.extra
    measures = measure_all(
        extra["measures"], [cell.treebank], split=extra["split"], errors=extra["errors"], interval=None,
        seed=cell.seed, workers=1,
    )  # fmt: skip
    rows = (row for measured in measures.measured for row in measured.rows())
    return Outcome({row["measure"]: row["value"] for row in rows})


def _parsed(cell: Cell, train: Treebank, dev: Treebank | None, gold: Treebank) -> Treebank:
    return fit_parser(cell.parser, train, dev, options=cell.options, seed=cell.seed).parse(gold)


def _scores(cell: Cell, gold: Treebank, parsed: Treebank, names: tuple[str, ...] = ()) -> dict[str, Scalar]:
    """Return metrics in percent by label; by default all those of CoNLL 2018."""
    from treegauge.scoring.alignment.align import align
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.metrics.correct_words import correct_words
    from treegauge.scoring.metrics.registry import ADDED, METRICS
    from treegauge.scoring.settings import ScoreOptions

    convention = find_convention(cell.extra["convention"])
    if names and not ADDED:
        correct = correct_words(align(gold, parsed), convention)
        return {
            label: correct.score(name) or 0.0 for label, name in zip(_labels(names, convention), names, strict=True)
        }
    (system,) = evaluate(gold, parsed, ScoreOptions(convention=convention, resamples=0)).systems
    chosen = [*(names or METRICS), *ADDED]
    return {metric_label(name, convention): system[name].f1 for name in chosen}


@lru_cache
def _labels(names: tuple[str, ...], convention: Convention) -> tuple[str, ...]:
    return tuple(metric_label(name, convention) for name in names)


def sampled(available: int, size: int, sample: int, *, seed: int = 0, nested: bool = False) -> npt.NDArray[np.int64]:
    """Return random sentences, without replacement; the same arguments give the same sentences.

    Every sample is a prefix of a random permutation of ``0 .. available - 1``, returned in
    ascending order. Independent samples have a separate permutation for each size; nested ones
    share one, so that the sentences of a smaller size are among those of a larger one. Samples are
    numbered from 0.

    Examples
    --------
    >>> sampled(500, 5, 0).tolist()
    [61, 187, 231, 308, 333]
    >>> set(sampled(500, 5, 0, nested=True)) <= set(sampled(500, 10, 0, nested=True))
    True
    >>> sampled(3, 5, 0)
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: a training set of 5 sentences cannot be drawn from 3
    """
    for name, value, least in (("size", size, 1), ("sample", sample, 0), ("seed", seed, 0)):
        if value < least:
            raise TreegaugeError(f"the {name} is {value}; expected {least} or more")
    if size > available:
        raise TreegaugeError(f"a training set of {size} sentences cannot be drawn from {max(available, 0)}")
    key = [seed, sample] if nested else [seed, sample, size]
    order = np.random.default_rng(key).permutation(available)
    return np.sort(order[:size]).astype(np.int64)
