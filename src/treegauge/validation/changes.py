"""Lines changed since a commit, so that a pull request sees only problems of its own sentences."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)
_BLANK = re.compile(rb"[ \t\r]*")
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name of the empty tree


class _Placed(Protocol):
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


P = TypeVar("P", bound=_Placed)


def in_changed_sentences(problems: Iterable[P], since: str, *, files: Iterable[str] = ()) -> Iterator[P]:
    """Yield the problems of sentences with a line that changed since a commit.

    A changed line can break the tree of its sentence at another line, so all problems of the
    sentence count, including those of its comments.

    Parameters
    ----------
    problems
        Anything with a file and a line.
    since
        A commit, branch or tag. For a branch, only changes since the merge base count, if there is
        one.
    files
        Files that were checked, so that an unknown commit is an error even if there is no problem.
    """
    for folder in {_folder(file) for file in files}:
        base_commit(folder, since)
    return (problem for problem, line in with_changed_lines(problems, since) if line)


def with_changed_lines(problems: Iterable[P], since: str) -> Iterator[tuple[P, int]]:
    """Yield each problem with the nearest changed line of its sentence, or 0."""
    changed: dict[str, npt.NDArray[np.int64] | None] = {}
    for problem in problems:
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
    if not _git(folder, "ls-files", "--", path.name).stdout:
        return None  # git does not know the file yet
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    done = _git(folder, "diff", *options, base, "--", path.name)
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
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{since}^{{commit}}")
    if commit.returncode and since == "HEAD" and not _git(folder, "rev-parse", "--git-dir").returncode:
        return _EMPTY  # nothing was committed yet
    if commit.returncode:
        inside = _git(folder, "rev-parse", "--git-dir")
        reason = (
            f"{folder} is not in a git repository"
            if inside.returncode
            else f"git does not know a commit, branch or tag {since!r}; fetch it first"
        )
        raise TreegaugeError(f"--changed: {reason}")
    name = commit.stdout.decode().strip()
    shared = _git(folder, "merge-base", name, "HEAD")
    return name if shared.returncode else shared.stdout.decode().strip()


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 -- a list of words, no shell
            ["git", "--literal-pathspecs", "-C", str(folder), *words],  # noqa: S607 -- the user's own git
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise TreegaugeError("--changed needs git, which is not installed") from error
