"""The result of `check`: problems as text, data, annotations or SARIF."""

import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from treegauge import __version__
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result
from treegauge.core.text_formats import json_text
from treegauge.treebanks.sources.files import Source
from treegauge.validation.new_problems import Key, key
from treegauge.validation.problems import BY_ID, Explanation, Problem, ProblemList, Rule
from treegauge.validation.repository import Verdict

if TYPE_CHECKING:
    from treegauge.validation.fixes import FixedFile

_COLUMNS = (
    "file", "line", "column", "end_column", "sent_id", "node", "form", "level", "class", "id",
    "severity", "found", "expected", "hint",
)  # fmt: skip
MANY = 10
"""Number of problems above which text has their counts by test."""
ANNOTATIONS = 10
"""Number of annotations of a kind that GitHub shows of one step."""
_NUMBERS = frozenset({"line", "column", "end_column", "level"})


@dataclass(frozen=True)
class ValidationReport(Result, kind="check"):
    """The problems of CoNLL-U files.

    Attributes
    ----------
    files
        The files that were read.
    problems
        Their problems, sentence by sentence, without those in the baseline.
    errors, warnings
        Their numbers, including warnings that are not listed.
    ud_level
        The highest level of UD validation that was tested.
    lang
        The language of the treebank, at levels 4 and 5.
    language_data
        The date of the language data, at levels 4 and 5.
    known, gone
        The number of problems found that are in the baseline, and of those no longer found.
    strict
        Whether warnings count as failures.
    changed
        Only sentences that changed since this commit are included.
    written
        The baseline that was written, with its numbers of errors and warnings.
    verdict
        Whether the treebank can be released; of a repository, at level 5.
    fixes
        The repaired files, if repairs were asked for.
    trend, since
        The number of problems in a baseline and now by test, of all files; and the name of the baseline.
    explanations
        What tests ask for, if that was asked; then no file was read.
    """

    files: tuple[str, ...]
    problems: ProblemList
    errors: int
    warnings: int
    ud_level: int
    signature: str
    lang: str | None = None
    language_data: str | None = None
    known: int = 0
    gone: int = 0
    strict: bool = False
    changed: str | None = None
    written: tuple[str, int, int] | None = None
    verdict: Verdict | None = None
    fixes: "tuple[FixedFile, ...] | None" = None
    trend: Mapping[str, tuple[int, int]] | None = None
    since: str = ""
    explanations: tuple[Explanation, ...] = ()
    own_formats: ClassVar[tuple[str, ...]] = ("github", "sarif", "patch", "summary", "badge")

    @property
    def exit_code(self) -> int:
        """1 if there is an error or, with `strict`, a warning."""
        return int(bool(self.errors or (self.strict and self.warnings)))

    @property
    def table(self) -> "pl.DataFrame":
        """One row per problem."""
        entries = [problem.to_dict() for problem in self.problems]
        rows = [[entry[name] for name in _COLUMNS] for entry in entries]
        kinds = {name: pl.Int64 if name in _NUMBERS else pl.String for name in _COLUMNS}
        return pl.DataFrame(rows, kinds, orient="row")

    def json_fields(self) -> dict[str, Any]:
        """Return the number of errors and warnings, and the problems."""
        return {
            "files": list(self.files),
            "errors": self.errors,
            "warnings": self.warnings,
            "ud_level": self.ud_level,
            "lang": self.lang,
            "language_data": self.language_data,
            "baseline": {"known": self.known, "gone": self.gone},
            "changed": self.changed,
            "tests": dict(self.tests.most_common()),
            "verdict": self.verdict.to_dict() if self.verdict else None,
            "problems": [problem.to_dict() for problem in self.problems],
            **({"explanations": [one.to_dict() for one in self.explanations]} if self.explanations else {}),
        }

    def own_text(self) -> str:
        """Return one line per problem, in the format of compilers, and a summary."""
        return "\n".join(self.text_pieces())

    def text_pieces(self) -> Iterator[str]:
        """Yield the lines one by one, as a large treebank can have a million problems."""
        if self.fixes is not None:
            yield self.to_patch().rstrip("\n")
            return
        if self.explanations:
            yield "\n\n".join(map(str, self.explanations))
            return
        yield from map(str, self.problems)
        if len(self.problems) > MANY:
            yield f"by test: {', '.join(f'{test} {n:,}' for test, n in self.tests.most_common())}"
        yield self.summary
        if self.verdict:
            yield str(self.verdict)

    @property
    def tests(self) -> Counter[str]:
        """The number of listed problems by test."""
        return self.problems.tests()

    @property
    def summary(self) -> str:
        """The files, the number of errors and warnings, and the rules used."""
        names = [Path(file).name for file in self.files[:3]] + ["..."] * (len(self.files) > 3)
        found = _counted(self.errors, self.warnings)
        if self.written is not None:
            path, *numbers = self.written
            found = f"{_counted(*numbers)}, all written to the baseline {path}"
        return f"{', '.join(names)}: {found}{''.join(self._remarks())}"

    def _remarks(self) -> Iterator[str]:
        if self.language_data:
            yield f" (level {self.ud_level}, [{self.lang}], language data of {self.language_data})"
        if self.written is None and (self.known or self.gone):
            yield f"; the baseline has {self.known} more"
        if self.gone:
            yield f" and {self.gone} that are gone"
        if self.changed is not None:
            yield f"; checked only sentences that changed since {self.changed}"

    def to_github(self) -> str:
        """Return workflow commands that GitHub shows next to the lines, all other problems as text, and the summary.

        GitHub shows ten errors and ten warnings of a step: the first of each test come before further ones. In
        a changed sentence, a problem on an unchanged line is shown next to the nearest changed line.
        """
        chosen = self._annotated()
        some, rest = [self.problems[i] for i in chosen], len(self.problems) - len(chosen)
        lines = None
        if self.changed is not None:
            from treegauge.validation.new_problems import with_changed_lines

            lines = [line for _, line in with_changed_lines(some, self.changed)]
        more = []
        if rest:
            more = [f"::notice title=treegauge::{rest:,} more problems are in the log and in the job summary"]
            more += [str(problem) for i, problem in enumerate(self.problems) if i not in chosen]
        return "\n".join([*github_lines(some, lines), *more, self.summary])

    def _annotated(self) -> list[int]:
        """Return the places of the problems that become annotations."""
        seen: Counter[str] = Counter()
        ranked: dict[str, list[tuple[int, int]]] = {"error": [], "warning": []}
        for i, problem in enumerate(self.problems):
            seen[problem.id] += 1
            if seen[problem.id] <= ANNOTATIONS:
                ranked[problem.severity].append((seen[problem.id], i))
        return sorted(i for pairs in ranked.values() for _, i in heapq.nsmallest(ANNOTATIONS, pairs))

    def to_summary(self) -> str:
        """Return a summary in Markdown: counts by test, an example of each, and the change since a baseline."""
        from treegauge.core.tables import markdown

        first: dict[str, Problem] = {}
        for problem in self.problems:
            first.setdefault(problem.id, problem)
        trend = self.trend or {}
        counts = {test: trend[test][1] if test in trend else n for test, n in self.tests.items()}
        counts |= {test: now for test, (_, now) in trend.items()}
        head = ["test", "level", "problems", *([f"in {markdown(self.since)}", "change"] if self.trend else []), "first"]
        rows = []
        for test, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            rule = first[test].rule if test in first else BY_ID.get(test)
            before = trend.get(test, (0, n))[0]
            change = [f"{before:,}", f"{n - before:+,}" if n != before else "0"] if self.trend else []
            one = first.get(test)
            place = markdown(f"{Path(one.file).name}:{one.line}{one.where}") if one else ""
            rows.append([f"`{test}`", f"{rule.level} {rule.severity}" if rule else "", f"{n:,}", *change, place])
        table = [f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows]] if rows else []
        verdict = [f"```text\n{self.verdict}\n```", ""] if self.verdict else []
        return "\n".join(["### treegauge check", "", markdown(self.summary), "", *verdict, *table])

    def to_badge(self) -> str:
        """Return the data of a badge with the verdict or the number of errors, as shields.io reads it."""
        message = self.verdict.status if self.verdict else _counted(self.errors, self.warnings)
        good = not self.errors or (self.verdict is not None and self.verdict.status != "invalid")
        colour = "red" if not good else "yellow" if self.warnings or self.errors else "brightgreen"
        label = f"UD level {self.ud_level}"
        return json_text({"schemaVersion": 1, "label": label, "message": message, "color": colour})

    def to_patch(self) -> str:
        """Return the repairs as a unified diff, which ``git apply`` and ``patch`` apply."""
        if self.fixes is None:
            raise TreegaugeError("no repairs; ask for them with --fix (fix=True)")
        return "".join(part for fixed in self.fixes for part in fixed.diff())

    def to_sarif(self) -> str:
        """Return a SARIF 2.1.0 log."""
        about = {"signature": self.signature, "languageData": self.language_data}
        return sarif(self.problems, {name: value for name, value in about.items() if value})


