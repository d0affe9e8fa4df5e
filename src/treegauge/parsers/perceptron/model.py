"""A trained beam parser."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_search import Labels, Learned, parse_all, search_room
from treegauge.kernels.beam_weights import Rows, restored
from treegauge.parsers.interrupts import interrupts_wait
from treegauge.parsers.perceptron.settings import UNLABELLED, Options, Vocabulary
from treegauge.parsers.storage import save_model
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

Ints = npt.NDArray[np.int32]
VERSION = 1
"""Of the templates and keys of features, on which the meaning of weights depends."""


@dataclass(frozen=True, eq=False)
class BeamModel:
    """A trained beam parser.

    Attributes
    ----------
    options, vocabulary, labels
        What it was told, the values it knows, and the relations it tries.
    rows
        Keys of features, bounds of their rows, and the actions and weights in these.
    """

    options: Options
    vocabulary: Vocabulary
    labels: Labels
    rows: Rows

    @cached_property
    def _learned(self) -> Learned:
        weights = restored(*self.rows, self.vocabulary.actions)
        return Learned(self.options.templates, self.labels, weights)

    def trees(self, treebank: Treebank) -> tuple[Ints, Ints]:
        """Return heads and numbers of relations of all words."""
        words, learned = self.vocabulary.words(treebank, self.options), self._learned
        search = search_room(words, learned, self.options.beam)
        with interrupts_wait():
            return parse_all(words, learned, search)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees found; always projective, with one root."""
        heads, numbers = self.trees(treebank)
        names = self.vocabulary.relations.values
        if not self.options.labelled:
            names, numbers = UNLABELLED, np.equal(heads, 0).astype(np.int32)
        relations = [names[number] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": relations})

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {
            "version": VERSION, "options": asdict(self.options),
            "vocabulary": self.vocabulary.to_dict(),
        }  # fmt: skip
        names = ("keys", "bounds", "actions", "weights")
        arrays: dict[str, npt.NDArray[Any]] = dict(zip(names, self.rows, strict=True))
        arrays["actions"] = arrays["actions"].astype(np.uint16)
        labels = {"label_bounds": self.labels.bounds, "labels": self.labels.labels}
        save_model(path, "beam", header, {**arrays, **labels})

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "BeamModel":
        """Make a model of what its file held."""
        if header["version"] != VERSION:
            raise TreegaugeError(
                f"the model is of version {header['version']} of the beam parser; this one reads "
                f"version {VERSION}: train it again"
            )
        kinds = {"keys": np.uint64, "weights": np.float32}
        found = {
            name: np.array(array, dtype=kinds.get(name, np.int32), order="C")
            for name, array in arrays.items()
        }
        model = cls(
            Options(**header["options"]), Vocabulary.from_dict(header["vocabulary"]),
            Labels(found["label_bounds"], found["labels"]),
            (found["keys"], found["bounds"], found["actions"], found["weights"]),
        )  # fmt: skip
        model._check()
        return model

    def _check(self) -> None:
        """Refuse numbers that would lead kernels out of their arrays."""
        keys, bounds, actions, values = self.rows
        tags, relations = self.vocabulary.tags.size, len(self.vocabulary.relations)
        begins, ends = self.labels.bounds[..., 0], self.labels.bounds[..., 1]
        labels = self.labels.labels
        sound = (
            bounds.shape == (len(keys) + 1,)
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
