"""The source of a parser's tags: the file, a tagger in the model, or none.

A parser that learns from gold tags meets errors in predicted tags that it never met in training.
With ``tags=predicted`` or ``mixed`` it learns from jackknifed tags instead: those of each fold come
from a tagger that learned from the other folds, so that they have about as many errors as the tags
of new text. A tagger that learned from the whole training set is part of the model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.parsing.options import TAGS, lacks_tags, no_tags_error
from treegauge.parsing.tagger import PerceptronTagger, jackknifed_upos, train_perceptron_tagger
from treegauge.treebanks.data.columns import Treebank

FOLDS = 10
SPARE_EPOCHS = 5
"""Epochs of the tagger of a parser that learns from gold tags."""
_PREFIX = "tagger/"
_WITH_TAGGER = ("predicted", "mixed")

_tagged: WeakKeyDictionary[PerceptronTagger, WeakKeyDictionary[Treebank, Treebank]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class TagSource:
    """The source of the tags that a model reads.

    Attributes
    ----------
    mode
        One of :data:`~treegauge.parsing.options.TAGS`.
    tagger
        The tagger of ``predicted`` and ``mixed``; of ``gold``, one for words without a tag, or
        None.
    """

    mode: str = "gold"
    tagger: PerceptronTagger | None = None

    def read(self, treebank: Treebank, known: Sequence[str] = ()) -> Treebank:
        """Return the treebank with the tags that the parser reads.

        `known` are the tags that it learned from: without a tagger, a treebank in which no word has
        a tag is refused.
        """
        if self.mode == "gold" and self.tagger is None:
            if treebank.n_words and lacks_tags(treebank) and not set(known) <= {"_"}:
                raise no_tags_error(treebank)
            return treebank
        if self.mode == "none":
            if lacks_tags(treebank):
                return treebank
            return treebank.with_columns({"upos": ["_"] * treebank.n_words})
        if self.mode != "predicted" and not _missing(treebank).any():
            return treebank
        tagged = self._predicted(treebank)
        if self.mode == "predicted" or lacks_tags(treebank):
            return tagged
        own = zip(treebank["upos"], tagged["upos"], strict=True)
        return treebank.with_columns({"upos": [new if old == "_" else old for old, new in own]})

    def _predicted(self, treebank: Treebank) -> Treebank:
        if self.tagger is None:
            raise TreegaugeError(f"tags are {self.mode}, and there is no tagger")
        kept = _tagged.setdefault(self.tagger, WeakKeyDictionary())
        if treebank not in kept:
            kept[treebank] = self.tagger.tag(treebank)
        return kept[treebank]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the tagger as arrays for a model's file."""
        arrays = {} if self.tagger is None else self.tagger.to_arrays()
        return {f"{_PREFIX}{name}": value for name, value in arrays.items()}

    @classmethod
    def from_arrays(cls, mode: str, arrays: dict[str, npt.NDArray[Any]]) -> "TagSource":
        """Return the source stored in a file's arrays by :meth:`to_arrays`, and remove it there."""
        names = [name for name in arrays if name.startswith(_PREFIX)]
        own = {name.removeprefix(_PREFIX): arrays.pop(name) for name in names}
        if mode not in TAGS or (mode in _WITH_TAGGER) > bool(own):
            raise TreegaugeError(f"the model is damaged: its tags are {mode!r}, without a tagger")
        return cls(mode, PerceptronTagger.from_arrays(own) if own else None)


GOLD = TagSource()


def _missing(treebank: Treebank) -> npt.NDArray[np.bool_]:
    codes, values = treebank.codes("upos")
    return np.array([value == "_" for value in values], bool)[codes]


def learn_tags(
    mode: str, train: Treebank, dev: Treebank | None, *, seed: int
) -> tuple[TagSource, Treebank, Treebank | None]:
    """Return the source of a model's tags, and the training and dev sets as the parser reads them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> learn_tags("gold", train, None, seed=0)[1] is train
    True
    >>> source, tagged, _ = learn_tags("predicted", train, None, seed=0)
    >>> tagged["upos"].to_list() == train["upos"].to_list()
    False
    """
    if mode in {"predicted", "mixed"}:
        source = TagSource(mode, train_perceptron_tagger(train, seed=seed))
        if len(train) > 1:
            from treegauge.parsing.tagger import tag_folds  # imports the package splitting

            folds = tag_folds(train, min(FOLDS, len(train)), seed=seed)
            train = jackknifed_upos(train, folds, seed=seed)
    elif mode == "gold" and not lacks_tags(train):
        return GOLD, train, dev
    else:
        source = TagSource("none")
        train = source.read(train)
    return source, train, None if dev is None else source.read(dev)


