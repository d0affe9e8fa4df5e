"""The first pages of the docs, followed by a newcomer: every command and its processor time.

``python -m tools.bench.reader_paths`` takes the commands out of the three pages, runs them in an
empty folder with a new virtual environment, and prints them with their times. ``--write`` puts the
totals into the pages, and the commands into ``docs/benchmarks.md``.
"""

import argparse
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.bench.measuring import process
from tools.bench.tables import Section, Target

ROOT = Path(__file__).parents[2]
PAGES = {"parser": "student", "treebank": "maintainer", "shared_task": "organiser"}
"""The first pages and who reads them."""
LIMIT = 600
"""Seconds of processor time that a page may take."""
_COMMAND = re.compile(r"^(?:\$ | {4}(?=pip ))(.+)$", re.MULTILINE)
_TOTAL = re.compile(r"(<!-- reader path -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A command of a page, its processor time and its time on the clock, in seconds."""

    command: str
    processor: float
    seconds: float


def commands(text: str) -> list[str]:
    r"""Return the commands of a page, in order.

    Examples
    --------
    >>> commands("    pip install .\n\n```console\n$ treegauge demo\nindex.html\n```\n")
    ['pip install .', 'treegauge demo']
    """
    return _COMMAND.findall(text)


def follow(names: Iterable[str]) -> dict[str, list[Step]]:
    """Run the commands of pages as on a new machine, and measure each.

    A clone is installed once, into a new environment; the time counts in every page that asks for
    it. Each page begins in an empty folder.
    """
    paths: dict[str, list[Step]] = {}
    with tempfile.TemporaryDirectory(prefix="treegauge-reader-") as place:
        home, clone, programs = Path(place), Path(place) / "treegauge", Path(place) / "venv" / "bin"
        process("git", "clone", "--quiet", ROOT, clone)
        venv = _step("python -m venv venv", home, [sys.executable, "-m", "venv", "venv"])
        installed: dict[str, Step] = {}
        for page in names:
            paths[page] = [venv]
            folder = home / page
            folder.mkdir()
            for command in commands((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")):
                name, *words = shlex.split(command)
                program: list[str | Path] = [programs / name, *words]
                if name == "cd":
                    folder /= words[0]
                elif name == "pip":
                    if command not in installed:
                        installed[command] = _step(command, clone, program)
                    paths[page].append(installed[command])
                else:
                    paths[page].append(_step(command, folder, program))
    return paths


def _step(command: str, folder: Path, program: list[str | Path]) -> Step:
    """Run a program without the variables that a newcomer does not have."""
    bare = dict.fromkeys(("PYTHONPATH", "TREEGAUGE_UD", "TREEGAUGE_SOURCE"), "")
    codes = (0, 1) if re.match("treegauge (check|audit) ", command) else (0,)  # 1: problems
    found = process(*program, environment=bare, codes=codes, folder=folder)
    return Step(command, found.processor, found.seconds)


def total(steps: list[Step]) -> str:
    """Return a sentence on how long a page takes.

    Examples
    --------
    >>> total([Step("python -m venv venv", 4, 4), Step("pip install .", 80, 99), Step("a", 30, 31)])
    'Measured: 114 s of processor time for all commands of this page, 84 s of them to install.'
    """
    install = sum(step.processor for step in steps if step.command.startswith(("python", "pip")))
    whole = sum(step.processor for step in steps)
    return (
        f"Measured: {whole:.0f} s of processor time for all commands of this page, {install:.0f} s of them to install."
    )


def with_total(text: str, steps: list[Step]) -> str:
    """Put the time into the page."""
    return _TOTAL.sub(lambda found: f"{found[1]}{total(steps)}\n{found[2]}", text)


def section(paths: dict[str, list[Step]]) -> Section:
    """Make the part of the benchmarks page."""
    rows, targets = [], []
    for page, steps in paths.items():
        rows += [[f"{PAGES[page]}: `{step.command}`", f"{step.processor:.1f}", f"{step.seconds:.1f}"] for step in steps]
        whole = sum(step.processor for step in steps)
        seconds = sum(step.seconds for step in steps)
        rows.append([f"**{PAGES[page]}, total**", f"{whole:.1f}", f"{seconds:.1f}"])
        aim = f"`docs/{page}.md`: at most {LIMIT} s of processor time"
        targets.append(Target(aim, f"{whole:.0f} s", whole <= LIMIT))
    text = (
        "The commands of the three first pages, [I have a parser](parser.md), [I have a "
        "treebank](treebank.md) and [I run a shared task](shared_task.md), in an empty folder with "
        "a new virtual environment (`python -m tools.bench.reader_paths --write`). Processor time "
        "includes all processes that a command starts."
    )
    return Section("First pages", text, ("command", "processor s", "wall s"), rows, targets)


def main() -> int:
    """Follow the pages; 1 if one takes too long."""
    from tools.bench.__main__ import PAGE, page

    parser = argparse.ArgumentParser(prog="python -m tools.bench.reader_paths", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=", ".join(PAGES))
    parser.add_argument("--write", action="store_true", help="write the times into the pages")
    options = parser.parse_args()
    paths = follow(options.pages or PAGES)
    made = section(paths)
    print(made)
    if options.write:
        for name, steps in paths.items():
            path = ROOT / "docs" / f"{name}.md"
            path.write_text(with_total(path.read_text("utf-8"), steps), encoding="utf-8")
        kept = PAGE.read_text("utf-8")
        beginning = kept.partition("\n## ")[0].rstrip()
        PAGE.write_text(page(beginning, [str(made)], kept), encoding="utf-8")
    return 0 if all(target.reached for target in made.targets) else 1


if __name__ == "__main__":
    sys.exit(main())
