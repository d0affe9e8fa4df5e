"""What every result looks like: a table, a signature, and ways to print them."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge import __version__, tables

if TYPE_CHECKING:
    import polars as pl


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
    """Add further choices to a signature: those of what was done with a signed result.

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


class Result(ABC):
    """A number with its table and its signature; subclasses are frozen dataclasses.

    A subclass has a field ``signature: str`` (see :func:`sign`) and a property ``table``; `digits`
    is how many decimals its tables show.
    """

    signature: str
    digits: ClassVar[int] = 2

    @property
    @abstractmethod
    def table(self) -> "pl.DataFrame":
        """The result as a tidy polars frame."""

    def shown(self) -> "pl.DataFrame":
        """Return the table as people read it; CSV and JSON hold the full one."""
        return self.table

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints: the signature first, then the rows."""
        return {"signature": self.signature, "rows": self.table.to_dicts()}

    def to_latex(self) -> str:
        """Return a booktabs table that compiles as it stands."""
        return tables.to_latex(self.shown(), note=self.signature, digits=self.digits)

    def to_html(self) -> str:
        """Return an HTML table with every text escaped."""
        return tables.to_html(self.shown(), note=self.signature, digits=self.digits)

    def to_csv(self) -> str:
        """Return the table as CSV, numbers in full precision."""
        return self.table.write_csv()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return f"{tables.to_text(self.shown(), digits=self.digits)}\n{self.signature}"
