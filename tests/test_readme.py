"""The README's tour, run as it stands in the folder that the demo makes."""

import doctest
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
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


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    run(*COMMAND, "demo", "--out", str(folder), folder=folder)
    return folder


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


class Page(HTMLParser):
    """Notes what a page would fetch, and that its tags close."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched, self.anchors, self.links = [], [], set(), []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in {"meta", "path"}:
            self.open.append(tag)
        self.fetched += [given[name] for name in ("src", "srcset", "data") if name in given]
        self.links += [given["href"]] if "href" in given else []
        self.anchors.add(given.get("id"))

    def handle_endtag(self, tag):
        if tag not in {"meta", "path"}:
            assert self.open.pop() == tag


def test_the_demo_ends_with_a_page_that_needs_nothing_else(demo):
    text = (demo / "index.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert (page.open, page.fetched) == ([], [])
    assert len(page.links) == 3
    assert {link.removeprefix("#") for link in page.links} <= page.anchors
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert text.count("<caption>treegauge:") >= 4
