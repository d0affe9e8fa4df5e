"""Seconds per unit of work of each parser: the rates behind the times that ``train`` expects.

    python -m tools.bench.training_rates FOLDER_OF_TREEBANKS [PARSER...]

Prints for each training the processor time and the amount of work, and for each parser the seconds
per unit of work and the largest factor by which a time was off. For neural parsers also the seconds
to start a process that trains one, and those of an update. They are ``RATES``, ``START`` and
``UPDATE`` of ``treegauge.parsing.train``, and the seconds of the reference computation are
its ``REFERENCE``.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treegauge.parsing.registry import make_parser
from treegauge.parsing.train import NEURAL, measured_seconds, updates, work
from treegauge.treebanks.data.conllu import read_splits

SETS = (("UD_Telugu-MTG", 1000), ("UD_Greek-GDT", 300), ("UD_Vietnamese-VTB", 400))
SMALL = {"epochs": 2, "device": "cpu"}
TINY = {**SMALL, "hidden": 16, "layers": 1, "word_size": 8, "char_size": 8, "batch": 8}
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "beam": ({}, {"beam": 1}, {"labelled": False}, {"beam": 16}),
    "mst": ({}, {"ending": 0}, {"epochs": 5, "label_epochs": 2}),
    "udpipe": ({"preset": "fast", "iterations": 2}, {"preset": "ud2.0", "iterations": 2}),
    "biaffine": (SMALL, {**SMALL, "hidden": 200, "layers": 2, "batch": 16}, TINY),
    "pointer": (SMALL, TINY),
    "labelling": (SMALL, TINY),
    "baseline": ({},),
}


class Case(NamedTuple):
    """A training: its processor time, its amount of work, and its number of updates."""

    seconds: float
    work: float
    updates: int


def trainings(parser: str, root: Path) -> list[Case]:
    """Train with the options of each case on each treebank."""
    found = []
    for name, sentences in SETS:
        train = read_splits(root / name)["train"][:sentences]
        for options in CASES[parser]:
            made: Any = make_parser(parser, **options)
            amount = work(parser, made.options, train) or 1.0
            number = updates(made.options, train) if parser in NEURAL else 0
            start = time.process_time()
            made.fit(train, seed=0)
            found.append(Case(time.process_time() - start, amount, number))
            print(f"{parser} {name} {options} {found[-1]}", flush=True)
    return found


def rates(cases: Sequence[Case]) -> tuple[float, float, float]:
    """Return seconds per unit of work, seconds per update, and the largest factor of an error.

    Both are chosen for the smallest relative errors, by least squares.
    """
    seconds, amounts, numbers = (np.array(column, float) for column in zip(*cases, strict=True))
    if numbers.any():
        shares = np.stack([amounts / seconds, numbers / seconds], 1)
        rate, update = np.linalg.lstsq(shares, np.ones(len(seconds)))[0]
    else:
        rate, update = np.exp(np.log(seconds / amounts).mean()), 0.0
    off = np.exp(np.abs(np.log(seconds / (rate * amounts + update * numbers))).max())
    return float(rate), float(update), float(off)


def start_seconds() -> float:
    """Return the processor time of a new process that trains a neural parser on one sentence."""
    text = (
        "from treegauge.parsing.registry import make_parser\n"
        "from treegauge.testing.synthetic import synthetic\n"
        "make_parser('biaffine', epochs=1, device='cpu').fit(synthetic(1, seed=1), seed=0)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", text], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(words: Sequence[str]) -> None:
    """Print the rates of some parsers, or of all."""
    root, *parsers = words
    print(f"reference {min(measured_seconds.__wrapped__() for _ in range(20)):.4f} s")
    if not parsers or set(parsers) & set(NEURAL):
        print(f"start {min(start_seconds() for _ in range(3)):.1f} s")
    for parser in parsers or CASES:
        rate, update, off = rates(trainings(parser, Path(root)))
        each = f", {update:.2g} s per update" if update else ""
        print(f"{parser}: {rate:.3g}{each}, off by at most {off:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
