"""Every block of code on a page is run, or at least has options that exist."""

import re
import shlex
import shutil
from itertools import takewhile

import pytest

from tests.test_docs import DOCS, FOLLOWED, HOWTO, console, fenced
from treegauge.cli.commands import verb_options
from treegauge.cli.options import read_words
from treegauge.cli.verbs import QUESTION, VERBS

#: Pages with Python that runs in the folder of the demo, as the how-to pages do.
IN_PYTHON = ["curves.md", "page_data.md", "ranking.md"]
#: Blocks that no test here runs, and which one does.
RUN_ELSEWHERE = {
    "own_parser.md": "tests/test_plugins.py, from the file that the page shows",
    "concepts": "tests/test_concepts.py",
}
PAGES = sorted(path for path in DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", IN_PYTHON)
def test_python_on_other_pages_runs(name, demo, tmp_path, monkeypatch):
    shutil.copytree(demo, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    blocks = fenced((DOCS / name).read_text(encoding="utf-8"), "python")
    assert blocks
    for code in blocks:
        exec(code, {})


def test_no_block_of_code_is_left_out():
    first = [f"{name}.md" for name in console.FIRST]
    run = {*HOWTO, *FOLLOWED, *(DOCS / name for name in ["tutorial.md", *first, *IN_PYTHON])}
    left = {
        path.relative_to(DOCS).parts[0]
        for path in PAGES
        if path not in run and (fenced(text := path.read_text(encoding="utf-8"), "console") or fenced(text, "python"))
    }
    assert left == set(RUN_ELSEWHERE)


def shown(text: str) -> list[list[str]]:
    """Return the words of the commands in indented blocks, which need treebanks of the reader."""
    lines = re.findall(r"^    treegauge ((?!patch\b).*)$", text.replace("\\\n", " "), re.MULTILINE)
    split = [shlex.split(re.sub(r"\$\(.*\)", "X", line), comments=True) for line in lines]
    return [list(takewhile(lambda word: word not in {"|", ">", "&&"}, words)) for words in split]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_commands_that_are_not_run_have_options_that_exist(path):
    for verb, *words in shown(path.read_text(encoding="utf-8")):
        subverbs = VERBS[QUESTION[verb]][verb].subverbs
        sub = words.pop(0) if words and words[0] in subverbs else ""
        read_words(words, verb_options(verb, sub))
