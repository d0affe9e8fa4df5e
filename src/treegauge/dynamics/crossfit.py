"""Recordings of words by parsers that never learned from them."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Engine, Job, Progress, relation_names
from treegauge.dynamics.recording import Recording
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import sign
from treegauge.treebanks.columns import Treebank

__all__ = ["cross_fit"]


def cross_fit(
    treebank: Treebank,
    *,
    engine: Engine,
    folds: int = 5,
    seed: int = 0,
    every: bool = True,
    progress: Progress | None = None,
) -> Recording:
    """Record every word by the parser trained on the folds that its sentence is not in.

    A parser that has learned an annotation error by heart cannot contradict it; one that has not
    seen it can.

    Parameters
    ----------
    treebank
        Any treebank.
    engine
        Who trains: see :func:`~treegauge.dynamics.recorder.probabilistic`.
    folds, seed
        Sentences are dealt to so many folds at random. Sentences with the same words go to the
        same fold, so that a copy elsewhere does not give an error away.
    every
        Look after every epoch, or only after the last one.
    progress
        Told how many models are trained.

    Returns
    -------
    Recording
        Of all words, in their order, as part ``held out``.

    Examples
    --------
    >>> from treegauge.dynamics.recorder import probabilistic
    >>> from treegauge.testing.synthetic import synthetic
    >>> cross_fit(synthetic(30, seed=1), engine=probabilistic("mst", epochs=2), folds=2)
    <Recording of syn-1#4d03d2 (held out): 2 epochs, 461 words>
    """
    fold = _deal(treebank, folds, seed)
    names = relation_names(treebank)
    jobs = [
        Job(treebank.take(fold != k), {"held out": treebank.take(fold == k)}, seed=seed,
            relations=names, every=every)
        for k in range(folds)
    ]  # fmt: skip
    made = [one["held out"] for one in engine(jobs, progress)]
    signature = sign(
        v="recording", tb=treebank.mark, parser=engine.label, folds=folds,
        record="after" if every else "last", seed=seed,
    )  # fmt: skip
    return _sewn(made, fold[treebank.sentence_of], treebank.mark, signature)


def _deal(treebank: Treebank, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Give each sentence a fold; the same words go together."""
    texts = [" ".join(sentence.form) for sentence in treebank]
    kinds = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    if not 2 <= folds <= len(kinds):
        raise TreegaugeError(
            f"folds: found {folds}, expected 2 to {len(kinds)}, the number of different sentences "
            f"of {treebank.name}"
        )
    order = np.random.default_rng(seed).permutation(len(kinds))
    dealt = np.empty(len(kinds), np.int64)
    dealt[order] = np.arange(len(kinds)) % folds
    found: npt.NDArray[np.int64] = dealt[np.array([kinds[text] for text in texts])]
    return found


def _sewn(
    pieces: Sequence[Recording], where: npt.NDArray[np.int64], mark: str, signature: str
) -> Recording:
    """Put the words of the folds back in their places."""
    shortest = min(len(piece.epochs) for piece in pieces)
    arrays: dict[str, Any] = {}
    for one in fields(Recording):
        found = [getattr(piece, one.name) for piece in pieces]
        if one.name == "trees_logp" or not isinstance(found[0], np.ndarray):
            continue
        whole = np.empty((shortest, len(where)), found[0].dtype)
        for k, piece in enumerate(found):
            whole[:, where == k] = piece[:shortest]
        arrays[one.name] = whole
    first = pieces[0]
    return Recording(
        treebank=mark, part="held out", signature=signature, epochs=first.epochs[:shortest],
        relations=first.relations, **arrays,
    )  # fmt: skip
