"""The official validator as an oracle: run as a command, its results kept in a cache."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from treegauge.core.files import atomic
from treegauge.treebanks.downloads import cache_folder

_LINE = re.compile(
    rb"\[(?:File (?P<file>.*?) )?Line (?P<line>\d+) Sent .*?\]: "
    rb"\[L(?P<level>[1-6]) (?P<label>[A-Z]+) (?P<id>[a-z0-9-]+)\] "
)


class Incident(NamedTuple):
    """One problem as both programs know it; of a warning the official output hides the class."""

    file: str
    line: int
    level: int
    label: str
    id: str


class OfficialRun(NamedTuple):
    """What the official program reported; `crash` is the last line of its traceback, or empty."""

    incidents: Counter[Incident]
    valid: bool
    crash: str


def cache() -> Path:
    """Return the folder for official results and the archive of official cases."""
    return cache_folder() / f"udtools-{version('udtools')}"


def official(paths: Sequence[Path], lang: str, level: int, *, keep: bool = False) -> OfficialRun:
    """Run ``udvalidate`` on files as one treebank.

    Parameters
    ----------
    paths, lang, level
        The files, and the options of the same names.
    keep
        Whether to look for the result in the cache and to keep it there.
    """
    kept = cache() / "runs" / f"{_digest(paths, lang, level)}.json" if keep else None
    if kept is not None and kept.exists():
        rows, valid, crash = json.loads(kept.read_text())
        names = [path.name for path in paths]
        incidents = Counter(Incident(names[file], *rest) for file, *rest in rows)
        return OfficialRun(incidents, valid, crash)
    run = _run(paths, lang, level)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        numbers = {path.name: number for number, path in enumerate(paths)}
        rows = [(numbers[one.file], *one[1:]) for one in run.incidents.elements()]
        with atomic(kept) as file:
            file.write(json.dumps([rows, run.valid, run.crash]).encode())
    return run


def _digest(paths: Sequence[Path], lang: str, level: int) -> str:
    digest = hashlib.sha256(f"{lang} {level}".encode())
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _run(paths: Sequence[Path], lang: str, level: int) -> OfficialRun:
    program = Path(sys.executable).with_name("udvalidate")
    options = ["--lang", lang, "--level", str(level), "--max-err", "0"]
    done = subprocess.run(
        [program, *options, *(path.name for path in paths)],
        capture_output=True,
        cwd=paths[0].parent,
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONWARNINGS": "ignore"},
    )
    said = done.stdout + done.stderr
    incidents: Counter[Incident] = Counter()
    for line in said.split(b"\n"):
        if found := _LINE.match(line):
            name = found["file"].decode() if found["file"] else paths[0].name
            numbers = int(found["line"]), int(found["level"])
            labels = found["label"].decode(), found["id"].decode()
            incidents[Incident(name, *numbers, *labels)] += 1
    crash = said.rstrip().split(b"\n")[-1].decode() if b"Traceback (most recent" in said else ""
    if not crash and b"*** " not in said:
        raise RuntimeError(f"udvalidate did not finish: {said[-500:].decode()}")
    return OfficialRun(incidents, done.returncode == 0, crash)


def archive() -> Path:
    """Return the source archive of the official program, downloaded once; its cases are in it.

    Raises
    ------
    OSError
        If it cannot be downloaded.
    """
    name = f"udtools-{version('udtools')}.tar.gz"
    path = cache() / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:",
                   "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]  # fmt: skip
        wanted = f"udtools=={version('udtools')}"
        done = subprocess.run([*command, "-d", path.parent, wanted], capture_output=True, text=True)
        if done.returncode or not path.exists():
            raise OSError(f"{wanted} cannot be downloaded: {done.stderr.strip()[-200:]}")
    return path
