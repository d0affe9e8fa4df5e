"""The base class of results: a table, a signature, printing and saving."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self, Union

from treegauge import __version__
from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError, lines_of_text
from treegauge.core.files import atomic, guarding
from treegauge.core.lazy import load_extension, pl
from treegauge.core.text_formats import json_text, to_csv_text

DRAWN = (".pdf", ".png", ".svg")
"""File formats of figures that no table has."""


class Figure(dict[str, Any]):
    """A Vega-Lite specification with its data, which a notebook shows as a picture."""

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the figure to a file atomically, in the format of its ending.

        Parameters
        ----------
        path
            ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (Vega-Lite). All but the last need
            the extra ``plot``.
        force
            Overwrite an existing file of another kind.
        """
        with guarding(force=force):
            load_extension("figures", "save")(self, path)

    def to_svg(self) -> str:
        """Return the picture as SVG; this needs the extra ``plot``."""
        return str(load_extension("figures", "to_svg")(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        try:
            picture: dict[str, Any] = {"image/svg+xml": self.to_svg()}
        except TreegaugeError:  # without vl-convert, notebooks draw the specification themselves
            picture = {"application/vnd.vegalite.v5+json": dict(self)}
        return {**picture, "text/plain": repr(self)}

    def __repr__(self) -> str:
        title = self.get("title", "")
        text = title.get("text", "") if isinstance(title, dict) else title
        text = " ".join(text) if isinstance(text, list) else text  # of a narrow figure: lines
        return f"<figure {str(text)!r}: notebooks show it, .save('figure.svg') writes it>"


Part = Union["Result", Sequence["Result"]]
SAVED = (".csv", ".html", ".json", ".md", ".parquet", ".tex", ".tsv", ".txt")
"""File formats of results."""


def sign(**parts: object) -> str:
    """Join the choices behind a number into one line that reproduces it.

    Parameters
    ----------
    **parts
        Short keys and their values; ``None`` is left out, booleans read yes/no.

    Returns
    -------
    str
        ``treegauge:VERSION|key:value|...`` in the order given.

    Examples
    --------
    >>> sign(m="las", punct=True, seed=0, weights=None).split("|", 1)[1]
    'm:las|punct:yes|seed:0'
    """
    return countersign(f"treegauge:{__version__}", **parts)


def countersign(signature: str, **parts: object) -> str:
    """Add choices to a signature: those of a further step on a signed result.

    Examples
    --------
    >>> countersign("treegauge:1.0|m:las", test="permutation", seed=0)
    'treegauge:1.0|m:las|test:permutation|seed:0'
    """
    words = {True: "yes", False: "no"}
    pairs = [
        f"{key}:{words[value] if isinstance(value, bool) else value}"
        for key, value in parts.items()
        if value is not None
    ]
    return "|".join([signature, *(" ".join(pair.replace("|", "/").split()) for pair in pairs)])


def joined_signature(signatures: Sequence[str]) -> str:
    """Return one signature for several results, with all values where they differ.

    Examples
    --------
    >>> joined_signature(["treegauge:1|v:map|tb:a#1|seed:0", "treegauge:1|v:map|tb:b#2|seed:0"])
    'treegauge:1|v:map|tb:a#1+b#2|seed:0'
    """
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for part in signature.split("|"):
            key, _, value = part.partition(":")
            values.setdefault(key, {})[value] = None
    return "|".join(f"{key}:{'+'.join(texts)}" for key, texts in values.items())


class _Signed(ABC):
    """Declares the signature here, so that subclasses may have it anywhere among their fields."""

    signature: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(_Signed):
    """A table with its signature; subclasses are frozen dataclasses.

    A subclass has a field ``signature: str`` (see :func:`sign`), a property ``table``, and a kind:
    ``class Scores(Result, kind="score", unit="percent")``. `unit` is the unit of its scores, of its
    subclasses as well, `digits` the number of decimals shown. It overrides
    :meth:`json_fields`, :meth:`own_text`, :meth:`own_latex`, :meth:`own_markdown` and
    :meth:`own_html` if there is more than the table; this class adds attached results.

    Attributes
    ----------
    attached
        Further results that belong to this one, by name; each is one result or several of a kind.
    featured
        The attached result whose table is saved as CSV; empty for the result's own table.
    unit_notes
        What intervals are over, with a warning where documents are few or not marked; printed below the
        table, and ``notes`` in JSON.
    """

    attached: Mapping[str, Any] = field(default_factory=dict)
    featured: str = ""
    unit_notes: tuple[str, ...] = ()

    kind: ClassVar[str] = "result"
    unit: ClassVar[str | None] = None
    digits: ClassVar[tables.Digits] = 2
    own_formats: ClassVar[tuple[str, ...]] = ()
    """Formats of this kind of result only: ``sarif`` is ``to_sarif()`` and the ending .sarif."""

    def __init_subclass__(cls, *, kind: str | None = None, unit: str | None = None) -> None:
        super().__init_subclass__()
        cls.kind, cls.unit = kind or cls.kind, unit or cls.unit
        if "__str__" in vars(cls):
            own_str = cls.__str__
            cls.__str__ = lambda self: lines_of_text(own_str(self))  # type: ignore[method-assign]
        if "__repr__" not in vars(cls):  # the decorator of dataclasses would write its own
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    @property
    def exit_code(self) -> int:
        """Exit code of a command that prints this result: 1 if something is wrong."""
        return 0

    @property
    def document(self) -> bytes | None:
        """Text that a command prints instead of the table: a file that was not written to disk."""
        return None

    @property
    @abstractmethod
    def table(self) -> "pl.DataFrame":
        """The result as a tidy polars frame."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the table to other libraries of frames: ``pandas.DataFrame.from_arrow(result)``."""
        return self.table.__arrow_c_stream__(requested_schema)

    def plot(self, *, width: float | None = None, dark: bool = False) -> Figure:
        """Return the figure of this result, or of its featured part; an error if there is none.

        Notebooks show it; ``result.plot(width=3.3).save("figure.pdf")`` writes it as wide as a
        column of a paper, in inches.
        """
        figure: Figure = load_extension("figures", "draw")(self, width=width, dark=dark)
        return figure

    def shown(self) -> tables.Table:
        """Return the table for printing; CSV and JSON contain the full one."""
        return self.table

    def with_attached(self, attached: Mapping[str, Part], *, featured: str = "") -> Self:
        """Return the same result with further ones attached."""
        return replace(self, attached={**self.attached, **attached}, featured=featured or self.featured)

    def each(self) -> "Iterator[Result]":
        """Yield the result and all of its parts."""
        yield self
        for part in self.attached.values():
            for result in [part] if isinstance(part, Result) else part:
                yield from result.each()

    @property
    def units(self) -> str | None:
        """What varies behind intervals, p-values and verdicts, such as ``documents`` or ``genus``."""
        pairs = (part.partition(":") for part in self.signature.split("|"))
        return next((value for key, _, value in pairs if key == "units"), None)

    def json_rows(self) -> list[dict[str, Any]]:
        """Return the rows for JSON."""
        return self.table.to_dicts()

    def json_fields(self) -> dict[str, Any]:
        """Return the JSON fields besides kind, signature, unit and parts; by default the rows."""
        return {"rows": self.json_rows()}

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints: kind, signature, unit, units, notes on them, rows, then the parts."""
        envelope: dict[str, Any] = {"kind": self.kind, "signature": self.signature, "unit": self.unit}
        envelope |= {"units": self.units} if self.units else {}
        envelope |= {"notes": list(self.unit_notes)} if self.unit_notes else {}
        parts = {
            name: part.to_dict() if isinstance(part, Result) else [result.to_dict() for result in part]
            for name, part in self.attached.items()
        }
        return envelope | self.json_fields() | parts

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON; undefined numbers are null."""
        return json_text(_plain(self.to_dict()), indent=2)

    def to_latex(self) -> str:
        """Return booktabs tables that compile as they are."""
        return "\n\n".join(result.own_latex() for result in self.each())

    def own_latex(self) -> str:
        """Return the LaTeX table of this result without its parts."""
        return tables.to_latex(self.shown(), note=self.signature, digits=self.digits)

    def to_markdown(self) -> str:
        """Return Markdown tables with every text escaped."""
        return "\n\n".join(result.own_markdown() for result in self.each())

    def own_markdown(self) -> str:
        """Return the Markdown table of this result without its parts."""
        return tables.to_markdown(self.shown(), note=self.signature, digits=self.digits)

    def to_html(self) -> str:
        """Return HTML tables with every text escaped."""
        return "\n".join(result.own_html() for result in self.each())

    def own_html(self) -> str:
        """Return the HTML table of this result without its parts."""
        return tables.to_html(self.shown(), note=self.signature, digits=self.digits)

    @property
    def saved(self) -> "pl.DataFrame":
        """The table for CSV and Parquet files: that of the featured part, or the result's own."""
        if not self.featured:
            return self.table
        part: Part = self.attached[self.featured]
        if isinstance(part, Result):
            return part.saved
        return pl.concat([result.saved for result in part], how="diagonal_relaxed")

    def to_csv(self) -> str:
        """Return the table as CSV, numbers in full precision."""
        return to_csv_text(self.saved)

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write to a file atomically, in the format of its ending.

        Parameters
        ----------
        path
            ``.csv``, ``.tsv``, ``.json``, ``.parquet``, ``.tex``, ``.md``, ``.html`` or ``.txt``,
            the formats of this kind of result (`own_formats`), and ``.svg``, ``.png`` or ``.pdf``
            for its figure. HTML has the figure above the tables where there is one.
        force
            Overwrite an existing file of another kind.
        """
        ending = Path(path).suffix.lower()
        own_endings = {f".{name}": name for name in self.own_formats}
        if ending not in {*SAVED, *DRAWN, *own_endings}:
            raise ChoiceError("kind of file", ending, [*SAVED, *DRAWN, *own_endings])
        if ending in DRAWN and ending not in own_endings:
            self.plot().save(path, force=force)
            return
        with guarding(force=force), atomic(path) as file:
            if ending == ".parquet":
                self.saved.write_parquet(file)
            elif ending == ".tsv":
                file.write(to_csv_text(self.saved, "\t").encode())
            elif ending in own_endings:
                own = getattr(self, f"to_{own_endings[ending]}")()
                file.write(own if isinstance(own, bytes) else f"{lines_of_text(own.rstrip())}\n".encode())
            else:
                texts = {
                    ".csv": self.to_csv, ".html": self._page, ".json": self.to_json,
                    ".md": self.to_markdown, ".tex": self.to_latex, ".txt": self.__str__,
                }  # fmt: skip
                file.write(f"{lines_of_text(texts[ending]().rstrip())}\n".encode())

    def _page(self) -> str:
        """Return the figure, if it can be drawn, and the tables as HTML."""
        try:
            return f'<div class="figure">{self.plot().to_svg()}</div>\n{self.to_html()}'
        except TreegaugeError:
            return self.to_html()

    def own_text(self) -> str:
        """Return this result as text, without its parts."""
        return "\n".join([tables.to_text(self.shown(), digits=self.digits), *self.unit_notes, self.signature])

    def _repr_html_(self) -> str:
        return self.to_html()

    def text_pieces(self) -> Iterator[str]:
        """Yield the text in pieces, for results that can be very long."""
        yield str(self)

    def __str__(self) -> str:
        return lines_of_text("\n\n".join(result.own_text() for result in self.each()))

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class RowsResult(Result):
    """A result whose table is its rows; it prints without polars."""

    rows: Sequence[Mapping[str, Any]]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """The rows as a frame."""
        return pl.DataFrame(self.rows, infer_schema_length=None)

    def shown(self) -> tables.Table:
        """Return the rows."""
        return self.rows


def _plain(value: Any) -> Any:
    """Replace undefined numbers, which JSON cannot represent, by null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
