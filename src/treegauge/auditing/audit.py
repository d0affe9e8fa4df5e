"""The verb ``audit``: what makes scores on a treebank misleading."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources import Errors

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.columns import Treebank

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
Fail = Literal["error", "warning", "never"]


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if need be."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: how much of it there is, and where to look.

    An ``"error"`` means that scores on this data mislead, a ``"warning"`` is worth a look. The
    p-value says how often random splits give as much, where that was tested.
    """

    check: str
    level: Severity
    split: str
    value: float
    message: str
    examples: tuple[str, ...] = ()
    p_value: float | None = None

    def __str__(self) -> str:
        examples = f" ({', '.join(self.examples)})" if self.examples else ""
        return f"{self.level}: {self.check}: {self.split}: {self.message}{examples}"


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """The findings of an audit, the most severe first; text shows the notes only with `all`."""

    treebank: str
    findings: tuple[Finding, ...]
    signature: str
    fail: Fail = "error"
    all: bool = False
    kind: ClassVar[str] = "audit"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per finding."""
        import polars as pl

        schema = {
            "check": pl.String, "level": pl.String, "split": pl.String, "value": pl.Float64,
            "p_value": pl.Float64, "message": pl.String, "examples": pl.String,
        }  # fmt: skip
        rows = [
            {name: getattr(finding, name) for name in schema if name != "examples"}
            | {"examples": " ".join(finding.examples)}
            for finding in self.findings
        ]
        return pl.DataFrame(rows, schema=schema)

    def count(self, level: Severity) -> int:
        """Return the number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """What the command ends with: 1 if there are findings of the level that fails."""
        if self.fail == "never":
            return 0
        return int(any(map(self.count, SEVERITIES[: SEVERITIES.index(self.fail) + 1])))

    def json_fields(self) -> dict[str, Any]:
        """Return the treebank, counts by level, and the findings."""
        counts = {level: self.count(level) for level in SEVERITIES}
        return {"treebank": self.treebank, "counts": counts, "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return errors and warnings, with the notes if all are wanted, and the counts."""
        lines = [str(one) for one in self.findings if self.all or one.level != "note"]
        counts = ", ".join(count(self.count(level), level) for level in SEVERITIES)
        hint = " (--all shows them)" if self.count("note") and not self.all else ""
        return "\n".join([*lines, f"{self.treebank}: {counts}{hint}", self.signature])


@verb
def audit(
    treebank: "str | PathLike[str] | Mapping[str, Treebank]",
    *,
    name: str | None = None,
    resamples: int = 999,
    seed: int = 0,
    fail: Fail = "error",
    all: bool = False,
    errors: Errors = "strict",
) -> Audit:
    """Find train/test overlap, duplicates, missing layers and odd splits in a treebank.

    Errors mean that scores on this data mislead, warnings are worth a look, and notes say what was
    checked and is as expected.

    Parameters
    ----------
    treebank
        A treebank folder such as UD_Greek-GDT, its name or code, or its splits by name.
    name
        The treebank's name in the result; by default the folder's.
    resamples
        Random splits that each real one is compared with; 0 leaves that out.
    seed
        Seed of the random splits.
    fail
        The lowest level that makes the command end with exit code 1.
    all
        Show the notes, too.
    errors
        What to do about malformed sentences: strict, skip or repair.
    """
    from treegauge.auditing.checks import check_splits, check_treebank
    from treegauge.core.errors import check_whole

    if fail not in ("error", "warning", "never"):
        raise ChoiceError("level to fail at", fail, ("error", "warning", "never"))
    check_whole("seed", seed)
    check_whole("resamples", resamples)
    given, own_name = _splits(treebank, errors)
    findings = list(check_treebank(given))
    if resamples:
        findings += check_splits(given, resamples=resamples, seed=seed)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.level))
    title = name or own_name
    digests = "+".join(f"{split}#{one.digest[:6]}" for split, one in given.items())
    signature = sign(audit=title, splits=digests, resamples=resamples, seed=seed, errors=errors)
    return Audit(title, tuple(findings), signature, fail, all)


def _splits(
    treebank: "str | PathLike[str] | Mapping[str, Treebank]", errors: Errors
) -> "tuple[Mapping[str, Treebank], str]":
    """Return the splits of a treebank and its name."""
    from treegauge.treebanks.inputs import recognise_treebanks

    if isinstance(treebank, Mapping):
        return treebank, "treebank"
    inputs = recognise_treebanks([treebank], errors=errors)
    if len(inputs) != 1 or not inputs[0].splits:
        raise TreegaugeError(
            f"{treebank}: expected the folder of one treebank, with files whose names end in "
            "-train.conllu, -dev.conllu or -test.conllu"
        )
    return {split: inputs[0].read(split) for split in inputs[0].splits}, inputs[0].name
