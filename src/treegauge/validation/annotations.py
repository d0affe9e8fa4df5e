"""Problems for other programs: annotations of GitHub workflows, and SARIF."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from treegauge import __version__
from treegauge.validation.baseline import Key, key
from treegauge.validation.problem import Problem
from treegauge.validation.rules import BY_ID

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def github_lines(problems: Iterable[Problem], lines: Iterable[int] | None = None) -> Iterator[str]:
    """Yield one workflow command per problem, which GitHub shows beside the line.

    Parameters
    ----------
    problems
        The problems.
    lines
        The line beside which each is to be shown, if not its own; the message then says which its
        own is.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> print(*github_lines([problem]))
    ::error file=a.conllu,line=7,col=5,endColumn=6,title=L2 unknown-head::found HEAD '9', ...
    """
    shown = zip(problems, lines, strict=True) if lines else ((one, one.line) for one in problems)
    for one, line in shown:
        own = line == one.line
        place: dict[str, str | int] = {"file": one.file, "line": line}
        if own:
            place["col"] = one.start
        if own and one.stop > one.start:
            place["endColumn"] = one.stop
        place["title"] = f"L{one.level} {one.id}"
        properties = ",".join(f"{name}={_escaped(str(value))}" for name, value in place.items())
        sentence = f" (sent_id {one.sent_id})" if one.sent_id else ""
        where = "" if own else f"line {one.line}: "
        message = f"{where}{one.message}{sentence}. {one.hint}"
        yield f"::{one.severity} {properties}::{_escaped(message, in_message=True)}"


def _escaped(text: str, *, in_message: bool = False) -> str:
    """Return a text as GitHub reads it back."""
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
        What else to say about the run, such as its signature.

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
    for one in problems:
        index = indices.setdefault(one.id, len(indices))
        seen[key(one)] += 1
        results.append(_result(one, index, seen[key(one)]))
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
    return json.dumps(log, ensure_ascii=False, indent=2)


def _rule(name: str) -> dict[str, Any]:
    rule = BY_ID[name]
    return {
        "id": name,
        "shortDescription": {"text": f"Expected {rule.expected}."},
        "help": {"text": rule.hint},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"level": rule.level, "class": rule.test_class},
    }


def _result(one: Problem, index: int, number: int) -> dict[str, Any]:
    region = {"startLine": one.line, "startColumn": one.start}
    if one.stop > one.start:
        region["endColumn"] = one.stop
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(one.file)}, "region": region}
    }
    if one.sent_id:
        node = f"{one.sent_id}#{one.node}" if one.node else one.sent_id
        location["logicalLocations"] = [{"name": one.sent_id, "fullyQualifiedName": node}]
    # The same in later versions of a file, wherever its lines are.
    mark = hashlib.sha256(json.dumps([*key(one), number]).encode()).hexdigest()[:16]
    return {
        "ruleId": one.id,
        "ruleIndex": index,
        "level": one.severity,
        "message": {"text": f"{one.message}. {one.hint}"},
        "locations": [location],
        "partialFingerprints": {"treegaugeProblem/v1": mark},
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
