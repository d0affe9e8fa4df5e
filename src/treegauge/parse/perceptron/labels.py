"""Which relations to try between two parts of speech: those that training has shown."""

import numpy as np

from treegauge.parse.perceptron._search import Labels
from treegauge.parse.vocabulary import FIRST, ROOT, Ints
from treegauge.treebank.columns import Treebank


def label_table(treebank: Treebank, tags: Ints, labels: Ints, n_tags: int) -> Labels:
    """Collect relations by the tags of dependent and head, and by direction.

    A pair of tags that training never joined gets the relations of the dependent's tag in that
    direction, or all if there are none; the root's relations and those of words stay apart.
    """
    parents = treebank.parents
    from_root = parents < 0
    to_the_right = ~from_root & (parents < np.arange(treebank.n_words))
    head_tags = np.where(from_root, ROOT, tags[parents])
    seen = np.zeros((n_tags, n_tags, 2, int(labels.max()) + 1), bool)
    seen[tags, head_tags, to_the_right.astype(np.int32), labels] = True
    bounds = np.zeros((n_tags, n_tags, 2, 2), np.int32)
    chosen: list[int] = []
    for dependent, head, direction in np.ndindex(bounds.shape[:3]):
        heads = slice(ROOT, ROOT + 1) if head == ROOT else slice(FIRST, None)
        choices = (
            seen[dependent, head, direction],
            seen[dependent, heads, direction].any(axis=0),
            seen[:, heads].any(axis=(0, 1, 2)),
            seen.any(axis=(0, 1, 2)),
        )
        found = next(np.flatnonzero(choice) for choice in choices if choice.any())
        bounds[dependent, head, direction] = len(chosen), len(chosen) + len(found)
        chosen += found.tolist()
    return Labels(bounds, np.array(chosen, np.int32))
