"""What a terminal shows: no line is longer than its width, nothing ends without a word, files have everything."""

import io
import re
import shutil
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.commands import invoke
from tests.test_hostile import WORDS, bench, commands  # noqa: F401 -- bench is a fixture
from treegauge.cli import commands as cli
from treegauge.cli.app import run_command
from treegauge.cli.commands import find_verb
from treegauge.core.result import Result

#: Commands that need the network or an archive.
UNREACHABLE = {"fetch"}
WIDTHS = (60, 80, 120)


@pytest.fixture
def place(bench, tmp_path, monkeypatch) -> Path:  # noqa: F811
    """A copy of a folder with one small input of each kind, as the current folder."""
    shutil.copytree(bench, tmp_path / "bench")
    monkeypatch.chdir(tmp_path / "bench")
    return tmp_path / "bench"


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(result: Result, width: int, monkeypatch) -> str:
    """Return what a terminal of a width shows of a result."""
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    with redirect_stdout(out):
        cli.emit(result, signed=True)
    return out.getvalue()


def too_long(text: str, width: int) -> list[str]:
    """Return lines that are too long and could be broken; a path or address cannot."""
    return [line for line in text.split("\n") if len(line) > width and " " in line.strip()]


@pytest.mark.parametrize("words", WORDS)
def test_no_line_is_longer_than_the_terminal(words, place, monkeypatch):
    results = []
    monkeypatch.setattr(cli, "emit", lambda result, *given, **more: results.append(result) or [])
    monkeypatch.setenv("COLUMNS", "80")
    done = invoke([*words.split(), *WORDS[words].split()])
    assert done.exit_code in {0, 1} or words in UNREACHABLE, done
    assert not too_long(done.stderr, 80)
    monkeypatch.undo()
    monkeypatch.chdir(place)
    for result in results:
        if not isinstance(result, Result) or result.document is not None:
            continue
        for width in WIDTHS:
            lines = printed(result, width, monkeypatch).replace(str(place), "").split("\n")
            assert [line for line in lines if len(line) > width] == []


#: What a command of the walk writes beside what its line names.
MORE = {
    "breakdown": "-o found.csv", "certify": "-o claim.txt", "curve counts": "-o counted.csv",
    "measure": "-o found.json", "rank": "-o ranks.tex", "results": "-o results.md",
    "run": "--store fresh", "score": "-o scores.html",
}  # fmt: skip


@pytest.mark.parametrize("words", [words for words in WORDS if words in MORE or find_verb(*words.split())[0].outputs])
def test_a_command_says_what_it_wrote(words, place):
    before = {path for path in place.rglob("*") if path.is_file()}
    line = f"{WORDS[words]} {MORE.get(words, '')}".replace("--dry-run", "" if words == "run" else "--dry-run").split()
    done = invoke([*words.split(), *line])
    assert done.exit_code in {0, 1} or words in UNREACHABLE, done
    written = {path for path in place.rglob("*") if path.is_file() and path.name != "lock"} - before
    tops = {path.relative_to(place).parts[0] for path in written}
    assert [name for name in tops if name not in done.output] == []


def test_a_terminal_shows_the_signature_on_request_and_a_file_has_it(place, monkeypatch):
    line = ["score", "gold.conllu", "sys.conllu"]
    signature = invoke(line).stdout.rstrip().rpartition("\n")[2]  # a pipe
    assert signature.startswith("treegauge:")
    monkeypatch.setenv("COLUMNS", "500")
    for flag in ([], ["-v"], ["--signature"]):
        terminal = Terminal(io.BytesIO(), "utf-8", write_through=True)
        with redirect_stdout(terminal):
            assert run_command([*line, *flag]) == 0
        shown = terminal.buffer.getvalue().decode()
        assert "LAS" in shown
        assert shown.count(signature) == shown.count("treegauge:") == len(flag)
    assert invoke([*line, "-o", "scores.txt"]).exit_code == 0
    assert Path("scores.txt").read_text().rstrip().endswith(signature)


def test_columns_that_do_not_fit_are_named_and_files_have_them(place, monkeypatch):
    line = ["results", "store"]
    wide = invoke(line).stdout.split("\n")[0].split()
    monkeypatch.setenv("COLUMNS", "60")
    done = invoke(line).stdout
    note = " ".join(done.split())
    count, names = re.search(r"(\d+) columns? left out: (.*); --format csv has all", note).groups()
    assert int(count) == len(names.split(", ")) > 0
    assert set(names.split(", ")) < set(wide)
    assert invoke([*line, "-o", "all.txt"]).exit_code == 0
    assert Path("all.txt").read_text().split("\n")[0].split() == wide
