"""The table behind every curve: how many words of each class were attached right."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.files import atomic
from treegauge.results.result import Result, sign

if TYPE_CHECKING:
    import polars as pl

#: The class that holds every counted word.
ALL = "all"
CELL = ("treebank", "parser", "size", "sample")
COLUMNS = (*CELL, "class", "correct", "total")


@dataclass(frozen=True, eq=False)
class Attachments(Result):
    """Counts of right words: one row a treebank, parser, size, sampling and class.

    Attributes
    ----------
    frame
        Columns treebank, parser, size, sample, class, correct, total; sorted. Every cell (treebank,
        parser, size, sample) has a row of class ``all``; other classes need not cover all words.
    signature
        What was counted.
    """

    frame: "pl.DataFrame" = field(repr=False)
    signature: str
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """The counts, in long form."""
        return self.frame

    def shown(self) -> "pl.DataFrame":
        """Return what there is of each treebank and parser: sizes, samplings, words, classes."""
        import polars as pl

        words = pl.col("total").filter(pl.col("class") == ALL)
        sizes = pl.col("size").unique().sort().cast(pl.String).str.join(" ")
        return self.frame.group_by("treebank", "parser", maintain_order=True).agg(
            sizes.alias("sizes"),
            pl.col("sample").n_unique().alias("samplings"),
            words.max().alias("words"),
            (pl.col("class").n_unique() - 1).alias("classes"),
        )

    @property
    def parsers(self) -> list[str]:
        """Names of the parsers, in the order of the table."""
        return list(dict.fromkeys(self.frame["parser"].to_list()))

    @property
    def treebanks(self) -> list[str]:
        """Names of the treebanks, in the order of the table."""
        return list(dict.fromkeys(self.frame["treebank"].to_list()))

    @property
    def sizes(self) -> list[int]:
        """All sizes, ascending."""
        return sorted(self.frame["size"].unique().to_list())

    def select(
        self,
        *,
        parsers: Sequence[str] = (),
        treebanks: Sequence[str] = (),
        sizes: Sequence[int] = (),
    ) -> "Attachments":
        """Keep some parsers, treebanks or sizes; nothing given keeps all."""
        import polars as pl

        frame = self.frame
        for column, wanted in (("parser", parsers), ("treebank", treebanks), ("size", sizes)):
            known = frame[column].unique().sort().to_list()
            for one in wanted:
                if one not in known:
                    raise ChoiceError(column, one, known)
            if wanted:
                frame = frame.filter(pl.col(column).is_in(list(wanted)))
        return Attachments(frame, self.signature)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the counts, one row a treebank, parser and class, one column a size and sampling.

        Such a table is an eighth of the long one. ``.csv`` or ``.parquet``, by the name's ending;
        :func:`read_attachments` reads either form.
        """
        kind = _kind(path)
        wide = _widened(self.frame)
        with atomic(path) as file:
            if kind == ".csv":
                file.write(wide.write_csv().encode())
            else:
                wide.write_parquet(file)


def _kind(path: str | os.PathLike[str]) -> str:
    kind = Path(path).suffix.lower()
    if kind not in {".csv", ".parquet"}:
        raise ChoiceError("kind of attachments file", Path(path).name, ["*.csv", "*.parquet"])
    return kind


