"""How every verb prints: one result in the format asked for, to a file or the terminal."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.results.errors import ChoiceError
from treegauge.results.files import atomic
from treegauge.results.result import SAVED, Result

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("text", "json", "csv", "latex", "html")


def render(result: Result, fmt: str) -> str:
    """Return a result as text in one of the formats."""
    if fmt not in FORMATS:
        raise ChoiceError("format", fmt, FORMATS)
    if fmt == "text":
        return str(result)
    return str(getattr(result, f"to_{fmt}")()).rstrip("\n")


def emit(result: Any, fmt: str = "text", out: Path | None = None) -> None:
    """Print a result, or write it to a file atomically; nothing for a verb that returns none."""
    if result is None:
        return
    if isinstance(result, Result) and fmt == "text" and (whole := result.document) is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(whole)
        return
    text = render(result, fmt) if isinstance(result, Result) else str(result)
    if out is None:
        sys.stdout.write(text + "\n")
    elif isinstance(result, Result) and (
        out.suffix == ".parquet" or (fmt == "text" and out.suffix in SAVED)
    ):
        result.save(out)  # the name's ending says how
    else:
        with atomic(out) as file:
            file.write(f"{text}\n".encode())


def write(text: str, out: Path | None = None) -> None:
    """Print text, or write it to a file atomically."""
    emit(text, out=out)


# Used by commands that are not yet made from their verbs.


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
