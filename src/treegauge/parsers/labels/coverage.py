"""How much of a treebank each encoding can write down and read back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treegauge.parsers.labels.encodings import Encoding, encodings, find_encoding, is_root
from treegauge.results.result import Result, sign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Covered:
    """One encoding on one treebank."""

    treebank: str
    encoding: str
    sentences: int
    words: int
    whole: int
    right: int
    labels: tuple[int, ...]

    @property
    def trees(self) -> float:
        """Share of sentences that come back as they were."""
        return self.whole / self.sentences if self.sentences else 1.0

    @property
    def arcs(self) -> float:
        """Share of words whose head comes back."""
        return self.right / self.words if self.words else 1.0


def cover(treebank: Treebank, encoding: Encoding) -> Covered:
    """Write trees as labels, read them, and count what came back."""
    tags = treebank.codes("upos")
    written = encoding.encode(treebank.head, treebank.offsets, tags)
    read = encoding.reader([one.values for one in written], treebank.offsets, tags)
    codes = np.stack([one.codes for one in written])
    heads = read(codes, is_root(treebank.codes("deprel"))).heads
    wrong = np.flatnonzero(heads != treebank.head)
    broken = len(np.unique(treebank.sentence_of[wrong]))
    return Covered(
        treebank.name, encoding.name, len(treebank), treebank.n_words, len(treebank) - broken,
        treebank.n_words - len(wrong), tuple(len(one.values) for one in written),
    )  # fmt: skip


@dataclass(frozen=True)
class Coverage(Result):
    """Encodings on treebanks."""

    rows: tuple[Covered, ...]
    signature: str
    digits = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank and encoding; shares of trees and arcs in percent."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "treebank": row.treebank, "encoding": row.encoding,
                    "sentences": row.sentences, "words": row.words,
                    "trees": 100 * row.trees, "arcs": 100 * row.arcs,
                    "lost": row.words - row.right, "labels": "/".join(map(str, row.labels)),
                }
                for row in self.rows
            ]
        )  # fmt: skip


def coverage(*treebanks: Treebank, names: Sequence[str] | None = None) -> Coverage:
    r"""Say which share of trees and arcs each encoding preserves, and how many labels it needs.

    Parameters
    ----------
    *treebanks
        Trees with one root each.
    names
        Encodings; all by default.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> found = coverage(synthetic(30, seed=1), names=["two-planar", "relative"])
    >>> found.table["arcs"].to_list()
    [100.0, 100.0]
    """
    chosen = list(encodings().values()) if names is None else [find_encoding(n) for n in names]
    rows = tuple(cover(treebank, one) for treebank in treebanks for one in chosen)
    marks = "+".join(treebank.mark for treebank in treebanks)
    return Coverage(rows, sign(v="labels", tb=marks))