def read_check(path: Source) -> ValidationReport:
    """Read the problems that ``check -o FILE.json`` saved."""
    from treegauge.core.reading import read_saved

    def made(content: dict[str, Any]) -> ValidationReport:
        numbers = {name: content[name] for name in ("errors", "warnings", "ud_level", "signature")}
        rest = {name: content[name] for name in ("lang", "language_data", "changed")}
        problems = ProblemList(map(Problem.from_dict, content["problems"]))
        return ValidationReport(tuple(content["files"]), problems, **numbers, **rest, **content["baseline"])

    return read_saved(path, ValidationReport.kind, "treegauge check FILE --out FILE.json", made)


def _counted(errors: int, warnings: int) -> str:
    counts = {"error": errors, "warning": warnings}
    return ", ".join(f"{n} {kind}{'' if n == 1 else 's'}" for kind, n in counts.items())


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def github_lines(problems: Iterable[Problem], lines: Iterable[int] | None = None) -> Iterator[str]:
    """Yield one workflow command per problem; GitHub shows it next to the line.

    `lines` are those next to which problems are shown; if it is not the problem's own line, the message
    names that.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> print(*github_lines([problem]))
    ::error file=a.conllu,line=7,col=5,endColumn=6,title=L2 unknown-head::found HEAD '9', ...
    """
    shown = zip(problems, lines, strict=True) if lines else ((problem, problem.line) for problem in problems)
    for one, line in shown:
        is_own_line = line == one.line
        place: dict[str, str | int] = {"file": Path(one.file).as_posix(), "line": line}
        if is_own_line:
            place["col"] = one.start
        if is_own_line and one.stop > one.start:
            place["endColumn"] = one.stop
        place["title"] = f"L{one.level} {one.id}"
        properties = ",".join(f"{name}={_escaped(str(value))}" for name, value in place.items())
        where = "" if is_own_line else f"line {one.line}: "
        message = f"{where}{one.message}{one.where}. {one.hint}"
        yield f"::{one.severity} {properties}::{_escaped(message, in_message=True)}"


