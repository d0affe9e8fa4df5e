"""How every verb prints: one result in the format asked for, to a file or the terminal."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.files import atomic
from treegauge.result import Result

if TYPE_CHECKING:
    import polars as pl


class Choice(StrEnum):
    """Options with fixed choices; their values type-check as the library's literals."""

    if TYPE_CHECKING:

        @property
        def value(self) -> Any:
            """The choice as the library names it."""


class Format(Choice):
    """The formats every verb offers."""

    text = "text"
    json = "json"
    csv = "csv"
    latex = "latex"
    html = "html"


class Policy(Choice):
    """What to do about malformed sentences."""

    strict = "strict"
    skip = "skip"
    repair = "repair"


@dataclass(frozen=True)
class Bundle(Result):
    """Several results that are printed together; JSON nests the later ones in the first.

    A part is one result, or a list of results of one kind.
    """

    main: Result
    parts: Mapping[str, Result | Sequence[Result]]

    @classmethod
    def of(cls, main: Result, parts: Mapping[str, Result | Sequence[Result]]) -> Result:
        """Return the first result alone if there are no others."""
        return cls(main, parts) if parts else main

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The first result's signature."""
        return self.main.signature

    @property
    def table(self) -> "pl.DataFrame":
        """The table asked for last: a CSV file holds one."""
        return self._each()[-1].table

    def _each(self) -> list[Result]:
        lists = ([part] if isinstance(part, Result) else part for part in self.parts.values())
        return [self.main, *(result for results in lists for result in results)]

    def to_dict(self) -> dict[str, Any]:
        """Return the first result's dictionary with the others under their names."""
        return self.main.to_dict() | {
            name: part.to_dict() if isinstance(part, Result) else [one.to_dict() for one in part]
            for name, part in self.parts.items()
        }

    def to_latex(self) -> str:
        """Return all tables one after the other."""
        return "\n\n".join(one.to_latex() for one in self._each())

    def to_html(self) -> str:
        """Return all tables one after the other."""
        return "\n".join(one.to_html() for one in self._each())

    def __str__(self) -> str:
        return "\n\n".join(str(one) for one in self._each())


def _plain(value: Any) -> Any:
    """Replace what JSON has no word for: numbers that are undefined become null."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render(result: Result, fmt: Format) -> str:
    """Return a result as text in one of the formats."""
    if fmt is Format.json:
        return json.dumps(_plain(result.to_dict()), ensure_ascii=False, indent=2, allow_nan=False)
    if fmt is Format.csv:
        return result.to_csv().rstrip("\n")
    if fmt is Format.latex:
        return result.to_latex()
    if fmt is Format.html:
        return result.to_html()
    return str(result)


def emit(result: Result, fmt: Format, out: Path | None = None) -> None:
    """Print a result, or write it to a file that appears whole or not at all."""
    write(render(result, fmt), out)


def write(text: str, out: Path | None = None) -> None:
    """Print text, or write it to a file that appears whole or not at all."""
    if out is None:
        sys.stdout.write(text + "\n")
        return
    with atomic(out) as file:
        file.write(f"{text}\n".encode())
