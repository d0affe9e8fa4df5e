"""Edge displacements, and the distance between training and test set (EDV, SLV, MED)."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError
from treegauge.measures.intervals import SPLITS, Table, random_splits
from treegauge.measures.registry import (
    Additive,
    FloatArray,
    MissingError,
    Values,
    arc_table,
    need_column,
    need_words,
    register,
    register_ratio,
    sentence_sums,
)
from treegauge.statistics.probabilities import wasserstein
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Ints, Treebank
from treegauge.treebanks.data.relations import universal_relation
from treegauge.treebanks.data.trees import FARTHEST, displacement_counts, mean_displacement

Support = Literal["seen", "axis"]
#: Factor by which bootstrap deviations of EDV and SLV are too small, by simulation.
STRETCH = 1.07
#: Sentence lengths for which EDV is computed separately.
LENGTHS = range(3, 31)
#: Sentences per sample, and the number of samples of each size, as in the EDV paper.
SIZES, SAMPLES = (2000, 4000, 6000, 8000), 20


def _each(treebank: Treebank) -> Ints:
    """Return the displacement of every word, 0 for roots."""
    return trees.displacement(treebank.head, treebank.offsets)


def displacements(treebank: Treebank) -> Ints:
    r"""Return the position minus the head's position for every arc, in order; roots have no arc."""
    each = _each(treebank)
    arcs: Ints = each[each != 0]
    return arcs


def displacement_distribution(treebank: Treebank, *, limit: int = FARTHEST) -> FloatArray:
    """Return the share of each displacement among those from -limit to limit.

    The entry ``limit + d`` is for displacement ``d``; the entry for 0 is always 0.
    """
    every = displacements(treebank)
    kept = every[np.abs(every) <= limit]
    if not len(kept):
        raise MissingError(f"{treebank.name} has no arcs of at most {limit} words")
    return np.bincount(kept + limit, minlength=2 * limit + 1) / len(kept)


def displacement_tables(train: Treebank, test: Treebank) -> list[Table]:
    """Count the displacements from -30 to 30 in each sentence of two sets."""
    return [displacement_counts(train), displacement_counts(test)]


@register("displacements", "displacement", "share of each displacement from -30 to 30")
def displacement_shares(treebank: Treebank) -> Values:
    """Return the shares of all displacements from -30 to 30 except 0, by name."""
    shares = displacement_distribution(treebank)
    return {str(d): float(shares[d + FARTHEST]) for d in range(-FARTHEST, FARTHEST + 1) if d}


@register(
    "edv", "displacement", "distance between the displacements of train and test",
    pair=True, bounds=(0, 2 * FARTHEST),
    additive=Additive(displacement_tables, wasserstein, "distance", least=100, stretch=STRETCH),
)  # fmt: skip
def edv(train: Treebank, test: Treebank, *, limit: int = FARTHEST) -> float:
    r"""Return the edge displacement Vaserstein distance, by its definition.

    .. math:: \mathrm{EDV} = \sum_{k=-30}^{30} \Bigl| \sum_{j \le k} (p_j - q_j) \Bigr|

    with :math:`p` and :math:`q` the shares of displacements in train and test, without those beyond
    `limit` on either side. It is the mean number of positions by which displacements of one set
    must be shifted to obtain those of the other.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), section 3.1. Their printed values are not this distance but
    one like :func:`edv_masses`. Agrees with ``scipy.stats.wasserstein_distance`` on the
    displacements.
    """
    p, q = (displacement_distribution(treebank, limit=limit) for treebank in (train, test))
    return float(wasserstein(p, q))


@register("edv_masses", "displacement", "EDV as printed in the paper: compares masses, ignores the axis", pair=True)
def edv_masses(train: Treebank, test: Treebank, *, limit: int = FARTHEST, support: Support = "seen") -> float:
    r"""Return EDV as it was most likely computed for the paper's printed values.

    .. math:: \frac{1}{|S|} \sum_{i=1}^{|S|} | p_{(i)} - q_{(i)} |

    with :math:`p_{(i)}` the i-th smallest share and :math:`S` the displacements that occur on
    either side, or with `support` "axis" all from -limit to limit. It compares sorted probability
    masses and ignores which displacement they belong to: mirroring all trees changes nothing. Use
    it only for comparison with the paper.

    Notes
    -----
    ``scipy.stats.wasserstein_distance(p, q)`` with masses passed as values.
    """
    p, q = (displacement_distribution(treebank, limit=limit) for treebank in (train, test))
    return _mass_distance(p, q, support)


