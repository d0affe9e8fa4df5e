"""Coverage of label encodings: the share of trees that each encoding preserves."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.parsing.labelling.label_encodings import Encoding
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class LabelCoverage(RowsResult):
    """One row per treebank and encoding; correct trees and arcs in percent."""

    kind: ClassVar[str] = "labels"
    unit: ClassVar[str | None] = "percent"
    digits = 4


def encoding_coverage(treebank: "Treebank", encoding: "Encoding") -> dict[str, Any]:
    """Encode trees as labels, decode them, and count the preserved trees and arcs."""
    import numpy as np

    from treegauge.parsing.labelling.label_encodings import is_root

    tags = treebank.codes("upos")
    written = encoding.encode(treebank.head, treebank.offsets, tags)
    read = encoding.reader([column.values for column in written], treebank.offsets, tags)
    codes = np.stack([column.codes for column in written])
    heads = read(codes, is_root(treebank.codes("deprel"))).heads
    wrong = np.flatnonzero(heads != treebank.head)
    sentences, words = len(treebank), treebank.n_words
    whole = sentences - len(np.unique(treebank.sentence_of[wrong]))
    return {
        "treebank": treebank.name, "encoding": encoding.name, "sentences": sentences,
        "words": words, "trees": 100 * (whole / sentences if sentences else 1.0),
        "arcs": 100 * ((words - len(wrong)) / words if words else 1.0), "lost": len(wrong),
        "labels": "/".join(str(len(column.values)) for column in written),
    }  # fmt: skip


@verb
def labels(
    *treebanks: "Treebank | str | PathLike[str] | IO[str] | IO[bytes]",
    encoding: Sequence[str] | None = None,
    errors: Literal["strict", "skip", "repair"] = "strict",
) -> LabelCoverage:
    """Report the share of trees that each encoding of trees as labels covers.

    The result has the share of trees and arcs that each encoding preserves, and the number of
    labels it needs. A treebank folder has one row per set.

    Parameters
    ----------
    treebanks
        CoNLL-U files, treebank folders, patterns, or names or codes of treebanks under
        ``TREEGAUGE_UD``.
    encoding
        An encoding; repeatable. Default: all.
    errors
        What to do about malformed sentences: refuse the file, skip them, or repair them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> covered = labels(synthetic(30, seed=1), encoding=["two-planar", "relative"])
    >>> covered.table["arcs"].to_list()
    [100.0, 100.0]
    """
    from treegauge.parsing.labelling.label_encodings import encodings, find_encoding
    from treegauge.treebanks.sources.inputs import recognise_treebanks

    chosen = [find_encoding(name) for name in encoding or encodings()]
    read = [
        part
        for one in recognise_treebanks(treebanks, errors=errors)
        for part in (map(one.read, one.splits) if one.kind == "treebank" and one.splits else [one.read()])
    ]
    rows = [encoding_coverage(treebank, one) for treebank in read for one in chosen]
    marks = "+".join(treebank.mark for treebank in read)
    names = "+".join(one.name for one in chosen)
    return LabelCoverage(rows, sign(v="labels", tb=marks, encodings=names, errors=errors))
