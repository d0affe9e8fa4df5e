"""Calibration of systems' probabilities for the page, and scores of the most certain sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.probabilities.calibration import Calibration, EventCalibration, calibrate
from treegauge.scoring.probabilities.confidence import Confidence, has_probabilities
from treegauge.scoring.scores import Scores


def page_calibration(alignments: Mapping[str, Alignment], scores: Scores) -> Calibration | None:
    """Return the calibration of the systems that give probabilities; None if no system does.

    A system with unusable probabilities is left out with a note.
    """
    usable = {}
    for name, alignment in alignments.items():
        if has_probabilities(alignment.system.treebank):
            try:
                Confidence(alignment, scores.convention, file=name)
            except TreegaugeError as error:
                note(f"no calibration of {name}: {error}")
            else:
                usable[name] = alignment
    return calibrate(usable, scores) if usable else None


def calibration_data(found: Calibration | None, systems: Sequence[str]) -> list[dict[str, Any] | None]:
    """Return one entry per system, in percent; None for a system without probabilities.

    `ece`, `by_chance`, `p_value`, `bins` and `words` are of labelled arcs; `events` has the numbers
    of heads, relations, arcs and trees; `risk` is the error rate at each coverage in sentences;
    `dropped` has the gain from leaving out the least certain sentences.
    """
    if found is None:
        return [None] * len(systems)
    return [_system(found, name) if name in found.systems else None for name in systems]


def _system(found: Calibration, name: str) -> dict[str, Any]:
    coverage = found.coverage
    events = found.systems[name]
    rows = [row for row in coverage.rows if row["system"] == name]
    arcs = _event(events["arc"])
    return {
        **{key: arcs[key] for key in ("ece", "by_chance", "p_value")},
        "words": arcs["cases"],
        "metric": rows[0]["metric"],
        "bins": [
            {"count": row["cases"], "confidence": _percent(row["probability"]), "accuracy": _percent(row["correct"])}
            for row in events["arc"].bin_rows()
        ],
        "events": [{"event": event, **_event(made)} for event, made in events.items()],
        "risk": [[round(kept, 2), round(risk, 3)] for kept, risk in coverage.curves[name]],
        "aurc": _percent(rows[0]["aurc"]),
        "dropped": [
            {
                "percent": row["dropped"],
                "sentences": row["sentences"],
                **{key: round(row[key], 3) for key in ("score", "gain", "best")},
            }
            for row in rows
        ],
    }


def _event(made: EventCalibration) -> dict[str, Any]:
    numbers = made.numbers
    shares = {"correct": "correct", "probability": "confidence", "ece": "ece",
              "ece_by_chance": "by_chance", "auroc": "auroc", "aurc": "aurc"}  # fmt: skip
    return {
        "cases": numbers["cases"],
        **{name: _percent(numbers[key]) for key, name in shares.items()},
        "p_value": numbers["p_value"],
        "brier": round(numbers["brier"], 5),
        "log_loss": round(numbers["log_loss"], 5),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 3)