def _mass_distance(p: FloatArray, q: FloatArray, support: Support) -> float:
    """Return the mean difference of sorted masses, over positions that occur or over all."""
    if support not in get_args(Support):
        raise ChoiceError("support", support, get_args(Support))
    places = (p > 0) | (q > 0) if support == "seen" else np.ones(len(p), bool)
    return float(np.abs(np.sort(p[places]) - np.sort(q[places])).mean())


@register(
    "edv_by_length", "displacement", "EDV among sentences of the same length, 3 to 30 words",
    pair=True, bounds=(0, 2 * FARTHEST),
)  # fmt: skip
def edv_by_length(train: Treebank, test: Treebank) -> Values:
    """Return EDV for the sentences of each length; None if a side has no such sentence."""
    counts = [_counts_by_length(treebank)[LENGTHS[0] :] for treebank in (train, test)]
    found = zip(LENGTHS, wasserstein(*counts).tolist(), strict=True)
    distances: Values = {str(length): None if np.isnan(distance) else distance for length, distance in found}
    if all(value is None for value in distances.values()):
        raise MissingError(
            f"{train.name} and {test.name} have no sentences of the same length, {LENGTHS[0]} to {LENGTHS[-1]} words"
        )
    return distances


def _counts_by_length(treebank: Treebank) -> npt.NDArray[np.int64]:
    short = treebank.lengths <= LENGTHS[-1]
    counts = np.zeros((LENGTHS[-1] + 1, 2 * FARTHEST + 1), np.int64)
    np.add.at(counts, treebank.lengths[short], displacement_counts(treebank)[short])
    return counts


def length_tables(train: Treebank, test: Treebank) -> list[Table]:
    """Return an indicator table of sentence lengths for two sets, one column per length."""
    longest = max(int(treebank.lengths.max(initial=0)) for treebank in (train, test))
    return [
        (treebank.lengths[:, np.newaxis] == np.arange(1, longest + 1)).astype(np.uint8) for treebank in (train, test)
    ]


@register(
    "slv", "displacement", "distance between the sentence lengths of train and test",
    pair=True, bounds=(0, np.inf),
    additive=Additive(length_tables, wasserstein, "distance", least=100, stretch=STRETCH),
)  # fmt: skip
def slv(train: Treebank, test: Treebank) -> float:
    """Return the Wasserstein-1 distance of sentence lengths (sentence length Vaserstein)."""
    return float(wasserstein(*_length_counts(train, test)))


def _length_counts(train: Treebank, test: Treebank) -> list[npt.NDArray[np.int64]]:
    """Count the sentences of each length, from 0 to the longest of both sets."""
    need_words(train)
    need_words(test)
    size = 1 + max(int(treebank.lengths.max()) for treebank in (train, test))
    return [np.bincount(treebank.lengths, minlength=size) for treebank in (train, test)]


@register("slv_masses", "displacement", "SLV that compares masses, as EDV printed in the paper", pair=True)
def slv_masses(train: Treebank, test: Treebank, *, support: Support = "seen") -> float:
    r"""Return SLV as probably computed for the paper: :func:`edv_masses` of sentence lengths.

    .. math:: \frac{1}{|S|} \sum_{i=1}^{|S|} | p_{(i)} - q_{(i)} |

    with :math:`p_{(i)}` the i-th smallest share of a sentence length and :math:`S` the lengths seen
    on either side, or with `support` "axis" all from 1 to the longest. For comparison with the
    paper only.

    Notes
    -----
    ``scipy.stats.wasserstein_distance(p, q)`` with masses passed as values.
    """
    p, q = (counts[1:] / counts.sum() for counts in _length_counts(train, test))
    return _mass_distance(p, q, support)


def _excess(tables: list[Table], seed: int) -> float:
    distance = float(wasserstein(*(table.sum(axis=0, dtype=np.float64) for table in tables)))
    return distance - float(random_splits(tables, wasserstein, SPLITS, seed).mean())


