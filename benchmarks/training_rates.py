"""Seconds per unit of work of each parser: the rates behind the times that ``train`` expects.

    python -m benchmarks.training_rates FOLDER_OF_TREEBANKS [PARSER...]

Prints for each training the processor time, the amount of work and their ratio, and for each parser
the geometric mean of ratios and the largest factor by which a time was off. The means, and the
seconds of the reference computation, are ``RATES`` and ``REFERENCE`` of
``treegauge.parsing.expected_time``.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.parsing.expected_time import measured_seconds, work
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.conllu import read_splits

SETS = (("UD_Telugu-MTG", 1000), ("UD_Greek-GDT", 300), ("UD_Vietnamese-VTB", 400))
SMALL = {"epochs": 2, "device": "cpu"}
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "beam": ({}, {"beam": 1}, {"labelled": False}, {"beam": 16}),
    "mst": ({}, {"ending": 0}, {"epochs": 5, "label_epochs": 2}),
    "udpipe": ({"preset": "fast", "iterations": 2}, {"preset": "ud2.0", "iterations": 2}),
    "biaffine": (SMALL, {**SMALL, "hidden": 200, "layers": 2, "batch": 16}),
    "pointer": (SMALL,),
    "labelling": (SMALL,),
    "baseline": ({},),
}


def rates(parser: str, root: Path) -> list[float]:
    """Return the seconds per unit of work of each case on each treebank."""
    found = []
    for name, sentences in SETS:
        train = read_splits(root / name)["train"][:sentences]
        for options in CASES[parser]:
            made: Any = make_parser(parser, **options)
            amount = work(parser, made.options, train)
            start = time.process_time()
            made.fit(train, seed=0)
            seconds = time.process_time() - start
            found.append(seconds / (amount or 1))
            print(f"{parser} {name} {options} {seconds:.2f} s {found[-1]:.3g}", flush=True)
    return found


def main(words: Sequence[str]) -> None:
    """Print the rates of some parsers, or of all."""
    root, *parsers = words
    print(f"reference {min(measured_seconds.__wrapped__() for _ in range(20)):.4f} s")
    for parser in parsers or CASES:
        found = np.log(rates(parser, Path(root)))
        off = float(np.exp(np.abs(found - found.mean()).max()))
        print(f"{parser}: {np.exp(found.mean()):.3g}, off by at most {off:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
