"""The README's tour, run in the folder that the demo makes, and the figures of its table."""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.docs import tables

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
COMMAND = [sys.executable, "-c", "from treegauge.cli import main; main()"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def tour() -> list[tuple[str, str]]:
    """Return the commands and what they are said to print."""
    (console,) = blocks("console")
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def run(*words: str, folder: Path) -> str:
    done = subprocess.run([*words], cwd=folder, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def folder(demo, tmp_path_factory):
    """A copy of the demo's folder, to write into."""
    return shutil.copytree(demo, tmp_path_factory.mktemp("readme") / "demo")


@pytest.mark.parametrize(("command", "expected"), tour(), ids=[line for line, _ in tour()])
def test_commands_print_what_the_readme_says(folder, command, expected):
    name, *words = shlex.split(command)
    assert name == "treegauge"
    found = run(*COMMAND, *words, folder=folder)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(f"{expected.rstrip()}...", found, options), found


def test_the_python_lines_run(demo):
    (code,) = blocks("python")
    found = run(sys.executable, "-c", code, folder=demo)
    interval, expected = found.split("\n", maxsplit=1)[0], re.search(r"# (\(.*\))", code)[1]
    assert doctest.OutputChecker().check_output(expected, interval, doctest.ELLIPSIS), interval
    assert "│ sentence" in found.rpartition("shape: (3, ")[2]  # the last table has incorrect subjects


def test_times_in_the_table_are_those_of_the_benchmarks():
    docs = Path(__file__).parents[1] / "docs"
    rows = re.findall(r"^\| time .*\|$", README, re.MULTILINE)
    scoring, validation, training = (re.findall(r"[\d.]+", row)[-2:] for row in rows)
    measured = tables.shown((docs / "benchmarks.md").read_text(encoding="utf-8"))
    scores = measured.partition("\n## Scoring\n")[2]
    assert [
        re.search(rf"^\| .*{name} .*\| +([\d.]+) \| +[\d.]+ \|$", scores, re.MULTILINE)[1]
        for name in ("udtools", r"udapi eval\.Conll18")
    ] == scoring
    ours, theirs = (
        float(re.search(rf"level 3: `{name}`, a tenth *\| +[\d.]+ \| +([\d.]+)", measured)[1])
        for name in ("treegauge check", "udvalidate")
    )
    assert validation == ["1", f"{theirs / ours:.1f}"]
    neural = (docs / "neural.md").read_text(encoding="utf-8")
    ours, theirs = (
        float(re.search(rf"^\| {name} \| \d+ \| ([\d.]+)", neural, re.MULTILINE)[1]) for name in ("`biaffine`", "SuPar")
    )
    assert training == ["1", f"{theirs / ours:.1f}"]


def test_the_demo_ends_with_a_page_that_needs_nothing_else(demo):
    text = (demo / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'\b(src|srcset)="', text.split("<script>")[0])
    assert text.count("<section") >= 6
    assert text.count("treegauge:") >= 10  # signatures
