"""Everything that is wrong with a file, in bounded memory."""

from collections.abc import Iterator

from treegauge.treebanks.conllu import CHUNK, count_lines, pieces
from treegauge.treebanks.enhanced import check_deps
from treegauge.treebanks.indexing import index
from treegauge.treebanks.problems import Problem
from treegauge.treebanks.sources import Source, find, short_name


def check_conllu(
    source: Source, *, split: str | None = None, need_heads: bool = True, chunk: int = CHUNK
) -> Iterator[Problem]:
    """Yield every problem of the files behind a source, in the order of their lines.

    Parameters
    ----------
    source, split
        As in :func:`treegauge.treebanks.conllu.read_conllu`.
    need_heads
        Whether ``_`` in HEAD is a problem.
    chunk
        Bytes read at a time; memory stays proportional to it (and to the longest sentence).
    """
    for path in find(source, split=split):
        line = 1
        for data in pieces(path, chunk):
            treebank, problems = index(
                data, short_name(path), file=path, first_line=line, need_heads=need_heads
            )
            problems += check_deps(treebank, path)
            yield from sorted(problems, key=lambda problem: problem.line)
            line += count_lines(data)
