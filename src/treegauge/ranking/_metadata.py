"""What is known of each treebank, joined by code or name."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.ranking._read import METADATA
from treegauge.results.errors import ChoiceError, TreegaugeError

if TYPE_CHECKING:
    import polars as pl


def key(name: str) -> str:
    """Reduce the ways a treebank is written to one.

    Examples
    --------
    >>> [key(name) for name in ("UD_Czech-PDT", "Czech PDT", "cs_pdt-ud-test", "cs_pdt")]
    ['czech_pdt', 'czech_pdt', 'cs_pdt', 'cs_pdt']
    """
    plain = re.sub(r"-ud-(train|dev|test)$", "", name.strip().casefold()).removeprefix("ud_")
    return re.sub(r"[\s_-]+", "_", plain)


def _table(source: "str | Path | pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    if isinstance(source, pl.DataFrame):
        return source
    path = Path(source)
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".tsv", ".parquet"}:
        raise ChoiceError("kind of metadata file", path.name, ["*.csv", "*.tsv", "*.parquet"])
    try:
        if suffix == ".parquet":
            return pl.read_parquet(path)
        return pl.read_csv(path, separator="\t" if suffix == ".tsv" else ",")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TreegaugeError(f"{path}: cannot be read as metadata: {error}") from error


def _lookup(frame: "pl.DataFrame") -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in frame.iter_rows(named=True):
        known = {name: row[name] for name in METADATA if row.get(name) is not None}
        for column in ("treebank", "name"):
            if row.get(column):
                found[key(str(row[column]))] = known
    return found


def describe(
    treebanks: Sequence[str],
    source: "str | Path | pl.DataFrame | None",
    inline: Mapping[str, Mapping[str, Any]],
) -> "pl.DataFrame":
    """Gather metadata: a given table first, then the score table's own columns, then packaged.

    Parameters
    ----------
    treebanks
        Codes or names, in the order wanted.
    source
        A table of the user's own, or None.
    inline
        Metadata columns found in the score table.
    """
    import polars as pl

    from treegauge import data

    own = _table(source) if source is not None else None
    if own is not None and not {"treebank", "name"} & set(own.columns):
        raise TreegaugeError(
            f"metadata has columns {', '.join(own.columns)}; expected 'treebank' or 'name' and "
            f"any of {', '.join(METADATA[1:])}"
        )
    given = {} if own is None else _lookup(own)
    packaged = _lookup(data.conll18_treebanks())
    rows = []
    for treebank in treebanks:
        known = {
            **packaged.get(key(treebank), {}),
            **{name: value for name, value in inline.get(treebank, {}).items() if value},
            **given.get(key(treebank), {}),
        }
        tokens = known.get("tokens")
        row: dict[str, Any] = {"treebank": treebank}
        row |= {
            name: known[name] and str(known[name]) if name in known else None for name in METADATA
        }
        try:
            row["tokens"] = None if tokens is None else int(tokens)
        except (TypeError, ValueError):
            raise TreegaugeError(
                f"metadata of {treebank}: tokens {tokens!r}; expected a whole number such as 49000"
            ) from None
        rows.append(row)
    schema = {name: pl.Int64 if name == "tokens" else pl.String for name in ("treebank", *METADATA)}
    return pl.DataFrame(rows, schema=schema)
