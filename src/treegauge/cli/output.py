"""How every verb prints: one result in the format asked for, to a file or the terminal."""

import json
import sys
from enum import StrEnum
from pathlib import Path

from treegauge.files import atomic
from treegauge.result import Result


class Format(StrEnum):
    """The formats every verb offers."""

    text = "text"
    json = "json"
    csv = "csv"
    latex = "latex"
    html = "html"


def render(result: Result, fmt: Format) -> str:
    """Return a result as text in one of the formats."""
    if fmt is Format.json:
        return json.dumps(result.to_dict(), ensure_ascii=False, indent=2)
    if fmt is Format.csv:
        return result.to_csv().rstrip("\n")
    if fmt is Format.latex:
        return result.to_latex()
    if fmt is Format.html:
        return result.to_html()
    return str(result)


def emit(result: Result, fmt: Format, out: Path | None = None) -> None:
    """Print a result, or write it to a file that appears whole or not at all."""
    text = render(result, fmt) + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    with atomic(out) as file:
        file.write(text.encode())
