"""What the tutorial and the how-to pages show is what happens, command by command."""

import importlib.util
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treegauge.cli.app import app

DOCS = Path(__file__).parents[1] / "docs"
HOWTO = sorted(path for path in (DOCS / "howto").glob("*.md") if path.stem != "index")
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
TRAINED = "<!-- Numbers of trained parsers may differ"


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands and what they are said to print."""
    parts = re.split(r"^\$ (.*)\n", "".join(fenced(text, "console")), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def pattern(expected: str) -> str:
    """Return an expression for a text in which numbers, dots and white space are free."""
    pieces = []
    for piece in re.split(r"(\.\.\.)", " ".join(expected.split())):
        words = NUMBER.sub("\0", piece) if piece != "..." else ""
        free = re.escape(re.sub(r"-{2,}", "\1", words)).replace("\0", f"({NUMBER.pattern})")
        pieces.append(free.replace("\1", "-+") if piece != "..." else ".*?")
    return "".join(pieces).replace(r"\ ", r"\s+")


def same(expected: str, found: str, *, trained: bool) -> bool:
    """Say whether a text is the one expected; numbers may differ a little where parsers train."""
    matched = re.fullmatch(rf"\s*{pattern(expected)}\s*", found, re.DOTALL)
    if matched is None:
        return False
    shown = NUMBER.findall(expected.replace("...", " \2 "))
    pairs = [[float(one.replace(",", "")) for one in two] for two in zip(shown, matched.groups())]  # noqa: B905
    room = (5.0, 0.1) if trained else (0.0, 0.0)
    return all(abs(a - b) <= max(room[0], room[1] * abs(a)) for a, b in pairs)


def follow(text: str, folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TREEGAUGE_UD", raising=False)  # a reader has no such folder yet
    for plan in fenced(text, "toml"):
        Path("plan.toml").write_text(plan)
    for command, expected in commands(text):
        name, *words = shlex.split(command)
        assert name == "treegauge"
        result = CliRunner().invoke(app, words)
        assert result.exit_code == expected.startswith("error:"), (command, result.output)
        assert same(expected, result.stdout, trained=TRAINED in text), (
            f"$ {command}\n{result.stdout}"
        )
    for code in fenced(text, "python"):
        exec(code, {})


def test_the_tutorial_can_be_followed(tmp_path, monkeypatch):
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert len(commands(text)) > 10
    follow(text, tmp_path, monkeypatch)


@pytest.mark.parametrize("path", HOWTO, ids=lambda path: path.stem)
def test_a_how_to_does_what_it_says(path, demo, tmp_path, monkeypatch):
    text = path.read_text(encoding="utf-8")
    assert commands(text)
    shutil.copytree(demo, tmp_path / "demo")
    follow(text, tmp_path / "demo", monkeypatch)


def test_every_how_to_is_listed():
    listed = (DOCS / "howto" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+)\.md\)", listed)) == {path.stem for path in HOWTO}


def test_texts_that_differ_are_told_apart():
    said = "LAS  87.40  86.30–88.47\n---\nall 5 rows"
    assert same("LAS 87.40 86.30–88.47\n-----\n...rows", said, trained=False)
    assert not same("LAS 87.41 86.30–88.47\n-----\n...", said, trained=False)
    assert same("LAS 87.41 86.30–88.47\n-----\n...", said, trained=True)
    assert not same("LAS 97.41 86.30–88.47\n-----\n...", said, trained=True)
    assert not same("UAS 87.40 ...", said, trained=False)
    assert not same("LAS 87.40", said, trained=False)


def test_every_number_is_listed_with_a_page_that_explains_it():
    spec = importlib.util.spec_from_file_location("numbers_page", DOCS / "_numbers.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    text = (DOCS / "numbers.md").read_text(encoding="utf-8")
    assert made.text() == text, "python docs/_numbers.py writes it anew"
    for file, anchor in re.findall(r"\]\(([\w/]+\.md)(?:#([\w-]+))?\)", text):
        headings = re.findall(r"^#+ (.*)$", (DOCS / file).read_text(encoding="utf-8"), re.MULTILINE)
        known = {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}
        assert not anchor or anchor in known, f"{file} lacks #{anchor}"
