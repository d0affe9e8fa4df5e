"""Calibration of systems' probabilities, and scores without uncertain sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from treegauge.core import tables
from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.confidence import Confidence, Event, SentenceConfidence
from treegauge.scoring.scores import Scores
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.probabilities import (
    BINS,
    DRAWS,
    ConsistencyTest,
    ReliabilityBins,
    aurc,
    auroc,
    brier_score,
    calibration_error,
    consistency_test,
    log_loss,
    reliability_bins,
    risk_coverage,
)

#: Minimum number of sentences or documents for a test of calibration.
LEAST_TESTED = 20
#: Percentages of the least certain sentences to drop.
DROPPED = (0, 10, 20, 30, 50)
#: Points per curve in JSON, figures and on the page.
POINTS = 100
#: Columns shown only with ``--all`` and in files.
_PARTS = ("reliability", "resolution", "uncertainty")


@dataclass(frozen=True, eq=False)
class EventCalibration:
    """Calibration of one event's probabilities: measures, bins, and the risk at each coverage."""

    numbers: Mapping[str, Any]
    bins: ReliabilityBins
    risks: FloatArray = field(repr=False)

    def bin_rows(self) -> list[dict[str, Any]]:
        """Return the reliability diagram: cases, mean probability and share correct of each bin."""
        columns = (self.bins.counts, self.bins.probability, self.bins.observed)
        return [
            {"cases": cases, "probability": probability, "correct": observed}
            for cases, probability, observed in zip(*(column.tolist() for column in columns), strict=True)
        ]


def event_calibration(event: Event, *, units: int, seed: int | None) -> EventCalibration:
    """Compute all measures of an event; no test without a seed or with fewer than 20 units."""
    probabilities, outcomes, places = event
    bins = reliability_bins(probabilities, outcomes)
    test: ConsistencyTest | None = None
    if seed is not None and units >= LEAST_TESTED:
        test = consistency_test(probabilities, outcomes, places, bins, seed=seed)
    risks = risk_coverage(probabilities, (~outcomes).astype(np.float64))
    brier = brier_score(probabilities, outcomes, bins)
    numbers = {
        "cases": len(outcomes),
        "correct": float(outcomes.mean()),
        "probability": float(probabilities.mean()),
        "ece": calibration_error(bins),
        "ece_by_chance": test.expected if test else None,
        "p_value": test.p_value if test else None,
        "brier": brier.score,
        **{name: getattr(brier, name) for name in _PARTS},
        "log_loss": log_loss(probabilities, outcomes),
        "auroc": auroc(probabilities, outcomes),
        "aurc": aurc(risks),
    }
    return EventCalibration(numbers, bins, risks)


def thinned(risks: FloatArray) -> list[tuple[float, float]]:
    """Return coverage and risk, both in percent, at up to a hundred coverages.

    Examples
    --------
    >>> thinned(np.array([0.0, 0.5]))
    [(50.0, 0.0), (100.0, 50.0)]
    """
    number = len(risks)
    kept = np.unique(np.ceil(np.arange(1, POINTS + 1) * number / POINTS).astype(int))
    return [(100 * k / number, 100 * float(risks[k - 1])) for k in kept.tolist()]