@register(
    "edv_excess", "displacement", "EDV minus the mean EDV of random splits of the same sizes",
    pair=True, bounds=(-2 * FARTHEST, 2 * FARTHEST),
)  # fmt: skip
def edv_excess(train: Treebank, test: Treebank, *, seed: int = 0) -> float:
    r"""Return EDV minus its expectation under random splitting.

    .. math:: \mathrm{EDV} - E[\mathrm{EDV} \mid \text{sentences split at random}]

    EDV of small sets is large even if both come from the same source: about 0.1 for 1,000 and 300
    sentences. The expectation is the mean over 199 random splits of the same sentences into sets of
    the same sizes, so excesses can be compared across sizes. The excess is about 0 for sets from
    the same source, and slightly below their true distance otherwise.
    """
    edv(train, test)
    return _excess(displacement_tables(train, test), seed)


register(
    "slv_excess", "displacement", "SLV minus the mean SLV of random splits of the same sizes",
    pair=True, bounds=(-np.inf, np.inf),
)(lambda train, test, *, seed=0: _excess(length_tables(train, test), seed))  # fmt: skip


@register_ratio(
    "med", "displacement", "mean edge displacement of a sentence, averaged over sentences",
    "sentences of two words", bounds=(-np.inf, np.inf),
)  # fmt: skip
def mean_med(treebank: Treebank) -> FloatArray:
    """Return the mean edge displacement, averaged over sentences of two or more words."""
    each = mean_displacement(treebank)
    return np.column_stack([np.nan_to_num(each), ~np.isnan(each)])


# Negative where heads tend to follow.
register_ratio("mean_displacement", "displacement", "mean displacement of all arcs", "arcs", bounds=(-np.inf, np.inf))(
    lambda treebank: arc_table(_each(treebank), treebank)
)
register_ratio("mdd", "displacement", "mean dependency distance, in words", "arcs", bounds=(1, np.inf))(
    lambda treebank: arc_table(np.abs(_each(treebank)), treebank)
)
register_ratio("beyond_30", "displacement", "share of arcs longer than 30 words, which EDV leaves out", "arcs")(
    lambda treebank: arc_table(np.abs(_each(treebank)) > FARTHEST, treebank)
)


register("mdd_by_relation", "displacement", "mean dependency distance of each relation, in words", bounds=(1, np.inf))(
    lambda treebank: _lengths_by_relation(treebank)  # noqa: PLW0108  (a measure knows its module by its function)
)


def _lengths_by_relation(treebank: Treebank) -> Values:
    need_column(treebank, "deprel")
    distance = np.abs(_each(treebank))
    codes, values = treebank.codes("deprel")
    names = sorted({universal_relation(value) for value in values})
    place = np.array([names.index(universal_relation(value)) for value in values], np.int32)
    arcs = distance > 0
    if not arcs.any():
        raise MissingError(f"{treebank.name} has no arcs")
    sums = np.bincount(place[codes[arcs]], distance[arcs], len(names))
    counts = np.bincount(place[codes[arcs]], minlength=len(names))
    return {name: float(sums[i] / counts[i]) for i, name in enumerate(names) if counts[i]}


