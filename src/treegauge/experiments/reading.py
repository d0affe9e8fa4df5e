"""Results of a ledger as a polars frame, in an order that does not depend on how they were made."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treegauge.experiments.ledger import Ledger
from treegauge.results.errors import ChoiceError

if TYPE_CHECKING:
    import polars as pl

FIELDS = ("task", "treebank", "parser", "options", "parameters", "data", "size", "sample", "seed")
_SETUP = FIELDS[:6]


def results(ledger: Ledger, filters: Mapping[str, Any], *, provenance: bool) -> "pl.DataFrame":
    """Return a row a cell that is done: its fields, its scalars and, if asked for, provenance."""
    import polars as pl

    more = ["attempts", "environment", "started", "seconds", "peak"] if provenance else []
    frame = _cells(ledger, "cells.done", filters, ["scalars", *more])
    parts = [frame.select(FIELDS), scalars(frame["scalars"])]
    if provenance:
        started = pl.from_epoch((pl.col("started") * 1e6).cast(pl.Int64), "us")
        told = frame.select(
            pl.col("key").bin.encode("hex"), "files", started.alias("started"), "seconds", "peak",
            "attempts",
        )  # fmt: skip
        parts += [told, _environments(ledger, frame["environment"])]
    return pl.concat(_distinct(parts), how="horizontal")


def failures(ledger: Ledger, filters: Mapping[str, Any]) -> "pl.DataFrame":
    """Return a row a cell that failed."""
    frame = _cells(ledger, "NOT cells.done", filters, ["attempts", "error"])
    return frame.select(*FIELDS, "attempts", "error")


def _cells(
    ledger: Ledger, state: str, filters: Mapping[str, Any], columns: Sequence[str]
) -> "pl.DataFrame":
    """Return cells with what their setups say, sorted by all that tells them apart."""
    import polars as pl

    kinds = {
        "setup": pl.Int64, "size": pl.Int64, "sample": pl.Int64, "seed": pl.Int64,
        "scalars": pl.String, "key": pl.Binary, "attempts": pl.Int64, "environment": pl.Int64,
        "started": pl.Float64, "seconds": pl.Float64, "peak": pl.Int64, "error": pl.String,
    }  # fmt: skip
    names = ["setup", "size", "sample", "seed", "key", *columns]
    wanted = ", ".join(f"cells.{name}" for name in names)
    where, values = _condition(filters)
    rows = ledger.ask(
        f"SELECT {wanted} FROM setups CROSS JOIN cells ON cells.setup = setups.id "
        f"WHERE {state} AND {where}", values,
    )  # fmt: skip
    frame = pl.DataFrame(rows, {name: kinds[name] for name in names}, orient="row")
    table = pl.DataFrame(
        [(*row[:-1], json.dumps(json.loads(row[-1])["files"])) for row in ledger.ask(
            f"SELECT id, {', '.join(_SETUP)}, identity FROM setups"
        )],
        {"setup": pl.Int64, **dict.fromkeys((*_SETUP, "files"), pl.String)},
        orient="row",
    )  # fmt: skip
    sized = pl.when(pl.col("size") > 0).then(pl.col("size")).alias("size")
    return frame.join(table, on="setup").with_columns(sized).sort(*FIELDS, "key")


def _condition(filters: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return a condition in SQL on setups and cells, and its values."""
    parts, values = ["1"], []
    for name, wanted in filters.items():
        if name not in FIELDS:
            raise ChoiceError("filter", name, FIELDS)
        if wanted is None or wanted == []:
            continue
        several = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
        if name in _SETUP:
            parts.append("(" + " OR ".join([f"setups.{name} GLOB ?"] * len(several)) + ")")
            values += [str(one) for one in several]
        else:
            parts.append(f"cells.{name} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(several))
    return " AND ".join(parts), values


def scalars(texts: "pl.Series") -> "pl.DataFrame":
    """Turn scalars from JSON into columns, in the order in which they are met first.

    Examples
    --------
    >>> import polars as pl
    >>> scalars(pl.Series(['{"las": 80.5}', '{"las": 81, "note": "late"}'])).to_dicts()
    [{'las': 80.5, 'note': None}, {'las': 81.0, 'note': 'late'}]
    """
    import polars as pl

    if texts.is_empty() or (texts == "{}").all():
        return pl.DataFrame()
    frame = texts.str.json_decode(infer_schema_length=None).struct.unnest()
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64))


def _distinct(parts: "list[pl.DataFrame]") -> "list[pl.DataFrame]":
    """Give columns of later frames another name where a scalar is called as a package is."""
    seen: set[str] = set()
    renamed = []
    for part in parts:
        clash = {name: f"{name}_version" for name in part.columns if name in seen}
        renamed.append(part.rename(clash))
        seen |= set(renamed[-1].columns)
    return [part for part in renamed if part.width]


def _environments(ledger: Ledger, numbers: "pl.Series") -> "pl.DataFrame":
    import polars as pl

    rows = [
        {"environment": number} | json.loads(facts)
        for number, facts in ledger.ask("SELECT id, facts FROM environments")
    ]
    if not rows:
        return pl.DataFrame()
    table = pl.DataFrame(rows, infer_schema_length=None)
    joined = numbers.to_frame().join(table, on="environment", how="left", maintain_order="left")
    return joined.drop("environment")
