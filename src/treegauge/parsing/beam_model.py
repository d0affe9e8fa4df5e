"""A trained beam parser: its options, its vocabulary, and its weights."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.beam_search import Search
from treegauge.kernels.beam_states import ARCS, FIRST, UNKNOWN
from treegauge.kernels.beam_weights import BeamWeights
from treegauge.kernels.features import BeamWords, Labels, Templates, templates
from treegauge.parsing.base import Analyses, are_names, save_model
from treegauge.parsing.options import ParserOptions, option, tags_option
from treegauge.parsing.tag_sources import GOLD, TagSource
from treegauge.treebanks.data.columns import Codes, Treebank
from treegauge.treebanks.sources.files import Source

Ints = npt.NDArray[np.int32]
Rows = tuple[npt.NDArray[np.uint64], Ints, Ints, npt.NDArray[np.float32]]
"""Keys of features, the start of each one's row, and the actions and weights of rows."""


@dataclass(frozen=True)
class Numbering:
    """Values in the order of their numbers, the first of which is `first`."""

    values: tuple[str, ...]
    first: int = FIRST

    @classmethod
    def of(cls, values: Iterable[str], *, first: int = FIRST) -> "Numbering":
        """Return the numbering of values in order of first use."""
        return cls(tuple(dict.fromkeys(values)), first)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        """The number after the last one."""
        return self.first + len(self.values)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values, self.first)}

    def numbers(self, values: Iterable[str]) -> Ints:
        """Return each value's number; UNKNOWN for other values, or -1 if that number is taken."""
        unknown = UNKNOWN if self.first > UNKNOWN else -1
        return np.array([self._numbers.get(value, unknown) for value in values], np.int32)

    def column(self, column: Codes, shown: Callable[[str], str] = str) -> Ints:
        """Return the numbers of a column of a treebank, after applying `shown` to its values."""
        return self.numbers(map(shown, column.values))[column.codes]


def ending(length: int) -> Callable[[str], str]:
    """Return the function that returns the last letters of a form, in lower case."""
    return lambda form: form.lower()[-length:]


UNLABELLED = ("dep", "root")
"""The relations that an unlabelled parser writes: of words, and of the root."""

MOST_LEARNERS, TOGETHER = 10, 500
"""The number of learners for a small training set, and the sentences they see in total."""