def baseline_lengths(treebank: Treebank) -> FloatArray:
    r"""Return sums of dependency distances of each sentence, and what other orders of the same tree would give.

    Columns are the observed sum, its expectation over all orders of the words and over all projective orders, the
    smallest sum of a projective order, and the number of arcs. Sentences that are not trees have zeros.

    .. math:: E[D] = (n - 1)(n + 1) / 3

    .. math:: E_{pr}[D] = \frac{1}{6} \Bigl(\sum_v n_v (2 d_v + 1) - 1\Bigr)

    .. math:: D_{min} = n - 1 + \sum_v \sum_{i=1}^{d_v} s_{v,i} \lfloor (i - [v = root]) / 2 \rfloor

    with :math:`n` words, :math:`n_v` words below and including :math:`v`, and :math:`s_{v,1} \ge s_{v,2} \ge \dots`
    the words below each of its :math:`d_v` dependents. In a shortest projective order, dependents alternate
    between the sides of the head, the largest outside; the head of v is outside of all of them.

    Notes
    -----
    Ferrer-i-Cancho (2004), Euclidean distance between syntactically linked words; Gildea and Temperley (2007),
    on minimum dependency length, ACL 2007; Alemany-Puig and Ferrer-i-Cancho (2022), Linear-time
    calculation of the expected sum of edge lengths in random projective linearizations of trees.
    """
    heads, offsets = treebank.head, treebank.offsets
    sizes, arity = trees.subtree_size(heads, offsets).astype(np.int64), trees.arity(heads, offsets)
    parent, n = treebank.parents, treebank.lengths.astype(np.float64)
    order = np.lexsort((-sizes, parent))
    order = order[parent[order] >= 0]
    _, first = np.unique(parent[order], return_index=True)
    rank = np.zeros(treebank.n_words, np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order)))) + 1
    crossed = np.where(parent >= 0, sizes * ((rank - (heads[parent] == 0)) // 2), 0)
    table = np.column_stack([
        sentence_sums(np.abs(_each(treebank)), treebank),
        (n - 1) * (n + 1) / 3,
        (sentence_sums(sizes * (2 * arity + 1), treebank) - 1) / 6,
        n - 1 + sentence_sums(crossed, treebank),
        n - 1,
    ])  # fmt: skip
    return np.asarray(table * trees.is_tree(heads, offsets)[:, np.newaxis])


_OBSERVED, _RANDOM, _PROJECTIVE, _SHORTEST, _ARCS = range(5)
for _name, _meaning, _column in (
    ("mdd_random", "mean dependency distance expected in random orders of the words", _RANDOM),
    ("mdd_projective", "mean dependency distance expected in random projective orders", _PROJECTIVE),
    ("mdd_shortest", "mean dependency distance in the shortest projective orders", _SHORTEST),
):
    register_ratio(_name, "displacement", _meaning, "arcs in trees", bounds=(1, np.inf))(
        lambda treebank, column=_column: baseline_lengths(treebank)[:, [column, _ARCS]]
    )


@register_ratio(
    "mdd_optimality", "displacement", "1 for the shortest projective orders, 0 for random projective orders",
    "trees with orders of different lengths", bounds=(-np.inf, 1),
)  # fmt: skip
def dependency_optimality(treebank: Treebank) -> FloatArray:
    r"""Return how far dependency distances are from random to shortest.

    .. math:: \frac{\sum_s (E_{pr}[D_s] - D_s)}{\sum_s (E_{pr}[D_s] - D_{min,s})}
    """
    sums = baseline_lengths(treebank)
    return np.column_stack([sums[:, _PROJECTIVE] - sums[:, end] for end in (_OBSERVED, _SHORTEST)])


@register(
    "edv_samples", "displacement", "mean and sd of EDV over random samples of train",
    pair=True, bounds=(0, 2 * FARTHEST),
)  # fmt: skip
def edv_samples(
    train: Treebank, test: Treebank, *, sizes: tuple[int, ...] = SIZES, samples: int = SAMPLES, seed: int = 0
) -> Values:
    """Return the mean and standard deviation of EDV over random samples of training sentences.

    Each sample is drawn without replacement; the test set is used in full. For a size such as 2000,
    the key ``2000`` has the mean and ``2000:sd`` the standard deviation; None if the training set
    has fewer sentences, or for the deviation as many (Anderson and Gómez-Rodríguez 2022, appendix
    D).
    """
    if len(train) < min(sizes):
        raise MissingError(f"{train.name} has {len(train):,} sentences, fewer than a sample of {min(sizes):,}")
    counts, goal = displacement_counts(train), displacement_distribution(test)
    random = np.random.default_rng(seed)
    summary: Values = {}
    for size in sizes:
        summary[str(size)] = summary[f"{size}:sd"] = None
        if size <= len(train):
            drawn = [random.choice(len(train), size, replace=False) for _ in range(samples)]
            values = wasserstein([counts[sample].sum(axis=0) for sample in drawn], goal)
            summary[str(size)] = float(values.mean())
            if size < len(train):  # all sentences are one sample
                summary[f"{size}:sd"] = float(values.std(ddof=1))
    return summary
