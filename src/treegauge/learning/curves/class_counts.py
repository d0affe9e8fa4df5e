"""The counts behind every curve: correctly attached words by class."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, countersign, sign
from treegauge.parsing.registry import find_parser, known_parsers
from treegauge.scoring.classes.class_scores import By
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import GoldTrees, MetricWords, align_trees, find_word_metric, metric_words
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.columns import Treebank

#: The class that holds every counted word.
ALL = "all"
#: The metric of a table that does not name it.
UNKNOWN = "score"
CELL = ("treebank", "parser", "size", "sample")
COLUMNS = (*CELL, "class", "correct", "total")
_MEANING = ("metric", "by", "options")


@dataclass(frozen=True, eq=False)
class Attachments(Result, kind="counts"):
    """Counts of correct words: one row per treebank, parser, size, training sample and class.

    Every cell (treebank, parser, size, sample) has a row of class ``all``; other classes need not
    cover all words. The metric names its convention unless it is the official one, as in
    ``UAS[challenges]``, and is ``score`` if a table does not name it; `by` is the classification of
    words, empty if a table does not name it; `options` are those of each parser with the tags that it
    read, as in ``mst: tags=gold``; `sources` are files, or treebanks with checksums.
    """

    frame: pl.DataFrame = field(repr=False)
    metric: str = UNKNOWN
    by: str = ""
    options: str = ""
    sources: tuple[str, ...] = ()
    choices: Mapping[str, object] = field(default_factory=dict)
    digits: ClassVar[int] = 1

    @cached_property
    def signature(self) -> str:  # type: ignore[override]
        """What was counted, and a checksum of the counts."""
        digest = sha256(self.frame.write_csv().encode()).hexdigest()[:6]
        gold = [source for source in self.sources if "#" in source]
        files = "+".join(source for source in self.sources if "#" not in source)
        treebanks = "+".join(gold) if len(gold) < 5 else f"{len(gold)} treebanks"
        counts = f"{files}#{digest}" if files else digest
        base = sign(m=self.metric, by=self.by or None, tb=treebanks or None, counts=counts)
        return countersign(base, **self.choices)

    @property
    def table(self) -> pl.DataFrame:
        """The counts, one row per cell and class, with metric, classification and options."""
        return self.frame.with_columns(pl.lit(getattr(self, name)).alias(name) for name in _MEANING)

    @property
    def saved(self) -> pl.DataFrame:
        """The counts as stored in files: one row per class, one column per size and sample.

        Such a table is an eighth as large as the long one; :func:`read_attachments` reads both.
        """
        cells = self.frame.select("size", "sample").unique().sort("size", "sample").rows()
        known = [name for name in _MEANING if getattr(self, name) not in {"", UNKNOWN}]
        keys = ["treebank", "parser", "class", *known, "total"]
        wide = self.table.with_columns(pl.format("{}/{}", "size", "sample").alias("cell")).pivot(
            "cell", index=keys, values="correct"
        )
        return wide.select(*keys, *(f"{size}/{sample}" for size, sample in cells))

    def shown(self) -> pl.DataFrame:
        """Return one row per treebank and parser: sizes, samples, words, classes."""
        words = pl.col("total").filter(pl.col("class") == ALL)
        sizes = pl.col("size").unique().sort().cast(pl.String).str.join(" ")
        return self.frame.group_by("treebank", "parser", maintain_order=True).agg(
            sizes.alias("sizes"),
            pl.col("sample").n_unique().alias("samples"),
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
        self, *, parsers: Sequence[str] = (), treebanks: Sequence[str] = (), sizes: Sequence[int] = ()
    ) -> "Attachments":
        """Return the counts of the given parsers, treebanks or sizes; an empty choice keeps all."""
        frame = self.frame
        for column, chosen in (("parser", parsers), ("treebank", treebanks), ("size", sizes)):
            known = frame[column].unique().sort().to_list()
            for value in chosen:
                if value not in known:
                    raise ChoiceError(column, value, known)
            if chosen:
                frame = frame.filter(pl.col(column).is_in(list(chosen)))
        return replace(self, frame=frame)


def attachments(
    frame: pl.DataFrame, *, source: str = "table", metric: str | None = None,
    by: str | None = None, options: str | None = None, sources: Sequence[str] = (),
) -> Attachments:  # fmt: skip
    """Check a table of counts and sort it.

    It has the columns treebank, parser, size, sample, class, correct, total, and optionally metric,
    by and options, which are used if the parameters are not given. Class ``""`` is read as ``all``. Errors
    name `source`, the signature names `sources`.
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise TreegaugeError(f"{source}: no column {', '.join(missing)}; expected {', '.join(COLUMNS)}")
    meaning = [
        given if given is not None else _only(frame, name, source)
        for name, given in zip(_MEANING, (metric, by, options), strict=True)
    ]
    try:
        frame = frame.select(
            pl.col("treebank", "parser", "class").cast(pl.String).fill_null(""),
            pl.col("size", "sample", "correct", "total").cast(pl.Int64),
        ).select(COLUMNS)
    except pl.exceptions.InvalidOperationError as error:
        raise TreegaugeError(f"{source}: size, sample, correct and total must be whole numbers") from error
    name = pl.col("class")
    frame = frame.with_columns(pl.when(name == "").then(pl.lit(ALL)).otherwise(name).alias("class"))
    _check(frame, source)
    first = pl.col("class") != ALL
    frame = frame.sort("parser", "treebank", "size", "sample", first, "class")
    return Attachments(frame, meaning[0] or UNKNOWN, meaning[1], meaning[2], tuple(sources))


