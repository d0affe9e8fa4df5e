"""The long run as jobs for many cores: 5.2 million inputs of reader and validator, and scorers.

``jobs()`` lists ranges of seeds, the most important first, and ``run(job)`` tries one and returns
its row, which ``python -m fuzz --merge FILE`` adds to the results. Seeds start where runs on one
machine do not get to.
"""

import tempfile
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from fuzz.worker import tried

FIRST = 1_000_000_000
COUNTS = {"scorer": 210_000, "reader": 2_600_000, "validator": 2_600_000, "repair": 500_000}
CHUNKS = {"scorer": 5_000, "reader": 20_000, "validator": 20_000, "repair": 20_000}


def jobs() -> list[dict[str, Any]]:
    """Return ranges of seeds, those of all fuzzers in turn."""
    ranges = [
        [
            {"target": name, "start": start, "stop": min(start + CHUNKS[name], FIRST + count)}
            for start in range(FIRST, FIRST + count, CHUNKS[name])
        ]
        for name, count in COUNTS.items()
    ]
    return [job for job in chain(*zip_longest(*ranges)) if job is not None]


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Try the inputs of a range."""
    with tempfile.TemporaryDirectory() as folder:
        return tried(job["target"], job["start"], job["stop"], Path(folder))
