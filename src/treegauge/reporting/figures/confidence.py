"""Figures of confidence: the reliability diagram and the risk-coverage curve."""

from typing import Any

from treegauge.core.errors import ChoiceError
from treegauge.reporting.figures.theme import Spec, category, chart, ink, mark, quantity, themed, tips
from treegauge.scoring.probabilities.calibration import Calibration

#: Width and height of a panel.
SIDE = 300
_TITLES = {"head": "heads", "relation": "relations", "arc": "labelled arcs", "tree": "trees"}


def reliability_data(found: Calibration, event: str = "arc") -> list[dict[str, Any]]:
    """Return the bins of every system: mean probability, share correct, number of cases."""
    return [
        {"system": system, **row}
        for system, events in found.systems.items()
        if event in events
        for row in events[event].bin_rows()
    ]


def coverage_data(found: Calibration) -> list[dict[str, Any]]:
    """Return the error rate of every system by the share of most certain sentences kept."""
    return [
        {"system": system, "coverage": kept, "risk": risk}
        for system, curve in found.coverage.curves.items()
        for kept, risk in curve
    ]


def calibration(found: Calibration, *, event: str = "arc", dark: bool = False) -> Spec:
    """Draw the reliability diagram of an event, and the risk-coverage curve of sentences.

    Events are head, relation, arc and tree.
    """
    known = list(dict.fromkeys(name for events in found.systems.values() for name in events))
    if event not in known:
        raise ChoiceError("event", event, known)
    order = list(found.systems)
    system = category("system", sort=order)
    place: Spec = {
        "x": quantity("probability", "mean probability", scale={"domain": [0, 1]}),
        "y": quantity("correct", "share correct", scale={"domain": [0, 1]}),
    }
    diagonal: Spec = {
        "data": {"values": [{"probability": end, "correct": end} for end in (0, 1)]},
        **mark("line", place, color=ink(dark), strokeDash=[4, 4], strokeWidth=1),
    }
    tip = tips(["system", "probability", "correct", "cases"])
    shape = category("system", sort=order, legend=None)
    shown = place | {"color": system, "shape": shape, "tooltip": tip}
    lines = mark("line", place | {"color": system}, strokeWidth=1.5)
    points = mark("point", shown, filled=True, size=36)
    reliability = chart(
        reliability_data(found, event), SIDE, SIDE, layer=[diagonal, lines, points],
        title=f"Reliability of {_TITLES[event]}",
    )  # fmt: skip
    curve: Spec = {
        "x": quantity("coverage", "sentences kept, the most certain first (%)"),
        "y": quantity("risk", "labelled arcs incorrect (%)", scale={"zero": True}),
        "color": system,
        "tooltip": tips(["system", "coverage", "risk"]),
    }
    risk = chart(coverage_data(found), SIDE, SIDE, **mark("line", curve, strokeWidth=1.5), title="Risk and coverage")
    spec = {"hconcat": [reliability, risk]}
    return themed(spec, "Calibration of probabilities", found.signature, dark)
