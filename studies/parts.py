"""Parts of a replication: small tables, each computed by a function and stored as CSV."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import polars as pl

from studies.treebanks import absent
from studies.verdicts import CONSISTENT, INCONSISTENT, REPRODUCED, SEEDS, Why
from treegauge.core.files import atomic

RESULTS = Path(__file__).parent / "results"
# Columns of a table that sets our values against printed ones; others name the row.
COMPARED = ("printed", "ours", "difference", "state", "why")
# What decided an equivalence test: the interval of ours, and the margin.
TESTED = ("least", "most", "margin")

Shown = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Part:
    """One committed table.

    Attributes
    ----------
    name : str
        The stem of its file under ``studies/results``.
    title : str
        What the table shows.
    make : callable
        Makes it; takes nothing.
    needs : tuple of str
        Releases whose named treebanks must lie under ``TREEGAUGE_UD``.
    apart : str
        Why ``make replicate`` does not make it, with the command that does and how long that took
        ("GPU: ... in 7 minutes"); empty for a table that is made.
    shown : callable, optional
        What of the table the docs show; all of it by default.
    digits : int
        Decimals that the docs show.
    counted : callable, optional
        Which rows the front page counts as cells: one row per printed number, so that a number that
        is compared with several variants of ours counts once; all rows by default.
    """

    name: str
    title: str
    make: Callable[[], pl.DataFrame]
    needs: tuple[str, ...] = ()
    apart: str = ""
    shown: Shown | None = None
    digits: int = 2
    counted: Shown | None = None

    @property
    def path(self) -> Path:
        """Where the table is kept."""
        return RESULTS / f"{self.name}.csv"

    def lacking(self) -> list[str]:
        """Return the releases and treebanks that are needed and not there."""
        return absent(*self.needs)

    def write(self) -> bool:
        """Make the table and keep it; return whether it differs from what was kept before."""
        text = as_csv(self.make())
        before = self.path.read_bytes() if self.path.exists() else None
        with atomic(self.path) as out:
            out.write(text.encode())
        return before != text.encode()

    def read(self) -> pl.DataFrame:
        """Return the table as it is kept."""
        return read_result(self.name)


def kept(
    name: str, title: str, apart: str, *, shown: Shown | None = None, digits: int = 2, counted: Shown | None = None
) -> Part:
    """Return a part that a script of its own writes, as `apart` says."""

    def make() -> pl.DataFrame:
        raise SystemExit(f"{name} is not made here, {apart}")

    return Part(name, title, make, apart=apart, shown=shown, digits=digits, counted=counted)


def read_result(name: str) -> pl.DataFrame:
    """Return a kept table; printed values stay text, so that their digits are not lost."""
    path = RESULTS / f"{name}.csv"
    columns = pl.read_csv(path, n_rows=0).columns
    text = dict.fromkeys([one for one in columns if one in {"printed", "state", "why"}], pl.String)
    return pl.read_csv(path, schema_overrides=text, infer_schema_length=None)


def as_csv(frame: pl.DataFrame) -> str:
    """Lay out a table as CSV with six significant digits, so that any machine gives the same."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, float):
            short = f"{value:.6g}"
            return "0" if short == "-0" else short
        return str(value)

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows([cell(value) for value in row] for row in frame.iter_rows())
    return out.getvalue()


def tolerance(printed: str) -> float:
    """Return half a unit of the last digit that was printed, and a hair for the way back.

    Examples
    --------
    >>> round(tolerance("-4.26"), 6), round(tolerance(".58"), 6), round(tolerance("12"), 6)
    (0.005, 0.005, 0.5)
    """
    exponent = Decimal(printed).as_tuple().exponent
    return 0.5 * 10.0 ** int(exponent) * (1 + 1e-6)


def beyond_rounding(printed: str | None, ours: float | None) -> bool:
    """Return whether our value is not what was printed, rounding apart."""
    if printed is None or ours is None:
        return False
    return abs(float(printed) - ours) > tolerance(printed)


def within_seeds(printed: str | None, low: float | None, high: float | None) -> bool:
    """Return whether a printed value lies in the interval of our seeds, rounding apart.

    Examples
    --------
    >>> within_seeds("0.80", 0.781, 0.797), within_seeds("0.80", 0.781, 0.794)
    (True, False)
    """
    if printed is None or low is None or high is None:
        return False
    return low - tolerance(printed) <= float(printed) <= high + tolerance(printed)


def compared(
    rows: Iterable[dict[str, object]], why: Callable[[dict[str, object]], str] | str = "unexplained"
) -> pl.DataFrame:
    """Return rows with the difference of ``ours`` and ``printed`` (text), their state, and why.

    Rows whose `why` has an interval and a margin keep these in ``least``, ``most`` and ``margin``.

    Parameters
    ----------
    rows : iterable of dict
        Columns that name the row, then ``printed`` (text as printed, or None) and ``ours``.
    why : str or callable
        Says why a row's values differ by more than rounding. A row may bring its own ``why``, or
        ``seed low`` and ``seed high``, the interval of our seeds: if it contains the printed value,
        that is the reason. A row with ``from print`` follows from other printed numbers.

    Examples
    --------
    >>> compared([{"system": "a", "printed": "1.14", "ours": 1.1435},
    ...           {"system": "b", "printed": "4.0", "ours": 4.1}])["why"].to_list()
    [None, 'unexplained']
    >>> compared([{"printed": "4.0", "ours": 4.1, "seed low": 3.9, "seed high": 4.3}])["why"].item()
    'within seeds: 3.9 to 4.3'
    >>> compared([{"printed": "4.0", "ours": 4.1}, {"printed": "1", "ours": 1.2}])["state"].to_list()
    ['differs, cause unknown', 'reproduced']
    """
    made = []
    for row in rows:
        printed, ours = row["printed"], row["ours"]
        if not (printed is None or isinstance(printed, str)):
            raise TypeError(f"printed values are text, with all their digits, not {printed!r}")
        ours = None if ours is None else float(str(ours))
        known = printed is not None and ours is not None
        reason: object = None
        tested: dict[str, object] = {}
        alone = bool(row.get("from print"))
        state = (CONSISTENT if alone else REPRODUCED) if known else None
        if beyond_rounding(printed, ours):
            low, high = (_number(row.get(f"seed {end}")) for end in ("low", "high"))
            if within_seeds(printed, low, high):
                reason = Why(f"within seeds: {low:.4g} to {high:.4g}", state=SEEDS)
            else:
                reason = row.get("why") or (why if isinstance(why, str) else why(row))
            held = reason if isinstance(reason, Why) else Why(str(reason))
            state = held.state_of(str(printed))
            if alone and state != CONSISTENT:
                state = INCONSISTENT
            if held.margin is not None:
                tested = {"least": held.least, "most": held.most, "margin": held.margin}
            reason = None if reason is None else str(reason)
        names = {name: value for name, value in row.items() if name not in (*COMPARED, "from print")}
        difference = ours - float(printed) if known else None  # type: ignore[operator,arg-type]
        made.append(
            names | tested | {"printed": printed, "ours": ours, "difference": difference, "state": state, "why": reason}
        )
    frame = pl.DataFrame(made, infer_schema_length=None)
    ends = (*COMPARED[:3], *(name for name in TESTED if name in frame.columns), *COMPARED[3:])
    return frame.select(*(name for name in frame.columns if name not in ends), *ends)


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