@dataclass(frozen=True)
class BeamOptions(ParserOptions):
    """Options of the beam parser."""

    beam: int = option(8, "states kept at each step; 1 is greedy", low=1, high=1024)
    epochs: int = option(10, "epochs over the training set", low=1, high=1000)
    margin: float = option(30.0, "lead required over each incorrect head or relation", low=0, high=1e6)
    learners: int = option(
        0, "models whose weights are averaged; 0: 1 to 10, more for fewer sentences", low=0, high=1000
    )
    labelled: bool = option(True, "whether relations are learned together with trees")
    lexical: bool = option(True, "whether the parser reads word forms; false: tags only")
    ending: int = option(3, "letters of word endings used as features; 0: only whole forms", low=0, high=9)
    tags: str = tags_option()

    @property
    def of_curves(self) -> Mapping[str, Any]:
        """One learner at every size of a learning curve."""
        return {"learners": 1}

    def learners_of(self, sentences: int) -> int:
        """Return the number of learners for a training set of this size."""
        return self.learners or max(1, min(MOST_LEARNERS, TOGETHER // sentences))

    @property
    def templates(self) -> Templates:
        """The templates of features."""
        return templates(lexical=self.lexical, endings=self.ending > 0, labelled=self.labelled)


@dataclass(frozen=True)
class BeamVocabulary:
    """The known values of the columns."""

    forms: Numbering
    endings: Numbering
    tags: Numbering
    relations: Numbering

    @classmethod
    def of(cls, treebank: Treebank, options: BeamOptions) -> "BeamVocabulary":
        """Return the vocabulary of a treebank, restricted to the columns that the options allow."""
        forms = treebank.codes("form").values if options.lexical else []
        relations = treebank.codes("deprel").values if options.labelled else UNLABELLED[:1]
        return cls(
            Numbering.of(forms),
            Numbering.of(map(ending(options.ending), forms) if options.ending else []),
            Numbering.of(treebank.codes("upos").values),
            Numbering.of(relations, first=0),
        )

    @classmethod
    def from_dict(cls, values: dict[str, list[str]]) -> "BeamVocabulary":
        """Return the vocabulary that :meth:`to_dict` wrote."""
        forms, endings, tags = (Numbering(tuple(values[name])) for name in ("forms", "endings", "tags"))
        return cls(forms, endings, tags, Numbering(tuple(values["relations"]), first=0))

    def to_dict(self) -> dict[str, list[str]]:
        """Return the values of each column."""
        return {name: list(numbering.values) for name, numbering in vars(self).items()}

    def words(self, treebank: Treebank, options: BeamOptions) -> BeamWords:
        """Turn a treebank into numbers."""
        form = treebank.codes("form")
        return BeamWords(
            self.forms.column(form), self.tags.column(treebank.codes("upos")),
            self.endings.column(form, ending(options.ending)), np.array(treebank.offsets, np.int32),
        )  # fmt: skip

    @property
    def actions(self) -> int:
        """Number of actions, and of LEFT and RIGHT under any label."""
        return ARCS + 2 * len(self.relations) + 2


def beam_marginals(
    logs: npt.NDArray[np.float64], heads: Ints, sentences: npt.NDArray[Any], starts: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the share of each head in the analyses of its sentence, weighted by exp(log).

    `logs` (sentences, analyses) is minus infinity where there is no analysis, `heads` (analyses,
    words); word d of a sentence of n words fills n + 1 places from its sentence's start.
    """
    weights = np.exp(logs - logs.max(1, keepdims=True, initial=-np.inf))
    weights /= weights.sum(1, keepdims=True)
    sizes = np.bincount(sentences, minlength=len(logs))
    first = np.cumsum(sizes) - sizes
    words = np.arange(len(sentences))
    rows = starts[sentences] + (words - first[sentences]) * (sizes[sentences] + 1)
    shares = np.zeros(int(starts[-1]))
    for analysis, own in enumerate(heads):
        shares[rows + own] += weights[sentences, analysis]
    return shares


VERSION = 1
"""Version of the templates and keys of features, which define the weights."""


@dataclass(frozen=True, eq=False)
class BeamModel:
    """A trained beam parser; `labels` are the relations that it tries for each pair of tags."""

    options: BeamOptions
    vocabulary: BeamVocabulary
    labels: Labels
    rows: Rows
    tag_source: TagSource = GOLD

    @cached_property
    def _weights(self) -> BeamWeights:
        return BeamWeights.restored(*self.rows, self.vocabulary.actions)

    def _words(self, treebank: Treebank) -> BeamWords:
        read = self.tag_source.read(treebank, self.vocabulary.tags.values)
        return self.vocabulary.words(read, self.options)

    def trees(self, treebank: Treebank) -> tuple[Ints, Ints]:
        """Return heads and numbers of relations of all words."""
        options = self.options
        words = self._words(treebank)
        return Search(words, options.templates, self.labels, self._weights, options.beam).parse()

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees; always projective, with one root."""
        heads, numbers = self.trees(treebank)
        if not self.options.labelled:
            numbers = np.equal(heads, 0).astype(np.int32)
        names = self.relation_names
        relations = [names[number] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": relations})

    @property
    def relation_names(self) -> tuple[str, ...]:
        """The relations that the parser writes."""
        return self.vocabulary.relations.values if self.options.labelled else UNLABELLED

    def analyses(self, treebank: Treebank, most: int) -> Analyses:
        """Return the best analyses at the end of the beam, and scores of the arcs it tried.

        A head's log is the lead of the best state that had just got the arc over the best state at
        that step, at most 0, in units of the training margin. Marginals over the beam weight
        analyses by their scores in thirds of the margin.
        """
        how = self.options
        words = self._words(treebank)
        search = Search(words, how.templates, self.labels, self._weights, how.beam)
        kept = min(most, how.beam)
        scores, heads, relations, label_scores = search.analyses(kept)
        if not how.labelled:
            relations = np.equal(heads, 0).astype(np.int32)
            label_scores = np.where(relations[:kept, :, None] == np.arange(2), 0.0, -np.inf)
        sizes = treebank.lengths.astype(np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes * (sizes + 1))))
        leads = np.full(int(starts[-1]), -np.inf)
        search.arc_leads(starts[:-1], leads)
        scale = max(how.margin, 1.0)
        pieces = list(zip(starts[:-1].tolist(), sizes.tolist(), strict=True))
        shares = beam_marginals(scores * (3 / scale), heads, treebank.sentence_of, starts)
        return Analyses(
            scores[:, :kept], heads[:kept], relations[:kept],
            [leads[at : at + n * (n + 1)].reshape(n, n + 1) / scale for at, n in pieces],
            [shares[at : at + n * (n + 1)].reshape(n, n + 1) for at, n in pieces],
            label_scores / scale,
        )  # fmt: skip

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {
            "version": VERSION, "options": asdict(self.options),
            "vocabulary": self.vocabulary.to_dict(), "tag_source": self.tag_source.mode,
        }  # fmt: skip
        names = ("keys", "bounds", "actions", "weights")
        arrays: dict[str, npt.NDArray[Any]] = dict(zip(names, self.rows, strict=True))
        arrays["actions"] = arrays["actions"].astype(np.uint16)
        labels = {"label_bounds": self.labels.bounds, "labels": self.labels.labels}
        save_model(path, "beam", header, {**arrays, **labels, **self.tag_source.to_arrays()})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "BeamModel":
        """Return the model stored in a file."""
        if header["version"] != VERSION:
            raise TreegaugeError(
                f"the model is of version {header['version']} of the beam parser; this one reads "
                f"version {VERSION}: train it again"
            )
        source = TagSource.from_arrays(header["tag_source"], arrays)
        kinds = {"keys": np.uint64, "weights": np.float32}
        found = {name: np.array(array, dtype=kinds.get(name, np.int32), order="C") for name, array in arrays.items()}
        model = cls(
            BeamOptions(**header["options"]),
            BeamVocabulary.from_dict(header["vocabulary"]),
            Labels(found["label_bounds"], found["labels"]),
            (found["keys"], found["bounds"], found["actions"], found["weights"]),
            source,
        )
        model._check()
        return model

    def _check(self) -> None:
        """Refuse numbers that would be out of bounds in kernels."""
        keys, bounds, actions, values = self.rows
        tags, relations = self.vocabulary.tags.size, len(self.vocabulary.relations)
        begins, ends = self.labels.bounds[..., 0], self.labels.bounds[..., 1]
        labels = self.labels.labels
        named = (name for column in vars(self.vocabulary).values() for name in column.values)
        sound = (
            all(isinstance(name, str) for name in named)
            and are_names(self.vocabulary.relations.values)
            and all(array.ndim == 1 for array in (*self.rows, labels))
            and bounds.shape == (len(keys) + 1,)
            and bounds[0] == 0
            and bounds[-1] == len(actions) == len(values)
            and (np.diff(bounds) >= 0).all()
            and ((actions >= 0) & (actions < self.vocabulary.actions)).all()
            and self.labels.bounds.shape == (tags, tags, 2, 2)
            and ((begins >= 0) & (begins < ends) & (ends <= len(labels))).all()
            and ((labels >= 0) & (labels < relations)).all()
        )
        if not sound:
            raise TreegaugeError("the model is damaged: its arrays do not fit together")
