"""Metadata of treebanks (language, family, size), and the classes of treebanks they define."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.reading import read_file
from treegauge.statistics.units import TreebankUnits, treebank_units
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.ranking.leaderboard import Leaderboard

COLUMNS = ("name", "language", "tokens", "family", "stock", "genus", "resource")
"""Columns of metadata."""
CLASSES = ("stock", "genus", "resource", "tokens", "language", "treebank")
"""Columns whose values are classes of treebanks."""


def name_key(name: str) -> str:
    """Return one key for all spellings of a treebank's name."""
    plain = re.sub(r"-ud-(train|dev|test)$", "", name.strip().casefold()).removeprefix("ud_")
    return re.sub(r"[\s_-]+", "_", plain)


def known_code(name: str) -> str:
    """Return the code of a treebank in the packaged metadata, else its :func:`name_key`."""
    return str(_packaged().get(name_key(name), {}).get("treebank", name_key(name)))


@cache
def _packaged() -> dict[str, dict[str, Any]]:
    from treegauge import data

    return _lookup(data.conll18_treebanks())


def _lookup(frame: "pl.DataFrame") -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for row in frame.iter_rows(named=True):
        known = {name: row.get(name) for name in ("treebank", *COLUMNS)}
        known = {name: value for name, value in known.items() if value not in (None, "")}
        names = [known[column] for column in ("treebank", "name") if known.get(column)]
        rows |= {name_key(str(name)): known for name in names}
    return rows


def describe(
    treebanks: Sequence[str],
    source: "str | PathLike[str] | pl.DataFrame | None",
    inline: Mapping[str, Mapping[str, Any]],
) -> "pl.DataFrame":
    """Return metadata from the given table, the score table's columns, names, and packaged data.

    The first source that knows a value counts. Names give the language and its kin, from the
    same table as in analyses.
    """
    given = {}
    if source is not None:
        own = source if isinstance(source, pl.DataFrame) else read_file(source).frame
        if not {"treebank", "name"} & set(own.columns):
            raise TreegaugeError(
                f"metadata has columns {', '.join(own.columns)}; expected 'treebank' or 'name' and "
                f"any of {', '.join(COLUMNS[1:])}"
            )
        given = _lookup(own)
    rows = []
    for treebank in treebanks:
        known = {
            **_packaged().get(name_key(treebank), {}),
            **_kin(treebank),
            **{name: value for name, value in inline.get(treebank, {}).items() if value},
            **given.get(name_key(treebank), {}),
        }
        row: dict[str, Any] = {name: known.get(name) and str(known[name]) for name in COLUMNS}
        try:
            row["tokens"] = None if known.get("tokens") is None else int(known["tokens"])
        except (TypeError, ValueError):
            raise TreegaugeError(
                f"metadata of {treebank}: tokens {known['tokens']!r}; expected a whole number such as 49000"
            ) from None
        rows.append(row | {"treebank": treebank})
    schema = {name: pl.Int64 if name == "tokens" else pl.String for name in ("treebank", *COLUMNS)}
    return pl.DataFrame(rows, schema=schema)


def _kin(treebank: str) -> dict[str, str]:
    """Return the language, genus and stock in a treebank's name."""
    kin = {"language": kin_of(treebank, "language"), "genus": kin_of(treebank, "genus"),
           "stock": kin_of(treebank, "family")}  # fmt: skip
    known = {name: value for name, value in kin.items() if value}
    if len({"genus", "stock"} & {*known}) == 2:
        known["family"] = " ".join(dict.fromkeys((known["stock"], known["genus"])))
    return known


def units_of(board: "Leaderboard", by: str) -> TreebankUnits:
    """Return the units of treebanks by a column of metadata."""
    return treebank_units(board.treebanks, board.metadata[by].to_list(), by)


def classes_of(
    board: "Leaderboard", by: Sequence[str] = CLASSES[:4], own: Mapping[str, Sequence[str]] | None = None
) -> dict[str, NDArray[np.bool_]]:
    """Return classes of treebanks as masks over the columns of a leaderboard.

    The values of the columns `by` are classes, and so are those in `own` (names and members).
    ``tokens`` cuts at thirds of the treebanks; ``resource`` also gives ``resource not big`` if
    there are several other classes, called low-resource in the Fragility paper. Classes
    of one treebank are left out, unless `by` names ``treebank``, and so are classes with the same
    members as an earlier one.
    """
    masks: dict[str, NDArray[np.bool_]] = {}
    for column in by:
        if column not in CLASSES:
            raise ChoiceError("column of classes", column, CLASSES)
        values = board.metadata[column].to_list()
        known = np.array([value is not None for value in values])
        if column == "tokens":
            if known.sum() >= 3:
                numbers = np.array([value or 0 for value in values])
                low, high = np.quantile(numbers[known], [1 / 3, 2 / 3], method="lower")
                masks[f"tokens <= {low:,}"] = known & (numbers <= low)
                masks[f"tokens <= {high:,}"] = known & (numbers <= high)
                masks[f"tokens > {low:,}"] = known & (numbers > low)
                masks[f"tokens > {high:,}"] = known & (numbers > high)
            continue
        names = sorted({str(value) for value in values if value is not None})
        for name in names:
            mask = np.array([str(value) == name for value in values]) & known
            if column == "treebank" or 1 < mask.sum() < len(mask):
                masks[f"{column} {name}"] = mask
        if column == "resource" and "big" in names and len(names) > 2:
            masks["resource not big"] = known & np.array([str(value) != "big" for value in values])
    for name, members in (own or {}).items():
        mask = np.zeros(len(board.treebanks), dtype=np.bool_)
        mask[[board.treebank(member) for member in members]] = True
        masks[name] = mask
    distinct: dict[bytes, str] = {}
    for name, mask in masks.items():
        distinct.setdefault(mask.tobytes(), name)
    return {name: masks[name] for name in distinct.values()}


def hypergeometric_tail(count: int, *, population: int, members: int, size: int) -> float:
    r"""Return the probability that a random subset has at least this many members of a class.

    .. math:: P(X \ge x) = \sum_{i \ge x} \binom{K}{i} \binom{N - K}{n - i} / \binom{N}{n}

    with :math:`K` of :math:`N` treebanks in the class and :math:`n` in the subset. Subsets of one
    system's extreme ranks share treebanks, so their tails must not be added up.
    """
    return float(scipy.stats.hypergeom.sf(count - 1, population, members, size)) if count > 0 else 1.0
