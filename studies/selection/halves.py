"""Halves of a training set chosen by a data map: easy, ambiguous or hard sentences, or random ones.

A sentence's value is the mean of its words' values (heads). All halves have half of the words. A
half with ``same lengths`` is chosen among sentences of about the same length, so that it is not a
choice of short or long sentences. Needs numpy only.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

KINDS = ("easy", "ambiguous", "hard")
HALVES = ("random", *KINDS, *(f"{kind}, same lengths" for kind in KINDS))
NEIGHBOURS = 20
"""Sentences of about the same length among which a half is chosen."""
TREEBANKS = (
    "UD_Telugu-MTG", "UD_Turkish-FrameNet", "UD_Uyghur-UDT", "UD_Vietnamese-VTB",
    "UD_Faroese-FarPaHC", "UD_Afrikaans-AfriBooms", "UD_Norwegian-NynorskLIA",
    "UD_Old_Church_Slavonic-PROIEL", "UD_Greek-GDT", "UD_English-ParTUT",
)  # fmt: skip
"""The smallest of the paper's treebanks at hand, one per language, the smallest first."""


def sentence_means(values: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
    """Return the mean of each sentence's words.

    Examples
    --------
    >>> sentence_means([1.0, 0.0, 0.5], [2, 1]).tolist()
    [0.5, 0.5]
    """
    sizes = np.asarray(lengths, np.int64)
    starts = np.cumsum(sizes) - sizes
    return np.asarray(np.add.reduceat(np.asarray(values, np.float64), starts) / sizes)


def half_of_words(order: Longs, lengths: Longs) -> Longs:
    """Return the first sentences of an order that have half of its words, as nearly as possible.

    Examples
    --------
    >>> half_of_words(np.array([2, 0, 1]), np.array([4, 1, 5])).tolist()
    [2]
    """
    ends = np.cumsum(lengths[order])
    return order[: int(np.abs(ends - ends[-1] / 2).argmin()) + 1]


def choose_half(half: str, confidence: Floats, variability: Floats, lengths: Longs, seed: int) -> Longs:
    """Return the numbers of the sentences of one of the `HALVES`, in rising order."""
    chance = np.random.default_rng([seed, len(lengths)]).random(len(lengths))
    kind, _, same = half.partition(", ")
    values = {"random": chance, "easy": -confidence, "ambiguous": -variability, "hard": confidence}
    order = np.lexsort((chance, values[kind])).astype(np.int64)
    if not same:
        return np.sort(half_of_words(order, lengths))
    by_length = np.lexsort((chance, lengths))
    groups = np.array_split(by_length, max(round(len(by_length) / NEIGHBOURS), 1))
    chosen: list[Longs] = []
    for group in groups:
        own = order[np.isin(order, group)]
        # Neighbours differ in length by little; odd groups give their middle sentence by turns.
        extra = len(own) % 2 and len(chosen) % 2
        chosen.append(own[: len(own) // 2 + extra])
    return np.sort(np.concatenate(chosen))
