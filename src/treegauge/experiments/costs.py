"""How long cells may take, from those that were run before."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.experiments.batches import Point
from treegauge.experiments.cells import Setup
from treegauge.experiments.ledger import Ledger

Timed = tuple[tuple[str, str], float, float]
"""Task and parser, words to train on, and seconds."""


def work(sentences: Mapping[str, int], words: Mapping[str, int], size: int | None) -> float:
    """Estimate the words that a cell trains on: its share of the train part.

    Examples
    --------
    >>> work({"train": 1000}, {"train": 20000, "test": 3000}, 100)
    2000.0
    """
    known = words.get("train") or sum(words.values())
    there = sentences.get("train") or sum(sentences.values())
    return float(known) if size is None or not there else known * size / there


@dataclass(frozen=True)
class Line:
    """Seconds as a straight line over the words to train on, neither end below zero."""

    start: float
    slope: float

    @classmethod
    def through(cls, words: list[float], seconds: list[float]) -> "Line":
        """Fit by least squares; through the mean where the points do not make a line."""
        mean, x = float(np.mean(seconds)), np.asarray(words)
        if np.ptp(x) == 0:
            return cls(mean, 0.0)
        slope, start = np.polyfit(x, seconds, 1)
        if slope < 0:
            return cls(mean, 0.0)
        if start < 0:
            return cls(0.0, float(np.dot(x, seconds) / np.dot(x, x)))
        return cls(float(start), float(slope))


class Costs:
    """Seconds of cells by task and parser."""

    def __init__(self, timed: Iterable[Timed]) -> None:
        groups: dict[tuple[str, str], tuple[list[float], list[float]]] = defaultdict(
            lambda: ([], [])
        )
        for key, words, seconds in timed:
            groups[key][0].append(words)
            groups[key][1].append(seconds)
        self.lines = {key: Line.through(*points) for key, points in groups.items()}

    @classmethod
    def of(cls, ledger: Ledger) -> "Costs":
        """Learn from a ledger: the mean of each setup and size."""
        rows = ledger.ask(
            "SELECT task, parser, counts, nullif(size, 0), mean FROM setups JOIN "
            "(SELECT setup, size, avg(seconds) AS mean FROM cells WHERE done GROUP BY setup, size) "
            "ON setup = id"
        )

        def timed(row: tuple[Any, ...]) -> Timed:
            task, parser, counts, size, seconds = row
            return (task, parser), work(**json.loads(counts), size=size), seconds

        return cls(map(timed, rows))

    def guess(self, setup: Setup, point: Point) -> float | None:
        """Estimate the seconds of a cell; None where nothing like it was run."""
        line = self.lines.get((setup.task, setup.parser))
        if line is None:
            return None
        return line.start + line.slope * work(setup.sentences, setup.words, point[0])
