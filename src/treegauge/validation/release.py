"""Whether a treebank can be released: valid, legacy, neglected or invalid, and what it would take.

Universal Dependencies lets treebanks that were valid in an earlier release stay although they fail
tests that were added later. Its file of dispensations lists these treebanks by test, with the day of
the test. A dispensation that is older than four years makes a treebank a neglected one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.text_formats import parse_json
from treegauge.validation.problems import Problem
from treegauge.validation.rules import BY_ID

Status = Literal["valid", "legacy", "neglected", "invalid"]
Dispensations = Mapping[str, tuple[str, frozenset[str]]]
YEARS = 4
"""Age from which dispensations make a treebank a neglected one."""
FILE = "dispensations.json"


@dataclass(frozen=True)
class Verdict:
    """Whether a treebank can be released.

    Attributes
    ----------
    treebank
        Its name.
    status
        ``valid``; ``legacy`` if a dispensation covers each failing test; ``neglected`` if one of these is
        older than four years; otherwise ``invalid``.
    failing
        Numbers of errors by test, without those that a dispensation covers.
    tolerated
        Numbers of errors by test, and the day of the dispensation.
    known
        Whether dispensations were known.
    """

    treebank: str
    status: Status
    failing: Mapping[str, int]
    tolerated: Mapping[str, tuple[int, str]]
    known: bool

    def __str__(self) -> str:
        covered = ", ".join(f"{test} {n} (since {day})" for test, (n, day) in self.tolerated.items())
        if self.status == "valid":
            return f"{self.treebank}: valid"
        if self.status != "invalid":
            old = f", one of them for more than {YEARS} years" if self.status == "neglected" else ""
            return f"{self.treebank}: {self.status}: dispensations cover its errors{old}: {covered}"
        needs = "".join(f"\n  {n:>6,} {test}: {BY_ID[test].hint}" for test, n in self.failing.items())
        rest = f"\n  tolerated: {covered}" if covered else ""
        unknown = "" if self.known else f"\n  dispensations are not known: --rules FOLDER with {FILE} has them"
        after = "legacy" if covered else "valid"
        return f"{self.treebank}: invalid; without these errors: {after}{needs}{rest}{unknown}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return asdict(self) | {"tolerated": {test: list(value) for test, value in self.tolerated.items()}}


def read_dispensations(folder: Path) -> Dispensations | None:
    """Return the day and the treebanks of each test in the official file; None if it is not there."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        entries = parse_json(path.read_bytes())["dispensations"]
        return {test: (str(entry["date"]), frozenset(entry["treebanks"])) for test, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TreegaugeError(f"{path}: found no table 'dispensations'; expected the official file") from error


def release_verdict(
    treebank: str, problems: Iterable[Problem], dispensations: Dispensations | None, today: date | None = None
) -> Verdict:
    """Return whether a treebank with these problems of levels 0 to 5 can be released.

    Examples
    --------
    >>> wrong = Problem("a.conllu", 7, "s1", "2", "leaf-det", 5, 6, "DEPREL 'obj'")
    >>> known = {"leaf-det": ("2024-12-03", frozenset(["UD_Greek-GDT"]))}
    >>> print(release_verdict("UD_Greek-GDT", [wrong], known, date(2026, 1, 1)))
    UD_Greek-GDT: legacy: dispensations cover its errors: leaf-det 1 (since 2024-12-03)
    """
    errors = Counter(problem.id for problem in problems if problem.severity == "error" and problem.level < 6)
    days = {test: day for test, (day, names) in (dispensations or {}).items() if treebank in names and test in errors}
    failing = {test: n for test, n in errors.most_common() if test not in days}
    tolerated = {test: (errors[test], day) for test, day in sorted(days.items(), key=lambda pair: pair[1])}
    now = today or date.today()
    old = [day for day in days.values() if date.fromisoformat(day[:10]) < _years_before(now)]
    status: Status = "invalid" if failing else "neglected" if old else "legacy" if tolerated else "valid"
    return Verdict(treebank, status, failing, tolerated, dispensations is not None)


def _years_before(day: date) -> date:
    return day.replace(year=day.year - YEARS, day=min(day.day, 28))