def _only(frame: pl.DataFrame, column: str, source: str) -> str:
    """Return the single value of a column; empty if there is no such column."""
    values = frame[column].fill_null("").unique().sort().to_list() if column in frame.columns else []
    if len(values) > 1:
        raise TreegaugeError(
            f"{source}: several values of {column}: {', '.join(map(str, values))}; expected counts "
            "of one metric and one classification in a table"
        )
    return str(values[0]) if values else ""


def _check(frame: pl.DataFrame, source: str) -> None:
    if frame.height == 0:
        raise TreegaugeError(f"{source}: no rows")
    numbers = pl.col("size", "sample", "correct", "total")
    faults = {
        "an empty number": pl.any_horizontal(numbers.is_null()),
        "a size below 1": pl.col("size") < 1,
        "more correct words than words": pl.col("correct") > pl.col("total"),
        "a negative number": pl.any_horizontal(pl.col("sample", "correct", "total") < 0),
    }
    for what, fault in faults.items():
        bad = frame.filter(fault)
        if bad.height:
            raise TreegaugeError(f"{source}: {what} in {_place(bad.row(0, named=True))}")
    twice = frame.filter(pl.struct(*CELL, "class").is_duplicated())
    if twice.height:
        raise TreegaugeError(f"{source}: given twice: {_place(twice.row(0, named=True))}")
    whole = frame.filter(pl.col("class") == ALL).select(CELL)
    lost = frame.join(whole, on=CELL, how="anti")
    if lost.height:
        raise TreegaugeError(f"{source}: no row of class {ALL!r} for {_place(lost.row(0, named=True))}")
    # Parsers may have their own classes, such as simple words; the class of all words is shared.
    whose = pl.when(pl.col("class") == ALL).then(pl.lit("")).otherwise("parser").alias("whose")
    keys = ["treebank", "class", "whose"]
    sized = frame.with_columns(whose).group_by(keys).agg(pl.col("total").n_unique())
    uneven = sized.filter(pl.col("total") > 1)
    if uneven.height:
        treebank, name, *_ = uneven.sort(keys).row(0)
        raise TreegaugeError(
            f"{source}: class {name!r} of {treebank} has several totals; expected the same test words in every cell"
        )


def _place(row: dict[str, object]) -> str:
    return f"{row['treebank']}, {row['parser']}, size {row['size']}, sample {row['sample']}, class {row['class']!r}"


def read_attachments(path: str | os.PathLike[str]) -> Attachments:
    """Read counts from CSV, TSV, Parquet or JSON.

    Tables are long (one row per cell and class) or wide: one column per cell, named
    ``SIZE/SAMPLE``, empty if the cell was not run.
    """
    from treegauge.core.reading import read_file

    frame = _lengthened(read_file(path).frame)
    return attachments(frame, source=str(path), sources=[Path(path).name])


