"""Problems in formats of other programs: GitHub annotations and SARIF."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from treegauge import __version__
from treegauge.core.text_formats import json_text
from treegauge.validation.new_problems import Key, key
from treegauge.validation.problems import Problem
from treegauge.validation.rules import BY_ID

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def github_lines(problems: Iterable[Problem], lines: Iterable[int] | None = None) -> Iterator[str]:
    """Yield one workflow command per problem; GitHub shows it next to the line.

    Parameters
    ----------
    problems
        The problems.
    lines
        The line next to which each problem is shown; if it is not the problem's own line, the
        message names that.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> print(*github_lines([problem]))
    ::error file=a.conllu,line=7,col=5,endColumn=6,title=L2 unknown-head::found HEAD '9', ...
    """
    shown = zip(problems, lines, strict=True) if lines else ((problem, problem.line) for problem in problems)
    for one, line in shown:
        is_own_line = line == one.line
        place: dict[str, str | int] = {"file": one.file, "line": line}
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

    Parameters
    ----------
    problems
        The problems, in the order of the results.
    properties
        Further properties of the run, such as its signature.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> log = json.loads(sarif([problem], {}))
    >>> log["version"], log["runs"][0]["results"][0]["ruleId"]
    ('2.1.0', 'unknown-head')
    """
    indices: dict[str, int] = {}
    seen: Counter[Key] = Counter()
    results = []
    for problem in problems:
        index = indices.setdefault(problem.id, len(indices))
        seen[key(problem)] += 1
        results.append(_result(problem, index, seen[key(problem)]))
    driver = {
        "name": "treegauge",
        "version": __version__,
        "informationUri": "https://treegauge.github.io/treegauge",
        "rules": [_rule(name) for name in indices],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": dict(properties),
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log, indent=2)


def _rule(name: str) -> dict[str, Any]:
    rule = BY_ID[name]
    return {
        "id": name,
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
