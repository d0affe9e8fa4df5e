"""Some sentences of a treebank, over the bytes of all."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.columns import Ints, Treebank


def cut(treebank: Treebank, start: int, stop: int) -> Treebank:
    """Return the sentences from `start` up to `stop`, as views of their positions."""
    stop = max(start, stop)
    w0, w1 = treebank.offsets[start], treebank.offsets[stop]
    r0, r1 = treebank.row_offsets[start], treebank.row_offsets[stop]
    inside = treebank.multiword[w0:w1]
    return replace(
        treebank,
        fields=treebank.fields[r0:r1],
        kinds=treebank.kinds[r0:r1],
        rows=treebank.rows[w0:w1] - r0,
        head=treebank.head[w0:w1],
        multiword=np.where(inside < 0, -1, inside - r0).astype(np.int32),
        offsets=treebank.offsets[start : stop + 1] - w0,
        row_offsets=treebank.row_offsets[start : stop + 1] - r0,
        spans=treebank.spans[start:stop],
        tail=treebank.tail if stop == len(treebank) else b"",
    )


def take(treebank: Treebank, sentences: npt.ArrayLike) -> Treebank:
    """Return chosen sentences; see :meth:`Treebank.take`."""
    wanted = np.asarray(sentences)
    index = np.arange(len(treebank))[wanted if wanted.size else []].reshape(-1)
    words, offsets = _gather(treebank.offsets, index)
    rows, row_offsets = _gather(treebank.row_offsets, index)
    shift = np.repeat(row_offsets[:-1] - treebank.row_offsets[index], np.diff(offsets))
    inside = treebank.multiword[words]
    return replace(
        treebank,
        fields=treebank.fields[rows],
        kinds=treebank.kinds[rows],
        rows=treebank.rows[words] + shift,
        head=treebank.head[words],
        multiword=np.where(inside < 0, -1, inside + shift).astype(np.int32),
        offsets=offsets,
        row_offsets=row_offsets,
        spans=treebank.spans[index],
        tail=b"",
    )


def _gather(offsets: Ints, index: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Members of the chosen groups, and the offsets of these groups."""
    sizes = offsets[index + 1] - offsets[index]
    new = np.zeros(len(index) + 1, np.int32)
    np.cumsum(sizes, out=new[1:])
    members = np.arange(new[-1], dtype=np.int32) + np.repeat(offsets[index] - new[:-1], sizes)
    return members.astype(np.int32), new