def _lengthened(frame: pl.DataFrame) -> pl.DataFrame:
    cells = [name for name in frame.columns if re.fullmatch(r"\d+/\d+", name)]
    if not cells:
        return frame
    part = pl.col("cell").str.split("/").list
    kept = [name for name in frame.columns if name not in cells]
    frame = frame.unpivot(cells, index=kept, variable_name="cell", value_name="correct")
    if frame["correct"].dtype == pl.String:
        frame = frame.with_columns(pl.col("correct").replace("", None))
    return frame.drop_nulls("correct").with_columns(
        part.get(0).cast(pl.Int64).alias("size"), part.get(1).cast(pl.Int64).alias("sample")
    )


def joined_counts(parts: Iterable[Attachments]) -> Attachments:
    """Join counts of several treebanks, parsers or cells.

    They must have been counted in the same way. Tables without metric and classification must
    share classes of words.
    """
    each = list(parts)
    if not each:
        raise TreegaugeError("no attachments to join")
    first = each[0]
    for further in each[1:]:
        if (first.metric, first.by) != (further.metric, further.by):
            pair = " and ".join(f"{counts.metric} by {counts.by or '?'}" for counts in (first, further))
            raise TreegaugeError(f"attachments were counted differently: {pair}")
        classes = [sorted(set(counts.frame["class"].unique()) - {ALL}) for counts in (first, further)]
        if not first.by and any(classes) and not set(classes[0]) & set(classes[1]):
            pair = " and ".join(", ".join(some[:3]) or "none" for some in classes)
            raise TreegaugeError(f"tables of different classes of words: {pair}")
    sources = dict.fromkeys(source for counts in each for source in counts.sources)
    whole = pl.concat([counts.frame for counts in each])
    options = "; ".join(sorted({word for counts in each for word in counts.options.split("; ") if word}))
    return attachments(
        whole, source="joined attachments", metric=first.metric, by=first.by, options=options, sources=list(sources)
    )


#: Part of speech, crossed with the direction of the head.
CLASSES = "upos,direction"
_CELL = ("key", "treebank", "data", "parser", "options", "parameters", "size", "sample", "seed")


class Parse(NamedTuple):
    """One parse of a test set: its cell, and the predicted tree of each sentence."""

    parser: str
    size: int
    sample: int
    words: "pl.DataFrame | Treebank"


def count_attachments(
    gold: Treebank, parses: Iterable[Parse], *, by: By = CLASSES, metric: str = "LAS",
    convention: Convention = OFFICIAL, name: str | None = None,
) -> Attachments:  # fmt: skip
    """Count the correct words of each class; a word has the class of its gold analysis.

    Parses are treebanks, or frames with one row per word of `gold` and the columns ``head`` and,
    for LAS, ``deprel``. Classes are those of :func:`treegauge.scoring.classes.classification.classify`.
    """
    metric = find_word_metric(metric)
    classes = classify(gold, by)
    if ALL in classes.names or "" in classes.names:
        raise TreegaugeError(f"a class may not be called {ALL!r}: that is the class of all words")
    number = len(classes.names)
    treebank = gold.name if name is None else name
    parts = []
    trees = GoldTrees(gold, convention) if metric in {"UAS", "LAS"} else None
    for parse in parses:
        words = _correct(gold, parse, metric, convention, trees)
        correct = words.correct
        total = np.bincount(classes.codes[words.gold], minlength=number)
        seen = np.flatnonzero(total)
        of_class = np.bincount(classes.codes[correct], minlength=number)[seen]
        parts.append(
            pl.DataFrame(
                {
                    "treebank": treebank, "parser": parse.parser, "size": parse.size,
                    "sample": parse.sample,
                    "class": [ALL, *(classes.names[i] for i in seen.tolist())],
                    "correct": [int(correct.sum()), *of_class.tolist()],
                    "total": [int(words.gold.sum()), *total[seen].tolist()],
                }
            )
        )  # fmt: skip
    if not parts:
        raise TreegaugeError(f"{treebank}: no parses to count")
    return attachments(
        pl.concat(parts).select(COLUMNS), source=treebank, metric=metric_label(metric, convention),
        by=by if isinstance(by, str) else "own", sources=[gold.mark],
    )  # fmt: skip