@dataclass(frozen=True, eq=False)
class Calibration(Result, kind="calibration"):
    """Calibration of each system's probabilities of heads, relations, labelled arcs and trees.

    All numbers are between 0 and 1, except the log loss (nats). `ece_by_chance` is the expected
    calibration error that perfectly calibrated probabilities would have on this test set; `p_value`
    tests whether chance explains the observed one. There is no confidence interval: resampling adds
    noise, noise raises the error, and intervals would lie above the true value.
    """

    systems: Mapping[str, Mapping[str, EventCalibration]] = field(repr=False)
    signature: str
    notes: tuple[str, ...] = ()
    all: bool = False
    digits: ClassVar[tables.Digits] = 4

    @property
    def coverage(self) -> "Coverage":
        """Scores of the sentences that remain when uncertain ones are dropped."""
        return cast("Coverage", self.attached["coverage"])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per system and event."""
        for system, events in self.systems.items():
            for name, calibration in events.items():
                yield {"system": system, "event": name, **calibration.numbers}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system and event."""
        return pl.DataFrame(list(self.rows()), infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the bins and the risk-coverage curve of each."""
        rows = []
        for row in self.rows():
            event = self.systems[row["system"]][row["event"]]
            curve = [list(point) for point in thinned(event.risks)]
            rows.append(row | {"bins": event.bin_rows(), "risk_coverage": curve})
        return {"rows": rows, "notes": list(self.notes)}

    def shown(self) -> list[dict[str, Any]]:
        """Return the rows, without the components of the Brier score unless `all` is set."""
        rows = []
        tested = any(row["p_value"] is not None for row in self.rows())
        for row in self.rows():
            hidden = () if self.all else _PARTS
            hidden = hidden if tested else (*hidden, "ece_by_chance", "p_value")
            rows.append({name: value for name, value in row.items() if name not in hidden})
        return rows

    def own_text(self) -> str:
        """Return the table and notes on its rows."""
        table = tables.to_text(self.shown(), digits=self.digits)
        return "\n".join([table, *self.notes, self.signature])


@dataclass(frozen=True, eq=False)
class Coverage(Result, kind="risk coverage", unit="percent"):
    """The score of the sentences that remain when the least certain ones are dropped.

    `best` is the score if the sentences with the lowest scores are dropped; `aurc` is the mean
    error over all coverages, as a fraction.
    """

    rows: tuple[dict[str, Any], ...]
    curves: Mapping[str, list[tuple[float, float]]] = field(repr=False)
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system and percentage of sentences dropped."""
        return pl.DataFrame(self.rows, infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and by system the curve: coverage and risk in percent."""
        curves = {name: [list(point) for point in curve] for name, curve in self.curves.items()}
        return super().json_fields() | {"risk_coverage": curves}

    def shown(self) -> list[dict[str, Any]]:
        """Return one row per system: its score without the least certain sentences."""
        systems: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            cells = systems.setdefault(row["system"], {"system": row["system"]})
            dropped = f" without {row['dropped']} %" if row["dropped"] else ""
            cells[f"{row['metric']}{dropped}"] = row["score"]
        for row in self.rows:
            systems[row["system"]]["AURC"] = f"{row['aurc']:.4f}"
        return list(systems.values())

    def own_text(self) -> str:
        """Return the table under its title."""
        return f"without the least certain sentences:\n{super().own_text()}"


def coverage_rows(system: str, metric: str, sentences: SentenceConfidence) -> tuple[list[dict[str, Any]], FloatArray]:
    """Return the rows of one system, and the risk when 1, 2, ... sentences are kept."""
    confidence, correct, words = sentences
    risks = risk_coverage(confidence, words - correct, words)
    best = risk_coverage(correct / words, words - correct, words)
    number, rows = len(risks), []
    for dropped in DROPPED:
        kept = max(1, number - round(number * dropped / 100))
        row: dict[str, Any] = {"system": system, "metric": metric, "dropped": dropped}
        row |= {"sentences": kept, "score": 100 * (1 - float(risks[kept - 1]))}
        row["gain"] = row["score"] - 100 * (1 - float(risks[-1]))
        rows.append(row | {"best": 100 * (1 - float(best[kept - 1])), "aurc": aurc(risks)})
    return rows, risks


def calibrate(
    alignments: Mapping[str, Alignment],
    scores: Scores,
    *,
    files: Mapping[str, str] | None = None,
    seed: int | None = 0,
    all_parts: bool = False,
) -> Calibration:
    """Return the calibration of systems' probabilities, with scores by coverage attached.

    Parameters
    ----------
    alignments
        Systems by name, aligned with gold.
    scores
        Their scores, which define the convention and the independent units.
    files
        Names of the systems' files in messages.
    seed
        Seed of the consistency test; None for no test.
    all_parts
        Whether tables show the components of the Brier score.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.simulated_parser import with_simulated_confidence
    >>> from treegauge.testing.simulated_parser import simulated_parse
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(50, seed=1)
    >>> parsed = tg.parse_conllu(simulated_parse(gold.to_bytes().decode(), seed=1))
    >>> system = with_simulated_confidence(parsed, gold, seed=1)
    >>> scores = tg.breakdown(gold, {"mine": system}, calibration=True)
    >>> scores.attached["calibration"].systems["mine"]["arc"].numbers["ece"] < 0.1
    True
    """
    systems: dict[str, dict[str, EventCalibration]] = {}
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    label = scores.label("LAS")
    number = 0
    for system, alignment in alignments.items():
        confidence = Confidence(alignment, scores.convention, units=scores.units, file=(files or {}).get(system))
        number = confidence.number_of_units
        systems[system] = {
            name: event_calibration(event, units=number, seed=seed)
            for name, event in confidence.events()
            if len(event.outcomes)
        }
        system_rows, risks = coverage_rows(system, label, confidence.sentences())
        rows += system_rows
        curves[system] = thinned(risks)
    tested = seed is not None and number >= LEAST_TESTED
    signature = countersign(
        scores.signature, systems="+".join(alignments), bins=f"{BINS}mass",
        consistency=f"{DRAWS}draws" if tested else None, seed=seed if tested else None,
    )  # fmt: skip
    coverage = Coverage(tuple(rows), curves, countersign(scores.signature, m=label, sort="arcs"))
    notes = tuple(_notes(systems, scores, number, seed))
    attached = {"coverage": coverage}
    return Calibration(systems, signature, notes, all_parts, attached=attached)


def _notes(
    systems: Mapping[str, Mapping[str, EventCalibration]], scores: Scores, number: int, seed: int | None
) -> Sequence[str]:
    notes = ["relation: of words with a correct head; arc: head and relation; tree: whole sentences"]
    bare = [system for system, events in systems.items() if "tree" not in events]
    if bare:
        notes.append(f"no probabilities of trees (# tree_prob): {', '.join(bare)}")
    if seed is None:
        return notes
    if number < LEAST_TESTED:
        text = f"no test of ece: {number} {scores.units}, needs at least {LEAST_TESTED}"
        inside = "; --units sentences tests within these documents"
        return [*notes, text + (inside if scores.units == "documents" else "")]
    return [
        *notes,
        *scores.notes,
        f"p_value: could calibrated probabilities have this ece on {number} {scores.units}? "
        "(not corrected for the number of tests)",
    ]
