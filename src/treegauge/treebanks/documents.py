"""Documents, which start at the comment ``# newdoc``."""

import re

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.columns import Treebank

_MARK = re.compile(rb"newdoc\b")


def document_starts(treebank: Treebank) -> npt.NDArray[np.bool_]:
    r"""Return, for each sentence, whether it starts a document.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> word = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    >>> document_starts(parse_conllu(f"# newdoc id = a\n{word}{word}# newdoc\n{word}")).tolist()
    [True, False, True]
    """
    text = treebank.raw.tobytes()
    starts = []
    for mark in _MARK.finditer(text):  # searching for the word is faster than searching for lines
        start = text.rfind(b"\n", 0, mark.start()) + 1
        if text[start : mark.start()].rstrip(b" \t") == b"#":
            starts.append(start)
    before = np.searchsorted(starts, treebank.spans)
    return np.asarray(before[:, 1] > before[:, 0])
