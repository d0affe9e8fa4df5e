"""Common parts of analyses of tables: options, notes, signatures, formatted p-values."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Literal

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.verbs import Settings

Names = str | Sequence[str]
Coefficient = Literal["spearman", "pearson", "kendall"]
Correction = Literal["benjamini-hochberg", "holm", "bonferroni"]


@dataclass(frozen=True)
class CorrelationSettings(Settings):
    """How columns are correlated.

    Attributes
    ----------
    method
        Coefficient of correlation.
    by
        Repeat for each value of this column; COLUMN:mean, COLUMN:median or COLUMN:NUMBER divides
        its values in two there.
    correction
        Adjustment of p-values for their number: controls the false discovery rate
        (benjamini-hochberg) or the family-wise error rate (holm, bonferroni).
    cluster
        Rows of one genus, family or language resemble each other, which intervals and p-values take
        into account. Groups come from treebank names, or from a column with this name. none treats
        rows as independent.
    """

    method: Coefficient = "spearman"
    by: str | None = None
    correction: Correction = "benjamini-hochberg"
    cluster: str = "genus"


@dataclass(frozen=True)
class RowResampling(Settings):
    """How intervals over rows are computed.

    Attributes
    ----------
    level
        Confidence level of the intervals.
    resamples
        Bootstrap resamples; 0 for none.
    seed
        Seed of all random draws.
    """

    level: float = 0.95
    resamples: int = 2000
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Analysis(Result):
    """A result with notes: omitted rows, missing values with reasons, and warnings.

    Printed p-values have four decimals; those in CSV and JSON have all digits.
    """

    signature: str
    notes: tuple[str, ...]
    digits: ClassVar[int] = 3

    def predict(self, data: Any) -> "Analysis":
        """Predict the target of other rows; only a linear model can."""
        raise TreegaugeError(f"a {self.kind} predicts nothing; fit a linear model (on)")

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers about the whole analysis, not a row."""
        return {}

    def shown(self) -> "pl.DataFrame":
        """Return the printed table, without empty columns."""
        frame = self.table
        return frame.select(name for name in frame.columns if frame[name].null_count() < max(frame.height, 1))

    def json_fields(self) -> dict[str, Any]:
        """Return the summary, the rows and the notes."""
        summary = {"summary": self.summary} if self.summary else {}
        return summary | {"rows": self.json_rows(), "notes": list(self.notes)}

    def own_latex(self) -> str:
        """Return a booktabs table, the notes as comments above it."""
        notes = "".join(f"% note: {note}\n" for note in self.notes)
        return notes + tables.to_latex(self.shown(), note=self.signature, digits=self.digits)

    def own_html(self) -> str:
        """Return an HTML table, the summary and the notes below it."""
        below = "".join(f"\n<p>{escape(line)}</p>" for line in self._lines())
        return tables.to_html(self.shown(), note=self.signature, digits=self.digits) + below

    def own_text(self) -> str:
        """Return the table, the summary, the notes and the signature."""
        table = tables.to_text(self.shown(), digits=self.digits)
        return "\n".join([table, *self._lines(), self.signature])

    def _lines(self) -> list[str]:
        numbers = [
            f"{name} {tables.p_value_cell(value)}"
            if name.startswith("p_")
            else f"{name} {tables.cell(value, self.digits)}"
            for name, value in self.summary.items()
            if value is not None
        ]
        return [*([", ".join(numbers)] if numbers else []), *(f"note: {n}" for n in self.notes)]


def frame_of(rows: Sequence[dict[str, Any]], **kinds: type) -> "pl.DataFrame":
    """Return dictionaries with equal keys as a frame of numbers, except columns of other kinds."""
    return pl.DataFrame(rows, schema={name: kinds.get(name, pl.Float64) for name in rows[0]})


def name_list(names: Names, columns: Sequence[str] = ()) -> list[str]:
    """Return names given as a list, separated by commas, or both; columns may have commas."""
    listed = [names] if isinstance(names, str) else names
    parts = [[name] if name in columns else name.split(",") for name in listed]
    return [part.strip() for texts in parts for part in texts if part.strip()]


def sign_analysis(
    analysis: str,
    table: str | None,
    *,
    log: Sequence[str] = (),
    intervals: RowResampling | None = None,
    kind: str = "fisher",
    **parts: Any,
) -> str:
    """Return the signature of an analysis; lists of columns are joined, empty ones left out."""
    choices = {
        name: value if isinstance(value, str | int | float | None) else "+".join(value) or None
        for name, value in parts.items()
    }
    if intervals:
        drawn = f"+{intervals.resamples}xbca" if intervals.resamples else ""
        choices |= {"ci": f"{kind}{drawn}@{intervals.level}"}
        choices |= {"seed": intervals.seed if drawn else None}
    return sign(analysis=analysis, table=table, log="+".join(log) or None, **choices)
