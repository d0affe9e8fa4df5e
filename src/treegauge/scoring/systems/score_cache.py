"""Cache of scores, by the checksums of gold file, output and settings.

There is one small JSON file per pair of gold file and output. Its name is a checksum of both files
and of the signature of the settings. A damaged file, or one written by another version, counts as
absent. Files are written atomically, so an interrupted run loses no finished score.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.text_formats import parse_json
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.inference.certainty import estimate
from treegauge.scoring.inference.comparisons import unit_counts
from treegauge.scoring.metrics.registry import Metric
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank

_COUNTS = ("correct", "gold", "system", "aligned")


def file_checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


class CellScore(NamedTuple):
    """The metrics of one output on one gold file, or why it could not be scored.

    `errors` has the standard error of F1 (as a fraction) and its degrees of freedom for each metric
    that has one; the interval of a macro average needs them. `remarks` are what readers of the
    score must know about the output.
    """

    metrics: dict[str, Metric]
    errors: dict[str, tuple[float, float]]
    failure: str | None = None
    remarks: str = ""


def score_cell(gold: Treebank, runs: Sequence[str], options: ScoreOptions) -> CellScore:
    """Score the runs of a system; an error in one becomes the reason of its failure."""
    try:
        scores = evaluate(gold, {"system": list(runs)}, options)
    except TreegaugeError as error:
        # Several teams may submit the same file, so messages name the file without its folder.
        said = str(error)
        for run in runs:
            said = said.replace(run, Path(run).name)
        lines = [line.strip() for line in said.splitlines()]
        reasons = [line for line in lines if line and not line.startswith("hint")]
        return CellScore({}, {}, "; ".join(reasons[:3]))
    (system,) = scores.systems
    names = list(system.metrics)
    estimates = estimate(unit_counts(system, names, scores.units))
    errors = {
        name: (float(estimates.standard_error[i]), float(estimates.df[i]))
        for i, name in enumerate(names)
        if np.isfinite(estimates.standard_error[i])
    }
    return CellScore(system.metrics, errors, remarks="; ".join(system.remarks))


@dataclass(frozen=True)
class ScoreCache:
    """A folder of scores; `signature` records how outputs are scored, including the version."""

    folder: Path
    signature: str

    def path(self, gold: str, system: str) -> Path:
        """Return the path of the score of two files, given their checksums."""
        name = sha256(f"{gold}\n{system}\n{self.signature}".encode()).hexdigest()
        return self.folder / f"{name}.json"

    def get(self, gold: str, system: str) -> CellScore | None:
        """Return the score of two files; None if it is missing or damaged."""
        try:
            kept = parse_json(self.path(gold, system).read_bytes())
            checksum = kept.pop("checksum")
            named = (kept["gold"], kept["system"], kept["signature"])
            if checksum != _checksum(kept) or named != (gold, system, self.signature):
                return None
            metrics = {
                name: Metric(name, *(counts[count] for count in _COUNTS)) for name, counts in kept["metrics"].items()
            }
            errors = {name: (float(se), float(df)) for name, (se, df) in kept["errors"].items()}
            return CellScore(metrics, errors, kept["failure"], kept["remarks"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, gold: str, system: str, score: CellScore) -> None:
        """Store the score of two files; the folder is there."""
        metrics = {name: {count: getattr(metric, count) for count in _COUNTS} for name, metric in score.metrics.items()}
        kept = {"gold": gold, "system": system, "signature": self.signature, "metrics": metrics,
                "errors": {name: list(pair) for name, pair in score.errors.items()},
                "failure": score.failure, "remarks": score.remarks}  # fmt: skip
        with atomic(self.path(gold, system), own=True) as file:
            file.write(json.dumps({**kept, "checksum": _checksum(kept)}).encode())


def _checksum(kept: dict[str, Any]) -> str:
    return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
