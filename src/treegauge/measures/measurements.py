"""Results of measuring treebanks: values, and reasons for missing ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core import tables
from treegauge.core.lazy import pl
from treegauge.core.result import Result
from treegauge.core.text_formats import to_csv_text
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.measures.registry import Measure, Value

#: Maximum number of columns of measures when there are several treebanks.
WIDE = 8
_NUMBERS = ("value", "low", "high", "averaged")


@dataclass(frozen=True)
class Measured:
    """The value of a measure on a treebank, or the reason why it has none.

    The split is, for instance, ``train`` or ``train/test``, None for plain files; `averaged` is the
    number of treebanks averaged in the value, `units` says how many documents or sentences the
    interval is over, `group` names the sentences that were measured, if not all were.
    """

    measure: str
    treebank: str
    split: str | None
    value: "Value | None"
    interval: tuple[float, float] | None = None
    missing: str | None = None
    note: str | None = None
    averaged: int = 0
    units: str | None = None
    group: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, without missing fields other than the value."""
        row: dict[str, Any] = {"measure": self.measure, "treebank": self.treebank}
        row |= {"split": self.split} if self.split else {}
        row |= {"group": self.group} if self.group else {}
        row |= {"averaged": self.averaged} if self.averaged else {}
        row["value"] = self.value
        if self.interval:
            row |= {"low": self.interval[0], "high": self.interval[1], "units": self.units}
        row |= {"missing": self.missing} if self.missing else {}
        return row | ({"note": self.note} if self.note else {})

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per number; named numbers become measures such as wde:nsubj."""
        low, high = self.interval or (None, None)
        values = {"": self.value}
        if isinstance(self.value, dict):
            values = {f":{name}": number for name, number in self.value.items()}
        return [
            {
                "measure": self.measure + name, "treebank": self.treebank, "split": self.split,
                "group": self.group, "averaged": self.averaged or None,
                "value": value, "low": low, "high": high, "units": self.units,
                "missing": self.missing, "note": self.note,
            }
            for name, value in values.items()
        ]  # fmt: skip


@dataclass(frozen=True)
class Measures(Result, kind="measures"):
    """Measures of treebanks, in the order of treebanks and of requested names.

    `listed` has the measures themselves, if no treebank was measured.
    """

    measured: tuple[Measured, ...]
    signature: str
    listed: "tuple[Measure, ...]" = ()
    digits: ClassVar[int] = 4
    own_formats: ClassVar[tuple[str, ...]] = ("wide",)

    def __getitem__(self, measure: str) -> "Value | None":
        """Return the value of a measure in the first treebank."""
        for measured in self.measured:
            if measured.measure == measure:
                return measured.value
        raise KeyError(measure)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per number, or per measure that is listed; empty columns are left out."""
        if self.listed:
            return _frame(_listing(self.listed))
        rows = [row for measured in self.measured for row in measured.rows()]
        return _frame(rows, _NUMBERS)

    def listing_of(self, measure: str) -> dict[tuple[str, str | None], float | None]:
        """Return the number of a measure for each treebank and group that has one."""
        return {
            (row.treebank, row.group): row.value
            for row in self.measured
            if row.measure == measure and row.value is not None and not isinstance(row.value, dict)
        }

    @property
    def wide(self) -> "pl.DataFrame":
        """One row per treebank (and group), one column per measure with a single number."""
        rows = self._wide_rows()
        names = {measured.measure for measured in self.measured}
        return _frame(rows, [name for name in rows[0] if name in names] if rows else (), keep=True)

    def to_wide(self) -> str:
        """Return CSV with a row per treebank (and group), its language and genus, and a column per number."""
        rows = [row for measured in self.measured if not measured.averaged for row in measured.rows()]
        names = list(dict.fromkeys(row["measure"] for row in rows))
        keys = ("treebank", "language", "genus", "split", "group")
        table: dict[tuple[str, str | None, str | None], dict[str, Any]] = {}
        pairs = any("/" in (row["split"] or "") for row in rows)
        for row in rows:
            name, split = row["treebank"], None if pairs else row["split"]
            kin = {kind: kin_of(name.rpartition("/")[2], kind) for kind in ("language", "genus")}
            place = {"treebank": name, **kin, "split": split, "group": row["group"]}
            cells = table.setdefault((name, split, row["group"]), place | dict.fromkeys(names))
            cells[row["measure"]] = row["value"]
        filled = {key for key in keys if any(row[key] is not None for row in table.values())}
        shown = [{key: row[key] for key in row if key in filled or key not in keys} for row in table.values()]
        return to_csv_text(_frame(shown, names, keep=True))

    def _wide_rows(self) -> list[dict[str, Any]]:
        many = {measured.measure for measured in self.measured if isinstance(measured.value, dict)}
        single = [measured for measured in self.measured if measured.measure not in many]
        names = list(dict.fromkeys(measured.measure for measured in single))
        split = len({row.treebank for row in single}) < len({(row.treebank, row.split) for row in single})
        split = split and not any("/" in (row.split or "") for row in single)
        rows: dict[tuple[str, str | None, str | None], dict[str, Any]] = {}
        for measured in single:
            more = {"group": measured.group} if any(row.group for row in single) else {}
            more |= {"split": measured.split} if split else {}
            key = measured.treebank, measured.group, measured.split if split else None
            row = rows.setdefault(key, {"treebank": measured.treebank, **more, **dict.fromkeys(names)})
            row[measured.measure] = measured.value
        return list(rows.values())

    @property
    def warnings(self) -> list[str]:
        """Missing values with reasons, and notes, each once."""
        reasons: dict[str, list[str]] = {}
        for measured in self.measured:
            if reason := measured.missing or measured.note:
                reasons.setdefault(reason, []).append(measured.measure)
        return [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in reasons.items()]

    def json_fields(self) -> dict[str, Any]:
        """Return the measures; those with several numbers have them by name."""
        return {"measures": _listing(self.listed) or [measured.to_dict() for measured in self.measured]}

    def own_text(self) -> str:
        """Return the table, then the reasons for missing values and other notes."""
        if self.listed:
            return tables.to_text([{key: row[key] for key in row if key != "docs"} for row in _listing(self.listed)])
        lines = [tables.to_text(self.shown()), *(f"note: {text}" for text in self.warnings)]
        return "\n".join([*lines, self.signature])

    def shown(self) -> list[dict[str, Any]]:
        """Return the printed table, with rounded numbers."""
        names = {measured.measure for measured in self.measured}
        plain = not any(measured.interval for measured in self.measured)
        rows = self._wide_rows()
        if plain and len(rows) > 1 and 1 < len(names & rows[0].keys()) == len(names) <= WIDE:
            return _shorten(rows, names)
        rows = []
        for measured in self.measured:
            if isinstance(measured.value, dict) and len(names) > 1:
                number = len(measured.value)
                text = f"{number} number{'s'[: number > 1]}: see --format csv"
                rows.append(measured.rows()[0] | {"measure": measured.measure, "value": None, "note": text})
            else:
                rows += measured.rows()
        for row in rows:
            del (row["averaged"], row["missing"])  # already in the treebank's name, or in the notes below
            row["note"] = row["note"] if row["value"] is None else None
        return _shorten(_without_empty(rows), _NUMBERS)


