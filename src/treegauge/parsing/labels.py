"""Coverage: how much of a treebank each encoding of trees as labels can write and read back."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO, TYPE_CHECKING, ClassVar, Literal

from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    import polars as pl

    from treegauge.parsing.label_encodings import Encoding
    from treegauge.treebanks.columns import Treebank


@dataclass(frozen=True)
class EncodingCoverage:
    """One encoding on one treebank.

    Attributes
    ----------
    treebank, encoding
        Names of the two.
    sentences, words
        Size of the treebank.
    correct_trees, correct_heads
        Sentences and words that come back as they were.
    labels
        Number of different labels in each column.
    """

    treebank: str
    encoding: str
    sentences: int
    words: int
    correct_trees: int
    correct_heads: int
    labels: tuple[int, ...]

    @property
    def trees(self) -> float:
        """Share of sentences that come back as they were."""
        return self.correct_trees / self.sentences if self.sentences else 1.0

    @property
    def arcs(self) -> float:
        """Share of words whose head comes back."""
        return self.correct_heads / self.words if self.words else 1.0


def encoding_coverage(treebank: "Treebank", encoding: "Encoding") -> EncodingCoverage:
    """Write trees as labels, read them, and count what comes back."""
    import numpy as np

    from treegauge.parsing.label_encodings import is_root

    tags = treebank.codes("upos")
    written = encoding.encode(treebank.head, treebank.offsets, tags)
    read = encoding.reader([one.values for one in written], treebank.offsets, tags)
    codes = np.stack([one.codes for one in written])
    heads = read(codes, is_root(treebank.codes("deprel"))).heads
    wrong = np.flatnonzero(heads != treebank.head)
    broken = len(np.unique(treebank.sentence_of[wrong]))
    return EncodingCoverage(
        treebank.name, encoding.name, len(treebank), treebank.n_words, len(treebank) - broken,
        treebank.n_words - len(wrong), tuple(len(one.values) for one in written),
    )  # fmt: skip


@dataclass(frozen=True)
class LabelCoverage(Result):
    """Encodings on treebanks."""

    rows: tuple[EncodingCoverage, ...]
    signature: str
    kind: ClassVar[str] = "labels"
    unit: ClassVar[str | None] = "percent"
    digits = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank and encoding; correct trees and arcs in percent."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "treebank": row.treebank, "encoding": row.encoding,
                    "sentences": row.sentences, "words": row.words,
                    "trees": 100 * row.trees, "arcs": 100 * row.arcs,
                    "lost": row.words - row.correct_heads,
                    "labels": "/".join(map(str, row.labels)),
                }
                for row in self.rows
            ]
        )  # fmt: skip


@verb
def labels(
    *treebanks: "Treebank | str | PathLike[str] | IO[str] | IO[bytes]",
    encoding: Sequence[str] | None = None, errors: Literal["strict", "skip", "repair"] = "strict",
) -> LabelCoverage:  # fmt: skip
    """Say how many trees each encoding of trees as labels covers.

    The result has the share of trees and arcs that each encoding preserves, and the number of
    labels it needs. The sets of a treebank folder have a row each.

    Parameters
    ----------
    treebanks
        CoNLL-U files, treebank folders, patterns, or names or codes of treebanks under
        ``TREEGAUGE_UD``.
    encoding
        An encoding; repeatable; all by default.
    errors
        What to do about malformed sentences: refuse the file, skip them, or repair them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> covered = labels(synthetic(30, seed=1), encoding=["two-planar", "relative"])
    >>> covered.table["arcs"].to_list()
    [100.0, 100.0]
    """
    from treegauge.parsing.label_encodings import encodings, find_encoding
    from treegauge.treebanks.inputs import recognise_treebanks

    chosen = [find_encoding(name) for name in encoding or encodings()]
    read = [
        part
        for one in recognise_treebanks(treebanks, errors=errors)
        for part in (
            map(one.read, one.splits) if one.kind == "treebank" and one.splits else [one.read()]
        )
    ]
    rows = tuple(encoding_coverage(treebank, one) for treebank in read for one in chosen)
    marks = "+".join(treebank.mark for treebank in read)
    names = "+".join(one.name for one in chosen)
    return LabelCoverage(rows, sign(v="labels", tb=marks, encodings=names, errors=errors))