def _widened(frame: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    cells = frame.select("size", "sample").unique().sort("size", "sample").rows()
    cell = pl.format("{}/{}", "size", "sample")
    wide = frame.with_columns(cell.alias("cell")).pivot(
        "cell", index=["treebank", "parser", "class", "total"], values="correct"
    )
    order = [f"{size}/{sample}" for size, sample in cells]
    return wide.select("treebank", "parser", "class", "total", *order)


def attachments(frame: "pl.DataFrame", *, source: str = "table", **signed: object) -> Attachments:
    """Check a table of counts and put it in order.

    Parameters
    ----------
    frame
        Columns treebank, parser, size, sample, class, correct, total. Class ``""`` is read as
        ``all``, the class of all counted words.
    source
        What to call the table in messages.
    **signed
        Choices to name in the signature.

    Returns
    -------
    Attachments
        The counts.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("UD_A-B", "beam", n, 0, "all", c, 100) for n, c in ((5, 40), (10, 55))]
    >>> counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    >>> print(counts.shown())
    shape: (1, 6)
    ...
    """
    import polars as pl

    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise TreegaugeError(
            f"{source}: no column {', '.join(missing)}; expected {', '.join(COLUMNS)}"
        )
    try:
        frame = frame.select(
            pl.col("treebank", "parser", "class").cast(pl.String).fill_null(""),
            pl.col("size", "sample", "correct", "total").cast(pl.Int64),
        ).select(COLUMNS)
    except pl.exceptions.InvalidOperationError as error:
        raise TreegaugeError(
            f"{source}: size, sample, correct and total must be whole numbers"
        ) from error
    name = pl.col("class")
    frame = frame.with_columns(pl.when(name == "").then(pl.lit(ALL)).otherwise(name).alias("class"))
    _check(frame, source)
    first = pl.col("class") != ALL
    frame = frame.sort("parser", "treebank", "size", "sample", first, "class")
    return Attachments(frame, sign(**(signed or {"counts": source})))


def _check(frame: "pl.DataFrame", source: str) -> None:
    import polars as pl

    if frame.height == 0:
        raise TreegaugeError(f"{source}: no rows")
    numbers = pl.col("size", "sample", "correct", "total")
    faults = {
        "an empty number": pl.any_horizontal(numbers.is_null()),
        "a size below 1": pl.col("size") < 1,
        "more right words than words": pl.col("correct") > pl.col("total"),
        "a negative number": pl.any_horizontal(pl.col("sample", "correct", "total") < 0),
    }
    for what, fault in faults.items():
        bad = frame.filter(fault)
        if bad.height:
            raise TreegaugeError(f"{source}: {what} in {_told(bad.row(0, named=True))}")
    twice = frame.filter(pl.struct(*CELL, "class").is_duplicated())
    if twice.height:
        raise TreegaugeError(f"{source}: given twice: {_told(twice.row(0, named=True))}")
    whole = frame.filter(pl.col("class") == ALL).select(CELL)
    lost = frame.join(whole, on=CELL, how="anti")
    if lost.height:
        raise TreegaugeError(
            f"{source}: no row of class {ALL!r} for {_told(lost.row(0, named=True))}"
        )
    # Parsers may have classes of their own, such as what each finds simple; all words are the same.
    whose = pl.when(pl.col("class") == ALL).then(pl.lit("")).otherwise("parser").alias("whose")
    keys = ["treebank", "class", "whose"]
    sized = frame.with_columns(whose).group_by(keys).agg(pl.col("total").n_unique())
    uneven = sized.filter(pl.col("total") > 1)
    if uneven.height:
        treebank, name, *_ = uneven.sort(keys).row(0)
        raise TreegaugeError(
            f"{source}: class {name!r} of {treebank} has several totals; expected the same test "
            "words in every cell"
        )


def _told(row: dict[str, object]) -> str:
    return (
        f"{row['treebank']}, {row['parser']}, size {row['size']}, sample {row['sample']}, "
        f"class {row['class']!r}"
    )


def read_attachments(path: str | os.PathLike[str]) -> Attachments:
    """Read counts from CSV or Parquet, long (a row a cell and class) or wide (a column a cell).

    Parameters
    ----------
    path
        A file of one of both forms; in the wide one the columns after ``treebank``, ``parser``,
        ``class`` and ``total`` are named ``SIZE/SAMPLE``, and a cell that was not run is empty.
    """
    import polars as pl

    kind = _kind(path)
    try:
        data = Path(path).read_bytes()
        frame = pl.read_csv(data) if kind == ".csv" else pl.read_parquet(data)
    except pl.exceptions.PolarsError as error:
        raise TreegaugeError(f"{path}: cannot be read as a table: {error}") from error
    mark = f"{Path(path).name}#{sha256(data).hexdigest()[:6]}"
    return attachments(_lengthened(frame), source=str(path), counts=mark)


def _lengthened(frame: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    cells = [name for name in frame.columns if _is_cell(name)]
    if not cells:
        return frame
    kept = [name for name in ("treebank", "parser", "class", "total") if name in frame.columns]
    part = pl.col("cell").str.split("/").list
    return (
        frame.unpivot(cells, index=kept, variable_name="cell", value_name="correct")
        .drop_nulls("correct")
        .with_columns(
            part.get(0).cast(pl.Int64).alias("size"), part.get(1).cast(pl.Int64).alias("sample")
        )
    )


def _is_cell(name: str) -> bool:
    size, _, sample = name.partition("/")
    return size.isdecimal() and sample.isdecimal()


def joined(parts: Iterable[Attachments]) -> Attachments:
    """Put counts of several treebanks, parsers or cells together.

    They must have been counted alike. Of tables read from files it is not known how they were:
    those must share classes of words.
    """
    import polars as pl

    each = list(parts)
    if not each:
        raise TreegaugeError("no attachments to join")
    signature = _joined_signature(each)
    whole = attachments(pl.concat([one.frame for one in each]), source="joined attachments")
    return Attachments(whole.frame, signature)


def _joined_signature(parts: Sequence[Attachments]) -> str:
    signatures = list(dict.fromkeys(one.signature for one in parts))
    if len(signatures) == 1:
        return signatures[0]
    marks = [signature.partition("|counts:")[2] for signature in signatures]
    if not all(marks):
        raise TreegaugeError(f"attachments were counted differently: {' and '.join(signatures)}")
    classes = [sorted(set(one.frame["class"].unique()) - {ALL}) for one in parts]
    for own in classes[1:]:
        if (classes[0] or own) and not set(classes[0]) & set(own):
            told = " and ".join(", ".join(some[:3]) or "none" for some in (classes[0], own))
            raise TreegaugeError(f"tables of different classes of words: {told}")
    return sign(counts="+".join(marks))
