"""New problems: those that are not in a baseline of known ones, and those of changed sentences.

In a baseline, a problem is identified by its sentence, node, test and message, not by its line:
lines shift when sentences are added or moved. A problem that occurs twice is listed twice. Changed
sentences have a line that git knows as changed since a commit.
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.reading import read_saved
from treegauge.core.text_formats import json_text
from treegauge.validation.problems import Problem, ProblemList

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

    def made(content: dict[str, Any]) -> Baseline:
        counts: Counter[Key] = Counter()
        for row in content["problems"]:
            sent_id, node, test, message = (str(row[name]) for name in FIELDS)
            counts[sent_id, node, test, message] += int(row["count"])
        return Baseline(counts, file_names(content["files"]))

    return read_saved(path, KIND, f"treegauge check FILE --write-baseline {path}", made)


_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)
_BLANK = re.compile(rb"[ \t\r]*")
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name of the empty tree


def in_changed_sentences(problems: Iterable[Problem], since: str, *, files: Iterable[str] = ()) -> Iterator[Problem]:
    """Yield the problems of sentences with a line that changed since a commit.

    A changed line can break the tree of its sentence at another line, so all problems of the
    sentence count, including those of its comments.

    `since` is a commit, branch or tag; of a branch only changes since the merge base count, if there is one.
    `files` were checked, so that an unknown commit is an error even if there is no problem.
    """
    for folder in {_folder(file) for file in files}:
        base_commit(folder, since)
    return (problem for problem, line in with_changed_lines(problems, since) if line)


def with_changed_lines(problems: Iterable[Problem], since: str) -> Iterator[tuple[Problem, int]]:
    """Yield each problem with the nearest changed line of its sentence, or 0."""
    changed: dict[str, npt.NDArray[np.int64] | None] = {}
    for problem in problems:
        if not problem.level:
            yield problem, problem.line  # of the whole repository
            continue
        if problem.file not in changed:
            changed[problem.file] = nearest_changes(problem.file, since)
        lines = changed[problem.file]
        if lines is None:
            yield problem, problem.line
        else:
            yield problem, int(lines[problem.line]) if problem.line < len(lines) else 0


def nearest_changes(file: str, since: str) -> npt.NDArray[np.int64] | None:
    """Return, for each line (from 1), the nearest changed line of its sentence, or 0.

    None means that every line has changed.
    """
    path, folder = Path(file), _folder(file)
    base = base_commit(folder, since)
    if not run_git(folder, "ls-files", "--", path.name).stdout:
        return None  # git does not know the file yet
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    done = run_git(folder, "diff", *options, base, "--", path.name)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise TreegaugeError(f"--changed: git cannot compare {file} with {since}: {reason}")
    diff = done.stdout
    if b"\nBinary files " in diff:
        return None
    blank = np.array([_BLANK.fullmatch(line) is not None for line in path.read_bytes().split(b"\n")])
    sentence = np.concatenate(([-1, 0], np.cumsum(blank)[:-1]))  # indexed by line, from 1
    touched = np.zeros(len(sentence), bool)
    for hunk in _HUNK.finditer(diff):
        start, count = int(hunk[1]), int(hunk[2] or 1)
        if count == 0:  # lines after this one were deleted, from its sentence or the next
            start += start == 0 or bool(blank[start - 1])
        touched[start : start + max(count, 1)] = True
    changes = np.flatnonzero(touched)
    if not len(changes):
        return np.zeros(len(sentence), np.int64)
    lines = np.arange(len(sentence))
    after = changes[np.minimum(np.searchsorted(changes, lines), len(changes) - 1)]
    before = changes[np.maximum(np.searchsorted(changes, lines, side="right") - 1, 0)]
    far = len(sentence)
    gaps = [np.where(sentence[changed] == sentence, abs(changed - lines), far) for changed in (before, after)]
    nearest = np.where(gaps[0] <= gaps[1], before, after)
    return np.where(np.minimum(*gaps) < far, nearest, 0)


def _folder(file: str) -> Path:
    if file == "-":
        raise TreegaugeError("--changed needs files in a git repository; got standard input")
    return Path(file).resolve().parent


def base_commit(folder: Path, since: str) -> str:
    """Return the hash of the commit since which changes count."""
    if since.startswith("-"):
        raise TreegaugeError(f"--changed: expected a commit, branch or tag; found {since!r}")
    commit = run_git(folder, "rev-parse", "--verify", "--quiet", f"{since}^{{commit}}")
    if commit.returncode and since == "HEAD" and not run_git(folder, "rev-parse", "--git-dir").returncode:
        return _EMPTY  # nothing was committed yet
    if commit.returncode:
        inside = run_git(folder, "rev-parse", "--git-dir")
        reason = (
            f"{folder} is not in a git repository"
            if inside.returncode
            else f"git does not know a commit, branch or tag {since!r}; fetch it first"
        )
        raise TreegaugeError(f"--changed: {reason}")
    name = commit.stdout.decode().strip()
    shared = run_git(folder, "merge-base", name, "HEAD")
    return name if shared.returncode else shared.stdout.decode().strip()


def run_git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder without a shell."""
    try:
        return subprocess.run(  # noqa: S603 -- a list of words, no shell
            ["git", "--literal-pathspecs", "-C", str(folder), *words],  # noqa: S607 -- the user's own git
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise TreegaugeError("this needs git, which is not installed") from error
