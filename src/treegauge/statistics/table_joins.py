"""Tables joined side by side: rows by treebank, columns of one name named apart."""

import math
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any

from treegauge.core.conditions import Condition
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.reading import parse_number
from treegauge.core.result import Result
from treegauge.statistics.data_table import DataTable, TableLike, Tables, as_table, names_and_more, raw_table
from treegauge.treebanks.sources.languages import treebank_key

_KEY, _NAMES = "__key__", "treebank"


def load_tables(tables: Tables, where: Sequence[str] = ()) -> DataTable:
    """Return one table from one or several, joined side by side; missing rows leave gaps.

    Treebanks match by name or code. The order of the tables does not matter for columns and rows:
    columns that share a name with other values get names of their own, such as ``words (train)``,
    and rows are sorted.
    """
    if isinstance(tables, str | os.PathLike | DataTable | Result | Mapping | pl.DataFrame):
        return as_table(tables, where=where)
    if not len(tables):
        raise TreegaugeError("expected at least one table, found none")
    conditions = _by_table(tables, where)
    parts = [as_table(table, where=own) for table, own in zip(tables, conditions, strict=True)]
    if len(parts) == 1:
        return parts[0]
    frames = [_keyed(table) for table in parts]
    for name in _shared(frames):
        frames = _named_apart(frames, parts, name)
    joined = frames[0]
    for table, frame in zip(parts[1:], frames[1:], strict=True):
        if not set(frame[_KEY]) & set(joined[_KEY]):
            found, before = (names_and_more(list(one[_NAMES]), 3) for one in (frame, joined))
            raise TreegaugeError(
                f"{table.source}: no treebank in common with the tables before: found {found}; "
                f"expected such as {before}"
            )
        twice = [name for name in frame.columns if name in joined.columns and name != _KEY]
        joined = joined.join(frame, on=_KEY, how="full", coalesce=True)
        joined = joined.with_columns(_merged(joined, name) for name in twice)
        joined = joined.drop(f"{name}_right" for name in twice)
    inputs = tuple(table.name for table in parts)
    source = " + ".join(table.source for table in parts)
    return DataTable(joined.sort(_KEY).drop(_KEY), source, inputs)


def _by_table(tables: Sequence[TableLike], where: Sequence[str]) -> list[list[str]]:
    """Return for each table the conditions on its columns; each must be on a column of one at least."""
    if not where:
        return [[] for _ in tables]
    columns = [raw_table(table).frame.columns for table in tables]
    parsed = {text: Condition.parse(text, dict.fromkeys(chain(*columns))) for text in where}
    return [[text for text, condition in parsed.items() if condition.column in own] for own in columns]


def _merged(joined: "pl.DataFrame", name: str) -> "pl.Series":
    """Return a column that two tables have, which agree wherever both have a value."""
    both = [joined[name], joined[f"{name}_right"]]
    if both[0].dtype != both[1].dtype:
        both = [column.cast(pl.String) for column in both]
    pairs = zip(*both, strict=True)
    cells = [second if _value(first) is None else first for first, second in pairs]
    return pl.Series(name, cells, both[0].dtype)


def _keyed(table: DataTable) -> "pl.DataFrame":
    """Return a table with the key of each row, which must be unique."""
    table.check([_NAMES], "column to join on")
    names = [str(name) for name in table.frame[_NAMES]]
    keys = [treebank_key(name) for name in names]
    frame = table.frame.with_columns(pl.Series(_KEY, keys), pl.Series(_NAMES, names))
    twice = frame.filter(pl.col(_KEY).is_duplicated())[_NAMES].to_list()
    if twice:
        raise TreegaugeError(f"{table.source}: {twice[0]!r} has more than one row")
    return frame


def _shared(frames: Sequence["pl.DataFrame"]) -> list[str]:
    """Return the columns that several tables have."""
    names = [name for frame in frames for name in frame.columns if name not in (_NAMES, _KEY)]
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def _named_apart(frames: Sequence["pl.DataFrame"], parts: Sequence[DataTable], name: str) -> list["pl.DataFrame"]:
    """Return the frames, in which columns of one name have one value per treebank.

    They keep the name if all values agree; else they are named by split or system, or by table.
    """
    holders = [i for i, frame in enumerate(frames) if name in frame.columns]
    full = {i: parts[i].full_names.get(name, name) for i in holders}
    sourced = {i: f"{name} ({PurePath(parts[i].source).name})" for i in holders}
    choices = [full, sourced] if len(set(full.values())) > 1 else [dict.fromkeys(holders, name), sourced]
    taken = {column for frame in frames for column in frame.columns} - {name}
    for chosen in choices:
        if not taken & set(chosen.values()) and all(
            _agree(frames[i], frames[j], name) for i in holders for j in holders if i < j and chosen[i] == chosen[j]
        ):
            break
    else:
        where = " and ".join(dict.fromkeys(parts[i].source for i in holders))
        raise TreegaugeError(f"column {name!r} has different values in {where}; rename it in one of the tables")
    renamed = list(dict.fromkeys(chosen.values()))
    if renamed != [name]:
        note(f"{name!r} is in several tables; the columns are {', '.join(map(repr, renamed))}")
    return [frame.rename({name: chosen[i]}) if i in chosen else frame for i, frame in enumerate(frames)]


def _agree(first: "pl.DataFrame", second: "pl.DataFrame", name: str) -> bool:
    """Whether a column has the same values in two tables wherever both have one."""
    known = dict(zip(first[_KEY], map(_value, first[name]), strict=True))
    pairs = [(known.get(key), _value(cell)) for key, cell in second.select(_KEY, name).iter_rows()]
    return all(a is None or b is None or a == b for a, b in pairs)


def _value(cell: Any) -> Any:
    """Return a cell as a number or text, None for a missing one."""
    number = parse_number(cell)
    if number is None:
        return cell
    return None if math.isnan(number) else number