def _listing(measures: "Iterable[Measure]") -> list[dict[str, Any]]:
    return [
        {
            "measure": measure.name,
            "family": measure.family,
            "of": "pair" if measure.pair else "treebank",
            "range": "[" + ", ".join(f"{bound:g}" for bound in measure.bounds) + "]",
            "interval": "yes" if measure.additive else "no",
            "meaning": measure.meaning,
            "docs": measure.docs,
        }
        for measure in measures
    ]


def _frame(rows: list[dict[str, Any]], numbers: Iterable[str] = (), *, keep: bool = False) -> "pl.DataFrame":
    """Return rows as a frame, without empty columns unless they are kept."""
    rows = rows if keep else _without_empty(rows)
    names = list(rows[0]) if rows else ["measure", "treebank", "value"]
    kinds = {name: pl.Float64 if name in numbers else pl.String for name in names}
    return pl.DataFrame(rows, schema=kinds)


def _without_empty(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    full = {name for row in rows for name, value in row.items() if value is not None} | {"value"}
    return [{name: value for name, value in row.items() if name in full} for row in rows]


def _shorten(rows: list[dict[str, Any]], numbers: Iterable[str]) -> list[dict[str, Any]]:
    """Format numbers as short text, aligned to the right."""
    for name in numbers:
        texts = [short_number(row[name]) for row in rows if name in row]
        width = max([len(name), *map(len, texts)])
        for row, text in zip(rows, texts, strict=bool(texts)):
            row[name] = text.rjust(width)
    return rows


def short_number(value: float | None) -> str:
    """Format a number: four decimals, none if whole, three digits if small.

    Examples
    --------
    >>> [short_number(x) for x in (3.0, 0.18994, 0.000714, None)]
    ['3', '0.1899', '0.000714', '']
    """
    if value is None:
        return ""
    if value == int(value):
        return str(int(value))
    return f"{value:.4f}" if abs(value) >= 0.01 else f"{value:.3g}"
