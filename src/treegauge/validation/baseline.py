"""Baselines: known problems of a treebank, so that only new ones are reported.

A problem is identified by its sentence, node, test and message, not by its line: lines shift when
sentences are added or moved. A problem that occurs twice is listed twice.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.text_formats import json_text, parse_json
from treegauge.validation.problem import Problem
from treegauge.validation.problem_list import ProblemList

Key = tuple[str, str, str, str]
KIND = "treegauge baseline 1"
FIELDS = ("sent_id", "node", "id", "message")
ONCE = frozenset(("edeps-only-sometimes", "edeps-identical-to-basic-trees", "empty-node-after-eorphan"))
"""Tests of a whole treebank: the sentence reported depends on earlier sentences."""


def key(problem: Problem) -> Key:
    """Return what identifies a problem: sent_id, node, test and message."""
    if problem.id in ONCE:
        return "", "", problem.id, problem.message
    return problem.sent_id or "", problem.node or "", problem.id, problem.message


class Baseline(NamedTuple):
    """Known problems, and the names of the files that had them."""

    counts: Counter[Key]
    files: tuple[str, ...]


class Compared(NamedTuple):
    """New problems, the number of known ones, and the number that are gone from the baseline."""

    new: Sequence[Problem]
    known: int
    gone: int


def compare_with_baseline(problems: Iterable[Problem], baseline: Counter[Key]) -> Compared:
    """Separate new problems from those in a baseline.

    Examples
    --------
    >>> old = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> moved = old._replace(line=9)
    >>> twice = compare_with_baseline([moved, moved], Counter([key(old)]))
    >>> len(twice.new), twice.known, twice.gone
    (1, 1, 0)
    """
    left = Counter(baseline)
    new = ProblemList()
    known = 0
    for problem in problems:
        if left[key(problem)] > 0:
            left[key(problem)] -= 1
            known += 1
        else:
            new.extend([problem])
    return Compared(new, known, sum(left.values()))


def write_baseline(problems: Iterable[Problem], files: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Write the problems as a baseline, sorted, one line each, so that diffs are easy to read."""
    counts = Counter(map(key, problems))
    names = json_text(file_names(files))
    rows = [
        {**dict(zip(FIELDS, problem_key, strict=True)), "count": counts[problem_key]} for problem_key in sorted(counts)
    ]
    lines = ",\n".join(json_text(row) for row in rows)
    text = f'{{"kind": "{KIND}", "files": {names}, "problems": [\n{lines}\n]}}\n'
    with atomic(path) as file:
        file.write(text.encode())


def file_names(files: Iterable[str]) -> tuple[str, ...]:
    """Return the names of files without their folders."""
    return tuple(sorted({Path(file).name for file in files}))


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a baseline."""
    expected = "expected a baseline; write one with treegauge check FILE --write-baseline"
    try:
        content = parse_json(Path(path).read_bytes())
        if content["kind"] != KIND:
            raise KeyError("kind")
        counts: Counter[Key] = Counter()
        for row in content["problems"]:
            sent_id, node, test, message = (str(row[name]) for name in FIELDS)
            counts[sent_id, node, test, message] += int(row["count"])
        return Baseline(counts, file_names(content["files"]))
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}; {expected}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise TreegaugeError(f"{path}: found another kind of file; {expected} {path}") from error
