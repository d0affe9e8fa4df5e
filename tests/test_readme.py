"""The README's tour, run as it stands in the folder that the demo makes."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("command", "expected"), tour(), ids=[line for line, _ in tour()])
def test_commands_print_what_the_readme_says(demo, command, expected):
    name, *words = shlex.split(command)
    assert name == "treegauge"
    found = run(*COMMAND, *words, folder=demo)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(f"{expected.rstrip()}...", found, options), found


def test_the_python_lines_run(demo):
    (code,) = blocks("python")
    found = run(sys.executable, "-c", code, folder=demo)
    interval, expected = found.split("\n", maxsplit=1)[0], re.search(r"# (\(.*\))", code)[1]
    assert doctest.OutputChecker().check_output(expected, interval, doctest.ELLIPSIS), interval
    assert "nsubj of" in found


def test_the_demo_ends_with_a_page_that_needs_nothing_else(demo):
    text = (demo / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'\b(src|srcset)="', text.split("<script>")[0])
    assert text.count("<section") >= 6
    assert text.count("treegauge:") >= 10  # signatures
