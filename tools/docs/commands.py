"""The help of every command as one page of the site, made when the site is built."""

import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from treegauge.cli.app import run_command
from treegauge.cli.verbs import DEFAULT, VERBS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

HEAD = """# Every command and option

What `--help` prints, command by command. In Python, each command is `tg.COMMAND(...)` with the
same parameters: `--no-browser` is `browser=False`, and an option that may be repeated takes a list.
"""


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "commands.md", content=text()))
    return files


def text() -> str:
    """Return the page."""
    parts = [HEAD, _block([])]
    for question, commands in VERBS.items():
        parts.append(f"## {question}\n")
        for name, command in commands.items():
            for words in _spelled(name, list(command.subverbs)):
                parts += [f"### {' '.join(words)}\n", _block(words)]
    return "\n".join(parts)


def _spelled(name: str, subverbs: list[str]) -> Iterator[list[str]]:
    yield [name]
    yield from ([name, subverb] for subverb in subverbs if subverb != DEFAULT)


def _block(words: list[str]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = run_command([*words, "--help"])
    if code:
        raise RuntimeError(f"{' '.join(words)} --help failed")
    return f"```text\n{printed.getvalue().strip()}\n```\n"
