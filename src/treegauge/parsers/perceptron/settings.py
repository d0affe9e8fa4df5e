"""What the beam parser can be told, and the values of columns that it knows."""

from dataclasses import dataclass

import numpy as np

from treegauge.kernels.beam_scores import Templates, templates
from treegauge.kernels.beam_search import BeamWords
from treegauge.kernels.beam_states import ARCS
from treegauge.parsers import options as settings
from treegauge.parsers.options import option
from treegauge.parsers.vocabulary import Numbering, ending
from treegauge.treebanks.columns import Treebank

UNLABELLED = ("dep", "root")
"""What an unlabelled parser writes: the relation of words, and of the root."""

MOST_LEARNERS, TOGETHER = 10, 500
"""How many learners a small train part gets, and from how many sentences they learn together."""


@dataclass(frozen=True)
class Options(settings.Options):
    """Options of the beam parser."""

    beam: int = option(8, "states kept at each step; 1 is greedy", low=1, high=1024)
    epochs: int = option(10, "passes over the train part", low=1, high=1000)
    margin: float = option(30.0, "lead asked for over each wrong head or relation", low=0, high=1e6)
    learners: int = option(
        0, "models whose weights are averaged; 0: 1 to 10, the fewer sentences the more",
        low=0, high=1000,
    )  # fmt: skip
    labelled: bool = option(True, "whether relations are learned along with trees")
    lexical: bool = option(True, "whether word forms are seen; false: tags only")
    ending: int = option(3, "letters seen of the ends of forms; 0: only whole forms", low=0, high=9)

    def learners_of(self, sentences: int) -> int:
        """Say how many learners a train part of so many sentences gets.

        Examples
        --------
        >>> [Options().learners_of(size) for size in (5, 50, 100, 250, 500)]
        [10, 10, 5, 2, 1]
        """
        return self.learners or max(1, min(MOST_LEARNERS, TOGETHER // sentences))

    @property
    def templates(self) -> Templates:
        """What features look at."""
        return templates(lexical=self.lexical, endings=self.ending > 0, labelled=self.labelled)


@dataclass(frozen=True)
class Vocabulary:
    """Values of the columns that a model knows."""

    forms: Numbering
    endings: Numbering
    tags: Numbering
    relations: Numbering

    @classmethod
    def of(cls, treebank: Treebank, options: Options) -> "Vocabulary":
        """Collect the values of a treebank that the options let the parser see."""
        forms = treebank.codes("form").values if options.lexical else []
        relations = treebank.codes("deprel").values if options.labelled else UNLABELLED[:1]
        return cls(
            Numbering.of(forms),
            Numbering.of(map(ending(options.ending), forms) if options.ending else []),
            Numbering.of(treebank.codes("upos").values),
            Numbering.of(relations, first=0),
        )

    @classmethod
    def from_dict(cls, told: dict[str, list[str]]) -> "Vocabulary":
        """Make the vocabulary that :meth:`to_dict` tells of."""
        forms, endings, tags = (
            Numbering(tuple(told[name])) for name in ("forms", "endings", "tags")
        )
        return cls(forms, endings, tags, Numbering(tuple(told["relations"]), first=0))

    def to_dict(self) -> dict[str, list[str]]:
        """Return the values of each column."""
        return {name: list(numbering.values) for name, numbering in vars(self).items()}

    def words(self, treebank: Treebank, options: Options) -> BeamWords:
        """Turn a treebank into numbers."""
        form = treebank.codes("form")
        return BeamWords(
            self.forms.column(form),
            self.tags.column(treebank.codes("upos")),
            self.endings.column(form, ending(options.ending)),
            np.array(treebank.offsets, np.int32),
        )

    @property
    def actions(self) -> int:
        """Number of actions, and of LEFT and RIGHT under any label."""
        return int(ARCS) + 2 * len(self.relations) + 2
