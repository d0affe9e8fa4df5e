"""Results of ``agree``: agreement by layer and by class, scores, and disagreements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from treegauge.core.result import RowsResult
from treegauge.core.tables import Table

#: Number of confusions and disagreements in text; files contain all.
SHOWN = 10


def _with_intervals(rows: Sequence[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows with each interval in one column next to its estimate."""
    shown = []
    for row in rows:
        merged: dict[str, Any] = {}
        for column, value in row.items():
            name = column.rpartition("_")[0]
            if name not in names:
                merged[column] = value
            elif column.endswith("_low"):
                ends = value, row[f"{name}_high"]
                merged[f"{name} interval"] = None if value is None else ends
        shown.append(merged)
    return shown


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(RowsResult):
    """Agreement by layer: observed in percent, kappa and alpha as coefficients up to 1.

    Coefficients are missing if chance agreement is perfect or the layer is empty. Intervals are
    missing if there are too few units, or too few with a disagreement.
    """

    notes: tuple[str, ...] = ()
    kind: ClassVar[str] = "agreement"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[Any] = {"kappa": 3, "alpha": 3, "kappa interval": 3, "alpha interval": 3}

    def shown(self) -> Table:
        """Return the rows with intervals in one column each."""
        return _with_intervals(self.rows, ("observed", "kappa", "alpha"))

    def json_fields(self) -> dict[str, Any]:
        """Return the notes and the rows."""
        return {"notes": list(self.notes), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the table and the notes."""
        from treegauge.core.tables import to_text

        table = to_text(self.shown(), digits=self.digits)
        notes = [note if note.startswith("warning:") else f"note: {note}" for note in self.notes]
        return "\n".join([table, *notes, self.signature])


@dataclass(frozen=True, eq=False, repr=False)
class AgreementPart(RowsResult):
    """A further table; in text it has a title, and the signature is not repeated."""

    title: ClassVar[str] = ""

    def own_text(self) -> str:
        """Return the title and the table."""
        from treegauge.core.tables import to_text

        shown = self.shown()
        if not len(shown):
            return f"{self.title}: none"
        return f"{self.title}\n{to_text(shown, digits=self.digits)}"


@dataclass(frozen=True, eq=False, repr=False)
class AgreementScores(AgreementPart):
    """UAS and LAS of every annotator against every other as gold."""

    kind: ClassVar[str] = "agreement-scores"
    title: ClassVar[str] = "Attachment scores in both directions"
    unit: ClassVar[str | None] = "percent"

    def shown(self) -> Table:
        """Return the rows with intervals in one column."""
        return _with_intervals(self.rows, ("score",))


@dataclass(frozen=True, eq=False, repr=False)
class AgreementClasses(AgreementPart):
    """Agreement on each class: specific agreement in percent, coefficients of class against rest.

    `words` is the mean number of words per annotator that have the class.
    """

    kind: ClassVar[str] = "agreement-classes"
    title: ClassVar[str] = "Classes"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[Any] = {**Agreement.digits, "words": 1}

    def shown(self) -> Table:
        """Return the rows with intervals in one column each."""
        return _with_intervals(self.rows, ("specific", "kappa", "alpha"))


@dataclass(frozen=True, eq=False, repr=False)
class Confusions(AgreementPart):
    """How often one annotator chose one value and another a different one, by frequency.

    `count` is the number of words, `reverse` the number with the two values exchanged. A confusion
    in only one direction suggests that the annotators interpret a guideline differently.
    """

    kind: ClassVar[str] = "annotator-confusions"
    title: ClassVar[str] = "Most frequent confusions"

    def shown(self) -> Table:
        """Return the most frequent ones."""
        return self.rows[:SHOWN]


@dataclass(frozen=True, eq=False, repr=False)
class Disagreements(AgreementPart):
    """One row per word and layer in which annotators differ, systematic confusions first.

    `alike` is the number of rows of the same layer in which the annotators chose the same values,
    for heads the same relations; `same_form` is the number of these with the same word form.
    Confusions that are more frequent in one direction, or that repeat for one word form, come
    first.
    """

    kind: ClassVar[str] = "disagreements"
    title: ClassVar[str] = "Disagreements"

    def shown(self) -> Table:
        """Return the first rows."""
        return self.rows[:SHOWN]

    def own_text(self) -> str:
        """Return the first rows, and the number of rows."""
        more = len(self.rows) - SHOWN
        rest = f"\n... and {more} more: -o FILE.csv has all" if more > 0 else ""
        return super().own_text() + rest
