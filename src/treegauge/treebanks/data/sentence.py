"""One sentence of a treebank: words, comments, and drawing of its tree."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True, repr=False)
class Sentence:
    r"""A view of one sentence; `str()` draws it for a terminal, notebooks show it as SVG.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> text = "# text = Hi\n1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    >>> sentence = parse_conllu(text)[0]
    >>> sentence.form, sentence.text
    (['Hi'], 'Hi')
    """

    treebank: "Treebank"
    number: int

    def __len__(self) -> int:
        return int(self.treebank.offsets[self.number + 1] - self.treebank.offsets[self.number])

    def __repr__(self) -> str:
        return f"<Sentence {self.id or self.number}: {self.text}>"

    @property
    def _words(self) -> slice:
        return slice(self.treebank.offsets[self.number], self.treebank.offsets[self.number + 1])

    def column(self, name: str) -> list[str]:
        """Return a column of the words as a list of text."""
        treebank = self.treebank
        return treebank.texts(treebank.rows[self._words], treebank._number(name))

    @property
    def form(self) -> list[str]:
        """The words' forms."""
        return self.column("form")

    @property
    def upos(self) -> list[str]:
        """The words' universal part-of-speech tags."""
        return self.column("upos")

    @property
    def deprel(self) -> list[str]:
        """The words' relations to their heads."""
        return self.column("deprel")

    @property
    def head(self) -> npt.NDArray[np.int32]:
        """The words' heads: positions from 1, 0 for the root."""
        return self.treebank.head[self._words]

    @property
    def comment_lines(self) -> list[str]:
        """The comment lines as they are in the file."""
        return self.treebank.comment_lines(self.number)

    @cached_property
    def metadata(self) -> dict[str, str]:
        """The comments of the form ``key = value``."""
        pairs = (line[1:].partition("=") for line in self.comment_lines)
        return {key.strip(): value.strip() for key, mark, value in pairs if mark}

    @property
    def id(self) -> str | None:
        """The ``sent_id`` comment."""
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str:
        """The ``text`` comment, or the forms joined by spaces."""
        return self.metadata.get("text") or " ".join(self.form)

    @property
    def conllu(self) -> str:
        """The sentence as it is in the file."""
        start, stop = self.treebank.spans[self.number]
        return bytes(self.treebank.raw[start:stop]).decode()

    def drawn(self, width: int | None = None) -> str:
        """Return a drawing of the tree for a terminal, cut to a width."""
        from treegauge.treebanks.text_trees import text_tree

        heads = self.head.tolist()
        return text_tree(self.form, heads, self.deprel, upos=self.upos, width=width)

    def __str__(self) -> str:
        return self.drawn()

    def _repr_svg_(self) -> str:
        from treegauge.treebanks.svg import svg_tree

        return svg_tree(self.form, self.head.tolist(), self.deprel, upos=self.upos)
