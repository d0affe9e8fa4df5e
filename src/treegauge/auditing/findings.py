"""What an audit finds, and how grave it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "sentence"), count(2, "sentence")
    ('1 sentence', '2 sentences')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: how much of it there is, and where to look.

    Parameters
    ----------
    check
        Its short name.
    level
        ``"error"`` (scores on this data mislead), ``"warning"`` (worth a look) or ``"note"``.
    part
        The part, or the two parts, of the treebank it is about.
    value
        A count, a share or a distance.
    message
        What was found, in words.
    examples
        A few sentence identifiers or labels.
    p_value
        How often chance alone gives as much, where that was asked.
    """

    check: str
    level: Level
    part: str
    value: float
    message: str
    examples: tuple[str, ...] = ()
    p_value: float | None = None

    def __str__(self) -> str:
        shown = f" ({', '.join(self.examples)})" if self.examples else ""
        return f"{self.level}: {self.check}: {self.part}: {self.message}{shown}"


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """Everything an audit found in a treebank, the gravest first."""

    treebank: str
    findings: tuple[Finding, ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a finding."""
        import polars as pl

        schema = {
            "check": pl.String, "level": pl.String, "part": pl.String, "value": pl.Float64,
            "p_value": pl.Float64, "message": pl.String, "examples": pl.String,
        }  # fmt: skip
        rows = [
            {name: getattr(finding, name) for name in schema if name != "examples"}
            | {"examples": " ".join(finding.examples)}
            for finding in self.findings
        ]
        return pl.DataFrame(rows, schema=schema)

    def count(self, level: Level) -> int:
        """Return how many findings have a level."""
        return sum(finding.level == level for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return signature, counts by level, and the findings."""
        counts = {level: self.count(level) for level in LEVELS}
        return {
            "signature": self.signature,
            "treebank": self.treebank,
            "counts": counts,
            "findings": self.table.to_dicts(),
        }

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings] or ["nothing found"]
        counts = ", ".join(count(self.count(level), level) for level in LEVELS)
        return "\n".join([*lines, f"{self.treebank}: {counts}", self.signature])