def _escaped(text: str, *, in_message: bool = False) -> str:
    """Return a text escaped for GitHub."""
    marks = {"%": "%25", "\r": "%0D", "\n": "%0A"}
    if not in_message:
        marks |= {":": "%3A", ",": "%2C"}
    return "".join(marks.get(mark, mark) for mark in text)


def sarif(problems: Iterable[Problem], properties: Mapping[str, Any]) -> str:
    """Return a SARIF 2.1.0 log with one result per problem.

    `properties` are further ones of the run, such as its signature.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> log = json.loads(sarif([problem], {}))
    >>> log["version"], log["runs"][0]["results"][0]["ruleId"]
    ('2.1.0', 'unknown-head')
    """
    rules: dict[str, Rule] = {}
    indices: dict[str, int] = {}
    seen: Counter[Key] = Counter()
    results = []
    for problem in problems:
        rules.setdefault(problem.id, problem.rule)
        index = indices.setdefault(problem.id, len(indices))
        seen[key(problem)] += 1
        results.append(_result(problem, index, seen[key(problem)]))
    driver = {
        "name": "treegauge",
        "version": __version__,
        "informationUri": "https://treegauge.github.io/treegauge",
        "rules": [_sarif_rule(rule) for rule in rules.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": dict(properties),
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log, indent=2)


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": f"Expected {rule.expected}."},
        "help": {"text": rule.hint},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"level": rule.level, "class": rule.test_class},
    }


def _result(problem: Problem, index: int, number: int) -> dict[str, Any]:
    region = {"startLine": problem.line, "startColumn": problem.start}
    if problem.stop > problem.start:
        region["endColumn"] = problem.stop
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(problem.file)}, "region": region}}
    if problem.sent_id:
        node = f"{problem.sent_id}#{problem.node}" if problem.node else problem.sent_id
        location["logicalLocations"] = [{"name": problem.sent_id, "fullyQualifiedName": node}]
    # The fingerprint stays the same in later versions of a file, whatever the line number.
    mark = hashlib.sha256(json.dumps([*key(problem), number]).encode()).hexdigest()[:16]
    return {
        "ruleId": problem.id,
        "ruleIndex": index,
        "level": problem.severity,
        "message": {"text": f"{problem.message}. {problem.hint}"},
        "locations": [location],
        "partialFingerprints": {"treegaugeProblem/v1": mark},
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
