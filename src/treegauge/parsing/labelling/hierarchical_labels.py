r"""Trees as hierarchical brackets (Ezquerro, Vilares, Yli-Jyrä & Gómez-Rodríguez 2025).

Few arcs are brackets of their own, with a symbol at both ends: ``/*`` or ``<*`` at the left end,
``>*`` or ``\*`` at the right end, where ``<`` and ``>`` are of the dependent. Any other arc leans
on one that covers it and shares its head; its dependent has ``>`` if the head is where that bracket
opened, and ``<`` if the head is where it closes. The outermost arc of a head on each side is a
bracket, unless the arc to the head's own head is one, on the same side and longer. For projective
trees that is the smallest set of brackets, and 12 labels are enough.

In trees that are not projective a closing bracket may be below others on the stack, and so may the
bracket that an arc leans on. The symbol then has a number: how many open brackets are above it.
So every tree is preserved. (In the paper an arc may lean on either end; here only on its head's, so
that each label says of its own word only where its head is.)

The root hangs from a word before the first one, which opens ``/*``.
"""

import re

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import label_stacks as _kernels
from treegauge.parsing.labelling.label_readers import Ints
from treegauge.parsing.labelling.stack_labels import ASK, CLOSE, CLOSE_HEAD, OPEN, OPEN_WAIT, WAIT, Operation
from treegauge.treebanks.data.columns import Codes

_LABEL = re.compile(r"(>\*\d{0,3})?(\\\*\d{0,3})?([<>]\d{0,3})?(/\*)?(<\*)?")
_SYMBOL = re.compile(r"([<>/\\]\*?)(\d*)")
_KINDS = {">*": CLOSE_HEAD, "\\*": CLOSE, ">": ASK, "<": WAIT, "/*": OPEN, "<*": OPEN_WAIT}


def write_hierarchy(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
    """Write trees as hierarchical brackets."""
    rows = np.zeros((len(heads), 4), np.int32)
    _kernels.hierarchy(heads, offsets, rows)
    kinds, codes = np.unique(rows, axis=0, return_inverse=True)
    labels = [_label(*row) for row in kinds.tolist()]
    return [Codes(codes.reshape(-1).astype(np.int32), labels)]


def _label(part: int, index: int, closed: int, opens: int) -> str:
    """Put the symbols in the order in which they are read."""
    number = str(index or "")
    return "".join(
        (
            f">*{number}" if part == _kernels.CLOSES else "",
            f"\\*{closed - 1 or ''}" if closed else "",
            f">{number}" if part == _kernels.LEANS_LEFT else "",
            f"<{number}" if part == _kernels.LEANS_RIGHT else "",
            "/*" if opens else "",
            "<*" if part == _kernels.OPENS else "",
        )
    )


def parse_hierarchy(label: str) -> list[list[Operation]]:
    """Return the stack operations of a label.

    Examples
    --------
    >>> parse_hierarchy(">*1/*") == [[(CLOSE_HEAD, 1), (OPEN, 0)]]
    True
    """
    if not _LABEL.fullmatch(label):
        raise TreegaugeError(
            f"label {label!r} is not made of hierarchical brackets; expected a label such as >*/* or \\*<1"
        )
    symbols = _SYMBOL.findall(label)
    return [[(_KINDS[symbol], int(number or 0)) for symbol, number in symbols]]