def _correct(gold: Treebank, parse: Parse, metric: str, convention: Convention, trees: GoldTrees | None) -> MetricWords:
    """Return the correct words of a parse; LAS of trees without relations is refused."""
    words = parse.words
    relations: pl.Series | None
    where = f"{gold.name}, {parse.parser}, size {parse.size}, sample {parse.sample}"
    if isinstance(words, Treebank):
        heads, relations = words.head, words["deprel"]
    else:
        for column in ["head", *(["deprel"] if metric == "LAS" else [])]:
            if column not in words.columns:
                raise TreegaugeError(f"{where}: no column {column!r}; got {', '.join(words.columns)}")
        heads = words["head"].to_numpy()
        relations = words["deprel"] if "deprel" in words.columns else None
    if metric == "LAS" and relations is not None and _names_nothing(relations) and not _names_nothing(gold["deprel"]):
        raise TreegaugeError(
            f"{where}: the trees have no relations, so LAS cannot be counted; train a parser with relations, or use UAS"
        )
    try:
        if trees is None:
            return metric_words(metric, align_trees(gold, heads, relations), convention)
        correct = trees.correct(heads, relations)
    except TreegaugeError as error:
        raise TreegaugeError(f"{where}: {error}") from None
    return MetricWords(correct.gold, correct.system, correct.heads if metric == "UAS" else correct.relations)


def _names_nothing(relations: pl.Series) -> bool:
    """Return whether every word except roots has the relation that stands for none."""
    return set(relations.unique().to_list()) <= {"root", "dep", "_"}


def collect(
    results: pl.DataFrame, words: "Callable[[str], pl.DataFrame | None]",
    gold: Callable[[str], Treebank], *, by: By = CLASSES, metric: str = "LAS",
    convention: Convention = OFFICIAL,
) -> Attachments:  # fmt: skip
    """Count correct words in every cell of a store of curves.

    `results` has one row per cell; `words` returns the predicted heads and relations of a cell by
    its key, `gold` a treebank's test set by its name. A parser that was run with several sets of
    options is named with them. Samples and seeds of a size are numbered from 0 together: both are
    repeated trainings.
    """
    missing = [name for name in _CELL if name not in results.columns]
    if missing:
        raise TreegaugeError(f"results of runs lack {', '.join(missing)}")
    if results.height == 0:
        raise TreegaugeError("no cells of task curve are done")
    for column, what in (("data", "releases"), ("parameters", "parameters")):
        mixed = results.group_by("treebank").agg(pl.col(column).unique().sort())
        for name, values in mixed.sort("treebank").iter_rows():
            if len(values) > 1:
                listed = " and ".join(map(repr, values))
                raise TreegaugeError(f"{name} was run with several {what}: {listed}; choose one of them")
    several = pl.col("options").n_unique().over("parser") > 1
    named = pl.format("{} {}", "parser", "options").str.strip_chars()
    cells = results.with_columns(pl.when(several).then(named).otherwise(pl.col("parser")).alias("parser")).sort(
        "treebank", "parser", "size", "sample", "seed"
    )
    number = pl.int_range(pl.len()).over("treebank", "parser", "size")
    cells = cells.with_columns(number.alias("sample"))

    def parses(name: str) -> Iterator[Parse]:
        for row in cells.filter(treebank=name).iter_rows(named=True):
            table = words(row["key"])
            if table is None:
                raise TreegaugeError(
                    f"{name}, {row['parser']}, size {row['size']}: the store has no words of this cell"
                )
            yield Parse(row["parser"], row["size"], row["sample"], table)

    counted = joined_counts(
        count_attachments(gold(name), parses(name), by=by, metric=metric, convention=convention, name=name)
        for name in cells["treebank"].unique(maintain_order=True).to_list()
    )
    used = results.select("parser", "options").unique().sort("parser", "options").rows()
    return replace(counted, options="; ".join(dict.fromkeys(f"{name}: {_with_tags(name, own)}" for name, own in used)))


def _with_tags(parser: str, options: str) -> str:
    """Return options on a line, with the tags that the parser read, also where they are its default."""
    if parser not in known_parsers() or "tags=" in options:
        return options
    tags = getattr(find_parser(parser).options, "tags", "")
    return f"tags={tags} {options}".strip() if tags else options
