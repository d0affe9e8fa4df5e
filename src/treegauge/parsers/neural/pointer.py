"""The left-to-right pointer parser (Fernández-González & Gómez-Rodríguez 2019).

Word by word, from left to right, a decoder points at the word's head. What it reads at each step
is the word's state and never what it decided before, so that all steps of all items of a beam
share the decoder's states: parsing is one pass, and the parser is a biaffine parser whose
dependents are read by an LSTM from left to right. A beam lets the scores of relations decide
between heads, which is the same as taking

    argmax over heads of log p(head | word) + max over relations of log p(relation | word, head).

Cycles and several roots, which such choices may have, are settled by the best tree under the same
scores.
"""

from treegauge.parsers.neural.biaffine import ArcModel, BiaffineParser
from treegauge.parsers.neural.options import PointerOptions

Options = PointerOptions


class PointerModel(ArcModel):
    """A trained pointer parser."""

    name = "pointer"
    kind = PointerOptions


class PointerParser(BiaffineParser):
    """Learns to point at the head of each word, from left to right.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> small = Options(epochs=1, hidden=8, layers=1, arc_size=8, relation_size=4)
    >>> model = PointerParser(small).fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    model = PointerModel
