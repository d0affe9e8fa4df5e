"""The step Check of the GitHub Action: annotations, SARIF, job summary with a trend, badge.

It reads the inputs of action.yml from the environment (``INPUT_FILES`` and so on) and writes into the folder ``PLACE``.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import listening
from treegauge.validation.own_checks import PLACES
from treegauge.validation.problems import ProblemList
from treegauge.validation.report import ValidationReport

MOST_RESULTS = 25_000
"""Results of a SARIF file that the platform accepts."""
FAIL_ON = ("error", "warning", "never")


def git(*words: str) -> bytes | None:
    """Return what git prints; None if it fails."""
    done = subprocess.run(["git", *words], capture_output=True, check=False)  # noqa: S603, S607 -- the runner's git
    return done.stdout if done.returncode == 0 else None


def last_release(wanted: str) -> str | None:
    """Return the newest tag such as r2.17 after fetching it, or the one that is wanted; None without one."""
    if wanted == "none":
        return None
    listed = (git("tag", "--list") or b"").decode().split()
    remote = (git("ls-remote", "--tags", "--refs", "origin") or b"").decode().split("\n")
    listed += [line.rpartition("refs/tags/")[2] for line in remote if "refs/tags/" in line]
    tags = {tag for tag in listed if (tag == wanted if wanted else re.fullmatch(r"r[0-9]+(\.[0-9]+)*", tag))}
    if not tags:
        if wanted:
            raise TreegaugeError(f"release: git does not know the tag {wanted!r}; expected a tag of this repository")
        return None
    newest = max(tags, key=lambda tag: [int(number) for number in re.findall("[0-9]+", tag)])
    if git("rev-parse", "--verify", "--quiet", f"{newest}^{{commit}}") is None:  # a shallow clone
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", f"refs/tags/{newest}:refs/tags/{newest}")
    return newest


def problems_of_release(
    tag: str, sources: list[str], files: tuple[str, ...], place: Path, options: Mapping[str, Any]
) -> Path | None:
    """Write the problems that the treebank had at a tag as a baseline; None if none of its files was there."""
    home = place / tag
    written: list[str] = []
    folders = [Path(source) for source in sources if Path(source).is_dir()]
    for number, folder in enumerate(folders):  # whole, so that level 0 is compared, too
        copy = home / str(number) / folder.resolve().name
        for entry in (git("-C", str(folder), "ls-tree", "-z", tag) or b"").decode().split("\0")[:-1]:
            (_, kind, digest), name = entry.partition("\t")[0].split(), entry.partition("\t")[2]
            (copy if kind == "blob" else copy / name).mkdir(parents=True, exist_ok=True)
            if kind == "blob":
                (copy / name).write_bytes(git("-C", str(folder), "cat-file", "blob", digest) or b"")
        written += [str(copy)] if [*copy.glob("*.conllu")] else []
        today_own_checks(folder, copy)
    for file in map(Path, files):
        blob = None if file.is_absolute() else git("cat-file", "blob", f"{tag}:./{file.as_posix()}")
        if blob is not None and not any(file.resolve().parent == folder.resolve() for folder in folders):
            copy = home / "files" / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(blob)
            written.append(str(copy))
            today_own_checks(file.parent, copy.parent)
    if not written:
        return None
    tg.check(*written, **options, write_baseline=place / f"{tag}.json")
    return place / f"{tag}.json"


def today_own_checks(folder: Path, copy: Path) -> None:
    """Put today's own checks into a copy of a folder, so that the trend is of the treebank, not of them."""
    for name in PLACES:
        (copy / name).unlink(missing_ok=True)
        if copy.is_dir() and (folder / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / name, copy / name)


def target_of(changed: str, base: str) -> str | None:
    """Return the commit since which changes count, after fetching it into a shallow clone."""
    since = {"auto": base, "all": ""}.get(changed, changed)
    if since and git("cat-file", "-e", f"{since}^{{commit}}") is None:
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", since)
    return since or None


def run(inputs: Mapping[str, str], place: Path) -> int:
    """Check, write all files, print annotations, and return the exit code."""
    if inputs["FAIL_ON"] not in FAIL_ON:
        raise TreegaugeError(f"fail-on: found {inputs['FAIL_ON']}, expected error, warning or never")
    options: dict[str, Any] = {"ud_level": int(inputs["UD_LEVEL"]), "lang": inputs["LANG"] or None}
    files = inputs["FILES"].split()
    everything = tg.check(*files, **options)
    tag = last_release(inputs["RELEASE"])
    baseline = problems_of_release(tag, files, everything.files, place, options) if tag else None
    summary = everything
    if baseline:
        later = tg.check(*files, **options, baseline=baseline)
        summary = replace(everything, trend=later.trend, since=later.since)
    since = target_of(inputs["CHANGED"], inputs["BASE"])
    known = inputs["BASELINE"] or None
    shown = tg.check(*files, **options, baseline=known, changed=since) if since or known else everything
    print(shown.to_github())
    sarif, badge = place / "problems.sarif", place / "badge.json"
    limited(everything).save(sarif, force=True)
    badge.write_text(everything.to_badge(), encoding="utf-8")
    append("GITHUB_STEP_SUMMARY", summary.to_summary())
    append("GITHUB_OUTPUT", f"sarif={sarif.as_posix()}\nbadge={badge.as_posix()}\nerrors={shown.errors}\n"
                            f"warnings={shown.warnings}")  # fmt: skip
    failed = bool(shown.errors or (inputs["FAIL_ON"] == "warning" and shown.warnings))
    return int(failed and inputs["FAIL_ON"] != "never")


def limited(report: ValidationReport) -> ValidationReport:
    """Return a report with as many problems as the platform accepts, errors first."""
    if len(report.problems) <= MOST_RESULTS:
        return report
    first = sorted(report.problems, key=lambda problem: problem.severity)[:MOST_RESULTS]
    return replace(report, problems=ProblemList(first))


def append(name: str, text: str) -> None:
    """Write to the file that a variable of the runner names."""
    if path := os.environ.get(name):
        with open(path, "a", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            file.write(f"{text}\n")


class Log:
    """Prints notes into the log of the job."""

    def note(self, text: str) -> None:
        """Print a note."""
        print(f"note: {text}")

    @contextmanager
    def task(self, what: str, total: int | None) -> "Iterator[Log]":
        """Say nothing about progress."""
        yield self

    def update(self, done: int, total: int | None = None) -> None:
        """Say nothing."""

    def advance(self, amount: int = 1) -> None:
        """Say nothing."""


def main() -> int:
    """Run with the inputs in the environment."""
    names = ("FILES", "UD_LEVEL", "LANG", "BASELINE", "FAIL_ON", "CHANGED", "RELEASE", "BASE")
    place = Path(os.environ["PLACE"])
    place.mkdir(parents=True, exist_ok=True)
    try:
        with listening(Log()):
            return run({name: os.environ.get(f"INPUT_{name}", "") for name in names}, place)
    except TreegaugeError as error:
        print(f"::error title=treegauge::{' '.join(str(error).split())}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
