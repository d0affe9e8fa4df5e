"""Cells in batches: those of one setup, listed by size, sample and seed when they are needed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from treegauge.experiments.cells import Cell, Setup

Point = tuple[int | None, int, int]
"""Size, sample and seed."""


@dataclass(frozen=True)
class Batch:
    """Cells of one setup: all combinations, or the points named."""

    setup: Setup
    sizes: tuple[int | None, ...] = (None,)
    samples: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    named: tuple[Point, ...] | None = None

    def points(self) -> Iterator[Point]:
        """Yield size, sample and seed of each cell."""
        if self.named is not None:
            return iter(self.named)
        return product(self.sizes, self.samples, self.seeds)

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        return (Cell(self.setup, *point) for point in self.points())

    def __len__(self) -> int:
        if self.named is not None:
            return len(self.named)
        return len(self.sizes) * len(self.samples) * len(self.seeds)


@dataclass(frozen=True)
class Expansion:
    """A plan's cells, and those that the treebanks do not allow, with the reason."""

    batches: tuple[Batch, ...]
    refused: tuple[str, ...] = ()
    refused_cells: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    def cells(self) -> Iterator[Cell]:
        """Yield all cells."""
        return (cell for batch in self.batches for cell in batch.cells())


def merged(batches: Iterable[Batch]) -> tuple[Batch, ...]:
    """Join batches of one setup, so that each cell is there once."""
    found: dict[bytes, list[Batch]] = {}
    for batch in batches:
        found.setdefault(batch.setup.digest, []).append(batch)
    return tuple(map(_joined, found.values()))


def _joined(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    points = {point for batch in batches for point in batch.points()}
    ordered = sorted(points, key=lambda point: (point[0] or 0, *point[1:]))
    return Batch(batches[0].setup, named=tuple(ordered))
