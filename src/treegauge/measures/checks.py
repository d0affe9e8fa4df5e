"""What a measure needs of a treebank, and the reason it gives where that is not there."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.registry import FloatArray, MissingError
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank

#: Above this share of ``_`` a column counts as not annotated.
MOSTLY = 0.5


def blank(treebank: Treebank, column: str) -> npt.NDArray[np.bool_]:
    r"""Say of each word whether a column has nothing for it.

    In running text ``_`` is a word like others, and its own lemma. Where most forms are ``_``, as
    in treebanks that may not show their text, it is neither.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = ["1\t_\t_\tSYM\t_\t_\t2\tdep\t_\t_", "2\ta\t_\tX\t_\t_\t0\troot\t_\t_"]
    >>> text = parse_conllu("\n".join(rows) + "\n\n")
    >>> blank(text, "lemma").tolist(), blank(text, "form").tolist()
    ([False, True], [False, False])
    """
    codes, values = treebank.codes(column)
    if "_" not in values:
        return np.zeros(treebank.n_words, bool)
    empty: npt.NDArray[np.bool_] = codes == values.index("_")
    if column in {"form", "lemma"}:
        forms, names = treebank.codes("form")
        underscores = forms == (names.index("_") if "_" in names else -1)
        if underscores.mean() <= MOSTLY:
            empty &= ~underscores
    return empty


def need_words(treebank: Treebank) -> None:
    """Ask for at least one word."""
    if treebank.n_words == 0:
        raise MissingError(f"{treebank.name} has no words")


def need_column(treebank: Treebank, column: str) -> None:
    """Ask for a column that is filled in for most words, or FEATS for at least one."""
    need_words(treebank)
    share = blank(treebank, column).mean()
    if share == 1 or (column != "feats" and share > MOSTLY):
        raise MissingError(
            f"{treebank.name} has no {column.upper()}: it is '_' for {share:.0%} of words"
        )


def ratio(table: npt.NDArray[np.generic], treebank: Treebank, what: str) -> float:
    """Divide the sums of two columns; `what` names the things that must be there to divide by."""
    part, whole = table.sum(axis=0, dtype=np.float64)
    if whole == 0:
        raise MissingError(f"{treebank.name} has no {what}")
    return float(part / whole)


def ratio_of_sums(sums: FloatArray) -> FloatArray:
    """Divide the first column sum by the second, for resampling."""
    return sums[..., 0] / sums[..., 1]


def per_sentence(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Sum a value of each word over the sentences."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(treebank.sentence_of, weights, len(treebank)).astype(np.float64, copy=False)


def arc_table(values: npt.ArrayLike, treebank: Treebank) -> FloatArray:
    """Give each sentence the sum of a value of its words and the number of its arcs."""
    arcs = trees.displacement(treebank.head, treebank.offsets) != 0
    return np.column_stack([per_sentence(values, treebank), per_sentence(arcs, treebank)])
