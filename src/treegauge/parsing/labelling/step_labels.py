"""Trees as steps: how many words to the right (+) or left (-) the head is; 0 for the root.

Steps count either all words, or those with the head's UPOS, which the label then names, too.
"""

from collections.abc import Sequence

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import label_encodings as _kernels
from treegauge.parsing.labelling.label_marginals import completed, step_marginals
from treegauge.parsing.labelling.label_readers import Bools, Doubles, Ints, Reader, Weigher
from treegauge.treebanks.data.columns import Codes

_ROOT = "-1@ROOT"


def write_relative(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
    """Write steps that count all words."""
    place = np.arange(len(heads)) - np.repeat(offsets[:-1], np.diff(offsets)) + 1
    steps, codes = np.unique(np.where(heads > 0, heads - place, 0), return_inverse=True)
    named = [f"{step:+d}" if step else "0" for step in steps.tolist()]
    return [Codes(codes.astype(np.int32), named)]


def write_upos(heads: Ints, offsets: Ints, tags: Codes) -> list[Codes]:
    """Write steps that count the words with the head's UPOS."""
    steps = np.zeros(len(heads), np.int32)
    _kernels.count_tags(heads, tags.codes, offsets, steps)
    parents = np.repeat(offsets[:-1], np.diff(offsets)) + np.maximum(heads, 1) - 1
    wanted = np.where(heads > 0, tags.codes[parents], -1)
    pairs, codes = np.unique(np.stack([steps, wanted]), axis=1, return_inverse=True)
    named = [f"{step:+d}@{tags.values[tag]}" if step else _ROOT for step, tag in pairs.T.tolist()]
    return [Codes(codes.reshape(-1).astype(np.int32), named)]


def step_reader(labels: Sequence[Sequence[str]], offsets: Ints, tags: Codes) -> Reader:
    """Return a reader of steps; a step out of the sentence gives no head."""
    known = {tag: number for number, tag in enumerate(tags.values)}
    steps, wanted, everything = [], [], True
    for label in labels[0]:
        text, at, tag = label.partition("@")
        try:
            steps.append(0 if label == _ROOT else int(text))
        except ValueError:
            raise TreegaugeError(
                f"label {label!r} is not a step; expected a label like +2, 0, -1@NOUN or {_ROOT}"
            ) from None
        wanted.append(known.get(tag, -1))
        everything = everything and not at
    of_step, of_tag = np.array(steps, np.int32), np.array(wanted, np.int32)

    def read(codes: Ints, _: Bools) -> Ints:
        heads = np.zeros(codes.shape[1], np.int32)
        _kernels.follow_tags(of_step[codes[0]], of_tag[codes[0]], tags.codes, offsets, everything, heads)
        return heads

    return read


def step_weigher(labels: Sequence[Sequence[str]], offsets: Ints, tags: Codes) -> Weigher:
    """Return the function that sums the probabilities of all steps to a head."""
    read = step_reader(labels, offsets, tags)
    words = int(offsets[-1])
    numbers = np.arange(len(labels[0]), dtype=np.int32)
    nobody = np.zeros(words, np.bool_)
    heads = np.stack([read(np.full((1, words), one, np.int32), nobody) for one in numbers], 1)

    def weigh(shares: Sequence[Doubles], _: Doubles) -> list[Doubles]:
        return [completed(own) for own in step_marginals(shares[0], heads, offsets)]

    return weigh