def with_tagger(model: Any, train: Treebank, *, seed: int) -> Any:
    """Return a model that reads the file's tags with a tagger for text that has none.

    The parser is the same; models that have a tagger, or read no tags, are returned as they are.

    Examples
    --------
    >>> from treegauge.parsing.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> model = with_tagger(make_parser("mst", epochs=1).fit(train, seed=0), train, seed=0)
    >>> model.tag_source.mode, len(model.tag_source.tagger.tags) > 5
    ('gold', True)
    """
    source = getattr(model, "tag_source", None)
    reads = getattr(getattr(model, "options", None), "upos", True)
    if source is None or source.mode != "gold" or source.tagger or not reads or lacks_tags(train):
        return model
    tagger = train_perceptron_tagger(train, epochs=SPARE_EPOCHS, seed=seed)
    return replace(model, tag_source=TagSource("gold", tagger))


def note_training(options: Any, train: Treebank) -> None:
    """Report the source of the tags in training, unless they are the file's own."""
    mode = getattr(options, "tags", "gold")
    if mode == "gold" and lacks_tags(train):
        note(f"{train.name} has no UPOS tags: the parser is trained on words alone")
    elif mode in _WITH_TAGGER:
        by = f" by {min(FOLDS, len(train))} folds"
        if hasattr(options, "tagger_iterations"):  # UDPipe has no folds
            by = ""
        note(f"a tagger is part of the model; it tags the training set{by}")


def note_tags(model: Any, treebank: Treebank, *, confidence: bool = False) -> None:
    """Report the source of the tags in parsing, unless they are the file's own."""
    source = getattr(model, "tag_source", GOLD)
    missing = int(_missing(treebank).sum())
    words = treebank.n_words
    if _writes_tags(model):
        if model.options.tags == "predicted" or lacks_tags(treebank):
            note(f"the model's own tagger tags all {words:,} words; its tags are written")
    elif source.mode == "predicted":
        note(f"the model's own tagger tags all {words:,} words; tags of the file are not read")
    elif source.mode == "mixed" and missing:
        note(
            f"the model's own tagger tags {missing:,} of {words:,} words, which have no UPOS tag"
            + "; its probabilities were calibrated with the dev set's own tags: train with the "
            "option tags=predicted for text without tags" * confidence
        )
    elif source.mode == "gold" and missing and source.tagger is not None:
        better = "predicted" if confidence else "mixed"
        note(
            f"the model's own tagger tags {missing:,} of {words:,} words, which have no UPOS tag; "
            "the parser learned from gold tags"
            + " and its probabilities were calibrated with them" * confidence
            + f": train with the option tags={better} for text without tags"
        )
    elif source.mode == "gold" and 0 < missing < words:
        note(f"{missing:,} of {words:,} words have no UPOS tag, and the model has no tagger")


def _writes_tags(model: Any) -> bool:
    """Return whether the model always writes its own tagger's tags, as UDPipe does."""
    own = not hasattr(model, "tag_source")
    return own and getattr(getattr(model, "options", None), "tags", "gold") in _WITH_TAGGER


def check_tagger(model: Any) -> None:
    """Refuse a model without a tagger."""
    if getattr(model, "tag_source", GOLD).tagger is None and not _writes_tags(model):
        raise TreegaugeError(
            "the model has no tagger whose tags could be written: train it with 'treegauge train' "
            "on a treebank with UPOS tags, and not with the option tags=none"
        )


def with_read_tags(model: Any, parsed: Treebank) -> Treebank:
    """Return parsed sentences with the tags in UPOS by which the model parsed them."""
    if _writes_tags(model):
        return parsed
    return parsed.with_columns({"upos": model.tag_source.read(parsed)["upos"]})


def tag_report(model: Any, dev: Treebank | None) -> dict[str, float]:
    """Return LAS on a dev set with gold and with predicted tags, and the tagger's accuracy.

    All are in percent; empty for a model without a tagger or a dev set without tags.
    """
    from treegauge.scoring.alignment.align import align
    from treegauge.scoring.metrics.correct_words import correct_words

    source = getattr(model, "tag_source", GOLD)
    if source.tagger is None or dev is None or lacks_tags(dev):
        return {}
    tagged = source.tagger.tag(dev)
    reader = replace(model, tag_source=GOLD)
    correct = np.asarray(tagged["upos"] == dev["upos"])
    report = {"dev_upos": 100 * float(correct.mean())}
    for name, part in (("gold", dev), ("predicted", tagged)):
        words = correct_words(align(dev, reader.parse(part)))
        report[f"dev_las_{name}_tags"] = words.score("LAS") or 0.0
    return report
