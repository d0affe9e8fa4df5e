"""The long run as jobs for many cores: 5 million sentences, and 200,000 pairs to score.

``jobs()`` lists ranges of seeds, the most important first, and ``run(job)`` tries one and returns
its row, which ``python -m tools.fuzz --merge FILE`` adds to the results. Seeds differ
from those of runs on one machine.
"""

import tempfile
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from tools.fuzz.worker import tried

FIRST = 2_000_000_000
SEEDS = {"scorer": 200_000, "reader_files": 40_000, "validator_files": 40_000}
STEPS = {"scorer": 4_000, "reader_files": 1_600, "validator_files": 1_600}


def jobs() -> list[dict[str, Any]]:
    """Return ranges of seeds, those of all fuzzers in turn."""
    ranges = [
        [
            {"target": name, "start": start, "stop": min(start + STEPS[name], FIRST + count)}
            for start in range(FIRST, FIRST + count, STEPS[name])
        ]
        for name, count in SEEDS.items()
    ]
    return [job for job in chain(*zip_longest(*ranges)) if job is not None]


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Try the inputs of a range."""
    with tempfile.TemporaryDirectory() as folder:
        return tried(job["target"], job["start"], job["stop"], Path(folder))
