"""The way of data through five everyday jobs: how many modules and records take part in each.

``python -m tools.traces [OTHER/src]`` runs each job twice in one process and counts the calls of the
second run, so that imports do not count. OTHER is a checkout of another version with compiled
kernels; its counts are printed before this version's. With ``--list`` the modules and classes follow each job.

modules
    Modules of treegauge whose functions were called.
switches
    Calls whose function is in another package (first-level room) than the call before.
records
    Classes of treegauge of which objects were made, NamedTuples included.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

SVO = "UD_Imaginary-SVO"
SMALL = ("--option", "bits=16", "--option", "epochs=2")
SCORE = ("score", "gold.conllu", "careful.conllu", "average.conllu", "hasty.conllu")
PLAN = f"""
[plan]
name = "six"
task = "curve"
treebanks = ["{SVO}"]
parsers = [{{ name = "mst", options = {{ bits = 14, epochs = 2 }} }}]
sizes = [20, 40, 60]
samples = 2
"""
JOBS: dict[str, Sequence[Sequence[str]]] = {
    "score": [SCORE],
    "train, parse, score": [
        ("train", "mst", SVO, *SMALL, "--out", "m.model", "--force"),
        ("parse", "m.model", "gold.conllu", "--out", "p.conllu", "--force"),
        ("score", "gold.conllu", "p.conllu"),
    ],
    "run of six cells": [("run", "plan.toml", "--store", "{fresh}.store", "--pool", "inline")],
    "results, curve": [("results", "made.store"), ("curve", "made.store")],
    "map, report": [("map", SVO, *SMALL), ("report", SVO, "--out", "page.html", "--force")],
}


class Counted(NamedTuple):
    """What took part in one job."""

    modules: list[str]
    switches: int
    records: list[str]


def traced(job: Callable[[], object]) -> Counted:
    """Return what took part in a job, of this thread."""
    modules: set[str] = set()
    records: set[tuple[str, str]] = set()
    last, switches = "", 0

    def look(frame: FrameType, event: str, _: Any) -> None:
        nonlocal last, switches
        if event != "call":
            return
        name = frame.f_code.co_name
        if name in {"__init__", "__new__"}:
            made = frame.f_locals.get("self", frame.f_locals.get("_cls", frame.f_locals.get("cls")))
            kind = made if isinstance(made, type) else type(made)
            if kind.__module__.startswith("treegauge."):
                records.add((kind.__module__, kind.__qualname__))
        module = frame.f_globals.get("__name__", "")
        if module.startswith("namedtuple_"):  # the constructor of a NamedTuple, whatever its module
            records.add((module, name))
        if module.startswith("treegauge."):
            modules.add(module)
            package = module.split(".")[1]
            switches += package != last
            last = package

    sys.setprofile(look)
    try:
        job()
    finally:
        sys.setprofile(None)
    return Counted(sorted(modules), switches, sorted(".".join(record) for record in records))


def own_counts(listed: bool) -> None:
    """Print the counts of the installed version, a line per job."""
    from treegauge.cli.app import main as command_line
    from treegauge.reporting.demo import make_inputs

    def job(commands: Sequence[Sequence[str]], fresh: str) -> None:
        for words in commands:
            code: object = None
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
                try:
                    sys.argv = ["treegauge", *(word.format(fresh=fresh) for word in words)]
                    command_line()
                except SystemExit as end:
                    code = end.code
            if code:
                raise SystemExit(f"{' '.join(words)}: {said.getvalue()}")

    with tempfile.TemporaryDirectory() as temporary:
        make_inputs(Path(temporary), seed=1)
        os.chdir(temporary)
        Path("plan.toml").write_text(PLAN)
        job([("run", "plan.toml", "--store", "made.store", "--pool", "inline")], "made")
        for name, commands in JOBS.items():
            job(commands, "first")
            found = traced(lambda commands=commands: job(commands, "second"))  # type: ignore[misc]
            print(f"{name:<22} {len(found.modules):>7} {found.switches:>8} {len(found.records):>7}")
            if listed:
                print(*(f"    {each}" for each in (*found.modules, *found.records)), sep="\n")
        os.chdir("/")


def main() -> None:
    """Print the counts of another version, if one is given, and of this one."""
    words = sys.argv[1:]
    if "--own" in words:
        own_counts("--list" in words)
        return
    options = [word for word in words if word == "--list"]
    print("job                    modules switches records", flush=True)
    for source in [*(word for word in words if word not in options), str(Path("src").resolve())]:
        subprocess.run(
            [sys.executable, __file__, "--own", *options], env={**os.environ, "PYTHONPATH": source}, check=True
        )


if __name__ == "__main__":
    main()
