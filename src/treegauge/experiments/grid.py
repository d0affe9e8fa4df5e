"""Sizes x samples x seeds of whatever trains: where a cell takes all sentences, the seed varies.

Samples of a training set differ in their sentences. All sentences are one sample, so cells that
differ in nothing but the sample would train the same model again, and an interval over them would
have no width. Plans and the verbs curve, map, difficulty and transfer make their cells
here (:func:`cells_of`), and what reads stores counts each model once (:func:`repeated_cells`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.experiments.cells import Cell, CellBatch, Setup
from treegauge.experiments.tasks import BUILT_IN, EXTENSIONS, find_task

LARGEST = (1 << 63) - 1
"""The largest number that a ledger can store."""


def available_sentences(sentences: Mapping[str, int], parameters: Mapping[str, Any]) -> int:
    """Return the number of training sentences that samples are drawn from; 0 if it is not known.

    Examples
    --------
    >>> available_sentences({"train": 600, "test": 90}, {"train_limit": 500})
    500
    """
    there, limit = sentences.get("train", 0), parameters.get("train_limit")
    return min(there, limit) if isinstance(limit, int) else there


def batches_of(
    setup: Setup, sizes: Sequence[int | None] = (None,), samples: Sequence[int] = (0,), seeds: Sequence[int] = (0,)
) -> Iterator[CellBatch]:
    """Yield the cells of one setup in batches; no two train the same model."""
    batch = CellBatch(setup, tuple(sizes), tuple(samples), tuple(seeds))
    return iter([batch]) if find_task(setup.task).redraws else distinct_cells(batch)


def cells_of(setup: Setup, *, seeds: Sequence[int] = (0,)) -> list[Cell]:
    """Return the cells of one setup that takes all sentences."""
    return [cell for batch in batches_of(setup, seeds=seeds) for cell in batch.cells()]


def distinct_cells(batch: CellBatch) -> Iterator[CellBatch]:
    """Yield batches of as many cells, all of which differ, of a task that samples training sets.

    A size that takes all available sentences (or None, which means all) has one sample, number 0.
    Its seeds are those of the batch for sample 0, and as many others for each further sample.

    Examples
    --------
    >>> from treegauge.experiments.cells import Setup
    >>> setup = Setup("curve", "UD_A-X", "beam", sentences={"train": 31})
    >>> for one in distinct_cells(CellBatch(setup, (10, 31), samples=(0, 1, 2))):
    ...     print(one.sizes, one.samples, one.seeds)
    (10,) (0, 1, 2) (0,)
    (31,) (0,) (0, 1, 2)
    """
    available = available_sentences(batch.setup.sentences, batch.setup.extra)
    whole = tuple(size for size in batch.sizes if size is None or size == available)
    some = tuple(size for size in batch.sizes if size not in whole)
    if some:
        yield replace(batch, sizes=some)
    if whole:
        seeds = seeds_of_samples(batch.samples, batch.seeds)
        yield replace(batch, sizes=whole, samples=(0,), seeds=seeds)


def seeds_of_samples(samples: tuple[int, ...], seeds: tuple[int, ...]) -> tuple[int, ...]:
    """Return a seed for each sample and seed of a grid, all different.

    Sample 0 keeps its seeds. Numbers do not depend on the other samples, so that samples of one
    grid can be divided among several plans.

    Examples
    --------
    >>> seeds_of_samples((0, 1, 2), (0,)), seeds_of_samples((0, 1), (0, 1, 2))
    ((0, 1, 2), (0, 1, 2, 3, 4, 5))
    """
    apart = max(seeds) - min(seeds) + 1
    made = tuple(sorted(seed + sample * apart for sample in samples for seed in seeds))
    if made[-1] > LARGEST:
        raise TreegaugeError(
            f"samples up to {max(samples)} with seeds up to {max(seeds)} need a seed above 2^63 "
            "where a training set is used in full; expected smaller numbers"
        )
    return made


def repeated_cells(cells: "pl.DataFrame") -> "pl.Series":
    """Mask of the cells that train the same model as another one, of which the first counts.

    Stores of earlier versions have such cells. Rows have the size, sample and seed of a cell, the
    number of its setup, and ``available`` sentences (null where samples may differ all the same).
    """
    whole = pl.col("available").is_not_null() & (pl.col("size").is_null() | (pl.col("size") == pl.col("available")))
    first = pl.col("sample").min().over("setup", "size", "seed")
    return cells.select(whole & (pl.col("sample") != first)).to_series().alias("repeated")


def note_repeated(repeated: "pl.Series") -> None:
    """Send a note with the number of cells that repeat another one."""
    if count := repeated.sum():
        note(
            f"{count} of {len(repeated)} cells use all sentences with the same seed as another, so "
            "they are the same model: they count once; run the plan again to add other seeds"
        )


def available_in(task: str, identity: str, counts: str) -> int | None:
    """Return the available sentences of a stored setup; None if all its samples may differ."""
    if task not in {*BUILT_IN, *EXTENSIONS} or find_task(task).redraws:
        return None
    return available_sentences(json.loads(counts)["sentences"], json.loads(identity)["extra"])
