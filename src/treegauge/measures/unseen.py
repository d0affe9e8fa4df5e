"""What stands in test and not in train: out-of-vocabulary words."""

import numpy as np

from treegauge.measures.checks import need_column, per_sentence, ratio, ratio_of_sums
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.treebanks.columns import Treebank


def _unseen(train: Treebank, test: Treebank) -> list[FloatArray]:
    known = set(train.codes("form").values)
    codes, values = test.codes("form")
    new = np.array([value not in known for value in values], bool)
    return [np.column_stack([per_sentence(new[codes], test), test.lengths])]


@register(
    "oov", "similarity", "share of test words whose form train lacks",
    pair=True, additive=Additive(_unseen, ratio_of_sums),
)  # fmt: skip
def out_of_vocabulary(train: Treebank, test: Treebank) -> float:
    r"""Return the share of test words whose form, as written, is not in train.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> def text(*forms):
    ...     rows = [f"{i}\t{f}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_" for i, f in enumerate(forms, 1)]
    ...     return parse_conllu("\n".join(rows) + "\n\n")
    >>> out_of_vocabulary(text("a", "b"), text("a", "c", "c", "b"))
    0.5
    """
    need_column(train, "form")
    need_column(test, "form")
    return ratio(_unseen(train, test)[0], test, "words")


@register("oov_types", "similarity", "share of test's distinct forms that train lacks", pair=True)
def out_of_vocabulary_types(train: Treebank, test: Treebank) -> float:
    """Return the share of the distinct forms of test that are not in train."""
    need_column(train, "form")
    need_column(test, "form")
    forms = test.codes("form").values
    return len(set(forms) - set(train.codes("form").values)) / len(forms)
