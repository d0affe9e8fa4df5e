"""Calibration of systems' probabilities on many treebanks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core import tables
from treegauge.core.result import Result, countersign
from treegauge.scoring.classes.details import align_outputs
from treegauge.scoring.probabilities.calibration import LEAST_TESTED, Calibration, calibrate
from treegauge.scoring.settings import Reading
from treegauge.scoring.suite import Suite
from treegauge.statistics.probabilities import BINS

if TYPE_CHECKING:
    import polars as pl

#: Percentage of sentences dropped in the printed table.
DROPPED = 20
_MEANS = ("correct", "probability", "ece", "ece_by_chance", "brier", "auroc", "aurc")


@dataclass(frozen=True, eq=False)
class CalibrationSuite(Result):
    """Calibration by treebank, system and event, and the gain from dropping uncertain sentences.

    Numbers are between 0 and 1; `score` and `gain` are in percent, of labelled arcs only, for the
    sentences that remain when the least certain 20 % are dropped. Printed tables show labelled
    arcs and means over treebanks, with `all` every event. `tested` says whether tests were made.
    """

    treebanks: Mapping[str, Calibration] = field(repr=False)
    signature: str
    all: bool = False
    tested: bool = True
    kind: ClassVar[str] = "calibration by treebank"
    digits: ClassVar[tables.Digits] = {
        **dict.fromkeys((*_MEANS, "log_loss", "reliability", "resolution", "uncertainty"), 4),
        "gain": 2,
    }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per treebank, system and event."""
        for treebank, calibration in self.treebanks.items():
            remaining = {
                row["system"]: {"score": row["score"], "gain": row["gain"]}
                for row in calibration.coverage.rows
                if row["dropped"] == DROPPED
            }
            for row in calibration.rows():
                arcs = row["event"] == "arc"
                kept = remaining[row["system"]] if arcs else {"score": None, "gain": None}
                yield {"treebank": treebank, **row, **kept}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank, system and event."""
        import polars as pl

        return pl.DataFrame(list(self.rows()), infer_schema_length=None)

    def means(self) -> list[dict[str, Any]]:
        """Return the means over treebanks, one row per system and event."""
        groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self.rows():
            groups.setdefault((row["system"], row["event"]), []).append(row)
        averages = []
        for (system, event), rows in groups.items():
            row = {"treebank": f"mean of {len(rows)}", "system": system, "event": event}
            row["cases"] = sum(row_of_treebank["cases"] for row_of_treebank in rows)
            for name in (*_MEANS, "score", "gain"):
                known = [row_of_treebank[name] for row_of_treebank in rows if row_of_treebank[name] is not None]
                row[name] = sum(known) / len(known) if known else None
            averages.append(row)
        return averages

    def json_fields(self) -> dict[str, Any]:
        """Return the rows and the means over treebanks."""
        return super().json_fields() | {"means": self.means()}

    def shown(self) -> list[dict[str, Any]]:
        """Return labelled arcs, or all events, per treebank and on average."""
        test = () if self._untested == len(self.treebanks) else ("ece_by_chance", "p_value")
        first = ("treebank", "system", "event", "cases", "correct", "probability", "ece")
        metric = next(iter(self.treebanks.values())).coverage.rows[0]["metric"]
        rows = []
        for row in [*self.rows(), *self.means()]:
            if self.all or row["event"] == "arc":
                cells = {"p_value": None} | row
                shown_row = {name: cells[name] for name in (*first, *test, "brier", "auroc", "aurc")}
                dropped = {f"{metric} without {DROPPED} %": row["score"], "gain": row["gain"]}
                rows.append(shown_row | dropped)
        return rows

    @property
    def _untested(self) -> int:
        """The number of treebanks with too few units for a test."""
        return sum(all(row["p_value"] is None for row in calibration.rows()) for calibration in self.treebanks.values())

    def own_text(self) -> str:
        """Return the table and notes on its columns."""
        lines = [tables.to_text(self.shown(), digits=self.digits)]
        if not self.all:
            lines.append("arc: head and relation; --all shows heads, relations and trees, too")
        if self._untested < len(self.treebanks):
            lines.append("p_value: could calibrated probabilities have this ece? (not corrected)")
        if self._untested and self.tested:
            units = "documents or sentences (--units sentences takes sentences everywhere)"
            lines.append(
                f"no test of ece on {self._untested} of {len(self.treebanks)} treebanks: it needs "
                f"{LEAST_TESTED} {units}"
            )
        lines.append(f"without {DROPPED} %: of the sentences, the least certain ones, are dropped")
        return "\n".join([*lines, self.signature])


def calibrate_suite(
    suite: Suite,
    gold: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Sequence[Any]]],
    reading: Reading,
    *,
    seed: int | None,
) -> CalibrationSuite:
    """Return the calibration of systems on every treebank for which they have scores.

    Parameters
    ----------
    suite
        The scores of the systems.
    gold, systems
        Gold files by treebank, and each system's output by treebank.
    reading
        How files are read.
    seed
        Seed of the consistency tests; None for no tests.
    """
    calibrations: dict[str, Calibration] = {}
    for treebank, scores in suite.treebanks.items():
        outputs = {
            name: system_outputs[treebank]
            for name, system_outputs in systems.items()
            if treebank in system_outputs and (treebank, name) not in suite.failures
        }
        if outputs:
            alignments = align_outputs(gold[treebank], outputs, reading)
            files = {name: str(runs[0]) for name, runs in outputs.items()}
            calibrations[treebank] = calibrate(alignments, scores, files=files, seed=seed)
    signature = countersign(suite.signature, systems="+".join(systems), bins=f"{BINS}mass")
    return CalibrationSuite(calibrations, signature, suite.all, seed is not None)
