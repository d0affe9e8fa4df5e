"""What every analysis of a table has beside its numbers: notes, and p-values fit to print."""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.results import tables
from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Analysis(Result):
    """A result with notes: what was left out, what is missing and why, what to beware of.

    In tables for people a p-value below 0.001 reads ``<0.001``; CSV and JSON have it in full.
    """

    signature: str
    notes: tuple[str, ...]
    digits: ClassVar[int] = 3

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers that belong to the whole rather than to a row."""
        return {}

    def shown(self) -> "pl.DataFrame":
        """Return the table as people read it: rounded p-values, no column without a value."""
        import polars as pl

        frame = self.table
        frame = frame.select(
            name for name in frame.columns if frame[name].null_count() < max(frame.height, 1)
        )
        return frame.with_columns(
            pl.Series(name, [_p_value(p) for p in frame[name]], dtype=pl.String)
            for name in frame.columns
            if name.startswith("p_")
        )

    def json_fields(self) -> dict[str, Any]:
        """Return what belongs to the whole, the rows and the notes."""
        summary = {"summary": self.summary} if self.summary else {}
        return summary | {"rows": self.json_rows(), "notes": list(self.notes)}

    def own_latex(self) -> str:
        """Return a booktabs table, the notes as comments above it."""
        notes = "".join(f"% note: {note}\n" for note in self.notes)
        return notes + tables.to_latex(self.shown(), note=self.signature, digits=self.digits)

    def own_html(self) -> str:
        """Return an HTML table, the summary and the notes below it."""
        lines = [*self._summary_lines(), *(f"note: {note}" for note in self.notes)]
        below = "".join(f"\n<p>{escape(line)}</p>" for line in lines)
        return tables.to_html(self.shown(), note=self.signature, digits=self.digits) + below

    def _summary_lines(self) -> list[str]:
        shown = [
            f"{name} {str(_p_value(value)).strip()}"
            if name.startswith("p_")
            else f"{name} {tables.cell(value, self.digits)}"
            for name, value in self.summary.items()
            if value is not None
        ]
        return [", ".join(shown)] if shown else []

    def own_text(self) -> str:
        """Return the table, the summary, the notes and the signature."""
        return "\n".join(
            [
                tables.to_text(self.shown(), digits=self.digits),
                *self._summary_lines(),
                *(f"note: {note}" for note in self.notes),
                self.signature,
            ]
        )


def _p_value(p: float | None) -> str | None:
    if p is None:
        return None
    return "<0.001" if p < 0.001 else f" {p:.3f}"
