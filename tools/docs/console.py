"""The commands that pages show, and what they print: checked by the tests, written again by this.

``python -m tools.docs.console [PAGE...]`` runs the commands of the first pages, the tutorial, the how-to
pages and the README where they no longer print what the page says, and puts the new output into the
page. Output of more than a screen is cut in the middle, where the page says ``...``.
"""

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
TRAINED = "<!-- Numbers of trained parsers may differ"
DEMO, ENTER = "treegauge demo --out demo", "cd demo"
"""The commands with which the first pages begin; the folder is made once for all pages."""
#: Pages that begin in an empty folder, with the commands above.
FIRST = ("parser", "treebank", "shared_task")
REAL = re.compile(r"<!-- Real treebank: (\S+)@(\S+) -->\n(.*?)<!-- Invented -->", re.DOTALL)
"""A part of a page about a real treebank, which not everybody has on disk."""
#: Lines of output that a page shows at most.
SCREEN = 24
FENCE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^```(console|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""A block that is run, in the order of the page: Python may write files that commands read."""


def fenced(text: str, language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a page and what they are said to print."""
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


def same(expected: str, printed: str, *, trained: bool) -> bool:
    """Whether a text is the expected one; numbers may differ a little where parsers train."""
    matched = re.fullmatch(rf"\s*{pattern(expected)}\s*", printed, re.DOTALL)
    if matched is None:
        return False
    shown = NUMBER.findall(expected.replace("...", " \2 "))
    pairs = [[float(one.replace(",", "")) for one in two] for two in zip(shown, matched.groups())]  # noqa: B905
    room = (5.0, 0.1) if trained else (0.0, 0.0)
    return all(abs(a - b) <= max(room[0], room[1] * abs(a)) for a, b in pairs)


def failing(expected: str) -> bool:
    """Whether output begins with an error, so that the command has an exit code."""
    return re.match(r"(\S+:\d+:\d+: )?error:", expected) is not None


def shortened(printed: str) -> str:
    """Return output that fits a page, cut in the middle."""
    lines = printed.rstrip("\n").split("\n")
    if len(lines) <= SCREEN:
        return "".join(f"{line}\n" for line in lines) if printed.strip() else ""
    kept = [*lines[: SCREEN - 4], "...", lines[-1]]
    return "".join(f"{line}\n" for line in kept)


def write_examples(text: str) -> None:
    """Write the CoNLL-U files of a page: blocks that begin with ``# file = NAME``."""
    for block in fenced(text, "conllu"):
        if named := re.match(r"# file = (\S+)\n", block):
            Path(named[1]).write_text(block[named.end() :], encoding="utf-8")


def invoke(words: Sequence[str]) -> tuple[int, str]:
    """Run ``treegauge WORDS...`` and return its exit code and what it prints."""
    from treegauge.cli.app import run_command

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out):
        code = run_command(words)
    return code, out.buffer.getvalue().decode()


def rewritten(text: str) -> str:
    """Run the commands of a page here and return the page with what they print now."""
    for plan in fenced(text, "toml"):
        Path("plan.toml").write_text(plan, encoding="utf-8")
    write_examples(text)

    def block(match: re.Match[str]) -> str:
        if match[1] == "python":
            exec(match[2], {})
            return match[0]
        parts = re.split(r"^\$ (.*)\n", match[2], flags=re.MULTILINE)
        new = parts[0]
        for command, expected in zip(parts[1::2], parts[2::2], strict=True):
            if command == ENTER:
                os.chdir("demo")
            if command in {DEMO, ENTER}:
                new += f"$ {command}\n{expected}"
                continue
            code, printed = invoke(shlex.split(command)[1:])
            printed = printed.replace(os.getcwd(), "...")  # noqa: PTH109 -- as text
            if code and not failing(expected):
                print(f"$ {command}\nended with code {code}", file=sys.stderr)
            blank = "\n" if expected.endswith("\n\n") else ""
            kept = expected if same(expected, printed, trained=False) else shortened(printed)
            new += f"$ {command}\n{kept.rstrip()}\n{blank}" if kept.strip() else f"$ {command}\n{blank}"
        return f"```console\n{new}```"

    return STEP.sub(block, text)


def with_real_treebank(text: str, releases: str | None) -> str:
    """Rewrite a page of which a part needs a real treebank; without it, that part is left alone."""
    found = REAL.search(text)
    if found is None:
        return rewritten(text)
    start, end, (name, release, real) = found.start(3), found.end(3), found.groups()
    source = Path(releases or "", f"r{release}", name)
    if source.is_dir():
        shutil.copytree(source, Path("ud", f"r{release}", name))
        real = rewritten(real)
    return rewritten(text[:start]) + real + rewritten(text[end:])


def main(names: list[str]) -> None:
    """Write the pages named, or all of them."""
    docs = Path(__file__).parents[2].resolve() / "docs"
    pages = [Path(name).resolve() for name in names]
    if not pages:
        howto = sorted(path for path in (docs / "howto").glob("*.md") if path.stem != "index")
        first = [docs / f"{name}.md" for name in (*FIRST, "tutorial")]
        named = [docs / name for name in ("coming_from.md", "dataframes.md", "scoring.md")]
        more = [*named, *(docs / "concepts").glob("*.md")]
        pages = [docs.parent / "README.md", *first, *howto, *more]
    releases = os.environ.pop("TREEGAUGE_UD", None)  # a reader has no such folder yet
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        code, _ = invoke(["demo", "--out", str(demo)])
        if code:
            raise SystemExit(code)
        for page in pages:
            place = Path(folder) / f"page-{page.stem}"
            if page.stem == "tutorial":
                place.mkdir()
            else:
                shutil.copytree(demo, place / "demo" if page.stem in FIRST else place)
            os.chdir(place)
            old = page.read_text(encoding="utf-8")
            new = with_real_treebank(old, releases)
            if new != old:
                page.write_text(new, encoding="utf-8")
                print(f"wrote {page.relative_to(docs.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
