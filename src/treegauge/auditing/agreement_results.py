"""What ``agree`` returns: agreement by layer and by class, scores, and disagreements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from treegauge.core.result import RowsResult
from treegauge.core.tables import Table

#: Confusions and disagreements that text shows; files hold all.
SHOWN = 10


def _with_intervals(rows: Sequence[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows with the two ends of each interval in one column beside its estimate."""
    shown = []
    for row in rows:
        made: dict[str, Any] = {}
        for column, value in row.items():
            name = column.rpartition("_")[0]
            if name not in names:
                made[column] = value
            elif column.endswith("_low"):
                ends = value, row[f"{name}_high"]
                made[f"{name} interval"] = None if value is None else ends
        shown.append(made)
    return shown


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(RowsResult):
    """Agreement by layer: observed in percent, kappa and alpha as coefficients up to 1.

    Coefficients are missing where chance agreement is perfect or a layer has none; intervals
    where too few units, or too few of them with a disagreement, would bear them.
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
        notes = [one if one.startswith("warning:") else f"note: {one}" for one in self.notes]
        return "\n".join([table, *notes, self.signature])


@dataclass(frozen=True, eq=False, repr=False)
class AgreementPart(RowsResult):
    """A table beside that of layers; in text it has a title, and the signature is not repeated."""

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
    title: ClassVar[str] = "Attachment scores, both ways"
    unit: ClassVar[str | None] = "percent"

    def shown(self) -> Table:
        """Return the rows with intervals in one column."""
        return _with_intervals(self.rows, ("score",))


@dataclass(frozen=True, eq=False, repr=False)
class AgreementClasses(AgreementPart):
    """Agreement on each class: specific agreement in percent, coefficients of it against the rest.

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
    """How often one annotator said this and another that, the most frequent first.

    `count` is the number of words, `reverse` that with the two values exchanged: a confusion in
    one direction only is a guideline that the annotators read differently.
    """

    kind: ClassVar[str] = "annotator-confusions"
    title: ClassVar[str] = "Most frequent confusions"

    def shown(self) -> Table:
        """Return the most frequent ones."""
        return self.rows[:SHOWN]


@dataclass(frozen=True, eq=False, repr=False)
class Disagreements(AgreementPart):
    """One row per word and layer in which annotators differ, systematic confusions first.

    `alike` is the number of rows of the same layer in which the annotators said the same values,
    `same_form` the number of these with the same word form. Confusions come first that go one way
    more often than the other, or that concern one word form again and again.
    """

    kind: ClassVar[str] = "disagreements"
    title: ClassVar[str] = "Disagreements"

    def shown(self) -> Table:
        """Return the first rows."""
        return self.rows[:SHOWN]

    def own_text(self) -> str:
        """Return the first rows, and how many there are."""
        more = len(self.rows) - SHOWN
        rest = f"\n... and {more} more: -o FILE.csv has all" if more > 0 else ""
        return super().own_text() + rest
