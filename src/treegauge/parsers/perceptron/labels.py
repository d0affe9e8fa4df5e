"""Which relations to try between two parts of speech: those that training has shown."""

import numpy as np

from treegauge.kernels.beam_search import Labels
from treegauge.kernels.beam_states import ROOT
from treegauge.parsers.vocabulary import Ints
from treegauge.treebanks.columns import Treebank


def label_table(treebank: Treebank, tags: Ints, labels: Ints, n_tags: int) -> Labels:
    """Collect relations by the tags of dependent and head, and by direction.

    A pair of tags that training never joined gets the relations of the dependent's tag in that
    direction, or all if there are none; the root's relations and those of words stay apart.
    """
    parents = treebank.parents
    to_the_right = (parents >= 0) & (parents < np.arange(treebank.n_words))
    head_tags = np.where(parents < 0, ROOT, tags[parents])
    seen = np.zeros((n_tags, n_tags, 2, int(labels.max()) + 1), bool)
    seen[tags, head_tags, to_the_right.astype(np.int32), labels] = True
    chosen = seen.copy()
    is_root = np.arange(n_tags) == ROOT
    for heads in (is_root, ~is_root):
        near = np.any(seen[:, heads], axis=1, keepdims=True)
        far = np.any(near, axis=(0, 2), keepdims=True)
        for more in (near, far, np.ones_like(far)):
            lacking = ~np.any(chosen[:, heads], axis=3, keepdims=True)
            chosen[:, heads] |= lacking & more
    sizes = chosen.sum(axis=3)
    ends = np.cumsum(sizes).reshape(sizes.shape)
    bounds = np.stack([ends - sizes, ends], axis=3).astype(np.int32)
    return Labels(bounds, np.nonzero(chosen)[3].astype(np.int32))
